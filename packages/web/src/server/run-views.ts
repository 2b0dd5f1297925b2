// The runs that were looked at lately. What is remembered of a run can always be read again, so the oldest is forgotten when there are many.
// Of every run in a list its line is remembered, with the state of the files it came from: a list of hundreds reads what changed.
import { stat } from "node:fs/promises";
import { runPaths } from "@hone/store";
import type { RunItem, RunKind } from "../app/api-types.ts";
import { runFolder } from "./inside.ts";
import { isAtWork, RunView } from "./run-view.ts";

const mostViews = 16;
/** A run's process may end without a file that changes: a line is trusted for so long. */
const trustMs = 5000;
const folderMs = 1000;
const mostFolders = 256;

interface Line {
  readonly item: RunItem;
  readonly files: string;
  readonly readAtMs: number;
}

export class RunViews {
  readonly #root: string;
  readonly #now: () => number;
  readonly #views = new Map<string, RunView>();
  readonly #lines = new Map<string, Line>();
  readonly #folders = new Map<string, { readonly folder: string; readonly ino: number; readonly foundAtMs: number }>();

  constructor(root: string, now: () => number) {
    this.#root = root;
    this.#now = now;
  }

  /** Throws when there is no such run, or it lies outside the root. */
  async open(kind: RunKind, name: string): Promise<RunView> {
    const folder = await this.#folder(kind, name);
    const view = this.#views.get(folder) ?? new RunView(folder, kind, this.#now);
    this.#keep(view);
    return view;
  }

  /** The line of a run in a list. */
  async item(kind: RunKind, name: string): Promise<RunItem> {
    const folder = await runFolder(this.#root, kind, name);
    const files = await fileStates(folder);
    const known = this.#lines.get(folder);
    const isFresh = known?.files === files && (!isAtWork(known.item.state) || this.#now() - known.readAtMs < trustMs);
    if (known !== undefined && isFresh) return known.item;
    // One that is only listed is not kept open: its line is all that is wanted of it.
    const view = this.#views.get(folder) ?? new RunView(folder, kind, this.#now);
    const item = await view.item();
    if (isAtWork(item.state)) this.#keep(view);
    this.#lines.set(folder, { item, files, readAtMs: this.#now() });
    return item;
  }

  /** A page asks several things at once: where a run lies is looked up for all of them. */
  async #folder(kind: RunKind, name: string): Promise<string> {
    const key = `${kind} ${name}`;
    const known = this.#folders.get(key);
    if (known !== undefined && this.#now() - known.foundAtMs < folderMs) return known.folder;
    this.#folders.delete(key);
    const folder = await runFolder(this.#root, kind, name).catch((error: unknown) => {
      if (known !== undefined) this.#views.delete(known.folder);
      throw error;
    });
    const { ino } = await stat(folder);
    // Another run of the same name: what is remembered is of one that was deleted.
    if (known !== undefined && known.ino !== ino) this.#views.delete(known.folder);
    this.#folders.set(key, { folder, ino, foundAtMs: this.#now() });
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > mostFolders && oldest !== undefined) this.#folders.delete(oldest);
    return folder;
  }

  #keep(view: RunView): void {
    this.#views.delete(view.folder);
    this.#views.set(view.folder, view);
    for (const [oldest, { feed }] of this.#views) {
      if (this.#views.size <= mostViews) return;
      if (!feed.isWatched && oldest !== view.folder) this.#views.delete(oldest);
    }
  }
}

/** Sizes and times of the files a line is made of. */
async function fileStates(folder: string): Promise<string> {
  const { streams, config, lock, stop, rollouts } = runPaths(folder);
  const paths = [streams.updates, streams.evals, streams.events, config, lock, stop, rollouts];
  const states = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size, mtimeMs }) => `${size} ${mtimeMs}`,
        () => "",
      ),
    ),
  );
  return states.join("|");
}
