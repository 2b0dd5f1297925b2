// Starting programs: this repository's pinned tools by their own entry file (npx costs half a second each), and npm.
// Ctrl-C reaches the child through the terminal; the parent waits for its end and then ends too, whatever came next.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * @typedef {object} Program
 * @property {string} command
 * @property {readonly string[]} args
 *
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {Readonly<Record<string, string>>} [env] added to this process's own
 */

/**
 * The program of a package in node_modules.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {string} [node] the Node that runs it
 * @returns {Program}
 */
export function tool(name, args, node = process.execPath) {
  const manifest = join(root, "node_modules", name, "package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const entry = typeof bin === "string" ? bin : (bin[name] ?? Object.values(bin)[0]);
  return { command: node, args: [join(dirname(manifest), entry), ...args] };
}

/**
 * The npm that started us where there is one: it need not be the first on PATH.
 * @param {readonly string[]} args
 * @returns {Program}
 */
export function npm(args) {
  const entry = process.env["npm_execpath"];
  if (entry?.endsWith("npm-cli.js")) return { command: process.execPath, args: [entry, ...args] };
  return process.platform === "win32" ? { command: "cmd", args: ["/c", "npm", ...args] } : { command: "npm", args };
}

/**
 * Runs with our terminal; resolves to the exit code.
 * @param {Program} program
 * @param {RunOptions} [options]
 * @returns {Promise<number>}
 */
export function run(program, options = {}) {
  return start(program, options, "inherit").ended;
}

/**
 * Runs with the output kept; standard output and errors in the order they came.
 * @param {Program} program
 * @param {RunOptions & { onOutput?: (text: string) => void }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function capture(program, options = {}) {
  const { child, ended } = start(program, options, "pipe");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text;
      options.onOutput?.(text);
    });
  }
  return { code: await ended, output };
}

/**
 * @param {Program} program
 * @param {RunOptions} options
 * @param {"inherit" | "pipe"} output
 */
function start({ command, args }, { cwd = root, env }, output) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", output, output] });
  let isInterrupted = false;
  const interrupt = () => (isInterrupted = true);
  process.on("SIGINT", interrupt);
  /** @type {Promise<number>} */
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      process.off("SIGINT", interrupt);
      if (isInterrupted) process.exit(128 + constants.signals.SIGINT);
      resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]);
    });
  });
  return { child, ended };
}
