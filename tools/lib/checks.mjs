// The checks of `npm run check`, which `npm test` runs too: format, lint, types, layers, unused, docs, lock.
// Two at a time: each uses several cores for a part of its time, and a third only makes all of them slower on two.
import { join } from "node:path";
import { capture, root, tool } from "./process.mjs";
import { say, seconds } from "./terminal.mjs";

const atATime = 2;

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {import("./process.mjs").Program} program
 * @property {string} [hint] what mends most of its findings
 */

/**
 * Prints one line per check, and at the end the output of those that failed.
 * @returns {Promise<readonly string[]>} names of the checks that failed
 */
export async function runChecks() {
  /** @type {{ check: Check, output: string }[]} */
  const failures = [];
  const waiting = checks();
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const started = Date.now();
      const { code, output } = await capture(check.program, process.stdout.isTTY ? {} : { env: { NO_COLOR: "1" } });
      say(`  ${code === 0 ? "ok    " : "FAILED"} ${check.name.padEnd(8)} ${seconds(Date.now() - started)}`);
      if (code !== 0) failures.push({ check, output });
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  for (const { check, output } of failures) {
    say(`\n${check.name} failed:\n${output.trim()}`);
    if (check.hint !== undefined) say(check.hint);
  }
  return failures.map(({ check }) => check.name);
}

/** The longest first. @returns {Check[]} */
function checks() {
  const own = (/** @type {string} */ name, /** @type {string[]} */ ...args) => ({
    command: process.execPath,
    args: [join(root, "tools", name), ...args],
  });
  return [
    { name: "lint", program: tool("oxlint", ["--type-aware", "--deny-warnings"]) },
    {
      name: "types",
      program: tool("typescript", ["-b", ".", "tools", "e2e", "packages/web/src/app", "packages/tiny/recipe"]),
    },
    { name: "unused", program: tool("knip", ["--no-progress", "--no-config-hints"]) },
    { name: "format", program: tool("oxfmt", ["--check", "."]), hint: "`npm run format` mends this." },
    { name: "lock", program: own("complete-lock.mjs", "--check") },
    { name: "docs", program: own("check-docs.mjs") },
    { name: "wasm", program: own("build-native.mjs", "--check-wasm") },
    { name: "layers", program: own("check-layers.mjs") },
  ];
}
