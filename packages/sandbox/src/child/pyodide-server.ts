// The child's side of the conversation: takes requests one after the other, and what concerns a job also while the job waits for input.
// Files that a program changed are told at its end, and by a job before it prints or waits.
import { CappedOutput } from "../shared/capped-output.ts";
import type { SandboxFiles } from "./pyodide-files.ts";
import { readFrameSync, type Reply, type Request, type RunLimits, type RunRequest, writeFrameSync } from "./frames.ts";
import type { Machine, StandardStreams } from "./pyodide-machine.ts";
import { call, type PythonBody } from "./pyodide-python.ts";
import type { Signals } from "./pyodide-signals.ts";

export interface ServerParts {
  readonly files: SandboxFiles;
  readonly machine: Machine;
  readonly signals: Signals;
  /** Descriptors. */
  readonly requests: number;
  readonly replies: number;
}

/** Whoever reads a job's output sees the files that it wrote before; larger ones only when it waits or ends. */
const promptBytes = 256 << 10;

type PythonRun = RunRequest<PythonBody>;

export class Server {
  readonly #parts: ServerParts;
  #job = 0;
  #input: Uint8Array[] = [];
  #seenFiles = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  serve(): void {
    this.#send({ op: "ready" });
    for (;;) this.#next();
  }

  #send(reply: Reply, payload?: Uint8Array): void {
    writeFrameSync(this.#parts.replies, reply, payload);
  }

  /** Waits for one request and does it. When the host has gone, so do we. */
  #next(): void {
    const frame = readFrameSync<Request<PythonBody>>(this.#parts.requests);
    if (frame === undefined) process.exit();
    const { header, payload } = frame;
    switch (header.op) {
      case "run":
        if (header.limits === undefined) this.#runJob(header);
        else this.#runCommand(header, header.limits, payload);
        return;
      case "input":
        if (header.id === this.#job) this.#input.push(payload);
        return;
      case "signal":
        this.#parts.signals.deliver(header.count, header.id, header.signal);
        return;
      case "files":
        this.#seenFiles++;
        this.#parts.files.apply(header, payload);
    }
  }

  #runCommand(request: PythonRun, limits: RunLimits, stdin: Uint8Array): void {
    const printed = {
      stdout: new CappedOutput(limits.maxOutputBytes),
      stderr: new CappedOutput(limits.maxOutputBytes),
    };
    let read = 0;
    const streams: StandardStreams = {
      read: (length) => stdin.subarray(read, (read = Math.min(stdin.length, read + length))),
      write: (stream, bytes) => printed[stream].add(bytes),
    };
    const deadline = performance.now() + limits.timeoutMs;
    const exitCode = this.#run(request, deadline, streams);
    const timedOut = exitCode === 137 && performance.now() >= deadline;
    this.#tellFiles();
    const [stdout, stderr] = [printed.stdout.finish(), printed.stderr.finish()];
    const text = Buffer.from(stdout.text);
    this.#send(
      {
        op: "ended",
        id: request.id,
        exitCode,
        timedOut,
        stdoutBytes: text.length,
        droppedBytes: stdout.droppedBytes + stderr.droppedBytes,
      },
      Buffer.concat([text, Buffer.from(stderr.text)]),
    );
  }

  #runJob(request: PythonRun): void {
    const { id } = request;
    this.#job = id;
    this.#input = [];
    const streams: StandardStreams = {
      read: (length) => this.#readInput(length),
      write: (stream, bytes) => {
        this.#tellFiles(promptBytes);
        this.#send({ op: "output", id, stream }, bytes);
      },
    };
    const exitCode = this.#run(request, Infinity, streams);
    this.#tellFiles();
    this.#send({ op: "ended", id, exitCode, timedOut: false, stdoutBytes: 0, droppedBytes: 0 });
  }

  #run({ id, body: { program, cwd, env } }: PythonRun, deadline: number, streams: StandardStreams): number {
    return this.#parts.machine.run({ id, statement: call(program, env), cwd, deadline, streams });
  }

  /** Blocks the job until there is input or a signal. */
  #readInput(length: number): Uint8Array | undefined {
    while (this.#input.length === 0) {
      if (this.#parts.signals.hasPending) return undefined;
      this.#tellFiles();
      this.#next();
    }
    const first = this.#input[0] ?? new Uint8Array(0);
    const taken = first.subarray(0, length);
    if (taken.length < first.length) this.#input[0] = first.subarray(taken.length);
    else this.#input.shift();
    return taken;
  }

  #tellFiles(maxBytes?: number): void {
    const changes = this.#parts.files.changes(maxBytes);
    if (changes === undefined) return;
    const { changed, removed, contents } = changes;
    this.#send({ op: "files", seen: this.#seenFiles, changed, removed }, contents);
  }
}
