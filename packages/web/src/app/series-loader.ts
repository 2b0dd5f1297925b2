// Loads what charts show, for one run. A chart asks for its own keys when it comes into sight; those that ask at the same time become one question.
// What was loaded stays: the feed brings what comes after it.
import { ask } from "./api.ts";
import type { Series } from "./api-types.ts";

export interface SeriesQuestion {
  readonly keys: readonly string[];
  readonly points: number;
  /** The steps, as a part of the address; "" for all. */
  readonly range: string;
  readonly isSmoothed: boolean;
}

interface Batch {
  readonly keys: Set<string>;
  readonly answer: Promise<Series>;
}

/** The server answers so many at once. */
const mostKeys = 100;
const mostRows = 1_000_000;
/** Charts of a few zooms and smoothings; the oldest are asked for again. */
const mostAnswers = 300;

export class SeriesLoader {
  readonly #path: string;
  readonly #answers = new Map<string, Promise<Series>>();
  readonly #batches = new Map<string, Batch>();

  constructor(path: string) {
    this.#path = path;
  }

  load(question: SeriesQuestion): Promise<Series> {
    const id = idOf(question);
    const known = this.#answers.get(id);
    if (known !== undefined) return known;
    const answer = this.#join(question);
    this.#answers.set(id, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > mostAnswers && oldest !== undefined) this.#answers.delete(oldest);
    answer.catch(() => this.#answers.delete(id));
    return answer;
  }

  /** Every row of these keys. */
  all(keys: readonly string[], range: string): Promise<Series> {
    return ask<Series>(this.#address({ points: mostRows, range, isSmoothed: false }, keys));
  }

  #join({ keys, ...how }: SeriesQuestion): Promise<Series> {
    const id = idOf({ keys: [], ...how });
    const open = this.#batches.get(id);
    if (open !== undefined && open.keys.size + keys.length <= mostKeys) {
      for (const key of keys) open.keys.add(key);
      return open.answer;
    }
    const wanted = new Set(keys);
    const answer = Promise.resolve().then(() => {
      if (this.#batches.get(id)?.keys === wanted) this.#batches.delete(id);
      return ask<Series>(this.#address(how, [...wanted]));
    });
    this.#batches.set(id, { keys: wanted, answer });
    return answer;
  }

  #address({ points, range, isSmoothed }: Omit<SeriesQuestion, "keys">, keys: readonly string[]): string {
    const means = isSmoothed ? "&means=true" : "";
    return `${this.#path}/metrics?points=${points}${means}${range}&keys=${encodeURIComponent(keys.join(","))}`;
  }
}

function idOf({ keys, points, range, isSmoothed }: SeriesQuestion): string {
  return [points, range, isSmoothed, ...keys].join(",");
}
