// The provider against a stand-in for docker (test-fake-docker.ts), and the suites against a real daemon where one answers.
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../testing/rig.ts";
import { hostileSuite, sandboxConformance } from "../testing/index.ts";
import { docker } from "./docker.ts";
import { fakeDocker } from "./test-fake-docker.ts";

const api = { describe, test, expect };
const { signal } = new AbortController();
const features = { jobs: true, processes: true, shell: true, workFolder: true, links: true, snapshot: true };

const fake = fakeDocker();
afterAll(() => fake[Symbol.dispose]());
const isThere = spawnSync("bwrap", ["--bind", "/", "/", "true"]).status === 0;
const skipFake = process.env["HONE_SKIP_BWRAP"] ?? (isThere ? undefined : "bwrap does not work here");
const provider = docker({ command: fake.command });
sandboxConformance(
  {
    name: "docker (imitated)",
    provider,
    isolates: false,
    features,
    ...(skipFake === undefined ? {} : { skip: skipFake }),
  },
  api,
);

const version = spawnSync("docker", ["version"], { timeout: 5000, encoding: "utf8" });
const skipReal = version.status === 0 ? undefined : "no docker daemon answers here";
const real = {
  name: "docker",
  provider: docker(),
  isolates: true,
  features,
  ...(skipReal === undefined ? {} : { skip: skipReal }),
};
sandboxConformance(real, api);
hostileSuite(real, api);

describe.skipIf(skipFake !== undefined)("the calls of docker", () => {
  beforeEach(() => fake.setUp(true));

  test("a sandbox is one container, made as the spec says and gone with the lease", async () => {
    const before = fake.containers();
    const before2 = fake.calls().length;
    const lease = await docker({ command: fake.command, image: "own:1", cpus: 2 }).open(
      { memoryMb: 100, diskMb: 16 },
      { signal },
    );
    expect(fake.containers().length).toBe(before.length + 1);
    const [, , run = []] = fake.calls().slice(before2);
    expect(run).toEqual(expect.arrayContaining(["run", "own:1", "116m", "--network", "none"]));
    expect(run.join(" ")).toContain("--cpus 2 ");
    await lease[Symbol.asyncDispose]();
    expect(fake.containers()).toEqual(before);
    expect(fake.calls().at(-1)?.slice(0, 2)).toEqual(["rm", "--force"]);
  });

  test("the spec's image and network win", async () => {
    await using _lease = await provider.open({ image: "python:3.14", network: true }, { signal });
    const run = fake.calls().findLast(([verb]) => verb === "run");
    expect(run).toContain("python:3.14");
    expect(run).not.toContain("--network");
  });

  test("containers that killed programs left are removed, and no others", async () => {
    fake.addContainer("lost", `${hostname()}/999999999/1`);
    fake.addContainer("elsewhere", "another-machine/999999999/1");
    fake.addContainer("unknown", "");
    await using _lease = await docker({ command: fake.command }).open({}, { signal });
    const left = fake.containers();
    expect([left.includes("lost"), left.includes("elsewhere"), left.includes("unknown")]).toEqual([false, true, true]);
  });

  test("a container that has gone makes the sandbox a dead one", async () => {
    await using lease = await provider.open({}, { signal });
    const run = fake.calls().findLast(([verb]) => verb === "run") ?? [];
    const name = run[run.indexOf("--name") + 1] ?? "";
    spawnSync(fake.command, ["rm", "--force", name]);
    await expect(lease.sandbox.exec("true")).rejects.toMatchObject({ code: "sandbox-dead", isRetryable: true });
    await expect(lease.sandbox.read("x")).rejects.toMatchObject({ code: "sandbox-dead" });
  });

  test("without a daemon, without the program and without the image, errors say what to do", async () => {
    fake.setUp(false);
    const down = docker({ command: fake.command });
    const unavailable = { code: "sandbox-unavailable", hint: expect.stringContaining("bubblewrap") };
    await expect(down.open({}, { signal })).rejects.toMatchObject(unavailable);
    await expect(docker({ command: "/no/such/docker" }).open({}, { signal })).rejects.toMatchObject(unavailable);
    fake.setUp(true);
    // It is asked again: a daemon may come up later.
    await using _lease = await down.open({}, { signal });
    await expect(down.open({ image: "missing-image" }, { signal })).rejects.toMatchObject({
      code: "sandbox-open",
      message: expect.stringContaining("Unable to find image"),
    });
  });

  test("a host that ends without a word leaves no container", async () => {
    const url = new URL("../../dist/docker/docker.js", import.meta.url).href;
    const script = `import { docker } from ${JSON.stringify(url)};
await docker({ command: ${JSON.stringify(fake.command)} }).open({}, { signal: new AbortController().signal });
process.kill(process.pid, "SIGKILL");`;
    const before = fake.containers();
    spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    await eventually("the container is gone", () => fake.containers().length <= before.length);
    expect(fake.containers()).toEqual(before);
  });
});
