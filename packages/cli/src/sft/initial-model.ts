// Random weights for a model that is trained from scratch, made once per run and found again when it goes on.
import { existsSync } from "node:fs";
import { join } from "node:path";

export interface InitialModelOptions {
  /** config.json and tokenizer files; weights in it are not looked at. */
  readonly source: string;
  readonly target: string;
  readonly seed: number;
}

/** The folder with the weights. The same seed gives the same ones. */
export async function initialModel({ source, target, seed }: InitialModelOptions): Promise<string> {
  // config.json is written last: a folder that has one is whole.
  if (existsSync(join(target, "config.json"))) return target;
  const { initModelFolder } = await import("@hone/engine-cpu");
  await initModelFolder({ source, target, seed });
  return target;
}
