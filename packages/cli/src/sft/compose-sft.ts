// A resolved configuration to everything that `sft` of @hone/train is handed: model folder, engine, tokenizer, data.
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { HoneError } from "@hone/core";
import { runPaths } from "@hone/store";
import { type ResolvedSft, type SftData, type SftEvent, type SftOptions, sftSettings } from "@hone/train";
import { engineNamed, type OpenEngine } from "../engines/open-engine.ts";
import { loadRenderer } from "../engines/policy-text.ts";
import { evaluationFolder } from "../evaluation/directories.ts";
import { trainableFolder } from "../model/local-model.ts";
import { findRun } from "../run/find-run.ts";
import { initialModel } from "./initial-model.ts";

export interface ComposeSftOptions {
  readonly config: ResolvedSft;
  /** Text of run.toml. */
  readonly toml: string;
  readonly directory: string;
  readonly resume: boolean;
  readonly cwd: string;
  /** Where random weights are made; init/ in the run unless given. */
  readonly initFolder?: string;
  /** Instead of the engine that the configuration names. */
  readonly engine?: OpenEngine;
  readonly onEvent?: (event: SftEvent) => void;
  readonly onNotice: (notice: string) => void;
  /** Stops after the step under way. */
  readonly signal: AbortSignal;
}

export interface SftComposition extends AsyncDisposable {
  readonly options: SftOptions;
  /** Folder of the model that is trained. */
  readonly folder: string;
}

/** For conversations that were rendered already: a few million tokens. */
const cacheBytes = 256 * 2 ** 20;

export async function composeSft(options: ComposeSftOptions): Promise<SftComposition> {
  const { config, toml, directory, resume, cwd, onEvent, onNotice, signal } = options;
  const open = options.engine ?? engineNamed(config.engine);
  const source = await trainableFolder(config.model, cwd);
  const renderer = await loadRenderer(source);
  const data = await Promise.all(config.data.map((one) => dataOf(one, cwd)));
  const folder =
    config.init === "random"
      ? await initialModel({
          source,
          target: options.initFolder ?? join(directory, "init"),
          seed: config.initSeed ?? config.seed,
        })
      : source;
  const { weights } = runPaths(directory);
  const engine = await open({
    model: folder,
    name: config.model,
    checkpoints: weights,
    ...(config.seqLen === undefined ? {} : { contextTokens: config.seqLen }),
    ...(config.cpu === undefined ? {} : { cpu: config.cpu }),
    onNotice,
  });
  return {
    folder,
    options: {
      ...sftSettings(config),
      directory,
      config: toml,
      resume,
      cwd,
      engine,
      model: engine.info.model,
      renderer,
      data,
      seqLen: config.seqLen ?? engine.info.contextTokens,
      cacheBytes,
      checkpoint: {
        ...config.checkpoint,
        remove: ({ checkpoint }) => rm(join(weights, checkpoint), { recursive: true, force: true }),
      },
      ...(onEvent === undefined ? {} : { onEvent }),
      signal,
    },
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

async function dataOf(data: ResolvedSft["data"][number], cwd: string): Promise<SftData> {
  const { path, run, eval: evaluation, weight, truncated, render, ...filter } = data;
  const weighted = weight === undefined ? {} : { weight };
  if (path !== undefined) return { paths: typeof path === "string" ? [path] : path, ...weighted };
  const more = {
    ...weighted,
    ...filter,
    ...(truncated === undefined ? {} : { isTruncatedKept: truncated }),
    ...(render === undefined ? {} : { isRendered: render }),
  };
  if (run !== undefined) return { ...more, directory: await findRun(run, cwd) };
  if (evaluation !== undefined) return { ...more, directory: resolve(await evaluationFolder(evaluation, cwd)) };
  throw new HoneError("A [[data]] says no path, run or eval.", { code: "config" });
}
