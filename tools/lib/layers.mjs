// The arrows between packages: imports only point down, by folder. Two halves: what a package.json declares must go to a
// lower layer, and what a source file imports must be declared. Neither tsc nor npm notices either, because npm links every
// workspace package where all of them can see it.
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { importsOf } from "./imports.mjs";
import { readWorkspace } from "./workspace.mjs";

/** From the bottom up. */
const drawing = [
  ["core"],
  ["tokens", "sandbox", "store", "config"],
  ["engine-cpu", "engine-torch", "engine-tinker", "env", "model", "tiny"],
  ["serve", "hub", "eval", "train"],
  ["web"],
  ["cli"],
];
// Above what they are written with, below the composer that bundles them.
const environmentLayer = 5;

/** Stricter than the layer: the only packages of ours that these may use. @type {Readonly<Record<string, readonly string[]>>} */
const only = { env: ["core"], hub: ["core", "store", "config"] };
/** Below, and still not to be used: a trainer is handed its engine. @type {Readonly<Record<string, readonly string[]>>} */
const never = { train: ["engine-cpu", "engine-torch", "engine-tinker"] };
/** What the tests of env and of environments may use besides: something for sandboxed code to run in. */
const forTests = ["sandbox"];
const sideways = [{ from: "engine-torch", to: "engine-tinker" }];
/** The entries of ours that run in a browser. */
const browserSafe = ["@hone/core"];

/**
 * @typedef {import("./workspace.mjs").Package} Package
 * @typedef {import("./workspace.mjs").Source} Source
 * @typedef {import("./imports.mjs").Import} Import
 *
 * @typedef {object} Problem
 * @property {string} path from the root, with forward slashes
 * @property {number} line
 * @property {number} column
 * @property {string} message
 */

/**
 * @param {string} root
 * @returns {readonly Problem[]}
 */
export function checkLayers(root) {
  const packages = readWorkspace(root);
  return packages.flatMap((from) => [
    ...declaredArrows(from, packages),
    ...from.sources.flatMap((source) =>
      importsOf(source.text).flatMap((found) => {
        const message = importProblem(from, source, found, packages);
        return message === undefined ? [] : [{ path: source.path, line: found.line, column: found.column, message }];
      }),
    ),
  ]);
}

/**
 * @param {Package} from
 * @param {readonly Package[]} packages
 * @returns {readonly Problem[]}
 */
function declaredArrows(from, packages) {
  const path = `${from.folder}/package.json`;
  if (layerOf(from) === undefined) {
    const message = `${from.short} has no layer: give it one in tools/lib/layers.mjs`;
    return [{ path, line: 1, column: 1, message }];
  }
  return packages.flatMap((to) => {
    if (!from.declared.has(to.name) && !from.developed.has(to.name)) return [];
    const message = arrowProblem(from, to);
    return message === undefined ? [] : [{ path, ...placeOf(from.manifest, to.name), message }];
  });
}

/**
 * @param {Package} from
 * @param {Package} to
 */
function arrowProblem(from, to) {
  if (sideways.some((arrow) => arrow.from === from.short && arrow.to === to.short)) return undefined;
  const isForTests = !from.declared.has(to.name) && forTests.includes(to.short);
  if (isForTests && (from.isEnvironment || from.short === "env")) return undefined;
  if (from.isEnvironment && to.short !== "env") return `an environment may only depend on @hone/env, not on ${to.name}`;
  if (only[from.short]?.includes(to.short) === false) {
    return `${from.name} may only depend on ${only[from.short]?.join(", ")}, not on ${to.name}`;
  }
  if (never[from.short]?.includes(to.short)) return `${from.name} never depends on ${to.name}: it is handed in`;
  const [above = 0, below = 0] = [layerOf(from), layerOf(to)];
  if (above > below) return undefined;
  return `${from.name} (layer ${above}) may not depend on ${to.name} (layer ${below}): arrows only point down`;
}

/**
 * @param {Package} from
 * @param {Source} source
 * @param {Import} found
 * @param {readonly Package[]} packages
 * @returns {string | undefined}
 */
function importProblem(from, source, { specifier }, packages) {
  if (/^\.{1,2}(\/|$)/.test(specifier)) return relativeProblem(from, source, specifier, packages);
  if (specifier.startsWith("#")) return undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const isOurs = name.startsWith("@hone/");

  if (isOurs && name !== from.name && !from.declared.has(name) && !(source.isTest && from.developed.has(name))) {
    const kind = source.isTest ? "dependencies or devDependencies" : "dependencies";
    return `${name} is not in the ${kind} of ${from.folder}/package.json`;
  }
  if (source.isTest) return undefined;

  if (from.short === "core" && (isBuiltin(specifier) || name !== "zod")) {
    return `core runs in a browser and imports zod only, not ${specifier}`;
  }
  if (source.path.startsWith("packages/web/src/app/") && (isBuiltin(specifier) || isOurs)) {
    return browserSafe.includes(specifier) ? undefined : `web/src/app runs in a browser: ${specifier} does not`;
  }
  if (isBuiltin(specifier)) return undefined;
  if (from.short === "env" && !isOurs && name !== "zod" && !/\/src\/(data|load|mcp)\//.test(source.path)) {
    return `env depends on zod alone: ${name} may be imported in src/data, src/load and src/mcp only`;
  }
  if (!from.isEnvironment) return undefined;
  if (specifier === "@hone/env/testing") return "@hone/env/testing is for the tests of an environment";
  if (name === "@hone/env" || name === from.name || from.declared.has(name)) return undefined;
  return `${name} is not in the dependencies of ${from.folder}/package.json`;
}

/**
 * @param {Package} from
 * @param {Source} source
 * @param {string} specifier
 * @param {readonly Package[]} packages
 */
function relativeProblem(from, source, specifier, packages) {
  const target = posix.join(posix.dirname(source.path), specifier);
  const owner = packages.find((candidate) => `${target}/`.startsWith(`${candidate.folder}/`));
  if (owner !== undefined && owner !== from) return `a file of ${owner.name} by relative path: import ${owner.name}`;
  if (owner === undefined && !source.isTest) return `${specifier} lies outside ${from.folder}`;
  if (
    source.path.startsWith("packages/web/src/app/") &&
    !target.startsWith("packages/web/src/app/") &&
    !source.isTest
  ) {
    return `web/src/app runs in a browser: ${specifier} is outside of it`;
  }
  return undefined;
}

/** @param {Package} one */
function layerOf(one) {
  if (one.isEnvironment) return environmentLayer;
  const index = drawing.findIndex((row) => row.includes(one.short));
  return index === -1 ? undefined : index + 1;
}

/**
 * @param {string} manifest
 * @param {string} name
 */
function placeOf(manifest, name) {
  const before = manifest.slice(0, manifest.indexOf(`"${name}":`));
  return { line: before.split("\n").length, column: before.length - before.lastIndexOf("\n") };
}
