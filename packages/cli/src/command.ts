// The shape of a command: given the process as handed in and its flags, it works and says its exit code. Modules of commands are loaded
// when they are run, so that `hone --help` stays quick.
import type { CommandContext, StricliProcess } from "@stricli/core";
import type { Io } from "./io.ts";

export interface Invocation {
  readonly io: Io;
  /** What followed `hone`, as typed: for the command that is printed to go on. */
  readonly argv: readonly string[];
}

export type Work<Flags, Positional extends readonly unknown[]> = (
  invocation: Invocation,
  flags: Flags,
  ...positional: Positional
) => Promise<number>;

export interface Context extends CommandContext {
  readonly process: StricliProcess;
  readonly invocation: Invocation;
}

type Run<Flags, Positional extends readonly unknown[]> = (
  this: Context,
  flags: Flags,
  ...positional: Positional
) => Promise<void>;

export function lazy<Flags, Positional extends readonly unknown[]>(
  load: () => Promise<Work<Flags, Positional>>,
): () => Promise<Run<Flags, Positional>> {
  return async () => {
    const work = await load();
    return async function (this: Context, flags: Flags, ...positional: Positional): Promise<void> {
      this.process.exitCode = await work(this.invocation, flags, ...positional);
    };
  };
}
