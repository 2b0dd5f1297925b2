// Sandboxes as things that begin and end: what they start from, that they are separate, that a closed one says so.
import type { SandboxSpec } from "@hone/core";
import { type Check, printed, reasonOf, refusal, textOf } from "../rig.ts";

export function leaseChecks(check: Check): void {
  const files = { "start.txt": "begin €", "deep/er/file": "", "/tmp/t.txt": "in tmp", "nul.bin": "a\0b" };
  check(
    "the files of the spec are there from the beginning",
    async (rig) => {
      const { box, expect, run } = rig;
      expect(await printed(rig, run.printFile("start.txt"))).toBe("begin €");
      expect(await box.list(".")).toEqual(["deep/", "nul.bin", "start.txt"]);
      expect(textOf(await box.read("nul.bin"))).toBe("a\0b");
      expect(textOf(await box.read("/tmp/t.txt"))).toBe("in tmp");
    },
    { spec: { files } },
  );

  check("a spec's paths are checked like any others", async (rig) => {
    await refusal(rig, rig.open({ files: { "../outside": "x" } }), "a file outside of /work");
  });

  check("sandboxes do not see each other's files", async (rig) => {
    const other = (await rig.open()).sandbox;
    await rig.box.write("mine.txt", "x");
    await rig.box.write("/tmp/mine.txt", "x");
    rig.expect(await other.list(".")).toEqual([]);
    rig.expect(await other.list("/tmp")).toEqual([]);
  });

  check("a closed sandbox refuses everything, and may be closed again", async (rig) => {
    const { box, lease, run, expect, options } = rig;
    await lease[Symbol.asyncDispose]();
    await lease[Symbol.asyncDispose]();
    const calls = [box.exec(run.print("x")), box.read("a"), box.write("a", "b"), box.list(".")];
    if (options.features.jobs) calls.push(box.start(run.print("x")) as Promise<never>);
    for (const call of calls) expect(await refusal(rig, call, "a call to a closed sandbox")).toBe("sandbox-closed");
  });

  check("closing ends the command that runs", async (rig) => {
    const running = rig.box.exec(rig.run.sleep(60));
    const code = refusal(rig, running, "a command in a sandbox being closed");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await rig.lease[Symbol.asyncDispose]();
    rig.expect((await code).startsWith("sandbox")).toBe(true);
  });

  check("opening can be called off", async ({ options, expect }) => {
    const reason = new Error("called off");
    const opening = options.provider.open({}, { signal: AbortSignal.abort(reason) });
    expect(await reasonOf(opening, "opening with an aborted signal")).toBe(reason);
  });

  check(
    "a snapshot opens as a sandbox with the same files",
    async (rig) => {
      const { box, lease, expect } = rig;
      await box.write("a/b.txt", "é");
      await box.write("empty", "");
      await box.write("/tmp/not-work", "x");
      const spec: SandboxSpec = (await lease.snapshot?.()) ?? {};
      const again = (await rig.open(spec)).sandbox;
      expect([await again.list("."), await again.list("a")]).toEqual([["a/", "empty"], ["b.txt"]]);
      expect(textOf(await again.read("a/b.txt"))).toBe("é");
      expect(await again.list("/tmp")).toEqual([]);
      await again.write("a/b.txt", "changed");
      expect(textOf(await box.read("a/b.txt"))).toBe("é");
    },
    { needs: ["snapshot"] },
  );
}
