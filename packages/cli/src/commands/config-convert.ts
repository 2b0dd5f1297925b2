// `hone config convert`: another tool's training configuration as a file of ours, and a list of what could not come along.
import { readFile, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { HoneError } from "@hone/core";
import { type Converted, convertRun, type ConvertSource, type Relative, shellWords } from "@hone/train";
import type { Work } from "../command.ts";
import { exitCodes, type Io } from "../io.ts";
import { columns } from "../screen/columns.ts";

export interface ConvertFlags {
  readonly output: string | undefined;
  readonly json: boolean;
}

const names: Readonly<Record<Relative, string>> = {
  "prime-rl": "prime-rl",
  "prime-hosted": "hosted training",
  "rllm-verl": "rLLM on verl",
  "rllm-tinker": "rLLM on Tinker",
  hone: "Hone",
};

export const convertCommand: Work<ConvertFlags, string[]> = async ({ io }, { output, json }, ...words) => {
  const converted = await convertRun(await sourceOf(words, io.cwd));
  if (output !== undefined) await save(resolve(io.cwd, output), converted.toml, output);
  if (json) {
    io.stdout.write(`${JSON.stringify({ ...converted, ...(output === undefined ? {} : { output }) })}\n`);
    return exitCodes.ok;
  }
  if (output === undefined) io.stdout.write(converted.toml);
  tell(converted, output, io);
  return exitCodes.ok;
};

async function sourceOf(words: readonly string[], cwd: string): Promise<ConvertSource> {
  const [first = ""] = words;
  if (words.length > 1) return { words };
  const file = resolve(cwd, first);
  const isFile = (await stat(file).catch(() => undefined))?.isFile() ?? false;
  if (isFile) {
    const content = await readFile(file, "utf8");
    return /\.(?:sh|bash|txt)$/.test(first) ? { words: shellWords(content) } : { toml: content, path: first };
  }
  if (/=/.test(first) || /\s/.test(first)) return { words: shellWords(first) };
  throw new HoneError(`There is no file ${first}.`, {
    code: "usage",
    hint: "Name a TOML file or a shell script, or give a command in quotes: hone config convert 'data.train_batch_size=64 ...'",
  });
}

/** Never over a file that is there: it may be the only copy of somebody's run. */
async function save(file: string, content: string, shownAs: string): Promise<void> {
  try {
    await writeFile(file, content, { flag: "wx" });
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === "EEXIST";
    const reason = isThere ? "it exists" : (cause as Error).message;
    throw new HoneError(`${shownAs} was not written: ${reason}.`, {
      code: isThere ? "usage" : "disk",
      hint: "Give another name with --output, or leave it out to print the file.",
      cause,
    });
  }
}

function tell({ from, dropped, added }: Converted, output: string | undefined, io: Io): void {
  const say = (line: string): void => io.stderr.write(`${line}\n`);
  say(`Read as ${names[from]}.${output === undefined ? "" : ` Written to ${output}.`}`);
  const defaults = Object.entries(added);
  if (defaults.length > 0) {
    say(`\nWritten out, because the default of ${names[from]} is not ours:`);
    io.stderr.write(
      columns(
        defaults.map(([key, value]) => [key, JSON.stringify(value)]),
        { indent: "  " },
      ),
    );
  }
  if (dropped.length > 0) {
    say("\nWithout a counterpart, and left out:");
    io.stderr.write(
      columns(
        dropped.map(({ key, reason }) => [key, reason]),
        { indent: "  " },
      ),
    );
  }
  if (from !== "hone") say("\nThe engine is cpu: set `engine` for another one.");
}
