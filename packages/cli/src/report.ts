// How anything that went wrong is told: `error: what. What next.` in red, or JSON where a machine listens, and which exit code it is.
// A mistake of the user is told without a stack; an error nobody expected comes with one, because it is a bug of ours or of an environment.
import { HoneError } from "@hone/core";
import { exitCodes, type Io } from "./io.ts";
import type { Problem } from "./main.ts";
import { styleFor } from "./screen/style.ts";
import { unknownCommand, wrongArguments } from "./usage-error.ts";

interface ReportTo {
  readonly io: Io;
  readonly argv: readonly string[];
}

/** What the user typed is not to blame: the machine, the network or the course of a run is. */
const notUsage = new Set([
  "error",
  "disk",
  "download",
  "download-refused",
  "checksum",
  "cache",
  "worker-died",
  "closed",
  "no-signal",
  "non-finite",
]);

export function report(problem: Problem, { io, argv }: ReportTo): number {
  const error = errorOf(problem, argv);
  const isKnown = HoneError.is(error);
  if (argv.includes("--json")) io.stderr.write(`${JSON.stringify({ error: errorData(error) })}\n`);
  else io.stderr.write(errorText(error, io));
  return isKnown && !notUsage.has(error.code) ? exitCodes.usage : exitCodes.failed;
}

function errorOf(problem: Problem, argv: readonly string[]): unknown {
  switch (problem.type) {
    case "command":
      return unknownCommand(problem.input, argv);
    case "arguments":
      return wrongArguments(problem.error, argv);
    case "error":
      return problem.error;
  }
}

function errorData(error: unknown): object {
  if (!HoneError.is(error)) return { code: "unexpected", message: messageOf(error) };
  const { code, hint, at } = error;
  return {
    code,
    message: capital(error.message),
    ...(hint === undefined ? {} : { hint }),
    ...(at === undefined ? {} : { at: { file: at.file, line: at.line, column: at.column } }),
  };
}

function errorText(error: unknown, io: Io): string {
  const style = styleFor(io.stderr, io.env);
  const label = style.paint("red", "error:");
  if (!HoneError.is(error)) {
    const frames = /\n {4}at [^]*/.exec((error instanceof Error && error.stack) || "")?.[0] ?? "";
    return `${label} Something went wrong that should not: ${messageOf(error)}${style.paint("dim", frames)}\n`;
  }
  const { message, hint } = error;
  // Several lines are a drawing of places in a file; a hint at its end would be taken for a part of it.
  if (message.includes("\n")) return `${label} ${message}\n${hint === undefined ? "" : `${hint}\n`}`;
  const sentence = capital(message).replace(/[^.?!:]$/, "$&.");
  return `${label} ${sentence}${hint === undefined ? "" : ` ${hint}`}\n`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Only what is no name: a file, an environment and a model keep their spelling. */
function capital(text: string): string {
  return /^(?:there|cannot|the|an?|no) /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
