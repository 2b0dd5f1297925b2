// The shell as tools: `bash` runs a command in the rollout's sandbox, or starts it in the background; `job` looks at one or stops it.
import { type ExecResult, HoneError, type Sandbox, type SandboxJob } from "@hone/core";
import * as z from "zod";
import { tool, type Tool } from "../tool/tool.ts";

export interface ShellOptions {
  readonly commandSeconds?: number;
  readonly maxOutputBytes?: number;
}

interface Box {
  readonly sandbox: Sandbox;
}
interface BackgroundJob {
  readonly job: SandboxJob;
  output: string;
  exitCode: number | undefined;
}

const BashInput = z.object({
  command: z.string().describe("a shell command; the working directory is /work"),
  background: z.boolean().default(false).describe("do not wait for it; gives a job number"),
});
const JobInput = z.object({ number: z.int().min(1), stop: z.boolean().default(false).describe("end it") });

export interface ShellTools {
  readonly bash: Tool<typeof BashInput, Box>;
  readonly job: Tool<typeof JobInput, Box>;
}

export function shellTools({ commandSeconds = 30, maxOutputBytes = 20_000 }: ShellOptions = {}): ShellTools {
  const jobs = new WeakMap<Sandbox, BackgroundJob[]>();
  const jobsOf = (sandbox: Sandbox): BackgroundJob[] => {
    const known = jobs.get(sandbox) ?? [];
    jobs.set(sandbox, known);
    return known;
  };
  return {
    bash: tool({
      description: "Run a shell command.",
      parameters: BashInput,
      execute: async ({ command, background }, { sandbox }: Box) => {
        if (!background)
          return shown(
            await sandbox.exec(command, { timeoutMs: commandSeconds * 1000, maxOutputBytes }),
            commandSeconds,
          );
        const all = jobsOf(sandbox);
        all.push(watch(await sandbox.start(command), maxOutputBytes));
        return `Started as job ${all.length}.`;
      },
    }),
    job: tool({
      description: "What a background job has printed since the last look; optionally end it.",
      parameters: JobInput,
      execute: async ({ number, stop }, { sandbox }: Box) => {
        const found = jobsOf(sandbox)[number - 1];
        if (found === undefined) throw new HoneError(`There is no job ${number}.`, { code: "unknown-job" });
        if (stop && found.exitCode === undefined) {
          await found.job.signal("SIGKILL");
          await found.job.ended;
        }
        const { output, exitCode } = found;
        found.output = "";
        return `${output}(${exitCode === undefined ? "still running" : `ended with exit code ${exitCode}`})`;
      },
    }),
  };
}

/** Standard output, then standard error under its own heading, as one reads it in a terminal. */
function shown({ stdout, stderr, exitCode, droppedBytes, timedOut }: ExecResult, commandSeconds: number): string {
  const parts = [stdout.trimEnd()];
  if (stderr.trim() !== "") parts.push(`stderr:\n${stderr.trimEnd()}`);
  if (droppedBytes > 0) parts.push(`(truncated ${droppedBytes} bytes)`);
  if (timedOut) parts.push(`Error: the command was stopped after ${commandSeconds} s.`);
  else if (exitCode !== 0) parts.push(`(exit code ${exitCode})`);
  return parts.filter((part) => part !== "").join("\n") || "(no output)";
}

function watch(job: SandboxJob, maxOutputBytes: number): BackgroundJob {
  const held: BackgroundJob = { job, output: "", exitCode: undefined };
  const follow = async (): Promise<void> => {
    for await (const { text } of job.output) {
      held.output = (held.output + text).slice(-maxOutputBytes);
    }
  };
  void follow().catch(() => undefined);
  void job.ended.then(
    (code) => (held.exitCode = code),
    () => (held.exitCode = -1),
  );
  return held;
}
