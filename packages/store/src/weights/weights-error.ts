// What is wrong with weights, said with the file, the tensor and what to do. Names from a file are quoted and cut: they may be hostile.
import { HoneError } from "@hone/core";
import { diskError, errorCode } from "../disk-error.ts";

const damaged = "The file is damaged or was not copied whole; fetch or write it again.";

/** Code "bad-weights": the file or folder cannot be used as it is. */
export function badWeights(path: string, problem: string, hint: string = damaged): HoneError {
  return new HoneError(`${path}: ${problem}`, { code: "bad-weights", hint });
}

/** Code "bad-tensor": a caller asked to write what no file can hold. */
export function badTensor(name: string, problem: string, hint?: string): HoneError {
  return new HoneError(`tensor ${quote(name)} ${problem}`, {
    code: "bad-tensor",
    ...(hint === undefined ? {} : { hint }),
  });
}

export function missingTensor(path: string, name: string, known: readonly string[]): HoneError {
  const some = known.slice(0, 3).map(quote).join(", ");
  const hint =
    known.length === 0 ? "It has no tensors." : `It has ${known.length}: ${some}${known.length > 3 ? ", ..." : "."}`;
  return new HoneError(`${path}: there is no tensor ${quote(name)}`, { code: "missing-tensor", hint });
}

/** What the system said becomes a disk error with the path; what a caller's function threw stays as it is. */
export function onDisk(path: string, action: "read" | "write" | "open", error: unknown): unknown {
  return errorCode(error) === undefined ? error : diskError(path, action, error);
}

export function quote(name: string): string {
  return JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}...` : name);
}
