// One command in a sealed child, from the request to the result. The child keeps the time itself; should it not (a long computation inside C code does not
// look at the clock), it is killed a little later, and that too is only the end of the command.
import type { ExecResult } from "@hone/core";
import type { RunLimits } from "../child/frames.ts";
import { type Interpreter, InterpreterGone } from "./interpreter.ts";

/** How long a child has to end a program that is to end. */
export const graceMs = 500;
/** 128 + SIGKILL. */
export const killed = 137;

export interface RunOptions {
  readonly limits: RunLimits;
  readonly stdin: string;
  readonly signal: AbortSignal;
}

export const timedOutWaiting: ExecResult = {
  exitCode: killed,
  stdout: "",
  stderr: "Its time ran out while it waited for the commands before it.\n",
  droppedBytes: 0,
  timedOut: true,
};

export async function runCommand<Body>(
  interpreter: Interpreter<Body>,
  body: Body,
  { limits, stdin, signal }: RunOptions,
): Promise<ExecResult> {
  const { id, ended } = interpreter.run(body, limits, Buffer.from(stdin));
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    interpreter.kill();
  }, limits.timeoutMs + graceMs);
  let lateAbort: NodeJS.Timeout | undefined;
  const abort = (): void => {
    interpreter.signal(id, "SIGKILL");
    lateAbort = setTimeout(() => interpreter.kill(), graceMs);
  };
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    const { header, payload } = await ended;
    signal.throwIfAborted();
    const { exitCode, timedOut, stdoutBytes, droppedBytes } = header;
    const text = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
    const stdout = text.toString("utf8", 0, stdoutBytes);
    return { exitCode, stdout, stderr: text.toString("utf8", stdoutBytes), droppedBytes, timedOut };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof InterpreterGone)) throw error;
    const reason = isLate ? "it could not be interrupted" : "its process ended, most likely for want of memory";
    const stderr = `The interpreter was lost: ${reason}. Output and file changes of this command are lost too.\n`;
    return { exitCode: killed, stdout: "", stderr, droppedBytes: 0, timedOut: isLate };
  } finally {
    clearTimeout(late);
    clearTimeout(lateAbort);
    signal.removeEventListener("abort", abort);
  }
}
