// The order of a run: which conversation of which source comes next. A function of the seed and the position alone, so that a run that was
// killed goes on with the very conversation that was next. Each source is gone through in an order of its own that changes every epoch;
// sources take turns by their weights as evenly as whole numbers allow (Sainte-Laguë).
import { createRandom, HoneError } from "@hone/core";

export interface MixturePart {
  readonly name: string;
  /** Numbers of the conversations that are trained on. */
  readonly rows: Uint32Array;
  readonly weight: number | undefined;
}

export interface Draw {
  readonly source: number;
  readonly row: number;
}

export class Mixture {
  /** Conversations of all sources: an epoch is as many draws. */
  readonly size: number;
  readonly #parts: readonly MixturePart[];
  readonly #weights: readonly number[];
  readonly #seed: number;
  readonly #drawn: number[];
  /** Of the epoch each source is in. */
  readonly #orders: ({ readonly epoch: number; readonly rows: Uint32Array } | undefined)[] = [];

  constructor(parts: readonly MixturePart[], seed: number, drawn: readonly number[] = parts.map(() => 0)) {
    for (const { name, rows } of parts) if (rows.length === 0) throw allHeldOut(name);
    const given = parts.filter(({ weight }) => weight !== undefined).length;
    if (given > 0 && given < parts.length) throw someWeights();
    this.#parts = parts;
    this.#seed = seed;
    this.#drawn = [...drawn];
    this.size = parts.reduce((sum, { rows }) => sum + rows.length, 0);
    this.#weights = parts.map(({ weight, rows }) => weight ?? rows.length);
  }

  /** How often each source was drawn from: all there is to remember. */
  get drawn(): readonly number[] {
    return [...this.#drawn];
  }

  get position(): number {
    return this.#drawn.reduce((sum, count) => sum + count, 0);
  }

  /** The next one, which stays the next one until `advance`. */
  peek(): Draw {
    const source = this.#next();
    const rows = this.#parts[source]?.rows ?? new Uint32Array();
    const count = this.#drawn[source] ?? 0;
    const order = this.#order(source, Math.floor(count / rows.length));
    return { source, row: order[count % rows.length] ?? 0 };
  }

  advance(): void {
    const source = this.#next();
    this.#drawn[source] = (this.#drawn[source] ?? 0) + 1;
  }

  /** By weight n of a source that holds n, exactly its n are drawn in an epoch. */
  #next(): number {
    let next = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [source, weight] of this.#weights.entries()) {
      const turn = (2 * (this.#drawn[source] ?? 0) + 1) / weight;
      if (turn < least) [next, least] = [source, turn];
    }
    return next;
  }

  #order(source: number, epoch: number): Uint32Array {
    const known = this.#orders[source];
    if (known?.epoch === epoch) return known.rows;
    const rows = (this.#parts[source]?.rows ?? new Uint32Array()).slice();
    const random = createRandom(`sft/${this.#seed}/${source}/${epoch}`);
    for (let last = rows.length - 1; last > 0; last--) {
      const other = random.integer(last + 1);
      [rows[last], rows[other]] = [rows[other] ?? 0, rows[last] ?? 0];
    }
    this.#orders[source] = { epoch, rows };
    return rows;
  }
}

function allHeldOut(name: string): HoneError {
  return new HoneError(`All conversations of ${name} are held out.`, {
    code: "no-data",
    hint: "Lower eval.fraction, or name files of their own in eval.paths.",
  });
}

function someWeights(): HoneError {
  return new HoneError("Some [[data]] have a weight and some have none.", {
    code: "config",
    hint: "Give every one a weight, or none: then each counts by its size.",
  });
}
