// Output: complete below the cap, cut between characters and counted above it, bounded whatever a program does.
import type { Check } from "../rig.ts";

export function outputChecks(check: Check): void {
  check("below the cap nothing is lost", async ({ box, run, expect }) => {
    for (const bytes of [1, 65_536, 65_537, 1_000_000]) {
      const { stdout, droppedBytes } = await box.exec(run.fill(bytes), { maxOutputBytes: bytes });
      expect([stdout.length, droppedBytes, new Set(stdout).size]).toEqual([bytes, 0, 1]);
    }
  });

  check("above the cap the beginning is kept and the rest counted", async ({ box, run, expect }) => {
    const { stdout, droppedBytes, exitCode } = await box.exec(run.fill(300_000), { maxOutputBytes: 1000 });
    expect([exitCode, stdout.length, droppedBytes]).toEqual([0, 1000, 299_000]);
    const none = await box.exec(run.print("abc"), { maxOutputBytes: 0 });
    expect([none.stdout, none.droppedBytes]).toEqual(["", 3]);
  });

  check(
    "each of the two outputs has its own cap",
    async ({ box, expect }) => {
      const { stdout, stderr, droppedBytes } = await box.exec("printf 1234567; printf abcde >&2", {
        maxOutputBytes: 4,
      });
      expect([stdout, stderr, droppedBytes]).toEqual(["1234", "abcd", 4]);
    },
    { needs: ["shell"] },
  );

  check("the cut falls between characters", async ({ box, run, expect }) => {
    const text = "a€😀";
    for (const [limit, kept] of [
      [3, "a"],
      [4, "a€"],
      [7, "a€"],
      [8, "a€😀"],
    ] as const) {
      const { stdout, droppedBytes } = await box.exec(run.print(text), { maxOutputBytes: limit });
      expect([stdout, droppedBytes]).toEqual([kept, 8 - Buffer.byteLength(kept)]);
    }
  });

  check("output without end stops at the time limit and stays within the cap", async ({ box, run, expect }) => {
    const { stdout, droppedBytes, timedOut } = await box.exec(run.flood(), { timeoutMs: 2500, maxOutputBytes: 10_000 });
    expect([timedOut, stdout.length]).toEqual([true, 10_000]);
    expect(droppedBytes).toBeGreaterThan(0);
  });
}
