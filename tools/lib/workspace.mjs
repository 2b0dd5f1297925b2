// The packages of this repository as they lie on disk: every folder in packages/ and environments/ with a package.json.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Source
 * @property {string} path from the root, with forward slashes
 * @property {string} text
 * @property {boolean} isTest
 *
 * @typedef {object} Package
 * @property {string} name as published
 * @property {string} short the folder's own name
 * @property {string} folder from the root: "packages/core"
 * @property {boolean} isEnvironment
 * @property {string} manifest the text of package.json
 * @property {ReadonlySet<string>} declared dependencies, peers and optional ones: what sources may use
 * @property {ReadonlySet<string>} developed devDependencies: what tests may use besides
 * @property {readonly Source[]} sources
 */

const groups = ["packages", "environments"];
const isSource = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const isDeclaration = /\.d\.[cm]?ts$/;
const isTest = /\.(?:test|test-d|bench)\.[jt]sx?$|\/test-[^/]*$/;
const skipped = new Set(["node_modules", "dist", "__fixtures__"]);

/**
 * @param {string} root
 * @returns {readonly Package[]}
 */
export function readWorkspace(root) {
  return groups.flatMap((group) =>
    subfolders(join(root, group))
      .map((short) => ({ short, folder: `${group}/${short}` }))
      .filter(({ folder }) => existsSync(join(root, folder, "package.json")))
      .map(({ short, folder }) => {
        const manifest = readFileSync(join(root, folder, "package.json"), "utf8");
        const fields = JSON.parse(manifest);
        return {
          name: fields.name,
          short,
          folder,
          isEnvironment: group === "environments",
          manifest,
          declared: keysOf(fields.dependencies, fields.peerDependencies, fields.optionalDependencies),
          developed: keysOf(fields.devDependencies),
          sources: [...sourcesIn(root, folder)].map((source) => {
            // Helpers of tests, unless they are an entry for everybody.
            const isHelper = source.path.includes("/testing/") && fields.exports?.["./testing"] === undefined;
            return isHelper ? { ...source, isTest: true } : source;
          }),
        };
      }),
  );
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {Generator<Source>}
 */
function* sourcesIn(root, folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* sourcesIn(root, path);
    else if (entry.isFile() && isSource.test(path) && !isDeclaration.test(path)) {
      yield { path, text: readFileSync(join(root, path), "utf8"), isTest: isTest.test(path) };
    }
  }
}

/** @param {string} path */
function subfolders(path) {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** @param {(Record<string, string> | undefined)[]} records */
function keysOf(...records) {
  return new Set(records.flatMap((record) => Object.keys(record ?? {})));
}
