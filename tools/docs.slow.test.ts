// The pages do what they say: a block marked `run` prints the `text` block after it, every `hone eval` on them is understood, and their TOML
// is accepted by what reads it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { main } from "../packages/cli/src/index.ts";
import { readMatrix } from "../packages/eval/src/index.ts";
import { loadEndpoints } from "../packages/model/src/index.ts";
import { loadRunConfig, loadSftConfig } from "../packages/train/src/index.ts";
import { type CodeBlock, codeBlocks, readPages } from "./lib/markdown.mjs";
import { root } from "./lib/process.mjs";
import { snippetsOf, withSnippets } from "./lib/snippets.mjs";

const pages = readPages(root);

describe("a snippet prints what its page says", () => {
  const runnable = snippetsOf(pages).filter(({ block }) => block.marks.includes("run"));
  test.each(runnable)("$page:$block.line", async ({ page, block, file }) => {
    const printed = outputOf(page, block);
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...words) => lines.push(words.map(show).join(" ")));
    onTestFinished(() => log.mockRestore());
    const own = snippetsOf(pages).filter((snippet) => snippet.page === page);
    await withSnippets(root, own, (folder) => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href));
    expect(lines.join("\n")).toBe(printed);
  });
});

describe("a command does what its page says", () => {
  const commands = pages.flatMap(({ path, text }) =>
    codeBlocks(text)
      .filter(({ language }) => language === "sh")
      .flatMap((block) => block.code.split("\n").map((command) => ({ path, block, command })))
      .filter(({ command }) => command.startsWith("npx hone eval ")),
  );
  test.each(commands)("$path: $command", async ({ path, block, command }) => {
    const isRun = block.marks.includes("run");
    const args = command
      .replace(/\s+#.*/, "")
      .split(/\s+/)
      .slice(2);
    const { code, stdout, stderr } = await hone(isRun ? args : [...args, "--dry-run"]);
    expect({ code, said: code === 0 ? "" : stderr }).toEqual({ code: 0, said: "" });
    if (isRun) expect(withoutChance(stdout)).toBe(withoutChance(outputOf(path, block)));
  });
});

describe("TOML of the pages is accepted", () => {
  const readers: Readonly<Record<string, (block: CodeBlock) => Promise<unknown>>> = {
    "evals.toml": ({ code }) => readMatrix({ files: [{ path: "evals.toml", text: code }] }),
    "endpoints.toml": ({ code }) => {
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, "endpoints.toml"), code);
      return loadEndpoints({ cwd });
    },
    "run.toml": ({ code }) => loadRunConfig(written("run.toml", code)),
    "sft.toml": ({ code }) => loadSftConfig(written("sft.toml", code)),
    // Tables of an sft.toml, without what every one has.
    "part of sft.toml": ({ code }) => {
      const data = code.includes("[[data]]") ? "" : '\n[[data]]\npath = "chat.jsonl"\n';
      return loadSftConfig(written("sft.toml", `model = "hone/tiny"\nepochs = 1\n${code}${data}`));
    },
    // Tables that any run's file may have.
    "sinks of run.toml": ({ code }) =>
      loadRunConfig(written("run.toml", `model = "hone/tiny"\n[[env]]\nid = "reverse-text"\n${code}`)),
  };
  const toml = pages.flatMap(({ path, text }) =>
    codeBlocks(text)
      .filter(({ language }) => language === "toml")
      .map((block) => ({ path, block, file: block.marks.join(" ").replace("file=", "").replaceAll("_", " ") })),
  );
  test.each(toml)("$path:$block.line is $file", async ({ block, file }) => {
    expect(Object.keys(readers), "`toml file=...` says what reads it").toContain(file);
    await readers[file]?.(block);
  });
});

describe("TOML of the examples is accepted", () => {
  const files = readdirSync(join(root, "examples"), { recursive: true, encoding: "utf8" });
  test.each(files.filter((file) => file.endsWith(".toml")))("%s", async (file) => {
    const path = join(root, "examples", file);
    const readers: Readonly<Record<string, () => Promise<unknown>>> = {
      "run.toml": () => loadRunConfig({ files: [path] }),
      "sft.toml": () => loadSftConfig({ files: [path] }),
      "eval.toml": () => readMatrix({ files: [{ path, text: readFileSync(path, "utf8") }] }),
    };
    expect(Object.keys(readers)).toContain(basename(file));
    await readers[basename(file)]?.();
  });
});

function written(file: string, text: string): { readonly files: readonly string[]; readonly cwd: string } {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, file), text);
  return { files: [file], cwd };
}

/** What the page says that this block prints. */
function outputOf(page: string, block: CodeBlock): string {
  const blocks = codeBlocks(pages.find(({ path }) => path === page)?.text ?? "");
  const printed = blocks[blocks.findIndex(({ line }) => line === block.line) + 1];
  expect(printed?.language, "the block after it holds the output").toBe("text");
  return printed?.code ?? "";
}

/** The command line in an empty folder, on a machine with a key. */
async function hone(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written) => ({
    write: (text: string) => void (written[name] += text),
    isTerminal: false,
  });
  const code = await main(args, {
    stdout: output("stdout"),
    stderr: output("stderr"),
    cwd: temporaryFolder(),
    env: { OPENAI_API_KEY: "none" },
    onInterrupt: () => () => undefined,
  });
  return { code, ...written };
}

/** Without what differs from run to run: the id of the folder, and times. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/--[0-9a-z]{6}\b/g, "--id")
    .replaceAll(/^seconds .*$/gm, "seconds")
    .trim();
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hone-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** As console.log shows text and numbers; other values are written out by the snippets themselves. */
function show(word: unknown): string {
  return typeof word === "string" ? word : JSON.stringify(word);
}
