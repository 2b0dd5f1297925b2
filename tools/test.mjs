// `npm test`: set up, build, check, then all tests: unit, unit on a second Node, slow. Ends with vitest's own summary and
// one line over all runs. With arguments (`npm test -- packages/store -t resume`) only vitest runs, on what they select.
// `--full` adds what takes too long for every day: HONE_FULL=1 lengthens soaks, and the slow tests run on the second Node too.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChecks } from "./lib/checks.mjs";
import { buildAddon } from "./lib/native.mjs";
import { root, run, tool } from "./lib/process.mjs";
import { secondMajor, secondNode } from "./lib/second-node.mjs";
import { build, buildPage, ensureInstalled } from "./lib/setup.mjs";
import { systemPackages } from "./lib/system-packages.mjs";
import { main, say, seconds, Stop } from "./lib/terminal.mjs";

const unitBudgetMs = 90_000;
const budgetMs = 600_000;

/** Programs that tests start and npm does not bring. @type {import("./lib/system-packages.mjs").SystemNeed[]} */
const systemNeeds = [
  { command: "bwrap", package: "bubblewrap", why: "sandboxes for code that models write" },
  { command: "chromium", package: "chromium", why: "the page in a real browser" },
  { command: "python3", package: "python3", why: "Python sessions and programs in sandboxes" },
];

/** @type {import("./lib/vitest-reporter.mjs").Counts} */
const total = { passed: 0, failed: 0, skipped: 0 };

await main(async () => {
  const started = Date.now();
  const args = process.argv.slice(2).filter((arg) => arg !== "--full");
  const isFull = process.argv.includes("--full");
  say(args.length > 0 ? `Testing: ${args.join(" ")}` : `Testing everything${isFull ? ", soaks included" : ""} ...`);
  try {
    await ensureInstalled();
    await build();
    await buildPage();
    await buildKernels();
    const env = { ...(await systemPackages(systemNeeds)), ...(isFull && { HONE_FULL: "1" }) };
    if (args.length > 0) await vitest(args, env);
    else await everything(env, isFull);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    say(error.message);
    total.failed += 1;
  }
  const tookMs = Date.now() - started;
  if (!isFull && tookMs > budgetMs) say(`npm test took ${seconds(tookMs)}; its budget is ${seconds(budgetMs)}.`);
  say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
});

/** The addon of the embedded engine; without a compiler its tests run on WASM alone. */
async function buildKernels() {
  const outcome = await buildAddon();
  if ("failed" in outcome) throw new Stop(`The kernels could not be built: ${outcome.failed}`);
  if ("skipped" in outcome) say(`Kernels: the addon is skipped, ${outcome.skipped}; tests use WASM.`);
}

/**
 * @param {Readonly<Record<string, string>>} env
 * @param {boolean} isFull
 */
async function everything(env, isFull) {
  say("\nChecks");
  const failedChecks = await runChecks();
  total.failed += failedChecks.length;

  say("\nUnit tests");
  const started = Date.now();
  await vitest(["--project", "unit"], env);
  const unitMs = Date.now() - started;
  if (unitMs > unitBudgetMs) say(`The unit tests took ${seconds(unitMs)}; their budget is ${seconds(unitBudgetMs)}.`);

  const second = await secondNode();
  if ("skipped" in second) say(`\nOn Node ${secondMajor}: skipped, ${second.skipped}.`);
  else {
    say(`\nOn Node ${secondMajor}`);
    await vitest(isFull ? [] : ["--project", "unit"], env, second.node);
  }

  if (failedChecks.length > 0) say(`\nFailed checks, see above: ${failedChecks.join(", ")}`);
  say("\nSlow tests");
  await vitest(["--project", "slow"], env);
}

/**
 * One run of vitest, added to the total. A run that leaves no counts, or fails without a failed test, counts as one failure.
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} env
 * @param {string} [node]
 */
async function vitest(args, env, node) {
  const folder = mkdtempSync(join(tmpdir(), "hone-test-"));
  const file = join(folder, "counts.json");
  const reporters = [`--reporter=${join(root, "tools/lib/vitest-reporter.mjs")}`, "--reporter=default"];
  const code = await run(tool("vitest", ["run", ...reporters, ...args], node), {
    env: { ...env, HONE_TEST_COUNTS: file },
  });
  const counts = readCounts(file);
  rmSync(folder, { recursive: true });
  total.passed += counts.passed;
  total.failed += code !== 0 && counts.failed === 0 ? 1 : counts.failed;
  total.skipped += counts.skipped;
}

/**
 * @param {string} file
 * @returns {import("./lib/vitest-reporter.mjs").Counts}
 */
function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}
