// What goes into a published package. A staged copy is packed, not the folder itself: there tests lie beside the code, the
// export condition for sources points at files that are not published, and the licence exists once, at the root.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";

const sourceCondition = "@hone/source";
const isLeftOut = /\.(?:test|test-d|bench)\.|\.map$|\.tsbuildinfo$|(?:^|\/)__fixtures__\/|(?:^|\/)test-[^/]*$/;
const isTesting = /^dist\/(?:.*\/)?testing\//;
const hasMap = /^dist\/.*\.(?:js|d\.ts)$/;

/**
 * Writes what is to be packed into a new folder.
 * @param {object} options
 * @param {string} options.root where the licence is
 * @param {string} options.folder of the package
 * @param {string} options.stage
 */
export function stagePackage({ root, folder, stage }) {
  const { scripts: _scripts, devDependencies: _development, ...manifest } = readManifest(folder);
  mkdirSync(stage, { recursive: true });
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(withoutSources(manifest), null, 2)}\n`);
  cpSync(join(root, "LICENSE"), join(stage, "LICENSE"));
  const isForUsers = JSON.stringify(manifest.exports ?? {}).includes("./dist/testing/");
  for (const path of ["README.md", ...(manifest.files ?? [])].flatMap((name) => filesIn(folder, name))) {
    if (isLeftOut.test(path)) continue;
    if (isTesting.test(path) && !(isForUsers && path.startsWith("dist/testing/"))) continue;
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    if (hasMap.test(path)) writeFileSync(join(stage, path), withoutMap(readFileSync(join(folder, path), "utf8")));
    else cpSync(join(folder, path), join(stage, path));
  }
}

/**
 * What is wrong with a staged package whose tarball holds these files.
 * @param {string} stage
 * @param {readonly string[]} files
 * @returns {readonly string[]}
 */
export function packProblems(stage, files) {
  const present = new Set(files);
  const { bin, exports, imports } = readManifest(stage);
  const named = [...targetsIn([bin, exports, imports])].map((target) => target.replace(/^\.\//, ""));
  return [
    ...["LICENSE", "package.json"].filter((file) => !present.has(file)).map((file) => `${file} is missing`),
    ...named
      .filter((target) => !files.some((file) => isMatch(target, file)))
      .map((target) => `package.json names ${target}, which is not packed`),
    ...files.filter((file) => isLeftOut.test(file)).map((file) => `${file} is not for users`),
    ...files
      .filter((file) => /^dist\/.*\.js$/.test(file) && !present.has(file.replace(/\.js$/, ".d.ts")))
      .map((file) => `${file} has no types beside it`),
    ...files.filter((file) => /^dist\/.*(?<!\.d)\.ts$/.test(file)).map((file) => `${file} is a source file`),
    ...files
      .filter((file) => hasMap.test(file) && readFileSync(join(stage, file), "utf8").includes("sourceMappingURL="))
      .map((file) => `${file} names a source map, which is not packed`),
  ];
}

/** @param {string} folder */
function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/**
 * The files at or below a name, relative to the folder, with forward slashes.
 * @param {string} folder
 * @param {string} name
 * @returns {readonly string[]}
 */
function filesIn(folder, name) {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [name];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length).replaceAll(sep, "/"));
}

/** @param {string} text */
function withoutMap(text) {
  return text.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n");
}

/**
 * A manifest without the export condition that only this repository uses.
 * @param {unknown} value
 * @returns {unknown}
 */
function withoutSources(value) {
  if (Array.isArray(value)) return value.map(withoutSources);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => key !== sourceCondition);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutSources(inner)]));
}

/**
 * Every path that a field of package.json leads to.
 * @param {unknown} value
 * @returns {Generator<string>}
 */
function* targetsIn(value) {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) yield* targetsIn(inner);
}

/**
 * @param {string} target may hold one star, as in "dist/worker/*.js"
 * @param {string} file
 */
function isMatch(target, file) {
  const [start = "", end] = target.split("*");
  return end === undefined ? target === file : file.startsWith(start) && file.endsWith(end);
}
