// What a checkpoint is on disk: <folder>/<name>/checkpoint.json and the tensors file that it names. Reading and checking.
// The gradient is no part of it: a step that was not finished is done again.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AdapterSpec, HoneError } from "@hone/core";
import { safeName } from "@hone/store";
import { openSafetensors } from "@hone/store/weights";
import * as z from "zod";
import type { TrainerState } from "../train/trainer.ts";

export const headerFile = "checkpoint.json";
const whole = z.int().min(0);
const Adapter = z.strictObject({ rank: whole, alpha: z.number(), targets: z.array(z.string()), seed: z.number() });
export const CheckpointHeader = z.strictObject({
  format: z.literal("hone/cpu-checkpoint/1"),
  /** Of this write: a checkpoint that replaced another has another. */
  id: z.string(),
  version: whole,
  steps: whole,
  adapter: z.union([z.literal("full"), Adapter]),
  /** Name of the base model. */
  model: z.string(),
  /** Builds with other arithmetic continue it, with other last bits. */
  kernels: z.strictObject({ build: z.string(), instructionSet: z.string() }),
  /** File with the parameters and moments. */
  tensors: z.string().regex(/^trainer[a-z0-9-]*\.safetensors$/),
});
export type CheckpointHeader = z.output<typeof CheckpointHeader>;

export interface CheckpointPlace {
  /** Of all checkpoints. */
  readonly folder: string;
  readonly name: string;
}

export function checkpointFolder({ folder, name }: CheckpointPlace): string {
  return join(folder, safeName(name, "a checkpoint"));
}

/** `model` is the base that the engine has; a checkpoint of another is refused. */
export async function readHeader(place: CheckpointPlace, model: string): Promise<CheckpointHeader> {
  const header = await readAnyHeader(place);
  if (header.model === model) return header;
  throw new HoneError(`checkpoint "${place.name}" belongs to another base model, "${header.model}"`, {
    code: "checkpoint",
    hint: `This engine has "${model}". If it is the same model in another place, create the engine with name: "${header.model}".`,
  });
}

export async function readAnyHeader(place: CheckpointPlace): Promise<CheckpointHeader> {
  const file = join(checkpointFolder(place), headerFile);
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new HoneError(`there is no checkpoint "${place.name}": ${file} cannot be read`, {
      code: "checkpoint",
      cause,
    });
  });
  const parsed = CheckpointHeader.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new HoneError(`${file} is not the header of a checkpoint of the embedded engine`, {
    code: "checkpoint",
    hint: "It is damaged or another engine wrote it; open an earlier checkpoint.",
    cause: parsed.error,
  });
}

export interface ReadState extends CheckpointPlace {
  readonly header: CheckpointHeader;
  /** "weight" for the parameters alone. */
  readonly only?: "weight";
}

export async function readState({ header, only, ...place }: ReadState): Promise<TrainerState> {
  await using file = await openSafetensors(tensorsFile(place, header));
  const tensors = new Map<string, Float32Array>();
  for (const { name } of file.tensors()) {
    if (only === undefined || name.startsWith(`${only}/`)) tensors.set(name, (await file.read(name)).toFloat32());
  }
  const { version, steps, adapter } = header;
  return { version, steps, adapter, tensors };
}

export function tensorsFile(place: CheckpointPlace, { tensors }: CheckpointHeader): string {
  return join(checkpointFolder(place), tensors);
}

export function isSameAdapter(left: AdapterSpec | "full", right: AdapterSpec | "full"): boolean {
  if (left === "full" || right === "full") return left === right;
  const isSame = left.rank === right.rank && left.alpha === right.alpha && left.seed === right.seed;
  return isSame && left.targets.join("\n") === right.targets.join("\n");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
