// Names that become parts of paths. Nothing that a user, a model or a hub chose can leave the folder it belongs to.
import { join } from "node:path";
import { HoneError } from "@hone/core";

/** The name itself, when it is safe as one part of a path. `what` says whose name it is. */
export function safeName(name: string, what: string): string {
  const isSafe =
    name !== "" && name !== "." && name !== ".." && !/[/\\\p{Cc}]/u.test(name) && Buffer.byteLength(name) <= 200;
  if (isSafe) return name;
  throw new HoneError(`${JSON.stringify(name.slice(0, 80))} cannot be the name of ${what}`, {
    code: "bad-name",
    hint: 'Use letters, digits, "-", "_" and "."; no slashes, no "..", at most 200 bytes.',
  });
}

/** Six digits, so that files sort by step: 000012. */
export function stepName(step: number): string {
  if (Number.isSafeInteger(step) && step >= 0) return String(step).padStart(6, "0");
  throw new HoneError(`${step} is not a step`, { code: "bad-name", hint: "Steps are whole numbers from 0." });
}

/** The step a file such as 000012.jsonl belongs to. */
export function stepOf(file: string, extension: string): number | undefined {
  const digits = /^(\d{6,15})\./.exec(file)?.[1];
  return digits !== undefined && file === `${digits}${extension}` ? Number(digits) : undefined;
}

/** `runs/<name>`, refused when the name would lead elsewhere. */
export function runDirectory(root: string, name: string): string {
  return join(root, safeName(name, "a run"));
}

export interface EvalName {
  readonly env: string;
  readonly model: string;
  readonly id: string;
}

/** `<env>--<model>--<id>`. Characters that are unsafe in a file name become "_"; the id keeps two evaluations apart. */
export function evalDirectoryName({ env, model, id }: EvalName): string {
  return [
    plainPart(env, 60, "an environment"),
    plainPart(model, 80, "a model"),
    plainPart(id, 50, "an evaluation"),
  ].join("--");
}

function plainPart(name: string, longest: number, what: string): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9._-]/g, "_")
    // A part neither hides the folder nor looks like the separator.
    .replaceAll(/-{2,}/g, "-")
    .replace(/^[.-]+/, "_")
    .replace(/-$/, "_")
    .slice(0, longest);
  return safeName(plain, what);
}
