// A model of this machine, opened to be asked: through an engine, in this process. A run is its policy at the last checkpoint, or at a given one.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine, Model } from "@hone/core";
import { runPaths } from "@hone/store";
import type { LocalModel } from "../model/local-model.ts";
import { mergeAdapter } from "../run/merge-adapter.ts";
import { readRunSetup } from "../run/run-setup.ts";
import { engineNamed, type OpenEngine } from "./open-engine.ts";
import { loadRenderer, modelFrom } from "./policy-text.ts";

export interface OpenPolicyOptions {
  readonly name: string;
  readonly cwd: string;
  /** Instead of the engine that the run or the default names. */
  readonly engine?: OpenEngine;
  readonly onNotice?: (notice: string) => void;
}

export interface OpenedPolicy extends AsyncDisposable {
  readonly model: Model;
  /** For people. */
  readonly foundIn: string;
}

export async function openPolicy(local: LocalModel, options: OpenPolicyOptions): Promise<OpenedPolicy> {
  switch (local.type) {
    case "folder":
      return openFolder(local.folder, options, `folder ${local.folder}`);
    case "run":
      return openRunPolicy(local.directory, options);
    case "adapter": {
      const merged = await mkdtemp(join(tmpdir(), "hone-merged-"));
      const discard = (): Promise<void> => rm(merged, { recursive: true, force: true });
      try {
        await mergeAdapter({ adapter: local.folder, output: merged, cwd: options.cwd });
        const opened = await openFolder(merged, options, `adapter ${local.folder}`);
        const close = async (): Promise<void> => {
          await opened[Symbol.asyncDispose]();
          await discard();
        };
        return { ...opened, [Symbol.asyncDispose]: close };
      } catch (error) {
        await discard();
        throw error;
      }
    }
  }
}

async function openFolder(folder: string, options: OpenPolicyOptions, foundIn: string): Promise<OpenedPolicy> {
  const renderer = await loadRenderer(folder);
  const checkpoints = join(tmpdir(), "hone-no-checkpoints");
  const engine = await open(options.engine ?? engineNamed("cpu"), folder, checkpoints, options);
  const { name } = options;
  return opened(engine, modelFrom({ name, renderer, info: engine.info })(engine.sampler("base")), foundIn);
}

async function openRunPolicy(directory: string, options: OpenPolicyOptions): Promise<OpenedPolicy> {
  const setup = await readRunSetup(directory, options.cwd);
  // Checkpoints know their model by the name that the run used.
  const named = { ...options, name: setup.config.model };
  const renderer = await loadRenderer(setup.folder);
  const engine = await open(
    options.engine ?? engineNamed(setup.config.engine),
    setup.folder,
    runPaths(directory).weights,
    named,
  );
  try {
    const last = setup.checkpoints.at(-1);
    // Without a checkpoint nothing was learnt yet: the policy is the model it started from.
    if (last !== undefined) {
      await engine.open({ model: engine.info.model, adapter: setup.adapter, from: { checkpoint: last.engine } });
    }
    const sampler = engine.sampler(last === undefined ? "base" : "latest");
    const where = last === undefined ? "before its first checkpoint" : `step ${last.step}`;
    return opened(engine, modelFrom({ name: options.name, renderer, info: engine.info })(sampler), `run, ${where}`);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function open(
  factory: OpenEngine,
  folder: string,
  checkpoints: string,
  { name, onNotice }: OpenPolicyOptions,
): Promise<Engine> {
  return factory({ model: folder, name, checkpoints, ...(onNotice === undefined ? {} : { onNotice }) });
}

function opened(engine: Engine, model: Model, foundIn: string): OpenedPolicy {
  return { model, foundIn, [Symbol.asyncDispose]: () => engine.close() };
}
