// Task: in which order an environment's tasks are attempted. A finite set is gone through in shuffled epochs; an endless one in its own order.
// Invariant: the order depends on the seed and on what was asked for, never on time. The state is two numbers.
import { createRandom, type Environment, HoneError, type Task } from "@hone/core";

export interface TaskOrderOptions {
  readonly environment: Environment;
  readonly name: string;
  readonly seed: number;
  readonly maxTasks?: number;
}

export interface OrderedTask {
  readonly task: Task;
  readonly epoch: number;
}

export interface OrderState {
  readonly epoch: number;
  readonly position: number;
}

export interface TaskOrder {
  /** All tasks, where they are finite. */
  readonly tasks: readonly Task[] | undefined;
  next(): Promise<OrderedTask>;
  readonly state: OrderState;
  restore(state: OrderState): Promise<void>;
}

/** More tasks than this are read as a stream, in their own order. */
const mostInMemory = 1_000_000;

export async function openTaskOrder(options: TaskOrderOptions): Promise<TaskOrder> {
  const { environment, name, maxTasks } = options;
  const all = environment.tasks("train");
  const taskset = maxTasks === undefined ? all : all.head(maxTasks);
  if (taskset.size === Infinity) return new StreamOrder(() => taskset[Symbol.asyncIterator]());
  const tasks: Task[] = [];
  for await (const task of taskset) {
    tasks.push(task);
    if (tasks.length > mostInMemory) return new StreamOrder(() => taskset[Symbol.asyncIterator]());
  }
  if (tasks.length > 0) return new ShuffledOrder(tasks, `${options.seed}/${name}`);
  throw new HoneError(`${name} has no tasks to train on.`, {
    code: "no-tasks",
    hint: "One task in ten is held out for evaluation, by hash: with few tasks give `evalTasks`, or more tasks.",
  });
}

class ShuffledOrder implements TaskOrder {
  readonly tasks: readonly Task[];
  readonly #seed: string;
  #epoch = 0;
  #position = 0;
  #order: readonly Task[];

  constructor(tasks: readonly Task[], seed: string) {
    this.tasks = tasks;
    this.#seed = seed;
    this.#order = this.#shuffled();
  }

  get state(): OrderState {
    return { epoch: this.#epoch, position: this.#position };
  }

  async next(): Promise<OrderedTask> {
    const task = this.#order[this.#position];
    if (task !== undefined) {
      this.#position++;
      return { task, epoch: this.#epoch };
    }
    this.#epoch++;
    this.#position = 0;
    this.#order = this.#shuffled();
    return this.next();
  }

  async restore({ epoch, position }: OrderState): Promise<void> {
    this.#epoch = epoch;
    this.#position = position;
    this.#order = this.#shuffled();
  }

  #shuffled(): readonly Task[] {
    return createRandom(`${this.#seed}/${this.#epoch}`).shuffle(this.tasks);
  }
}

/** Starts again from the beginning should the stream end after all. */
class StreamOrder implements TaskOrder {
  readonly tasks = undefined;
  readonly #start: () => AsyncIterator<Task>;
  #iterator: AsyncIterator<Task>;
  #epoch = 0;
  #position = 0;

  constructor(start: () => AsyncIterator<Task>) {
    this.#start = start;
    this.#iterator = start();
  }

  get state(): OrderState {
    return { epoch: this.#epoch, position: this.#position };
  }

  async next(): Promise<OrderedTask> {
    const { done, value } = await this.#iterator.next();
    if (done !== true) {
      this.#position++;
      return { task: value, epoch: this.#epoch };
    }
    this.#epoch++;
    this.#position = 0;
    this.#iterator = this.#start();
    return this.next();
  }

  /** The tasks before `position` are read again and passed over: a generator has no other way to get there. */
  async restore({ epoch, position }: OrderState): Promise<void> {
    await this.#iterator.return?.();
    this.#iterator = this.#start();
    this.#epoch = epoch;
    for (this.#position = 0; this.#position < position; this.#position++) await this.#iterator.next();
  }
}
