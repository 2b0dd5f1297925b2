// Difficulty pools: a task is easy, hard or neither by the mean reward of its latest group. Easy and hard tasks are drawn only for their fraction
// of the groups, so that most of the work goes where something can be learnt.
import type { TaskId } from "@hone/core";
import * as z from "zod";

export const DifficultyConfig = z.strictObject({
  filter: z.boolean().default(false).describe("replace groups whose rewards all agree: they teach nothing"),
  easyThreshold: z.number().exactOptional().describe("a task whose group's mean reward is at least this is easy"),
  hardThreshold: z.number().exactOptional().describe("a task whose group's mean reward is at most this is hard"),
  easyFraction: z.number().min(0).max(1).default(0).describe("share of groups drawn from the easy tasks"),
  hardFraction: z.number().min(0).max(1).default(0).describe("share of groups drawn from the hard tasks"),
});
export type DifficultyConfig = z.output<typeof DifficultyConfig>;

export type Pool = "easy" | "normal" | "hard";

export class Difficulty {
  readonly #config: DifficultyConfig;
  readonly #means = new Map<TaskId, number>();

  constructor(config: DifficultyConfig) {
    this.#config = config;
  }

  observe(task: TaskId, meanReward: number): void {
    this.#means.set(task, meanReward);
  }

  poolOf(task: TaskId): Pool {
    const mean = this.#means.get(task);
    if (mean === undefined) return "normal";
    const { easyThreshold = Infinity, hardThreshold = -Infinity } = this.#config;
    return mean >= easyThreshold ? "easy" : mean <= hardThreshold ? "hard" : "normal";
  }

  /** Which pool the next group is drawn from; `draw` in [0, 1). */
  choose(draw: number): Pool {
    const { easyFraction, hardFraction } = this.#config;
    return draw < easyFraction ? "easy" : draw < easyFraction + hardFraction ? "hard" : "normal";
  }

  get isOn(): boolean {
    return this.#config.easyThreshold !== undefined || this.#config.hardThreshold !== undefined;
  }

  members(tasks: readonly { readonly id: TaskId }[], pool: Pool): TaskId[] {
    return tasks.flatMap(({ id }) => (this.poolOf(id) === pool ? [id] : []));
  }

  /** Mean rewards by task, as data. */
  get means(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#means);
  }

  restore(means: Readonly<Record<string, number>>): void {
    this.#means.clear();
    for (const [task, mean] of Object.entries(means)) this.#means.set(task as TaskId, mean);
  }
}
