// sinks.json of a run: how far each sink has come and under what name the service knows the run, so that a resumed run goes on where it was.
// Replaced as a whole. A batch is noted before it leaves and after it arrived: what was on its way when the run was killed is sent again unchanged,
// and services that know repeats by their content drop it.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../atomic.ts";
import { diskError, isMissing } from "../disk-error.ts";
import type { SinkName, SinkStream } from "./sink.ts";

const byte = z.int().min(0);
const SinkState = z.strictObject({
  /** Where the points go: project or server. Another target starts anew. Without credentials. */
  target: z.string(),
  /** Our name for the run at the service. */
  id: z.string().min(1),
  /** Points delivered so far. */
  points: z.int().min(0),
  /** How far each file is delivered. */
  bytes: z.strictObject({ updates: byte, evals: byte }),
  sending: z
    .strictObject({ stream: z.enum(["updates", "evals"]), untilByte: byte, seenByte: byte, atMs: z.number() })
    .exactOptional(),
});
export type SinkState = z.output<typeof SinkState>;

const StateFile = z.strictObject({
  wandb: SinkState.exactOptional(),
  tensorboard: SinkState.exactOptional(),
  mlflow: SinkState.exactOptional(),
});
type StateFile = z.output<typeof StateFile>;

/** A batch on its way: all that is needed to make it again. */
export interface Sending {
  readonly stream: SinkStream;
  /** Where it ends. */
  readonly untilByte: number;
  /** How much of the file was known when superseded rows were left out. */
  readonly seenByte: number;
  readonly atMs: number;
}

export class SinksState {
  readonly #path: string;
  #states: StateFile = {};
  #writing: Promise<void> = Promise.resolve();

  constructor(directory: string) {
    this.#path = join(directory, "sinks.json");
  }

  /** Throws when there is a file that cannot be understood; the states are then empty. */
  async load(): Promise<void> {
    try {
      this.#states = StateFile.parse(JSON.parse(await readFile(this.#path, "utf8")));
    } catch (error) {
      if (!isMissing(error)) throw diskError(this.#path, "read", error);
    }
  }

  /** What is known of a sink; a fresh start when it had another target. */
  get(name: SinkName, target: string): SinkState {
    const known = this.#states[name];
    if (known !== undefined && known.target === target) return known;
    return { target, id: randomBytes(8).toString("hex"), points: 0, bytes: { updates: 0, evals: 0 } };
  }

  /** On disk when it resolves. Sinks write one after the other. */
  set(name: SinkName, state: SinkState): Promise<void> {
    this.#states = { ...this.#states, [name]: state };
    const written = this.#writing.then(() => writeFileAtomic(this.#path, `${JSON.stringify(this.#states, null, 2)}\n`));
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

export function withSending({ sending: _old, ...state }: SinkState, sending: Sending): SinkState {
  return { ...state, sending };
}

export function withDelivered({ sending: _old, ...state }: SinkState, batch: Sending, points: number): SinkState {
  return {
    ...state,
    points: state.points + points,
    bytes: { ...state.bytes, [batch.stream]: batch.untilByte },
  };
}
