// The runs that were looked at lately. What is remembered of a run can always be read again, so the oldest is forgotten when there are many.
import type { RunKind } from "../app/api-types.ts";
import { Pulse } from "./feed.ts";
import { runFolder } from "./inside.ts";
import { RunView } from "./run-view.ts";

const mostViews = 64;

export interface OpenView extends RunView {
  readonly pulse: Pulse;
}

export class RunViews {
  readonly #root: string;
  readonly #now: () => number;
  readonly #views = new Map<string, OpenView>();

  constructor(root: string, now: () => number) {
    this.#root = root;
    this.#now = now;
  }

  /** Throws when there is no such run, or it lies outside the root. */
  async open(kind: RunKind, name: string): Promise<OpenView> {
    const folder = await runFolder(this.#root, kind, name);
    const view =
      this.#views.get(folder) ?? Object.assign(new RunView(folder, kind, this.#now), { pulse: new Pulse(folder) });
    this.#views.delete(folder);
    this.#views.set(folder, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > mostViews && oldest !== undefined) this.#views.delete(oldest);
    return view;
  }
}
