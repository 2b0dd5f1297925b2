// docs/dependencies.md against the package.json files: every dependency of the workspace has a row, every row is a dependency, and what
// a row says of version, place and licence is so. Sizes are not compared: they differ between platforms.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tableRows } from "./markdown.mjs";
import { readWorkspace } from "./workspace.mjs";

const dependenciesPage = "docs/dependencies.md";
const sections = { runtime: "What users install", development: "What only this repository installs" };
const own = /^@hone\//;

/**
 * @typedef {object} Dependency
 * @property {string} name
 * @property {"runtime" | "development"} kind
 * @property {string | undefined} version the exact one; ranges of peers do not count
 * @property {string} where short names of the packages that declare it so
 */

/**
 * @param {string} root
 * @returns {readonly Dependency[]}
 */
export function workspaceDependencies(root) {
  /** @type {Map<string, { version: string | undefined, runtime: Set<string>, development: Set<string> }>} */
  const found = new Map();
  const rootManifest = {
    short: "root",
    isEnvironment: false,
    manifest: readFileSync(join(root, "package.json"), "utf8"),
  };
  for (const { short, isEnvironment, manifest } of [rootManifest, ...readWorkspace(root)]) {
    const fields = JSON.parse(manifest);
    // Every environment has the same peers, which its user has already: they say nothing about one of them.
    const implied = isEnvironment ? Object.keys(fields.peerDependencies ?? {}) : [];
    for (const field of ["dependencies", "optionalDependencies", "peerDependencies", "devDependencies"]) {
      for (const [name, version] of Object.entries(fields[field] ?? {})) {
        if (own.test(name) || implied.includes(name)) continue;
        const entry = found.get(name) ?? { version: undefined, runtime: new Set(), development: new Set() };
        entry[field === "devDependencies" ? "development" : "runtime"].add(short);
        if (/^\d/.test(version)) entry.version ??= version;
        found.set(name, entry);
      }
    }
  }
  return [...found].sort(byName).map(([name, { version, runtime, development }]) => ({
    name,
    kind: runtime.size > 0 ? "runtime" : "development",
    version,
    where: [...(runtime.size > 0 ? runtime : development)].sort().join(", "),
  }));
}

/**
 * @param {object} options
 * @param {string} options.page the text of docs/dependencies.md
 * @param {readonly Dependency[]} options.dependencies
 * @param {(name: string) => string | undefined} options.licenceOf undefined where it is not installed
 * @returns {readonly import("./markdown.mjs").Problem[]}
 */
export function dependencyProblems({ page, dependencies, licenceOf }) {
  const rows = tableRows(page)
    .filter(({ heading, cells }) => Object.values(sections).includes(heading) && cells[0]?.startsWith("`"))
    .map(({ cells: [name = "", version, where, licence], ...row }) => ({
      ...row,
      name: name.replaceAll("`", ""),
      values: { version, where, licence },
    }));
  const problem = (/** @type {number} */ line, /** @type {string} */ message) => ({
    path: dependenciesPage,
    line,
    message,
  });
  const missing = dependencies
    .filter(({ name }) => !rows.some((row) => row.name === name))
    .map(({ name, kind, where }) => problem(1, `${name} (${where}) has no row under "${sections[kind]}"`));
  const wrong = rows.flatMap(({ name, line, heading, values }) => {
    const dependency = dependencies.find((known) => known.name === name);
    if (dependency === undefined) return [problem(line, `no package.json names ${name}`)];
    const { version, where, kind } = dependency;
    const expected = { version, where, licence: licenceOf(name) };
    const differing = Object.entries(expected).flatMap(([what, value]) => {
      const written = values[/** @type {keyof typeof values} */ (what)];
      return value === undefined || value === written ? [] : [`${what} of ${name} is ${value}, not ${written}`];
    });
    if (heading !== sections[kind]) differing.push(`${name} belongs under "${sections[kind]}"`);
    return differing.map((message) => problem(line, message));
  });
  return [...missing, ...wrong];
}

/**
 * @param {string} root
 * @returns {readonly import("./markdown.mjs").Problem[]}
 */
export function checkDependenciesPage(root) {
  const path = join(root, dependenciesPage);
  const page = existsSync(path) ? readFileSync(path, "utf8") : "";
  return dependencyProblems({
    page,
    dependencies: workspaceDependencies(root),
    licenceOf: (name) => {
      const manifest = join(root, "node_modules", name, "package.json");
      return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).license : undefined;
    },
  });
}

/**
 * @param {readonly [string, unknown]} one
 * @param {readonly [string, unknown]} other
 */
function byName([one], [other]) {
  return one < other ? -1 : 1;
}
