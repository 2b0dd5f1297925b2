import { expect, test } from "vitest";
import { defaultSandboxes } from "./detect.ts";

const skip = process.env["HONE_SKIP_BWRAP"];

test.skipIf(skip !== undefined)(`bubblewrap is the default where it works ${skip ?? ""}`, async () => {
  expect((await defaultSandboxes()).name).toBe("bubblewrap");
});

test("where it does not work, the reason and the ways out are told", async () => {
  await expect(defaultSandboxes({ bwrap: "/nowhere/bwrap" })).rejects.toMatchObject({
    code: "sandbox-unavailable",
    message: expect.stringContaining("ENOENT"),
    hint: expect.stringMatching(/install bubblewrap.*pyodide.*memory-bash.*docker/),
  });
});

test("trying can be called off", async () => {
  const reason = new Error("called off");
  await expect(defaultSandboxes({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
