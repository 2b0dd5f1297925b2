// Where the replies that score 1 come from, by environment: tasks.jsonl keeps them beside the task for whoever reads the run.
import { type GoldOf, ownGold } from "@hone/env";
import type { TrainEnvironment } from "../nouns.ts";

/** By the name of the environment in the run. */
export function goldIn(environments: readonly TrainEnvironment[]): (env: string) => GoldOf {
  const golds = new Map(
    environments.map(({ name, environment, goldOf = ownGold(environment) }) => [name, goldOf] as const),
  );
  return (env) => golds.get(env) ?? (() => undefined);
}
