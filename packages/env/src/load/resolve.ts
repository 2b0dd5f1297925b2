// Where an environment id leads: `./path`, then `environments/<id>`, then an installed package (`owner/name` is `@owner/name`, a bare name is `@hone/<name>`).
// Reads package.json files only; nothing of the environment runs here.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { HoneError } from "@hone/core";

export interface EnvironmentLocation {
  /** As the user wrote it. */
  readonly id: string;
  /** The file whose default export is the environment. */
  readonly file: string;
  readonly version: string;
  /** The package's folder, where there is one. */
  readonly folder?: string;
}

export interface ResolveOptions {
  readonly cwd: string;
  /** Further folders whose node_modules are searched, for environments that came with a program. */
  readonly searchFrom?: readonly string[];
}

export function resolveEnvironment(id: string, { cwd, searchFrom = [] }: ResolveOptions): EnvironmentLocation {
  const tried: string[] = [];
  if (id.startsWith("./") || id.startsWith("../") || isAbsolute(id)) {
    const path = resolve(cwd, id);
    if (existsSync(path))
      return statSync(path).isDirectory() ? fromFolder(id, path) : { id, file: path, version: "0.0.0" };
    tried.push(path);
  } else {
    const [name, wantedVersion] = splitVersion(id);
    const local = join(cwd, "environments", name);
    if (existsSync(join(local, "package.json"))) return withVersion(fromFolder(id, local), wantedVersion);
    tried.push(local);
    for (const from of [cwd, ...searchFrom]) {
      const folder = installed(packageName(name), from);
      if (folder !== undefined) return withVersion(fromFolder(id, folder), wantedVersion);
    }
    tried.push(`the package ${packageName(name)}`);
  }
  throw new HoneError(`There is no environment ${id}.`, {
    code: "unknown-environment",
    hint: `Tried ${tried.join(", ")}. \`hone env list\` shows what is there; \`hone env init ${suggestedName(id)}\` makes one.`,
  });
}

function suggestedName(id: string): string {
  return id.replace(/[^a-z0-9-]+/gi, "-").replace(/^-+|-+$/g, "") || "my-env";
}

/** Names under ./environments and installed packages of the scope @hone that are environments. */
export function listEnvironments({ cwd, searchFrom = [] }: ResolveOptions): EnvironmentLocation[] {
  const folders = new Map<string, string>();
  const add = (root: string): void => {
    if (!existsSync(root)) return;
    for (const name of readdirSync(root).sort()) {
      if (!folders.has(name) && isEnvironmentPackage(join(root, name))) folders.set(name, join(root, name));
    }
  };
  add(join(cwd, "environments"));
  for (const from of [cwd, ...searchFrom]) {
    for (let at = resolve(from); ; at = dirname(at)) {
      add(join(at, "node_modules", "@hone"));
      if (dirname(at) === at) break;
    }
  }
  return [...folders].flatMap(([name, folder]) => {
    const file = entryOf(folder);
    return file === undefined ? [] : [{ id: name, file, version: readManifest(folder)?.version ?? "0.0.0", folder }];
  });
}

function packageName(name: string): string {
  if (name.startsWith("@")) return name;
  return name.includes("/") ? `@${name}` : `@hone/${name}`;
}

function splitVersion(id: string): [string, string | undefined] {
  const at = id.lastIndexOf("@");
  return at > 0 ? [id.slice(0, at), id.slice(at + 1)] : [id, undefined];
}

function withVersion(location: EnvironmentLocation, wanted: string | undefined): EnvironmentLocation {
  if (wanted === undefined || wanted === location.version) return location;
  throw new HoneError(`${location.id} is wanted, but version ${location.version} is installed.`, {
    code: "environment-version",
    hint: `Install it with \`npm install ${packageName(splitVersion(location.id)[0])}@${wanted}\`.`,
  });
}

function installed(name: string, from: string): string | undefined {
  try {
    return dirname(createRequire(join(from, "package.json")).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

interface Manifest {
  readonly version?: string;
  readonly main?: string;
  readonly exports?: unknown;
  /** `source` is used before what was built, so that an edit is never shadowed by an old build. */
  readonly hone?: { readonly source?: string };
}

function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch (cause) {
    throw new HoneError(`${file} is not valid JSON.`, { code: "bad-package", cause });
  }
}

function isEnvironmentPackage(folder: string): boolean {
  return readManifest(folder)?.hone !== undefined;
}

function fromFolder(id: string, folder: string): EnvironmentLocation {
  const file = entryOf(folder);
  if (file !== undefined) return { id, file, version: readManifest(folder)?.version ?? "0.0.0", folder };
  throw new HoneError(`${folder} holds no environment.`, {
    code: "bad-package",
    hint: "Its package.json should have a `hone` field whose `source` names the file, or a built main entry.",
  });
}

function entryOf(folder: string): string | undefined {
  const manifest = readManifest(folder) ?? {};
  const candidates = [
    manifest.hone?.source,
    mainExport(manifest.exports),
    manifest.main,
    "src/index.ts",
    "index.ts",
    "index.js",
  ];
  return candidates
    .flatMap((candidate) => (candidate === undefined ? [] : [join(folder, candidate)]))
    .find((file) => existsSync(file));
}

function mainExport(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const conditions = exports as Readonly<Record<string, unknown>>;
  return mainExport(conditions["."] ?? conditions["import"] ?? conditions["default"]);
}
