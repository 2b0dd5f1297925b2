// Checkpoints of the toy engine: a line of JSON, then the parameters and both moments as 64-bit floats. Nothing is rounded.
// Where they are kept is handed in, so that a test can kill a process and open them in the next one.
import * as z from "zod";
import type { AdapterSpec } from "../engine.ts";
import { HoneError } from "../errors.ts";
import type { ToyMoments } from "./toy-tuning.ts";

/** `write` is all or nothing; what was written is what `read` gives. */
export interface CheckpointStore {
  read(name: string): Promise<Uint8Array | undefined>;
  write(name: string, bytes: Uint8Array): Promise<void>;
}

export function memoryCheckpoints(): CheckpointStore {
  const files = new Map<string, Uint8Array>();
  return {
    read: async (name) => files.get(name)?.slice(),
    write: async (name, bytes) => {
      files.set(name, bytes.slice());
    },
  };
}

/** The accumulated gradient is no part of it: a step that was not finished is done again. */
export interface ToyCheckpoint {
  readonly version: number;
  readonly vocabularySize: number;
  /** Of the base model. */
  readonly seed: number;
  readonly adapter: AdapterSpec | "full";
  readonly parameters: Float64Array;
  readonly moments: ToyMoments;
}

const whole = z.int().min(0);
const Header = z.strictObject({
  format: z.literal("hone/toy-checkpoint/1"),
  version: whole,
  vocabularySize: whole,
  seed: z.number(),
  adapter: z.union([
    z.literal("full"),
    z.strictObject({ rank: whole, alpha: z.number(), targets: z.array(z.string()), seed: z.number() }),
  ]),
  parameters: whole,
  steps: whole,
});

export function encodeCheckpoint(checkpoint: ToyCheckpoint): Uint8Array {
  const { parameters, moments, ...identity } = checkpoint;
  const header: z.output<typeof Header> = {
    format: "hone/toy-checkpoint/1",
    ...identity,
    adapter: identity.adapter === "full" ? "full" : { ...identity.adapter, targets: [...identity.adapter.targets] },
    parameters: parameters.length,
    steps: moments.steps,
  };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const bytes = new Uint8Array(line.length + 3 * parameters.byteLength);
  bytes.set(line);
  for (const [index, column] of [parameters, moments.first, moments.second].entries()) {
    const at = line.length + index * parameters.byteLength;
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
  }
  return bytes;
}

export function decodeCheckpoint(name: string, bytes: Uint8Array): ToyCheckpoint {
  const line = bytes.indexOf(10);
  const parsed = Header.safeParse(jsonOf(bytes.subarray(0, Math.max(line, 0))));
  const start = line + 1;
  if (!parsed.success || bytes.length !== start + 3 * 8 * parsed.data.parameters) {
    throw new HoneError(`checkpoint "${name}" is not one of the toy engine's, or is cut off (${bytes.length} bytes)`, {
      code: "checkpoint",
      hint: "Open an earlier checkpoint.",
      cause: parsed.error,
    });
  }
  const { format: _format, parameters: length, steps, ...identity } = parsed.data;
  const column = (index: number): Float64Array =>
    new Float64Array(
      Uint8Array.from(bytes.subarray(start + index * 8 * length, start + (index + 1) * 8 * length)).buffer,
    );
  return { ...identity, parameters: column(0), moments: { steps, first: column(1), second: column(2) } };
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
