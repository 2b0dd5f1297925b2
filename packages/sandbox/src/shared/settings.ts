// What applies when neither the spec nor a call says anything, and the little that every command finds in its environment.
// The host's own variables never get in: keys live there.
import type { ExecOptions, SandboxSpec } from "@hone/core";
import { sandboxError } from "./errors.ts";

export interface Limits {
  readonly memoryMb: number;
  readonly diskMb: number;
  /** Threads count too, as they do for the system. */
  readonly processes: number;
}
const defaultLimits: Limits = { memoryMb: 1024, diskMb: 512, processes: 256 };

export function limitsOf(spec: SandboxSpec, defaults: Partial<Limits> = {}): Limits {
  const { memoryMb, diskMb, processes } = { ...defaultLimits, ...defaults, ...spec };
  return { memoryMb, diskMb, processes };
}

export interface CallDefaults {
  /** Of one command. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Of one file that is read. */
  readonly maxReadBytes: number;
}
export const callDefaults: CallDefaults = { timeoutMs: 60_000, maxOutputBytes: 1 << 20, maxReadBytes: 64 << 20 };

/** The options of one command, checked. */
export function execSettings(options: ExecOptions, defaults: CallDefaults): Omit<CallDefaults, "maxReadBytes"> {
  const { timeoutMs = defaults.timeoutMs, maxOutputBytes = defaults.maxOutputBytes } = options;
  if (!(timeoutMs > 0)) throw sandboxError("bad-argument", `timeoutMs must be more than 0, not ${timeoutMs}.`);
  if (!(maxOutputBytes >= 0))
    throw sandboxError("bad-argument", `maxOutputBytes must be 0 or more, not ${maxOutputBytes}.`);
  return { timeoutMs: Math.min(timeoutMs, longestTimerMs), maxOutputBytes };
}

/** A timer of more than this many milliseconds (25 days) would end at once. */
const longestTimerMs = 2 ** 31 - 1;

export const basicVariables: Readonly<Record<string, string>> = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/work",
  LANG: "C.UTF-8",
  TMPDIR: "/tmp",
};

/** Refuses what no program could receive. */
export function checkCommand(command: string, env: Readonly<Record<string, string>> = {}): void {
  if (command.includes("\0")) throw sandboxError("bad-argument", "The command contains a NUL character.");
  for (const [name, value] of Object.entries(env)) {
    if (!/^[^=\0-][^=\0]*$/.test(name)) {
      throw sandboxError("bad-argument", `${JSON.stringify(name)} is no name of an environment variable.`);
    }
    if (value.includes("\0")) throw sandboxError("bad-argument", `The variable ${name} contains a NUL character.`);
  }
}
