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
  readonly #counts: Record<Pool, number> = { easy: 0, normal: 0, hard: 0 };

  constructor(config: DifficultyConfig) {
    this.#config = config;
  }

  /** Without thresholds there are no pools, and nothing is kept: a run may see millions of tasks. */
  observe(task: TaskId, meanReward: number): void {
    if (!this.isOn) return;
    const before = this.#means.get(task);
    if (before !== undefined) this.#counts[this.poolAt(before)]--;
    this.#counts[this.poolAt(meanReward)]++;
    this.#means.set(task, meanReward);
  }

  poolAt(meanReward: number): Pool {
    const { easyThreshold = Infinity, hardThreshold = -Infinity } = this.#config;
    return meanReward >= easyThreshold ? "easy" : meanReward <= hardThreshold ? "hard" : "normal";
  }

  poolOf(task: TaskId): Pool {
    const mean = this.#means.get(task);
    return mean === undefined ? "normal" : this.poolAt(mean);
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

  /** Tasks per pool. Those not seen yet are normal; of an endless set only those seen count. */
  sizes(tasks: number | undefined): Readonly<Record<Pool, number>> {
    const { easy, normal, hard } = this.#counts;
    return { easy, normal: tasks === undefined ? normal : tasks - easy - hard, hard };
  }

  /** Mean rewards by task, as data. */
  get means(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#means);
  }

  restore(means: Readonly<Record<string, number>>): void {
    this.#means.clear();
    Object.assign(this.#counts, { easy: 0, normal: 0, hard: 0 });
    for (const [task, mean] of Object.entries(means)) this.observe(task as TaskId, mean);
  }
}
