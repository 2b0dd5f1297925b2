// Curriculum: which environment and which task come next. Environments take turns by their ratio, exactly, without dice; tasks follow their order, with
// easy and hard ones drawn for their share. Invariant: the n-th ticket depends on the seed and on what was observed before it was asked for.
import { createRandom, type GroupId, HoneError, type Json, type Task, type TaskId } from "@hone/core";
import * as z from "zod";
import type { Resumable, Ticket, TrainEnvironment } from "../nouns.ts";
import { Difficulty, type DifficultyConfig, type Pool } from "./difficulty.ts";
import { openTaskOrder, type OrderedTask, type TaskOrder } from "./task-order.ts";

export interface CurriculumOptions {
  readonly environments: readonly TrainEnvironment[];
  readonly difficulty: DifficultyConfig;
  readonly seed: number;
  /** No more tickets once every environment has been gone through this often. */
  readonly epochs?: number;
}

interface Source {
  readonly env: TrainEnvironment;
  readonly order: TaskOrder;
  readonly difficulty: Difficulty;
  drawn: number;
}

const State = z.strictObject({
  tickets: z.int(),
  sources: z.record(
    z.string(),
    z.strictObject({
      drawn: z.int(),
      epoch: z.int(),
      position: z.int(),
      means: z.record(z.string(), z.number()),
    }),
  ),
});

export class Curriculum implements Resumable {
  readonly #sources: readonly Source[];
  readonly #seed: number;
  readonly #epochs: number;
  #tickets = 0;

  constructor(sources: readonly Source[], { seed, epochs = Infinity }: CurriculumOptions) {
    this.#sources = sources;
    this.#seed = seed;
    this.#epochs = epochs;
  }

  /** Undefined when the epochs are over. */
  async next(): Promise<Ticket | undefined> {
    const open = this.#sources.filter(({ order }) => order.state.epoch < this.#epochs);
    while (open.length > 0) {
      const source = mostDue(open);
      const drawn = await this.#draw(source);
      if (drawn.epoch >= this.#epochs) {
        open.splice(open.indexOf(source), 1);
        continue;
      }
      source.drawn++;
      const number = this.#tickets++;
      const { name } = source.env;
      return {
        number,
        env: name,
        task: drawn.task,
        epoch: drawn.epoch,
        group: `${name}-${String(number).padStart(6, "0")}` as GroupId,
      };
    }
    return undefined;
  }

  /** The mean reward of a finished group, in the order of the tickets. */
  observe({ env, task }: Ticket, meanReward: number): void {
    this.#sources.find((source) => source.env.name === env)?.difficulty.observe(task.id, meanReward);
  }

  /** Which pool a group with this mean reward puts a task in. */
  poolAt(env: string, meanReward: number): Pool {
    return this.#sources.find((source) => source.env.name === env)?.difficulty.poolAt(meanReward) ?? "normal";
  }

  /** Tasks per pool, per environment, where pools are in use. */
  pools(): Readonly<Record<string, Readonly<Record<Pool, number>>>> {
    const inUse = this.#sources.filter(({ difficulty }) => difficulty.isOn);
    return Object.fromEntries(
      inUse.map(({ env, order, difficulty }) => [env.name, difficulty.sizes(order.tasks?.length)]),
    );
  }

  state(): Json {
    const sources = this.#sources.map(({ env, order, difficulty, drawn }) => {
      return [env.name, { drawn, ...order.state, means: difficulty.means }] as const;
    });
    return { tickets: this.#tickets, sources: Object.fromEntries(sources) };
  }

  async restore(saved: Json): Promise<void> {
    const { tickets, sources } = State.parse(saved);
    this.#tickets = tickets;
    for (const source of this.#sources) {
      const { drawn, epoch, position, means } = sources[source.env.name] ?? {
        drawn: 0,
        epoch: 0,
        position: 0,
        means: {},
      };
      source.drawn = drawn;
      await source.order.restore({ epoch, position });
      source.difficulty.restore(means);
    }
  }

  async #draw(source: Source): Promise<OrderedTask> {
    try {
      return await this.#drawn(source);
    } catch (error) {
      throw new HoneError(`The tasks of ${source.env.name} ended with an error: ${String(error)}`, {
        code: "tasks",
        cause: error,
      });
    }
  }

  async #drawn({ env, order, difficulty }: Source): Promise<OrderedTask> {
    if (!difficulty.isOn || order.tasks === undefined) return order.next();
    const random = createRandom(`${this.#seed}/${env.name}/${this.#tickets}`);
    const pool = difficulty.choose(random.next());
    if (pool !== "normal") {
      const task = pick(order.tasks, difficulty.members(order.tasks, pool), (ids) => random.pick(ids));
      if (task !== undefined) return { task, epoch: order.state.epoch };
    }
    for (let passed = 0; passed < order.tasks.length; passed++) {
      const next = await order.next();
      if (difficulty.poolOf(next.task.id) === "normal") return next;
    }
    return order.next(); // every task is easy or hard: better an old one than none
  }
}

export async function openCurriculum(options: CurriculumOptions): Promise<Curriculum> {
  const { environments, difficulty, seed } = options;
  const sources: Source[] = [];
  for (const env of environments) {
    const { environment, name, maxTasks } = env;
    const order = await openTaskOrder({ environment, name, seed, ...(maxTasks === undefined ? {} : { maxTasks }) });
    sources.push({ env, order, difficulty: new Difficulty(difficulty), drawn: 0 });
  }
  return new Curriculum(sources, options);
}

/** How far along its share a source is; the smallest goes next. */
function due({ drawn, env }: Source): number {
  return (drawn + 1) / env.ratio;
}

/** The first of those that are furthest behind. */
function mostDue(sources: readonly Source[]): Source {
  return sources.reduce((most, source) => (due(source) < due(most) ? source : most));
}

function pick(
  tasks: readonly Task[],
  ids: readonly TaskId[],
  choose: (ids: readonly TaskId[]) => TaskId,
): Task | undefined {
  if (ids.length === 0) return undefined;
  const id = choose(ids);
  return tasks.find((task) => task.id === id);
}
