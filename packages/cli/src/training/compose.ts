// A resolved configuration to everything that `train` of @hone/train is handed: engine, policy, environments, judges, sandboxes, algorithms, evaluation.
// The only place that knows all of them. What an engine cannot honour, and every name that leads nowhere, is told here, before a run exists.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Engine, Environment, Model, SandboxProvider } from "@hone/core";
import type { Blocked } from "@hone/env";
import type { Progress } from "@hone/eval";
import { runPaths } from "@hone/store";
import { groupsPerBatch, optimizerStep, type ResolvedRun, type TrainEvent, type TrainOptions } from "@hone/train";
import { checkEngine } from "../engines/check-engine.ts";
import { engineNamed, type OpenEngine } from "../engines/open-engine.ts";
import { loadRenderer, modelFrom } from "../engines/policy-text.ts";
import { foundSandboxes } from "../evaluation/sandboxes.ts";
import { type ModelOptions, Models } from "../model/find-model.ts";
import { trainableFolder } from "../model/local-model.ts";
import { adapterOf } from "../run/run-setup.ts";
import { openEnvironments, type OpenEnvironmentsOptions, type RunEnvironments } from "./environments.ts";
import { HeldOut } from "./held-out.ts";
import { HeldParts } from "./held-parts.ts";
import { openTeacher } from "./teacher.ts";
import { treatmentIn, treatments } from "./treatments.ts";
import { RolloutWatch } from "./watch-rollouts.ts";

export interface ComposeOptions {
  readonly config: ResolvedRun;
  /** Text of run.toml. */
  readonly toml: string;
  readonly directory: string;
  readonly resume: boolean;
  readonly cwd: string;
  /** Variables that hold keys. */
  readonly env: ModelOptions["env"];
  /** Instead of the engine that the configuration names. */
  readonly engine?: OpenEngine;
  readonly sandboxes?: SandboxProvider;
  /** Environments that are here already, by id. */
  readonly given?: ReadonlyMap<string, Environment>;
  readonly place?: OpenEnvironmentsOptions["place"];
  readonly tryInstead?: (name: string) => string;
  readonly onEvent?: (event: TrainEvent) => void;
  readonly onProgress?: (step: number, progress: Progress) => void;
  readonly onNotice: (notice: string) => void;
  /** Ends an evaluation early; the run itself is asked to stop through its directory. */
  readonly stop: AbortSignal;
  readonly signal: AbortSignal;
}

export interface Composition extends AsyncDisposable {
  readonly options: TrainOptions;
  readonly watch: RolloutWatch;
  readonly environments: RunEnvironments;
  /** Folder of the model that is trained. */
  readonly folder: string;
}

export async function compose(options: ComposeOptions): Promise<Composition> {
  await using made = new HeldParts();
  const { config, toml, directory, resume, cwd, onEvent, onNotice, signal } = options;
  const open = options.engine ?? engineNamed(config.engine);
  const folder = await trainableFolder(config.model, cwd);
  const all = await treatments(config, cwd);
  const environments = made.use(await openEnvironments(config, { ...options, onBlocked: blockedNotice(onNotice) }));
  const models = made.use(await Models.open(modelOptions(options)));
  const renderer = await loadRenderer(folder);
  const engine = made.useEngine(await openMain(open, folder, options));
  const teacher = await openTeacher(config, { cwd, student: folder, open, treatments: all, onNotice });
  if (teacher !== undefined) made.useEngine(teacher.engine);

  const watch = new RolloutWatch((env, { boundary, message }) =>
    onNotice(`A rollout of ${env} failed (${boundary}): ${message}`),
  );
  const shared = {
    models: judges(models, config),
    sandboxes: options.sandboxes ?? foundSandboxes(),
    retry: config.retry,
    seed: config.seed,
    concurrency: config.concurrency,
  };
  const heldOut = new HeldOut({
    ...shared,
    directory,
    environments: environments.heldOut,
    onNotice,
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    stop: options.stop,
  });
  const trainOptions: TrainOptions = {
    ...shared,
    directory,
    config: toml,
    resume,
    engine,
    model: engine.info.model,
    adapter: adapterOf(config),
    modelOf: modelFrom({ name: config.model, renderer, info: engine.info }),
    ...(teacher === undefined ? {} : { teacher: teacher.sampler }),
    environments: environments.training.map((env) => ({ ...env, environment: watch.watch(env.name, env.environment) })),
    treatmentOf: treatmentIn(all),
    difficulty: config.difficulty,
    maxSteps: config.maxSteps ?? Number.POSITIVE_INFINITY,
    ...(config.epochs === undefined ? {} : { epochs: config.epochs }),
    groupsPerBatch: groupsPerBatch(config),
    lead: config.lead,
    maxOffPolicySteps: config.maxOffPolicySteps,
    staleGroups: config.stale,
    shuffleRewards: config.control === "shuffled_rewards",
    rolloutTimeoutSeconds: config.rolloutTimeoutSeconds,
    stallAfterSeconds: config.stallAfterSeconds,
    ...(config.microBatchTokens === undefined ? {} : { microBatchTokens: config.microBatchTokens }),
    truncated: config.truncated,
    seqLen: config.seqLen ?? engine.info.contextTokens,
    optimizer: optimizerStep(config),
    schedule: config.optimizer.schedule,
    checkpoint: { ...config.checkpoint, remove: removeFrom(runPaths(directory).weights) },
    ...(config.eval === false
      ? {}
      : { evaluation: { interval: config.eval.interval, run: (...at) => heldOut.run(...at) } }),
    ...(onEvent === undefined ? {} : { onEvent }),
    signal,
  };
  checkEngine(engine.info, { ...trainOptions, treatments: all });
  const parts = made.move();
  return {
    options: trainOptions,
    watch,
    environments,
    folder,
    [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
  };
}

function openMain(open: OpenEngine, folder: string, { config, directory, onNotice }: ComposeOptions): Promise<Engine> {
  return open({
    model: folder,
    name: config.model,
    checkpoints: runPaths(directory).weights,
    ...(config.seqLen === undefined ? {} : { contextTokens: config.seqLen }),
    ...(config.cpu === undefined ? {} : { cpu: config.cpu }),
    onNotice,
  });
}

function modelOptions({ config, cwd, env }: ComposeOptions): ModelOptions {
  return {
    cwd,
    env,
    envFiles: config.envFile,
    ...(config.endpoints === undefined ? {} : { endpoints: config.endpoints }),
  };
}

/** `[judge] endpoint` stands behind every judge, whatever the environment calls it. */
function judges(models: Models, { judge }: ResolvedRun): (name: string) => Model {
  return judge === undefined ? models.judge : () => models.judge(judge.endpoint);
}

function removeFrom(weights: string): TrainOptions["checkpoint"]["remove"] {
  return ({ checkpoint }) => rm(join(weights, checkpoint), { recursive: true, force: true });
}

function blockedNotice(onNotice: (notice: string) => void): (blocked: Blocked) => void {
  const told = new Set<string>();
  return ({ envs, where, durationMs }) => {
    const name = envs.join(", ");
    if (told.has(name)) return;
    told.add(name);
    onNotice(`${name} held the event loop for ${Math.round(durationMs)} ms in ${where.join(", ")}; workers = 2 helps.`);
  };
}
