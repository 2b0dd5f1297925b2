// Every `ts` block of the pages is a whole module and compiles against the workspace's sources, as a reader's copy of it would.
// All of them in one run of tsc, in a folder inside the repository (packages resolve there) that is removed afterwards.
// A block stands at its own line in its file, so that tsc's line is the page's line.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { codeBlocks } from "./markdown.mjs";
import { capture, tool } from "./process.mjs";

const options = {
  composite: false,
  declaration: false,
  declarationMap: false,
  incremental: false,
  sourceMap: false,
  noEmit: true,
  // Blocks without an import are modules too: they may use the same names.
  moduleDetection: "force",
};

/**
 * @typedef {object} Snippet
 * @property {string} page
 * @property {import("./markdown.mjs").CodeBlock} block
 * @property {string} file from the folder: one per page, so that blocks of a page may import each other by `file=name.ts`
 */

/**
 * @param {readonly import("./markdown.mjs").Page[]} pages
 * @returns {readonly Snippet[]}
 */
export function snippetsOf(pages) {
  return pages.flatMap(({ path, text }) =>
    codeBlocks(text)
      .filter(({ language }) => language === "ts")
      .map((block) => {
        const named = block.marks.find((mark) => mark.startsWith("file="))?.slice("file=".length);
        const folder = path.replaceAll(/[^\w-]/g, "_");
        return { page: path, block, file: `${folder}/${named ?? `line-${block.line}.ts`}` };
      }),
  );
}

/**
 * Writes the snippets, hands over their folder, and removes it.
 * @template Result
 * @param {string} root
 * @param {readonly Snippet[]} snippets
 * @param {(folder: string) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
export async function withSnippets(root, snippets, use) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache", "snippets-"));
  try {
    for (const { file, block } of snippets) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), "\n".repeat(block.line - 1) + block.code + "\n");
    }
    const settings = { extends: "../../tsconfig.base.json", compilerOptions: options, include: ["**/*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * What tsc says about the snippets. What it says about the sources they import is said by the check of types.
 * @param {string} root
 * @param {readonly Snippet[]} snippets
 * @returns {Promise<readonly import("./markdown.mjs").Problem[]>}
 */
export function snippetProblems(root, snippets) {
  return withSnippets(root, snippets, async (folder) => {
    const { code, output } = await capture(tool("typescript", ["-p", folder, "--pretty", "false"]), { cwd: root });
    const problems = problemsIn(output, relative(root, folder).replaceAll("\\", "/"), snippets);
    if (problems.length > 0 || code === 0 || output.includes("error TS")) return problems;
    return [{ path: "tsc", line: 1, message: output.trim() || `ended with exit code ${code}` }];
  });
}

/**
 * @param {string} output of tsc
 * @param {string} folder as tsc names it
 * @param {readonly Snippet[]} snippets
 * @returns {readonly import("./markdown.mjs").Problem[]}
 */
export function problemsIn(output, folder, snippets) {
  const pages = new Map(snippets.map(({ file, page }) => [`${folder}/${file}`, page]));
  /** @type {import("./markdown.mjs").Problem[]} */
  const problems = [];
  let isOurs = false;
  for (const line of output.split(/\r?\n/)) {
    const [, file = "", at = "1", message = ""] = /^(.+?)\((\d+),\d+\): error (.+)$/.exec(line) ?? [];
    const last = problems.at(-1);
    const path = pages.get(file.replaceAll("\\", "/"));
    if (file !== "") isOurs = path !== undefined;
    if (path !== undefined) problems.push({ path, line: Number(at), message });
    // Indented lines go on with the complaint before them.
    else if (isOurs && last !== undefined && /^\s+\S/.test(line)) last.message += `\n${line}`;
  }
  return problems;
}
