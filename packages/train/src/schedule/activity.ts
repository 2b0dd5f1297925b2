// What every rollout under way is doing at the moment, so that a stall and a timeout can name their part. Environments notice nothing of it:
// the model, judges, sandboxes and watchdog that they are given note when they are called and when they answer.
import type { Boundary, CallOptions, Model, Resources, Sandbox, SandboxProvider } from "@hone/core";

/** Where a rollout can spend its time. "queue": it waits for a place among those that run. */
export type Part = "queue" | "environment" | "model" | "tool" | "sandbox" | "reward" | "judge";

export interface Doing {
  readonly part: Part;
  /** "tool search", "judge strict", "the model". */
  readonly what: string;
  readonly sinceMs: number;
}

/** Everything but harness and sampling, which belong to the environment. */
export type Handed = Omit<Resources, "harness" | "sampling">;

export class Activity {
  readonly #now: () => number;
  readonly #rollouts = new Set<RolloutActivity>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A rollout that waits for its place. */
  begin(env: string): RolloutActivity {
    const rollout = new RolloutActivity(env, this.#now, () => this.#rollouts.delete(rollout));
    this.#rollouts.add(rollout);
    return rollout;
  }

  get rollouts(): Iterable<RolloutActivity> {
    return this.#rollouts;
  }

  /** Those that have run for longer than this are told. */
  expire(timeoutMs: number): void {
    const latest = this.#now() - timeoutMs;
    for (const rollout of this.#rollouts) if (rollout.startedAtMs < latest) rollout.onTimeout?.();
  }
}

export class RolloutActivity {
  readonly env: string;
  readonly end: () => void;
  /** Called, perhaps more than once, when it has taken too long. */
  onTimeout: (() => void) | undefined;
  readonly #now: () => number;
  #outer: Doing;
  /** Calls that have not answered: tools and rewards may run side by side. */
  readonly #open: Doing[] = [];
  #startedAtMs = Infinity;

  constructor(env: string, now: () => number, end: () => void) {
    this.env = env;
    this.end = end;
    this.#now = now;
    this.#outer = { part: "queue", what: "a place", sinceMs: now() };
  }

  /** It has its place. */
  start(): void {
    this.#startedAtMs = this.#now();
    this.#outer = { part: "environment", what: "the environment", sinceMs: this.#startedAtMs };
  }

  get startedAtMs(): number {
    return this.#startedAtMs;
  }

  /** The latest call that has not answered, or what the rollout is in as a whole. */
  get doing(): Doing {
    return this.#open.at(-1) ?? this.#outer;
  }

  during<T>(part: Part, what: string, work: () => T): T {
    const doing: Doing = { part, what, sinceMs: this.#now() };
    this.#open.push(doing);
    const leave = (): void => void this.#open.splice(this.#open.indexOf(doing), 1);
    let isPending = false;
    try {
      const result = work();
      isPending = result instanceof Promise;
      if (result instanceof Promise) result.then(leave, leave);
      return result;
    } finally {
      if (!isPending) leave();
    }
  }

  /** The same resources, noted when used. */
  watched({ model, models, sandboxes, watchdog }: Handed): Handed {
    return {
      model: this.#model(model, "model", "the model"),
      models: (name) => this.#model(models(name), "judge", `judge ${name}`),
      sandboxes: this.#sandboxes(sandboxes),
      watchdog: {
        call: (env, where, work) =>
          this.during(partOf(where), where, () => (watchdog === undefined ? work() : watchdog.call(env, where, work))),
      },
    };
  }

  #model(model: Model, part: Part, what: string): Model {
    return {
      name: model.name,
      complete: (request, options) => this.during(part, what, () => model.complete(request, options)),
    };
  }

  #sandboxes(provider: SandboxProvider): SandboxProvider {
    const note = <T>(what: string, work: () => Promise<T>): Promise<T> => this.during("sandbox", what, work);
    return {
      name: provider.name,
      open: async (spec, options: CallOptions) => {
        const lease = await note("the sandbox to open", () => provider.open(spec, options));
        const { sandbox } = lease;
        const watched: Sandbox = {
          exec: (command, more) => note("a command in the sandbox", () => sandbox.exec(command, more)),
          start: (command, more) => note("a program in the sandbox", () => sandbox.start(command, more)),
          read: (path) => note("a file of the sandbox", () => sandbox.read(path)),
          write: (path, content) => note("a file of the sandbox", () => sandbox.write(path, content)),
          list: (path) => note("a folder of the sandbox", () => sandbox.list(path)),
        };
        return {
          sandbox: watched,
          ...(lease.snapshot === undefined ? {} : { snapshot: () => lease.snapshot!() }),
          [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
        };
      },
    };
  }
}

/** Environments name what they call: "tool search", "reward correct", "respond". */
function partOf(where: string): Part {
  return where.startsWith("tool ") ? "tool" : where.startsWith("reward ") ? "reward" : "environment";
}

/** Whose failure it is when this part never answers. */
export function boundaryOf(part: Part): Boundary {
  if (part === "judge") return "reward";
  return part === "queue" ? "environment" : part;
}
