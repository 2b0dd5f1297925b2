// `--dry-run`: everything is resolved and checked, nothing is run. What is printed is a file that runs: the configuration as TOML, and where
// each name was found as comments. Keys are named by their variable, never shown.
import { toFile, writeToml } from "@hone/config";
import { EvalConfig } from "@hone/eval";
import { type Cell, cellsOf } from "./directories.ts";
import { shown } from "../screen/shown-path.ts";
import type { Prepared } from "./prepare.ts";

export interface DryRunOptions {
  readonly prepared: Prepared;
  readonly directoryOf: (cell: Cell) => string;
  readonly cwd: string;
}

export function dryRunText({ prepared, directoryOf, cwd }: DryRunOptions): string {
  const { config, environments, models } = prepared;
  const comments = [
    ...[...environments].map(
      ([name, { location }]) => `environment ${name}: ${shown(location.file, cwd)}, version ${location.version}`,
    ),
    ...[...models].map(([name, { foundIn, endpoint }]) => {
      if (endpoint === undefined) return `model ${name}: ${foundIn}`;
      const key = endpoint.key === undefined ? "no key" : `key in ${endpoint.key}`;
      return `model ${name}: ${foundIn}, ${endpoint.baseUrl}, ${key}`;
    }),
    ...cellsOf(config).map((cell) => `results: ${shown(directoryOf(cell), cwd)}`),
  ];
  return `${comments.map((comment) => `# ${comment}\n`).join("")}\n${writeToml(toFile(EvalConfig, withoutEmpty(config)) as object)}`;
}

export function dryRunData({ prepared, directoryOf }: DryRunOptions): object {
  const { config, environments, models } = prepared;
  return {
    config,
    environments: [...environments].map(([name, { location }]) => ({ name, ...location })),
    models: [...models].map(([name, { foundIn, endpoint }]) => ({
      name,
      foundIn,
      ...(endpoint === undefined ? {} : { endpoint }),
    })),
    results: cellsOf(config).map((cell) => ({ ...cell, directory: directoryOf(cell) })),
  };
}

/** What says nothing: no sampling, no arguments, no files. */
function withoutEmpty(config: EvalConfig): object {
  const isEmpty = (value: unknown): boolean =>
    typeof value === "object" && value !== null && Object.keys(value).length === 0;
  const filled = (table: object): object =>
    Object.fromEntries(Object.entries(table).filter(([, value]) => !isEmpty(value)));
  return { ...filled(config), env: config.env.map(filled) };
}
