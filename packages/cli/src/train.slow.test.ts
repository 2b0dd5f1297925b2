// Training through the binary on the embedded engine: kills, resuming, replaying, exporting. Needs the build.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { start, until } from "./testing/binary.ts";
import { withSmallModel } from "./testing/small-model.ts";

function lines(...path: string[]): string[] {
  const file = join(...path);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
const adapterOf = (cwd: string, run: string): Buffer =>
  readFileSync(join(cwd, "runs", run, "adapter", "adapter_model.safetensors"));

test(
  "a killed run goes on to the same end, is replayed bit for bit, exported and evaluated",
  { timeout: 120_000 },
  async () => {
    const { folder: cwd } = await withSmallModel();
    const hone = (...argv: string[]) => start(argv, { cwd });
    const steps = ["--set", "max_steps=12", "--no-web"];
    const whole = await hone("train", "run.toml", "--run", "whole", ...steps).ended;
    expect({
      code: whole.code,
      stderr: whole.stderr.replaceAll(/^(?:step|held-out|note: WASM is used) ?.*\n/gm, ""),
    }).toEqual({
      code: 0,
      stderr: "",
    });
    expect(whole.stdout).toMatch(
      /^run in runs\/whole\nlower · \.\/small on cpu · 12 steps of 16 rollouts each, groups of 8\n/,
    );
    expect(whole.stdout).toMatch(/^ {2}lower +0\.\d+ +0\.\d+ +[+-]0\.\d+ +-?\d\.\d+ to -?\d\.\d+$/m);
    expect(whole.stdout).toContain("adapter  runs/whole/adapter  (PEFT)\n");

    const killed = hone("train", "run.toml", "--run", "killed", ...steps);
    await until(() => lines(cwd, "runs/killed/checkpoints.jsonl").length >= 2);
    killed.child.kill("SIGKILL");
    expect((await killed.ended).signal).toBe("SIGKILL");
    expect((await hone("runs", "list").ended).stdout).toMatch(/^killed +interrupted +\d/m);
    const resumed = await hone("train", "--resume", "killed", "--no-web", "--json").ended;
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ name: "killed", step: 12, why: "done" });
    expect(adapterOf(cwd, "killed").equals(adapterOf(cwd, "whole"))).toBe(true);

    const replayed = await hone("runs", "replay", "killed", "--step", "12").ended;
    expect(replayed).toMatchObject({
      code: 0,
      stdout: "Step 12, made again from step 11 (1 update), has the same weights and optimiser state, bit for bit.\n",
    });
    const earlier = await hone("runs", "export", "killed", "--step", "11").ended;
    expect(earlier.stdout).toBe("The adapter of step 11 is in runs/killed/adapter-step-11\n");
    expect(adapterOf(cwd, "killed").equals(adapterOf(cwd, "whole"))).toBe(true);
    const merged = await hone("runs", "export", "killed", "--merged", "--output", "merged").ended;
    expect(merged).toMatchObject({ code: 0, stdout: "The model of step 12 is in merged\n" });
    for (const model of ["runs/killed", "./merged", "./runs/killed/adapter"]) {
      const { code, stdout } = await hone("eval", "lower", "-m", model, "-n2", "-r2", "--max-tokens", "6", "--json")
        .ended;
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ model, rollouts: 4, failed: 0 });
    }
  },
);

test("a run is stopped from elsewhere and by Ctrl-C, and says how to go on", { timeout: 120_000 }, async () => {
  const { folder: cwd } = await withSmallModel();
  const train = (run: string) =>
    start(["train", "run.toml", "--run", run, "--set", "max_steps=500", "--no-web"], { cwd });
  const updated = (run: string) => until(() => lines(cwd, "runs", run, "updates.jsonl").length > 0);
  const one = train("one");
  await updated("one");
  expect((await start(["train", "--resume", "one", "--no-web"], { cwd }).ended).stderr).toContain("is running already");
  const { stdout } = await start(["runs", "stop", "one"], { cwd }).ended;
  expect(stdout).toBe("`one` stops when its step is done. Go on with: hone train --resume one\n");
  const stopped = await one.ended;
  expect(stopped.code).toBe(130);
  expect(stopped.stdout).toContain("Go on with:\n  hone train --resume one\n");
  expect(existsSync(join(cwd, "runs/one/adapter/adapter_config.json"))).toBe(true);

  const two = train("two");
  await updated("two");
  two.child.kill("SIGINT");
  const ended = await two.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain("note: Stopping when this step is done.");
  expect(ended.stdout).toMatch(/^Stopped after \d+ steps?\.$/m);
  expect((await start(["runs", "list"], { cwd }).ended).stdout).toMatch(/^two +stopped/m);
});

test("--dry-run checks everything and trains nothing", { timeout: 60_000 }, async () => {
  const { folder: cwd } = await withSmallModel();
  const { code, stdout } = await start(["train", "run.toml", "--dry-run"], { cwd }).ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/^# environment lower: environments\/lower\/index\.mjs, version 1\.0\.0$/m);
  expect(stdout).toMatch(/^# memory: at most [\d.]+ [MG]B of /m);
  expect(stdout).toMatch(/^max_steps = 4$/m);
  expect(existsSync(join(cwd, "runs"))).toBe(false);
});

test("the web page of a run is named in the first line and serves it", { timeout: 60_000 }, async () => {
  const { folder: cwd } = await withSmallModel();
  const program = start(["train", "run.toml", "--run", "seen", "--set", "max_steps=500"], { cwd });
  let first = "";
  program.child.stdout?.on("data", (text: string) => (first += text));
  await until(() => first.includes("\n"));
  const [url = ""] = /http:\/\/\S+/.exec(first) ?? [];
  expect(url).toMatch(/\/runs\/seen$/);
  // The address is there before the run is.
  const runs = async (): Promise<string> => (await fetch(new URL("/api/list/runs", url))).text();
  await expect.poll(runs).toContain('"seen"');
  program.child.kill("SIGINT");
  await program.ended;
});
