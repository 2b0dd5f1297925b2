// `hone doctor`: what this machine has of what Hone can use; with a model, what training it would take of the memory.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, totalmem } from "node:os";
import { delimiter, join } from "node:path";
import { HoneError } from "@hone/core";
import type { Work } from "../command.ts";
import { exitCodes, type Io } from "../io.ts";
import { trainableFolder } from "../model/local-model.ts";
import { columns } from "../screen/columns.ts";
import { type Style, styleFor } from "../screen/style.ts";
import { bytes } from "../screen/words.ts";
import { type Memory, memoryFor } from "../training/memory.ts";

export interface DoctorFlags {
  readonly model: string | undefined;
  readonly json: boolean;
}

interface Finding {
  readonly name: string;
  readonly isGood: boolean;
  readonly what: string;
  /** What to do about it. */
  readonly hint?: string;
}

export const doctor: Work<DoctorFlags, []> = async ({ io }, { model, json }) => {
  const findings = [...versions(), await kernels(), await bubblewrap(), ...otherSandboxes(io)];
  const folder = model === undefined ? undefined : await trainableFolder(model, io.cwd);
  const memory = folder === undefined ? undefined : await plans(folder);
  if (json) io.stdout.write(`${JSON.stringify({ findings, ...(memory === undefined ? {} : { memory }) })}\n`);
  else {
    const style = styleFor(io.stdout, io.env);
    io.stdout.write(columns(findings.flatMap((finding) => findingRows(finding, style))));
    if (memory !== undefined) io.stdout.write(memoryText(model ?? "", memory, style));
  }
  return exitCodes.ok;
};

function versions(): Finding[] {
  const { version } = createRequire(import.meta.url)("../../package.json") as { readonly version: string };
  return [
    { name: "hone", isGood: true, what: version },
    { name: "node", isGood: true, what: `${process.versions.node} on ${process.platform} ${process.arch}` },
    { name: "machine", isGood: true, what: `${availableParallelism()} processors, ${bytes(totalmem())} of memory` },
  ];
}

/** Loaded and closed again: what a run on this machine would compute with. */
async function kernels(): Promise<Finding> {
  const { loadKernels } = await import("@hone/engine-cpu");
  try {
    const { kernels: loaded, fallback } = loadKernels();
    const { build, instructionSet, threads } = loaded.info;
    loaded.close();
    const what = `${build === "native" ? "addon" : "WASM"}, ${instructionSet}, ${threads} threads`;
    if (fallback === undefined) return { name: "cpu engine", isGood: true, what };
    const hint = "In the repository, `npm run build:native` builds it with any C compiler.";
    return { name: "cpu engine", isGood: false, what: `${what}; no addon: ${fallback}`, hint };
  } catch (error) {
    return failed("cpu engine", error);
  }
}

/** Tried, not guessed: user namespaces may be forbidden in many ways. */
async function bubblewrap(): Promise<Finding> {
  const { defaultSandboxes } = await import("@hone/sandbox");
  try {
    await defaultSandboxes();
    return { name: "bubblewrap", isGood: true, what: "works" };
  } catch (error) {
    return failed("bubblewrap", error);
  }
}

function otherSandboxes(io: Io): Finding[] {
  const folders = (io.env["PATH"] ?? "").split(delimiter);
  const docker = ["docker", "podman"].find((name) => folders.some((folder) => existsSync(join(folder, name))));
  const hasKey = (io.env["E2B_API_KEY"] ?? "") !== "";
  return [
    {
      name: "docker",
      isGood: docker !== undefined,
      what: docker === undefined ? "not on PATH" : `${docker} is on PATH`,
    },
    installed("pyodide", "pyodide"),
    installed("memory-bash", "just-bash"),
    { name: "e2b", isGood: hasKey, what: hasKey ? "E2B_API_KEY is set" : "E2B_API_KEY is not set" },
  ];
}

/** A sandbox that is an npm package: where this program looks for packages, it is or is not there. */
function installed(name: string, packageName: string): Finding {
  const paths = createRequire(import.meta.url).resolve.paths(packageName) ?? [];
  const isGood = paths.some((path) => existsSync(join(path, packageName)));
  if (isGood) return { name, isGood, what: `${packageName} is installed` };
  return { name, isGood, what: `${packageName} is not installed`, hint: `npm install ${packageName}` };
}

function failed(name: string, error: unknown): Finding {
  const what = error instanceof Error ? error.message : String(error);
  return {
    name,
    isGood: false,
    what,
    ...(HoneError.is(error) && error.hint !== undefined ? { hint: error.hint } : {}),
  };
}

function findingRows({ name, isGood, what, hint }: Finding, style: Style): string[][] {
  const row = [name, isGood ? style.paint("green", "yes") : style.paint("yellow", "no"), what];
  return hint === undefined ? [row] : [row, ["", "", style.paint("dim", hint)]];
}

interface Plans {
  readonly adapter: Memory;
  readonly full: Memory;
}

async function plans(folder: string): Promise<Plans> {
  const lora = { rank: 8, alpha: 16, targets: ["all-linear"], seed: 0 };
  return { adapter: await memoryFor(folder, { lora }), full: await memoryFor(folder, { lora: false }) };
}

function memoryText(model: string, { adapter, full }: Plans, style: Style): string {
  const names = [...new Set([...adapter.parts, ...full.parts].map(({ name }) => name))];
  const sizeOf = ({ parts }: Memory, name: string): string => {
    const part = parts.find((one) => one.name === name);
    return part === undefined ? "" : bytes(part.bytes);
  };
  const rows = names.map((name) => [name, sizeOf(adapter, name), sizeOf(full, name)]);
  const head = ["memory", "LoRA, rank 8", "all weights"].map((text) => style.paint("dim", text));
  const total = ["in all", bytes(adapter.total), bytes(full.total)].map((text) => style.paint("bold", text));
  const table = columns([head, ...rows, total], { indent: "  ", right: [1, 2] });
  const isTight = adapter.total > adapter.there;
  const said = isTight
    ? style.paint("yellow", `\nThis machine has ${bytes(adapter.there)}: too little to train it.\n`)
    : "";
  return `\nTraining ${style.paint("bold", model)} on the cpu engine\n${table}${said}`;
}
