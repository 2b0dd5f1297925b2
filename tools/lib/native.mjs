// The C kernels of packages/engine-cpu, compiled: as an addon for this machine, which is not committed, and as WASM, which is.
// One compiler call each. Both carry the digest of the sources, so that nobody runs kernels that are not the sources' own.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { capture, root } from "./process.mjs";

/**
 * @typedef {object} Compiler
 * @property {string} command
 * @property {string} version its first line
 *
 * @typedef {{ readonly done: string } | { readonly skipped: string } | { readonly failed: string }} Outcome
 */

const folder = join(root, "packages/engine-cpu");
const sourceFolder = join(folder, "native");
const wasmFile = join(folder, "wasm/kernels.wasm");
const manifestFile = join(folder, "wasm/kernels.json");
// Relative to the sources, where the compiler runs: the record of how the addon was built is published with it.
const headers = "../../../node_modules/node-api-headers/include";

// Contraction off: a multiply-add is fused where the source says so, never where a compiler finds one.
const common = ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Wno-psabi"];

/** Names relative to the folder, sorted. */
export function sourceFiles(directory = sourceFolder) {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /\.[ch]$/.test(name))
    .sort();
}

/** SHA-256 over names and contents: changes when any source changes. */
export function sourceDigest(directory = sourceFolder) {
  const hash = createHash("sha256");
  for (const name of sourceFiles(directory)) {
    const text = readFileSync(join(directory, name), "utf8").replaceAll("\r\n", "\n");
    hash.update(`${name}\0${text.length}\0${text}`);
  }
  return hash.digest("hex");
}

/**
 * The first of these that runs.
 * @param {readonly string[]} commands
 * @returns {Promise<Compiler | undefined>}
 */
export async function findCompiler(commands) {
  for (const command of commands) {
    try {
      const { code, output } = await capture({ command, args: ["--version"] });
      if (code === 0) return { command, version: output.split("\n", 1)[0] ?? "" };
    } catch {
      // not installed
    }
  }
  return undefined;
}

const systemCompilers = () => [...(process.env["CC"] ? [process.env["CC"]] : []), "cc", "gcc", "clang"];
const wasmCompilers = () => [...(process.env["HONE_CLANG"] ? [process.env["HONE_CLANG"]] : []), "clang"];

/** Where the addon of this machine lies. */
function addonFile() {
  return join(folder, "build", `${process.platform}-${process.arch}`, "kernels.node");
}

/**
 * The addon, if sources, flags or compiler changed since it was built.
 * @param {{ compilers?: readonly string[] }} [options]
 * @returns {Promise<Outcome>}
 */
export async function buildAddon({ compilers = systemCompilers() } = {}) {
  if (process.platform === "win32") return { skipped: "the addon is not built on Windows; the WASM kernels are used" };
  const compiler = await findCompiler(compilers);
  if (compiler === undefined) {
    return {
      skipped: "no C compiler found (tried cc, gcc, clang); the WASM kernels are used, at less than half the speed",
    };
  }
  const digest = sourceDigest();
  const output = addonFile();
  const args = addonArguments(digest);
  const stamp = `${JSON.stringify({ digest, compiler: compiler.version, args })}\n`;
  const stampFile = output.replace(/\.node$/, ".json");
  if (existsSync(output) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp)
    return { done: "up to date" };
  mkdirSync(dirname(output), { recursive: true });
  rmSync(stampFile, { force: true });
  // Written beside and renamed: a program that has the old file loaded keeps it.
  const unfinished = `${output}.${process.pid}`;
  const { code, output: text } = await capture(
    { command: compiler.command, args: [...args, "-o", unfinished] },
    { cwd: sourceFolder },
  );
  if (code !== 0) {
    rmSync(unfinished, { force: true });
    return {
      failed: `${compiler.command} (${compiler.version}) could not compile the kernels; the WASM kernels are used:\n${text.trim()}`,
    };
  }
  renameSync(unfinished, output);
  writeFileSync(stampFile, stamp);
  return { done: `built with ${compiler.version}` };
}

/** @param {string} digest */
function addonArguments(digest) {
  const shared = process.platform === "darwin" ? ["-shared", "-undefined", "dynamic_lookup"] : ["-shared", "-pthread"];
  const defines = [`-DKERNELS_DIGEST="${digest}"`];
  return [...common, "-fPIC", "-fvisibility=hidden", ...defines, `-I${headers}`, ...shared, ...unitFiles()];
}

const unitFiles = () => sourceFiles().filter((name) => name.endsWith(".c"));

/**
 * Writes wasm/kernels.wasm and wasm/kernels.json.
 * @returns {Promise<Outcome>}
 */
export async function buildWasm() {
  const compiled = await compileWasm();
  if (!("bytes" in compiled)) return compiled;
  mkdirSync(dirname(wasmFile), { recursive: true });
  writeFileSync(wasmFile, compiled.bytes);
  const sha256 = createHash("sha256").update(compiled.bytes).digest("hex");
  const manifest = { sources: sourceDigest(), compiler: compiled.version, wasm: sha256 };
  writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  return { done: `built with ${compiled.version}, ${compiled.bytes.length} bytes` };
}

/**
 * The committed WASM against its manifest and the sources, by digest.
 * @returns {string | undefined} what is wrong
 */
export function wasmProblem() {
  const manifest = readManifest();
  if (manifest.sources !== sourceDigest()) return "wasm/kernels.wasm was built from other sources";
  const digest = createHash("sha256").update(readFileSync(wasmFile)).digest("hex");
  return manifest.wasm === digest ? undefined : "wasm/kernels.wasm is not what kernels.json says";
}

/**
 * By digest always, byte for byte where the same compiler is here.
 * @returns {Promise<Outcome>}
 */
export async function checkWasm() {
  const problem = wasmProblem();
  if (problem !== undefined) return { failed: `${problem}; \`node tools/build-native.mjs --wasm\` builds it anew` };
  const compiler = await findCompiler(wasmCompilers());
  if (compiler === undefined) return { skipped: "byte for byte: there is no clang here" };
  const manifest = readManifest();
  if (compiler.version !== manifest.compiler) {
    return { skipped: `byte for byte: it was built with ${manifest.compiler}, here is ${compiler.version}` };
  }
  const compiled = await compileWasm();
  if (!("bytes" in compiled)) return compiled;
  if (compiled.bytes.equals(readFileSync(wasmFile))) return { done: "equal byte for byte" };
  return { failed: "wasm/kernels.wasm differs from what the sources give" };
}

/** @returns {{ readonly sources: string, readonly compiler: string, readonly wasm: string }} */
function readManifest() {
  return JSON.parse(readFileSync(manifestFile, "utf8"));
}

/** @returns {Promise<{ readonly bytes: Buffer, readonly version: string } | Outcome>} */
async function compileWasm() {
  const compiler = await findCompiler(wasmCompilers());
  if (compiler === undefined) return { skipped: "WASM needs clang with wasm-ld (Debian: clang, lld), or HONE_CLANG" };
  const stage = mkdtempSync(join(tmpdir(), "hone-wasm-"));
  try {
    const file = join(stage, "kernels.wasm");
    const target = [
      "--target=wasm32",
      "-msimd128",
      "-mbulk-memory",
      "-matomics",
      "-mmutable-globals",
      "-ffreestanding",
      "-nostdlib",
    ];
    const linker = [
      "--no-entry",
      "--import-memory",
      "--shared-memory",
      "--max-memory=4294967296",
      "--strip-all",
      "-z,stack-size=131072",
    ];
    const exported = ["__stack_pointer", "__heap_base"].map((name) => `--export=${name}`);
    const args = [
      ...target,
      ...common,
      ...[...linker, ...exported].map((flag) => `-Wl,${flag}`),
      ...unitFiles(),
      "-o",
      file,
    ];
    const { code, output } = await capture({ command: compiler.command, args }, { cwd: sourceFolder });
    if (code !== 0)
      return { failed: `${compiler.command} (${compiler.version}) could not build WASM:\n${output.trim()}` };
    return { bytes: readFileSync(file), version: compiler.version };
  } finally {
    rmSync(stage, { recursive: true });
  }
}
