// What the engine's thread does with a message: trainer calls go into one line, requests to the sampler; answers are kept until the end
// of a turn. They leave after the numbers of `pressure` were written: whoever has one never sees its sequences as still running.
import {
  type AnswerOf,
  type AnyCall,
  type CallName,
  countPlaces,
  type FromWorker,
  sequencesOf,
  toWire,
  type ToWorker,
  wireAnswer,
} from "../engine/protocol.ts";
import type { Sampling, Settle } from "./sampling.ts";
import type { Training } from "./training.ts";
import { Turns } from "./turns.ts";
import { Line, type Work } from "./work.ts";

export interface EngineHostOptions {
  readonly training: Training;
  readonly sampling: Sampling;
  /** Seen by the program's thread too; `countPlaces` says what is where. */
  readonly counts: Int32Array;
  readonly post: (message: FromWorker, transfers: readonly ArrayBuffer[]) => void;
}

export class EngineHost {
  readonly #options: EngineHostOptions;
  readonly #turns: Turns;
  readonly #trainings: Line;
  readonly #outbox: (() => void)[] = [];

  constructor(options: EngineHostOptions) {
    this.#options = options;
    this.#trainings = new Line(() => this.wake());
    this.#turns = new Turns({
      train: () => {
        this.#trainings.slice();
        return this.#trainings.isReady;
      },
      sample: () => options.sampling.step(),
      finish: () => this.#finish(),
      now: () => performance.now(),
      later: (turn) => void setImmediate(turn),
    });
  }

  /** There is something to do. */
  wake(): void {
    this.#turns.wake();
  }

  receive(message: ToWorker): void {
    if (message.type === "cancel") this.#options.sampling.cancel(message.id);
    else this.#take(message.id, message.call);
  }

  #take(id: number, call: AnyCall): void {
    const { training, sampling, counts } = this.#options;
    switch (call.method) {
      case "open":
        return this.#train(id, () => training.open(call.spec));
      case "forwardBackward":
        return this.#train(id, () => training.forwardBackward(call));
      case "update":
        return this.#train(id, () => training.update(call));
      case "publish":
        return this.#train(id, () => training.publish(call));
      case "save":
        return this.#train(id, () => training.save(call));
      case "export":
        return this.#train(id, () => training.export(call));
      case "generate":
        void sampling.generate(id, call, this.#settle(id));
        // First counted as running or waiting, then no longer as under way.
        this.#count();
        Atomics.add(counts, countPlaces.received, sequencesOf(call));
        return;
      case "score":
        void sampling.score(id, call, this.#settle(id));
    }
  }

  #train<Answer extends AnswerOf<CallName>>(id: number, start: () => Work<Answer>): void {
    this.#trainings.add({ start, ...this.#settle<Answer>(id) });
  }

  #settle<Answer extends AnswerOf<CallName>>(id: number): Settle<Answer> {
    return {
      resolve: (answer) => {
        const { value, transfers } = wireAnswer(answer);
        this.#send(() => this.#options.post({ type: "answer", id, value }, transfers));
      },
      reject: (error) => this.#send(() => this.#options.post({ type: "failure", id, error: toWire(error) }, [])),
    };
  }

  #send(post: () => void): void {
    this.#outbox.push(post);
    this.wake();
  }

  #finish(): void {
    this.#count();
    for (const post of this.#outbox.splice(0)) post();
  }

  #count(): void {
    const { sampling, counts } = this.#options;
    const { running, queued } = sampling.load();
    Atomics.store(counts, countPlaces.running, running);
    Atomics.store(counts, countPlaces.queued, queued);
  }
}
