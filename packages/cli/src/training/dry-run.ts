// `--dry-run` of a training run: environments are loaded, the model is opened, the engine is asked whether it can, memory is counted. What is printed
// is a file that runs: the resolved configuration as TOML, and where each name was found as comments.
import type { Composition } from "./compose.ts";
import type { RunRequest } from "./read-run.ts";
import { shown } from "../screen/shown-path.ts";
import { type Memory, memoryLine } from "./memory.ts";

export interface DryRunOptions {
  readonly request: RunRequest;
  readonly composition: Composition;
  readonly memory: Memory;
  readonly cwd: string;
}

export function dryRunText({ request, composition, memory, cwd }: DryRunOptions): string {
  const { config, directory, toml, notes } = request;
  const { info } = composition.options.engine;
  const comments = [
    ...[...composition.environments.locations].map(
      ([name, { file, version }]) => `environment ${name}: ${shown(file, cwd)}, version ${version}`,
    ),
    `model ${config.model}: ${shown(composition.folder, cwd)}`,
    `engine ${info.name}: context of ${info.contextTokens} tokens${info.deterministic ? ", the same seed gives the same run" : ""}`,
    memoryLine(memory),
    `run: ${shown(directory, cwd)}`,
    ...notes.map((note) => `note: ${note}`),
  ];
  return `${comments.map((comment) => `# ${comment}\n`).join("")}\n${toml}`;
}

export function dryRunData({ request, composition, memory }: DryRunOptions): object {
  const { config, directory, notes } = request;
  return {
    config,
    environments: [...composition.environments.locations].map(([name, { file, version }]) => ({ name, file, version })),
    model: { name: config.model, folder: composition.folder },
    engine: composition.options.engine.info,
    memory,
    directory,
    notes,
  };
}
