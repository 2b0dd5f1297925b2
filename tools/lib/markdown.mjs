// The pages that people read (README.md, docs/, the environments' own) and what can be checked in them: code blocks, links, tables.
// A small reader of the Markdown that these pages use; it is no general one.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Page
 * @property {string} path from the root, with forward slashes
 * @property {string} text
 *
 * @typedef {object} CodeBlock
 * @property {string} language the first word after the fence
 * @property {readonly string[]} marks the other words: `run`, `file=index.ts`
 * @property {number} line of its first line of code, from 1
 * @property {string} code
 *
 * @typedef {object} Problem
 * @property {string} path
 * @property {number} line
 * @property {string} message
 */

/**
 * @param {string} root
 * @returns {readonly Page[]}
 */
export function readPages(root) {
  const docs = markdownIn(root, "docs");
  const environments = subfolders(root, "environments").map((name) => `environments/${name}/README.md`);
  return ["README.md", ...docs, ...environments]
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/**
 * @param {string} text
 * @returns {readonly CodeBlock[]}
 */
export function codeBlocks(text) {
  /** @type {CodeBlock[]} */
  const blocks = [];
  /** @type {{ fence: string, info: string, line: number, lines: string[] } | undefined} */
  let open;
  for (const [index, line] of text.split("\n").entries()) {
    const [, fence = "", info = ""] = /^\s*(`{3,})\s*(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== "") open = { fence, info: info.trim(), line: index + 2, lines: [] };
    } else if (fence.length >= open.fence.length && info === "") {
      const [language = "", ...marks] = open.info.split(/\s+/);
      blocks.push({ language, marks, line: open.line, code: open.lines.join("\n") });
      open = undefined;
    } else open.lines.push(line);
  }
  return blocks;
}

/**
 * Links to files and headings of this repository that lead nowhere.
 * @param {string} root
 * @param {readonly Page[]} pages
 * @returns {readonly Problem[]}
 */
export function brokenLinks(root, pages) {
  return pages.flatMap(({ path, text }) =>
    linksIn(text).flatMap(({ line, target }) => {
      const [file = "", heading] = target.split("#");
      const to = file === "" ? path : join(path, "..", file).replaceAll("\\", "/");
      if (!existsSync(join(root, to))) return [{ path, line, message: `there is no ${to}` }];
      if (heading === undefined || headings(readFileSync(join(root, to), "utf8")).has(heading)) return [];
      return [{ path, line, message: `${to} has no heading #${heading}` }];
    }),
  );
}

/**
 * Rows of all tables, as trimmed cells, with the heading they stand under.
 * @param {string} text
 * @returns {readonly { heading: string, line: number, cells: readonly string[] }[]}
 */
export function tableRows(text) {
  let heading = "";
  return withoutCode(text).flatMap((line, index) => {
    if (line.startsWith("#")) heading = line.replace(/^#+\s*/, "");
    if (!line.startsWith("|") || /^[|\s:-]+$/.test(line)) return [];
    const cells = line.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/);
    return [{ heading, line: index + 1, cells: cells.map((cell) => cell.trim()) }];
  });
}

/**
 * @param {string} text
 * @returns {readonly { line: number, target: string }[]}
 */
function linksIn(text) {
  return withoutCode(text).flatMap((line, index) =>
    [...line.replaceAll(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => ({ line: index + 1, target }))
      .filter(({ target }) => !/^[a-z]+:/i.test(target)),
  );
}

/** As GitHub names them. @param {string} text */
function headings(text) {
  return new Set(
    withoutCode(text)
      .filter((line) => line.startsWith("#"))
      .map((line) => line.replace(/^#+\s*/, "").toLowerCase())
      .map((line) => line.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-")),
  );
}

/** The lines, those of code blocks empty. @param {string} text */
function withoutCode(text) {
  const lines = text.split("\n");
  for (const { line, code } of codeBlocks(text)) lines.fill("", line - 1, line - 1 + code.split("\n").length);
  return lines;
}

/**
 * @param {string} root
 * @param {string} folder
 */
function markdownIn(root, folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/**
 * @param {string} root
 * @param {string} folder
 */
function subfolders(root, folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
