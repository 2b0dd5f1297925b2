// The replies that score 1, as tasks.jsonl keeps them beside the task for whoever reads results. They come from an environment's own code: what it
// throws, and what is no list of strings, leaves the row without them. Invariant: they are only written, no rollout gets to see them.
import type { Environment, Task } from "@hone/core";

/** Replies that score 1, turn by turn; undefined where there are none. */
export type GoldOf = (task: Task) => readonly string[] | undefined;

/** As JSON. Files of tasks are read whole, and one long answer must not make them heavy. */
const mostBytes = 64 * 1024;

/** `gold` as the classes of @hone/env have it. It is no member of the interface: nothing needs it to run. */
export function ownGold(environment: Environment & { readonly gold?: GoldOf }): GoldOf {
  return (task) => environment.gold?.(task);
}

export function recordedGold(goldOf: GoldOf, task: Task): { readonly gold?: readonly string[] } {
  try {
    // A copy: one that sorts the task's own list would otherwise show the answer to the model.
    const given: unknown = goldOf(structuredClone(task));
    if (given === undefined) return {};
    const gold: readonly unknown[] = Array.isArray(given) ? [...given] : [given];
    if (gold.every((reply) => typeof reply === "string")) {
      const isKept = gold.length > 0 && Buffer.byteLength(JSON.stringify(gold)) <= mostBytes;
      return isKept ? { gold } : {};
    }
    // Promises are no replies, and one that fails later must not end the program.
    void Promise.allSettled(gold);
    return {};
  } catch {
    return {};
  }
}
