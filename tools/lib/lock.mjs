// What makes one package-lock.json good for `npm ci` on every platform and with every registry.
// A registry view that lacks other platforms' binaries makes npm leave them out of the lock, and `npm ci` then refuses it
// ("Missing: ... from lock file"). Entries are written for them from what their dependents ask for and their names say.
import { Stop } from "./terminal.mjs";

/**
 * @typedef {object} LockEntry
 * @property {string} [version]
 * @property {string} [resolved]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {readonly string[]} [cpu]
 * @property {readonly string[]} [os]
 * @property {readonly string[]} [libc]
 * @property {Readonly<Record<string, string>>} [optionalDependencies]
 *
 * @typedef {object} Lock
 * @property {Readonly<Record<string, LockEntry>>} packages by path, "" is the root
 *
 * @typedef {object} Missing
 * @property {string} path
 * @property {LockEntry} entry
 */

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/**
 * Entries that optional dependencies ask for and the lock lacks.
 * @param {Lock} lock
 * @returns {readonly Missing[]}
 */
export function missingEntries(lock) {
  /** @type {Map<string, Missing>} */
  const missing = new Map();
  const find = (/** @type {string} */ path) => lock.packages[path] ?? missing.get(path)?.entry;
  for (const [dependent, { dev, optionalDependencies }] of Object.entries(lock.packages)) {
    for (const [name, range] of Object.entries(optionalDependencies ?? {})) {
      const nearest = placesOf(dependent, name).find((place) => find(place) !== undefined);
      const isExact = /^\d/.test(range);
      if (nearest !== undefined && (!isExact || find(nearest)?.version === range)) continue;
      // As npm places it: at the top, unless another version is there already.
      const path = nearest === undefined ? `node_modules/${name}` : `${dependent}/node_modules/${name}`;
      missing.set(path, { path, entry: entryOf(name, range, dev === true) });
    }
  }
  return [...missing.values()];
}

/**
 * Paths of entries that point to one registry's host.
 * @param {Lock} lock
 */
export function hostedEntries(lock) {
  return Object.keys(lock.packages).filter((path) => /^https?:/.test(lock.packages[path]?.resolved ?? ""));
}

/**
 * The lock with nothing missing and no host named; entries in npm's order, so that npm has nothing to rewrite.
 * @template {Lock} L
 * @param {L} lock
 * @returns {L}
 */
export function completeLock(lock) {
  const hosted = new Set(hostedEntries(lock));
  const kept = Object.entries(lock.packages).map(([path, entry]) => {
    const { resolved: _resolved, ...rest } = entry;
    return /** @type {const} */ ([path, hosted.has(path) ? rest : entry]);
  });
  const added = missingEntries(lock).map(({ path, entry }) => /** @type {const} */ ([path, entry]));
  const packages = [...kept, ...added].sort(([a], [b]) => a.localeCompare(b, "en"));
  return { ...lock, packages: Object.fromEntries(packages) };
}

/**
 * Where Node would look, nearest first.
 * @param {string} dependent
 * @param {string} name
 */
function placesOf(dependent, name) {
  const places = [];
  for (
    let folder = dependent;
    folder !== "";
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))
  ) {
    places.push(`${folder}/node_modules/${name}`);
  }
  return [...places, `node_modules/${name}`];
}

/**
 * @param {string} name
 * @param {string} range
 * @param {boolean} isDev
 * @returns {LockEntry}
 */
function entryOf(name, range, isDev) {
  const version = /^[~^]?(\d+\.\d+\.\d+\S*)$/.exec(range)?.[1];
  if (version === undefined)
    throw new Stop(`package-lock.json lacks ${name}, and "${range}" does not say which version.`);
  const words = name.split(/[-/]/);
  const os = name === "fsevents" ? "darwin" : systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  const libc = [
    { prefix: "musl", name: "musl" },
    { prefix: "gnu", name: "glibc" },
  ].find(({ prefix }) => words.some((word) => word.startsWith(prefix)))?.name;
  // Fields in npm's order too.
  return {
    version,
    ...(cpu !== undefined && { cpu: [cpu] }),
    ...(isDev && { dev: true }),
    ...(libc !== undefined && { libc: [libc] }),
    optional: true,
    ...(os !== undefined && { os: [os] }),
  };
}
