// What lies under the root of a server, for whoever sees less than they expected: where it looks, what it passes over, and where it should rather be
// started.
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isRun, runPaths } from "@hone/store";
import type { RootFacts, RunKind } from "../app/api-types.ts";
import { resolveInside } from "./inside.ts";

/** Of a folder full of other things the first few say enough. */
const mostNamed = 5;
const lookedAtOnce = 32;

export async function aboutRoot(root: string): Promise<RootFacts> {
  const [runs, evals, advice] = await Promise.all([
    strangersIn(root, "runs"),
    strangersIn(root, "evals"),
    adviceOn(root),
  ]);
  return { root, strangers: { runs, evals }, advice };
}

/** Entries of runs/ or evals/ that are no runs. */
async function strangersIn(root: string, kind: RunKind): Promise<RootFacts["strangers"][RunKind]> {
  const names = await readdir(join(root, kind)).catch(() => []);
  const strangers: string[] = [];
  for (let at = 0; at < names.length; at += lookedAtOnce) {
    const some = names.slice(at, at + lookedAtOnce).filter((name) => !name.startsWith("."));
    const found = await Promise.all(some.map((name) => isStranger(root, join(root, kind, name))));
    strangers.push(...some.filter((_, index) => found[index]));
  }
  return { names: strangers.sort().slice(0, mostNamed), count: strangers.length };
}

async function isStranger(root: string, path: string): Promise<boolean> {
  const folder = await resolveInside(root, path);
  return folder === undefined || !(await isRun(folder));
}

/** Started one or two folders too deep. */
export async function adviceOn(root: string): Promise<string | null> {
  const isOfRuns = (folder: string): boolean => ["runs", "evals"].includes(basename(folder));
  if (await isRunFolder(root)) {
    const above = isOfRuns(dirname(root)) ? dirname(dirname(root)) : dirname(root);
    return `This is the folder of a run. Start it in the folder that holds runs/: hone web --root ${above}`;
  }
  if (!isOfRuns(root)) return null;
  return `This is a folder of runs. Start it one folder above: hone web --root ${dirname(root)}`;
}

/** A run.toml lies also where somebody writes one; only a run has events beside it. */
async function isRunFolder(root: string): Promise<boolean> {
  const { streams } = runPaths(root);
  return (await isRun(root)) && (await resolveInside(root, streams.events)) !== undefined;
}
