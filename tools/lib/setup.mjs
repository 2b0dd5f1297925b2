// From a fresh clone to built packages, with nothing but Node, npm and git: `npm ci` when the lock changed, then `tsc -b`.
// Node built-ins only, because this runs before anything is installed. The stamp lives in node_modules and is written last:
// an interrupted install is repeated, a deleted node_modules has no stamp.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm, root, run, tool } from "./process.mjs";
import { say, seconds, Stop } from "./terminal.mjs";

const oldest = { major: 20, minor: 19 };
const heartbeatMs = 10_000;

/** @param {string} [version] */
export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > oldest.major || (major === oldest.major && minor >= oldest.minor);
  if (!isEnough) throw new Stop(`Hone needs Node ${oldest.major}.${oldest.minor} or newer; this is Node ${version}.`);
}

/**
 * @param {object} [options]
 * @param {string} [options.directory]
 * @param {() => Promise<number>} [options.install] resolves to an exit code
 * @param {(line: string) => void} [options.report]
 * @returns {Promise<void>}
 */
export async function ensureInstalled({ directory = root, install = npmCi, report = say } = {}) {
  checkNode();
  const lock = join(directory, "package-lock.json");
  const stamp = join(directory, "node_modules", ".hone-lock-sha256");
  const digest = createHash("sha256").update(readFileSync(lock)).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  const started = Date.now();
  report(
    `Installing dependencies: npm ci (${existsSync(stamp) ? "package-lock.json changed" : "first time here"}) ...`,
  );
  const code = await install();
  if (code !== 0) throw new Stop(`npm ci failed with exit code ${code}. Its message is above.`, code);
  writeFileSync(stamp, digest);
  report(`Installed in ${seconds(Date.now() - started)}.`);
}

/** Types and JavaScript of all packages; what did not change is not built again. */
export async function build() {
  const started = Date.now();
  say("Building: tsc -b ...");
  const code = await run(tool("typescript", ["-b"]));
  if (code !== 0) {
    throw new Stop("The build failed. If compiler options changed since the last one, try `npx tsc -b --force`.", code);
  }
  say(`Built in ${seconds(Date.now() - started)}.`);
}

/** The page of `hone web`; a second, and only when one of its sources is newer. */
export async function buildPage() {
  const folder = join(root, "packages/web");
  const built = join(folder, "assets/index.html");
  const sources = [join(folder, "index.html"), join(folder, "vite.config.ts"), ...filesBelow(join(folder, "src/app"))];
  const isFresh = existsSync(built) && sources.every((path) => statSync(path).mtimeMs < statSync(built).mtimeMs);
  if (isFresh) return;
  say("Building the page: vite build ...");
  const code = await run(tool("vite", ["build", "packages/web", "--logLevel", "error"]));
  if (code !== 0) throw new Stop("The page could not be built.", code);
}

/** @param {string} folder @returns {readonly string[]} */
function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** npm draws its own progress on a terminal and is silent elsewhere, where a line now and then shows that it lives. */
async function npmCi() {
  const started = Date.now();
  const heartbeat = setInterval(() => say(`  still installing, ${seconds(Date.now() - started)}`), heartbeatMs);
  if (process.stdout.isTTY) clearInterval(heartbeat);
  try {
    return await run(npm(["ci", "--no-audit", "--no-fund"]));
  } finally {
    clearInterval(heartbeat);
  }
}
