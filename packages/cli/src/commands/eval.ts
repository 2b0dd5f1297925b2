// `hone eval`: reads what is asked, prepares everything, runs it with a line of progress, and says how it went. Results go to stdout,
// progress to stderr, so that each can be sent elsewhere.
import { dirname } from "node:path";
import {
  type Evaluation,
  type Matrix,
  type Progress,
  renderEvaluation,
  renderMatrix,
  renderProgress,
} from "@hone/eval";
import type { Blocked } from "@hone/env";
import type { Invocation, Work } from "../command.ts";
import { chooseDirectories, type Directories } from "../evaluation/directories.ts";
import { dryRunData, dryRunText } from "../evaluation/dry-run.ts";
import type { EvalFlags } from "../evaluation/eval-flags.ts";
import { prepare, type Prepared } from "../evaluation/prepare.ts";
import { type EvalRequest, readRequest } from "../evaluation/read-request.ts";
import { replaced, resumeCommand } from "../evaluation/resume-command.ts";
import { onlyEvaluation, runPrepared } from "../evaluation/run-prepared.ts";
import { foundSandboxes } from "../evaluation/sandboxes.ts";
import { exitCodes } from "../io.ts";
import { Models } from "../model/find-model.ts";
import { ProgressLine } from "../screen/progress-line.ts";
import { shown } from "../screen/shown-path.ts";
import { styleFor } from "../screen/style.ts";

export const evaluateCommand: Work<EvalFlags, [target: string]> = async (invocation, flags, target) => {
  const { io, argv } = invocation;
  const { cwd } = io;
  const request = await readRequest(target, flags, cwd);
  const { config, place } = request;
  await using models = await Models.open({
    cwd,
    env: io.env,
    envFiles: config.envFile,
    ...(config.endpoints === undefined ? {} : { endpoints: config.endpoints }),
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    ...(flags.key === undefined ? {} : { key: flags.key }),
    ...(flags.json ? {} : { onNotice: (notice) => io.stderr.write(`note: ${notice}\n`) }),
  });
  const tryInstead = (name: string): string =>
    place === undefined ? replaced(argv, target, name) : `id = "${name}" in ${target}`;
  const prepared = await prepare({ config, models, cwd, place, tryInstead });
  const { isMatrix } = request;
  const { output, resume } = flags;
  const directories = await chooseDirectories({ cwd, config: prepared.config, isMatrix, output, resume });
  if (flags.dryRun) {
    const dryRun = { prepared, directoryOf: directories.of, cwd };
    io.stdout.write(flags.json ? `${JSON.stringify(dryRunData(dryRun))}\n` : dryRunText(dryRun));
    return exitCodes.ok;
  }
  const matrix = await run({ invocation, flags, request, prepared, directories, models });
  return isMatrix ? reportMatrix(matrix, invocation, flags) : reportOne(onlyEvaluation(matrix), invocation, flags);
};

interface Run {
  readonly invocation: Invocation;
  readonly flags: EvalFlags;
  readonly request: EvalRequest;
  readonly prepared: Prepared;
  readonly directories: Directories;
  readonly models: Models;
}

async function run({ invocation: { io }, flags, request, prepared, directories, models }: Run): Promise<Matrix> {
  const style = styleFor(io.stderr, io.env);
  const controller = new AbortController();
  const quiet = { ...io.stderr, isTerminal: false, write: () => undefined };
  using line = new ProgressLine({ output: flags.json ? quiet : io.stderr });
  const stopListening = io.onInterrupt(() => {
    controller.abort();
    line.note(style.paint("yellow", "Stopping: rollouts under way are cancelled. Ctrl-C again quits at once."));
  });
  if (!flags.json) io.stdout.write(announcement(request, prepared, directories, io.cwd));
  for (const note of request.notes) line.note(`note: ${note}`);
  line.show("waiting for the first rollout");
  const warned = new Set<string>();
  const onBlocked = ({ envs, where, durationMs }: Blocked): void => {
    const name = envs.join(", ");
    if (warned.has(name)) return;
    warned.add(name);
    const said = `${name} held the event loop for ${Math.round(durationMs)} ms in ${where.join(", ")}`;
    line.note(`note: ${said}; --workers 2 runs it on threads of its own.`);
  };
  const onProgress = (progress: Progress): void => {
    const { blocked, ...rest } = progress;
    if (blocked !== undefined) onBlocked(blocked);
    const prefix = request.isMatrix ? `${progress.env} on ${progress.model}: ` : "";
    line.show(prefix + renderProgress(rest));
  };
  try {
    return await runPrepared({
      prepared,
      models,
      directoryOf: directories.of,
      resume: directories.isResumed,
      retries: flags.retries ?? 0,
      sandboxes: foundSandboxes(flags.sandbox),
      onProgress,
      onBlocked,
      signal: controller.signal,
    });
  } finally {
    stopListening();
  }
}

/** The first line: what is run, and where its results go. */
function announcement(
  { isMatrix }: EvalRequest,
  { config, models }: Prepared,
  { of, isResumed }: Directories,
  cwd: string,
): string {
  const [env] = config.env;
  const [model = ""] = models.keys();
  const directory = of({ env: env?.name ?? "", model });
  const where = `${isResumed ? "going on in" : "results in"} ${shown(isMatrix ? dirname(directory) : directory, cwd)}`;
  if (isMatrix) return `${plural(config.env.length, "environment")} on ${plural(models.size, "model")}, ${where}\n\n`;
  const tasks = env?.numTasks ?? config.numTasks;
  const size = tasks === undefined ? "all tasks" : plural(tasks, "task");
  return `${env?.name} on ${model}: ${size}, ${plural(env?.groupSize ?? config.groupSize, "rollout")} each, ${where}\n\n`;
}

function reportOne(evaluation: Evaluation | undefined, { io, argv }: Invocation, { json }: EvalFlags): number {
  if (evaluation === undefined) return exitCodes.interrupted;
  const { directory, interrupted, failed } = evaluation;
  if (json) io.stdout.write(`${JSON.stringify(evaluation)}\n`);
  else {
    const path = directory === null ? null : shown(directory, io.cwd);
    const { color } = styleFor(io.stdout, io.env);
    const { input_tokens: _input, output_tokens: _output, ...metrics } = evaluation.metrics; // told once, with their totals
    io.stdout.write(`${renderEvaluation({ ...evaluation, metrics, directory: path }, { color })}\n`);
    if (path !== null && (interrupted || failed > 0)) {
      const why = interrupted ? "Interrupted. Go on with" : `${plural(failed, "rollout")} failed. Try those again with`;
      io.stderr.write(`\n${why}:\n  ${resumeCommand(argv, path)}\n`);
    }
  }
  return exitCode([{ interrupted, failed }]);
}

function reportMatrix(matrix: Matrix, { io, argv }: Invocation, { json }: EvalFlags): number {
  const { cells, envs, models } = matrix;
  const evaluations = cells.flatMap(({ evaluation }) => evaluation ?? []);
  const isCut = cells.length < envs.length * models.length;
  if (json) io.stdout.write(`${JSON.stringify(matrix)}\n`);
  else {
    const style = styleFor(io.stdout, io.env);
    io.stdout.write(`${renderMatrix(matrix, { color: style.color })}\n\n`);
    for (const { directory } of evaluations) {
      if (directory !== null) io.stdout.write(`${style.paint("dim", shown(directory, io.cwd))}\n`);
    }
    if (isCut || evaluations.some(({ interrupted, failed }) => interrupted || failed > 0)) {
      io.stderr.write(`\nNot all of it worked. Go on with:\n  ${resumeCommand(argv)}\n`);
    }
  }
  const code = exitCode([...evaluations, { interrupted: isCut, failed: 0 }]);
  return code === exitCodes.ok && cells.some(({ error }) => error !== undefined) ? exitCodes.failed : code;
}

function exitCode(results: readonly { readonly interrupted: boolean; readonly failed: number }[]): number {
  if (results.some(({ interrupted }) => interrupted)) return exitCodes.interrupted;
  return results.some(({ failed }) => failed > 0) ? exitCodes.failed : exitCodes.ok;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
