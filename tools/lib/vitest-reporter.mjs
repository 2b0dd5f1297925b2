// A second reporter beside vitest's own: prints the slowest tests just before vitest's summary (so that the summary stays
// the end of the output) and leaves the counts of the run in the file that HONE_TEST_COUNTS names, for the line over all runs.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { root } from "./process.mjs";
import { say } from "./terminal.mjs";

const slowestShown = 10;

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 *
 * @typedef {object} FinishedTest
 * @property {string} name
 * @property {number} durationMs
 */

export default class CountingReporter {
  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    // A file that does not load has no tests to fail, and an error outside of a test belongs to none: both count as one.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length;
    const file = process.env["HONE_TEST_COUNTS"];
    if (file !== undefined)
      writeFileSync(
        file,
        JSON.stringify(
          countOf(
            tests.map((test) => test.result().state),
            broken,
          ),
        ),
      );
    const slowest = slowestOf(
      tests.map((test) => ({
        name: `${relative(root, test.module.moduleId)} > ${test.fullName}`,
        durationMs: test.diagnostic()?.duration ?? 0,
      })),
    );
    if (slowest.length > 0) say(`\n Slowest tests`);
    for (const test of slowest) say(`${Math.round(test.durationMs).toString().padStart(8)} ms  ${test.name}`);
  }
}

/**
 * @param {readonly ("passed" | "failed" | "skipped" | "pending")[]} states
 * @param {number} broken failures that belong to no test
 * @returns {Counts}
 */
export function countOf(states, broken) {
  const count = (/** @type {string} */ wanted) => states.filter((state) => state === wanted).length;
  // Pending at the end: the run was cut short before the test was.
  return { passed: count("passed"), failed: count("failed") + count("pending") + broken, skipped: count("skipped") };
}

/**
 * @param {readonly FinishedTest[]} tests
 * @returns {readonly FinishedTest[]}
 */
export function slowestOf(tests) {
  return [...tests].sort((a, b) => b.durationMs - a.durationMs).slice(0, slowestShown);
}
