// What the main thread holds for the rollouts of one worker: sandboxes and the programs running in them. Answers the worker's questions.
import { HoneError, type JobOutput, type Resources, type SandboxJob, type SandboxLease } from "@hone/core";
import type { Question } from "./protocol.ts";

interface HeldJob {
  readonly box: number;
  readonly job: SandboxJob;
  readonly output: AsyncIterator<JobOutput>;
}

export class Held implements AsyncDisposable {
  readonly #boxes = new Map<number, SandboxLease>();
  readonly #jobs = new Map<number, HeldJob>();
  #next = 0;

  async perform(question: Question, resources: Resources, signal: AbortSignal): Promise<unknown> {
    switch (question.ask) {
      case "complete": {
        const model = question.model === null ? resources.model : resources.models(question.model);
        return model.complete(question.request, { signal });
      }
      case "sandbox-open": {
        const lease = await resources.sandboxes.open(question.spec, { signal });
        this.#boxes.set(this.#next, lease);
        return this.#next++;
      }
      case "sandbox-exec":
        return this.#box(question.box).sandbox.exec(question.command, { ...question.options, signal });
      case "sandbox-start": {
        const job = await this.#box(question.box).sandbox.start(question.command, question.options);
        this.#jobs.set(this.#next, { box: question.box, job, output: job.output[Symbol.asyncIterator]() });
        return this.#next++;
      }
      case "job-output": {
        const { done, value } = await this.#job(question.job).output.next();
        return done === true ? null : value;
      }
      case "job-write":
        return this.#job(question.job).job.write(question.text);
      case "job-signal":
        return this.#job(question.job).job.signal(question.name);
      case "job-ended":
        return this.#job(question.job).job.ended;
      case "sandbox-read":
        return this.#box(question.box).sandbox.read(question.path);
      case "sandbox-write":
        return this.#box(question.box).sandbox.write(question.path, question.content);
      case "sandbox-list":
        return this.#box(question.box).sandbox.list(question.path);
      case "sandbox-close": {
        const lease = this.#box(question.box);
        this.#boxes.delete(question.box);
        for (const [id, { box }] of this.#jobs) if (box === question.box) this.#jobs.delete(id);
        return lease[Symbol.asyncDispose]();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const leases = [...this.#boxes.values()];
    this.#boxes.clear();
    await Promise.allSettled(leases.map((lease) => lease[Symbol.asyncDispose]()));
  }

  #box(id: number): SandboxLease {
    const lease = this.#boxes.get(id);
    if (lease !== undefined) return lease;
    throw new HoneError("This sandbox is closed.", { code: "sandbox-closed" });
  }

  #job(id: number): HeldJob {
    const held = this.#jobs.get(id);
    if (held !== undefined) return held;
    throw new HoneError("This program is unknown here.", { code: "sandbox-closed" });
  }
}
