// Everything a command touches of its process, handed in: tests run commands without one. Commands write, read the environment and listen
// for Ctrl-C through this and nothing else. A second Ctrl-C, and a pipe that nobody reads, end the process here, at once.

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Characters in a line of the terminal. */
  readonly columns?: number;
}

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls back when the user asks to stop; the function it returns ends that. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130, closedPipe: 141 } as const;

export function processIo(): Io {
  return {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    cwd: process.cwd(),
    env: process.env,
    onInterrupt: listenForInterrupt,
  };
}

function outputOf(stream: NodeJS.WriteStream): Output {
  // `hone ... | head`: the reader has what it wanted. Results on disk are complete up to the last line.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? exitCodes.closedPipe : exitCodes.failed);
  });
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY,
    get columns() {
      return stream.columns;
    },
  };
}

function listenForInterrupt(listener: () => void): () => void {
  let isAsked = false;
  const ask = (): void => {
    if (isAsked) process.exit(exitCodes.interrupted);
    isAsked = true;
    listener();
  };
  process.on("SIGINT", ask).on("SIGTERM", ask);
  return () => void process.off("SIGINT", ask).off("SIGTERM", ask);
}
