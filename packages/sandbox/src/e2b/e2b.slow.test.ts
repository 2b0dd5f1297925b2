// The official package against a server on this machine that speaks the service's protocol (test-fake-e2b.ts). The service itself is not asked.
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SandboxProvider } from "@hone/core";
import { sandboxConformance } from "../testing/index.ts";
import { e2b } from "./e2b.ts";
import { type FakeE2B, fakeE2B, fakeKey } from "./test-fake-e2b.ts";

const isThere = spawnSync("bwrap", ["--bind", "/", "/", "true"]).status === 0;
const skip = process.env["HONE_SKIP_BWRAP"] ?? (isThere ? undefined : "bwrap does not work here");
const api = { describe, test, expect };
const { signal } = new AbortController();

let fake: FakeE2B;
beforeAll(async () => {
  fake = await fakeE2B();
});
afterAll(() => fake[Symbol.asyncDispose]());

const on = (options: Parameters<typeof e2b>[0] = {}): SandboxProvider =>
  e2b({ apiKey: fakeKey, apiUrl: fake.url, sandboxUrl: fake.url, ...options });

sandboxConformance(
  {
    name: "e2b",
    provider: { name: "e2b", open: (spec, options) => on().open(spec, options) },
    isolates: false,
    features: { jobs: true, processes: true, shell: true, workFolder: true, links: true, snapshot: true },
    ...(skip === undefined ? {} : { skip }),
  },
  api,
);

describe.skipIf(skip !== undefined)("the service is asked", () => {
  test("for the template, without a network unless the spec wants one, and to end what nobody keeps alive", async () => {
    await using _plain = await on({ template: "own", lifetimeMs: 60_000 }).open({}, { signal });
    expect(fake.created.at(-1)).toMatchObject({ templateID: "own", allow_internet_access: false, timeout: 60 });
    await using _other = await on({ template: "own" }).open({ image: "python", network: true }, { signal });
    expect(fake.created.at(-1)).toMatchObject({ templateID: "python", allow_internet_access: true });
  });

  test("to end a sandbox with its lease", async () => {
    const before = fake.open();
    const lease = await on().open({}, { signal });
    expect(fake.open().length).toBe(before.length + 1);
    await lease[Symbol.asyncDispose]();
    expect(fake.open()).toEqual(before);
  });

  test("for no limits that it does not keep", async () => {
    await expect(on().open({ memoryMb: 100 }, { signal })).rejects.toMatchObject({ code: "sandbox-spec" });
    await using _lease = await on({ hasLimitsInTemplate: true }).open({ memoryMb: 100 }, { signal });
  });
});

test("a key that the service refuses is in no error", async () => {
  const key = "e2b_ffffffffffffffff";
  const error: unknown = await on({ apiKey: key })
    .open({}, { signal })
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "sandbox-unavailable" });
  expect(String(error)).not.toContain(key);
  expect(JSON.stringify(error)).not.toContain(key);
});

test("without a key it says where one is looked for", async () => {
  const before = process.env["E2B_API_KEY"];
  delete process.env["E2B_API_KEY"];
  try {
    await expect(e2b().open({}, { signal })).rejects.toMatchObject({
      code: "sandbox-unavailable",
      hint: expect.stringContaining("E2B_API_KEY"),
    });
  } finally {
    if (before !== undefined) process.env["E2B_API_KEY"] = before;
  }
});

test.skipIf(skip !== undefined)("a sandbox whose time is up is a dead one", async () => {
  await using lease = await on().open({}, { signal });
  fake.end(fake.open().at(-1) ?? "");
  await expect(lease.sandbox.exec("true")).rejects.toMatchObject({ code: "sandbox-dead", isRetryable: true });
  await expect(lease.sandbox.write("a", "b")).rejects.toMatchObject({ code: "sandbox-dead" });
});
