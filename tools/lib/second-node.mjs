// The Node that the unit tests run on besides the oldest supported one: a binary from npm, kept in node_modules/.cache.
// No test run depends on it being reachable: where it is not, the reason is returned and the run says so.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { capture, npm, root } from "./process.mjs";
import { say } from "./terminal.mjs";

export const secondMajor = 24;

/** @returns {Promise<{ node: string } | { skipped: string }>} the path of its binary, or why there is none */
export async function secondNode() {
  const running = Number(process.versions.node.split(".")[0]);
  if (running >= secondMajor) return { skipped: `this is Node ${process.versions.node} already` };
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const prefix = join(root, "node_modules", ".cache", "hone", `node-${secondMajor}`);
  const folder = join(prefix, "node_modules", name);
  if (!existsSync(join(folder, "package.json"))) {
    say(
      `Fetching Node ${secondMajor} for the tests: npm package ${name}@${secondMajor} (about 190 MB on disk, once) ...`,
    );
    mkdirSync(prefix, { recursive: true });
    const limits = ["--fetch-retries=1", "--fetch-timeout=60000", "--ignore-scripts", "--no-save", "--no-package-lock"];
    const { code, output } = await capture(npm(["install", "--prefix", prefix, ...limits, `${name}@${secondMajor}`]));
    if (code !== 0) return { skipped: `${name}@${secondMajor} could not be installed: ${reasonIn(output)}` };
  }
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const node = join(folder, bin.node);
  const { code } = await capture({ command: node, args: ["--version"] });
  return code === 0 ? { node } : { skipped: `${name}@${secondMajor} does not start on this machine` };
}

/** The code that npm prints first: ECONNREFUSED, E404, ETARGET. @param {string} output */
function reasonIn(output) {
  return /^npm error code (\S+)/m.exec(output)?.[1] ?? "npm gave no reason";
}
