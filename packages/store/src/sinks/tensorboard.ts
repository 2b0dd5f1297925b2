// TensorBoard: event files in the run's folder. Updates go into the folder itself, evaluations into `evals` below it: TensorBoard shows them as two
// runs, and a step back in one cannot make it forget what the other has. Where the run went back, a restart event drops what was superseded.
import { join } from "node:path";
import { diskError } from "../disk-error.ts";
import { encodeRestart, encodeScalars } from "./event-encode.ts";
import { EventFile } from "./event-file.ts";
import { awayError, type Batch, type Sink, type SinkStream } from "./sink.ts";

export class TensorboardSink implements Sink {
  readonly name = "tensorboard";
  readonly #directory: string;
  readonly #files = new Map<SinkStream, EventFile>();
  #isNews = true;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async open(): Promise<string | undefined> {
    if (!this.#isNews) return undefined;
    this.#isNews = false;
    return `tensorboard --logdir ${this.#directory}`;
  }

  async send({ stream, points, atMs }: Batch): Promise<void> {
    const bytes = points.flatMap(({ step, metrics, isRewind }) => [
      ...(isRewind ? [encodeRestart(atMs, step)] : []),
      encodeScalars({ wallTimeMs: atMs, step, metrics }),
    ]);
    try {
      await (await this.#file(stream, atMs)).append(Buffer.concat(bytes));
    } catch (error) {
      // A full disk may have room again.
      const problem = diskError(this.#directory, "write", error);
      throw awayError(problem.message, problem);
    }
  }

  async close(): Promise<void> {
    const files = [...this.#files.values()];
    this.#files.clear();
    for (const file of files) await file.close();
  }

  async #file(stream: SinkStream, atMs: number): Promise<EventFile> {
    const known = this.#files.get(stream);
    if (known !== undefined) return known;
    const directory = stream === "updates" ? this.#directory : join(this.#directory, "evals");
    const file = await EventFile.create(directory, atMs);
    this.#files.set(stream, file);
    return file;
  }
}
