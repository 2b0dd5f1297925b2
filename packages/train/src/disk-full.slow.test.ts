// A disk that fills up, for real: a file system of a few megabytes, in a namespace of its own. Wherever it happens (rollouts, samples, rows, a checkpoint),
// the run stops with a message that says what to do, and after some space was freed it goes on to the end it would have had.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { ended } from "./testing/ended.ts";

const program = fileURLToPath(new URL("../dist/testing/toy-program.js", import.meta.url));
const isFull = process.env["HONE_FULL"] !== undefined;
const skipped = process.env["HONE_SKIP_BWRAP"];
const root = await mkdtemp(join(tmpdir(), "hone-full-"));
afterAll(() => rm(root, { recursive: true }));

async function run(command: string, args: readonly string[]): Promise<number | null> {
  const child = spawn(command, args, { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

/** Fills the disk but for `freeKb`, trains until that is used up, frees it, resumes; the run is in `out` afterwards. */
const script = (freeKb: number): string => `
  cd "${root}/disk"
  head -c $((64 * 1024 * 1024 - ${freeKb} * 1024)) /dev/zero > filler
  "${process.execPath}" "${program}" run 0 2> "${root}/message"
  echo $? > "${root}/code"
  rm filler
  "${process.execPath}" "${program}" run 0 2> "${root}/resumed" || exit 1
  cp -r run "${root}/out"`;

test.skipIf(skipped !== undefined)(
  `a full disk stops a run cleanly, and it resumes${skipped === undefined ? "" : ` (${skipped})`}`,
  async () => {
    await mkdir(join(root, "disk"));
    expect(await run(process.execPath, [program, join(root, "whole"), "0"])).toBe(0);
    const expected = await ended(join(root, "whole"));
    // A checkpoint takes 1.6 MB, an update without it 0.15 MB: these end in rollouts, in samples, in a checkpoint.
    for (const freeKb of [60, 100, 1900, ...(isFull ? [116, 1720, 1760, 5050, 5400] : [])]) {
      await writeFile(join(root, "script.sh"), script(freeKb));
      const disk = ["--size", String(64 * 1024 * 1024), "--tmpfs", join(root, "disk")];
      expect(await run("bwrap", ["--dev-bind", "/", "/", ...disk, "sh", join(root, "script.sh")])).toBe(0);
      expect(await readFile(join(root, "code"), "utf8")).toBe("1\n");
      const message = await readFile(join(root, "message"), "utf8");
      expect(message).toContain("ENOSPC: no space left on device");
      expect(message).toContain("code: 'disk'");
      expect(message).toContain("Free some space and resume");
      await cp(join(root, "out"), join(root, `run-${freeKb}`), { recursive: true });
      await rm(join(root, "out"), { recursive: true });
      expect(await ended(join(root, `run-${freeKb}`))).toEqual(expected);
    }
  },
  300_000,
);
