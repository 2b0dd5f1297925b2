// `hone train`: reads what is asked, composes a run, trains it with a live table, and says what came of it. Results go to stdout, progress to stderr.
import { basename } from "node:path";
import { requestStop } from "@hone/store";
import type { ResolvedRun } from "@hone/train";
import type { WebServer } from "@hone/web/server";
import type { Invocation, Work } from "../command.ts";
import { replaced } from "../evaluation/resume-command.ts";
import { exitCodes } from "../io.ts";
import { shown } from "../screen/shown-path.ts";
import { styleFor } from "../screen/style.ts";
import { TrainView } from "../screen/train-view.ts";
import { outcomeText } from "../screen/train-outcome.ts";
import { compose, type ComposeOptions } from "../training/compose.ts";
import { dryRunData, dryRunText } from "../training/dry-run.ts";
import { memoryFor } from "../training/memory.ts";
import { readRunRequest, type RunFlags, type RunRequest } from "../training/read-run.ts";
import { runTraining, type TrainOutcome } from "../training/run-training.ts";
import { nothing, type RolloutWatch } from "../training/watch-rollouts.ts";
import { openWebPage } from "../training/web-page.ts";

export interface TrainFlags extends RunFlags {
  readonly dryRun: boolean;
  readonly noWeb: boolean;
  readonly json: boolean;
}

export const trainCommand: Work<TrainFlags, string[]> = async (invocation, flags, ...targets) => {
  const { io, argv } = invocation;
  const request = await readRunRequest(targets, flags, io.cwd);
  const tryInstead = (name: string): string =>
    argv.includes(request.config.env[0]?.id ?? "")
      ? replaced(argv, request.config.env[0]?.id ?? "", name)
      : `id = "${name}" in ${targets.join(" ")}`;
  if (flags.dryRun) {
    await using composition = await compose({ ...quiet(request, invocation), tryInstead });
    const memory = await memoryFor(composition.folder, request.config);
    const dryRun = { request, composition, memory, cwd: io.cwd };
    io.stdout.write(flags.json ? `${JSON.stringify(dryRunData(dryRun))}\n` : dryRunText(dryRun));
    return memory.total > memory.there ? exitCodes.failed : exitCodes.ok;
  }
  const outcome = await run({ invocation, flags, request, tryInstead });
  if (outcome === undefined) return exitCodes.interrupted;
  if (flags.json) io.stdout.write(`${JSON.stringify(outcome)}\n`);
  else io.stdout.write(outcomeText(outcome, { cwd: io.cwd, style: styleFor(io.stdout, io.env) }));
  return outcome.why === "stopped" ? exitCodes.interrupted : exitCodes.ok;
};

interface Run {
  readonly invocation: Invocation;
  readonly flags: TrainFlags;
  readonly request: RunRequest;
  readonly tryInstead: (name: string) => string;
}

/** Undefined when it was stopped before it began. */
async function run({ invocation, flags, request, tryInstead }: Run): Promise<TrainOutcome | undefined> {
  const { io } = invocation;
  const { config, directory } = request;
  const output = flags.json ? { ...io.stderr, isTerminal: false, write: () => undefined } : io.stderr;
  const style = styleFor(io.stderr, io.env);
  let watch: Pick<RolloutWatch, "tally"> = { tally: nothing };
  using view = new TrainView({
    output,
    style,
    environments: config.env.map(({ name }) => name),
    maxSteps: config.maxSteps,
    rolloutsPerStep: config.batchSize,
    tally: () => watch.tally,
  });
  const onNotice = (notice: string): void => view.note(style.paint("yellow", `note: ${notice}`));
  let page: WebServer | undefined;
  const stop = new AbortController();
  const stopListening = io.onInterrupt(() => {
    stop.abort();
    // Where there is no directory yet, the run sees the signal before it makes one.
    requestStop(directory).catch(() => undefined);
    onNotice(
      "Stopping when this step is done. Ctrl-C again quits at once: what is finished stays, the step is repeated.",
    );
  });
  try {
    return await runTraining({
      ...quiet(request, invocation),
      tryInstead,
      onNotice,
      onEvent: (event) => view.show(event),
      onProgress: (step, progress) => view.progress(step, progress),
      onCompose: async (composition) => {
        watch = composition.watch;
        if (!flags.noWeb) page = await openWebPage({ directory, onNotice });
        if (!flags.json) io.stdout.write(announcement(request, page?.url, io.cwd));
        for (const note of request.notes) onNotice(note);
      },
      stop: stop.signal,
    });
  } finally {
    stopListening();
    await page?.close();
  }
}

function quiet({ config, toml, place, directory, resume, cwd }: RunRequest, { io }: Invocation): ComposeOptions {
  return {
    config,
    toml,
    place,
    directory,
    resume,
    cwd,
    env: io.env,
    onNotice: () => undefined,
    stop: new AbortController().signal,
    signal: new AbortController().signal,
  };
}

/** The first lines: where to look. */
function announcement({ config, directory, resume }: RunRequest, url: string | undefined, cwd: string): string {
  const where = shown(directory, cwd);
  const page = url === undefined ? "" : `${url}runs/${encodeURIComponent(basename(directory))}  `;
  return `${page}${resume ? "going on in" : "run in"} ${where}\n${what(config)}\n\n`;
}

function what({ env, model, engine, maxSteps, batchSize, groupSize }: ResolvedRun): string {
  const steps = maxSteps === undefined ? "until its epochs are over" : `${maxSteps} steps`;
  const sizes = `${batchSize} rollouts each, groups of ${groupSize}`;
  return `${env.map(({ name }) => name).join(", ")} · ${model} on ${engine} · ${steps} of ${sizes}`;
}
