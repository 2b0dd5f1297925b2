// How the samples of each environment are treated: its algorithm and normaliser, made once at start so that a mistake is told before anything runs.
import { HoneError } from "@hone/core";
import { normaliserOf, openAlgorithm, type ResolvedRun, type Treatment } from "@hone/train";
import { notLoaded } from "../environment/not-loaded.ts";

export async function treatments(
  { env }: Pick<ResolvedRun, "env">,
  cwd: string,
): Promise<ReadonlyMap<string, Treatment>> {
  const found = new Map<string, Treatment>();
  for (const { name, algorithm, sampling } of env) {
    const context = sampling.maxTokens === undefined ? {} : { maxTokens: sampling.maxTokens };
    const opened = await openAlgorithm(algorithm, { ...context, cwd }).catch((error: unknown) => {
      throw HoneError.is(error) && error.code === "load" ? notLoaded(error) : error;
    });
    found.set(name, { algorithm: opened, normaliser: normaliserOf(algorithm, context) });
  }
  return found;
}

export function treatmentIn(all: ReadonlyMap<string, Treatment>): (env: string) => Treatment {
  return (env) => {
    const treatment = all.get(env);
    if (treatment !== undefined) return treatment;
    throw new HoneError(`The run has no environment ${env}.`, { code: "config" });
  };
}
