// The pages of sequences: sharing what is known already, taking new ones, making full ones known. Equal pages are computed once:
// who comes second in a step waits for them and shares them in the next.
import { pageKey, type PageParent, PagePool } from "./pages.ts";
import type { Sequence } from "./sequence.ts";

/** Tokens that are to be computed by a policy. */
export interface Wanted {
  readonly policy: string;
  /** The first `length` count. */
  readonly tokens: Int32Array;
  readonly length: number;
}

export class SequencePages {
  readonly #pool: PagePool;
  readonly #pageTokens: number;

  constructor({ pages, pageTokens }: { readonly pages: number; readonly pageTokens: number }) {
    this.#pool = new PagePool(pages);
    this.#pageTokens = pageTokens;
  }

  /** How many can be taken. */
  get available(): number {
    return this.#pool.available;
  }

  countFor(tokens: number): number {
    return Math.ceil(tokens / this.#pageTokens);
  }

  /** Pages that would have to be taken: all but those that are in use by others now, from the first on. */
  countNew({ policy, tokens, length }: Wanted): number {
    let parent: PageParent = policy;
    let shared = 0;
    for (; (shared + 1) * this.#pageTokens < length; shared++) {
      const page = this.#pool.findUsed(this.#key(parent, tokens, shared));
      if (page === undefined) break;
      parent = this.#pool.identity(page);
    }
    return this.countFor(length) - shared;
  }

  /**
   * Shares the pages that are known. The first page that has to be computed is added to `claims`, those of a step; false where it was
   * there already. The page of the last token is never shared: its logits are needed.
   */
  share(sequence: Sequence, claims: Set<string>): boolean {
    for (;;) {
      const at = Math.floor(sequence.computed / this.#pageTokens);
      if ((at + 1) * this.#pageTokens >= sequence.length) return true;
      const key = this.#keyOf(sequence, at);
      const isAtStart = sequence.computed === at * this.#pageTokens;
      const page = isAtStart ? this.#pool.find(key) : undefined;
      if (page === undefined) {
        if (isAtStart && claims.has(key)) return false;
        claims.add(key);
        return true;
      }
      sequence.pages.push(page);
      sequence.computed += this.#pageTokens;
    }
  }

  /** Takes a page where the next `take` tokens need one more. */
  extend(sequence: Sequence, take: number): "enough" | "taken" | "none" {
    if (sequence.pages.length >= this.countFor(sequence.computed + take)) return "enough";
    const page = this.#pool.take();
    if (page === undefined) return "none";
    sequence.pages.push(page);
    return "taken";
  }

  /** The tokens that the sequence took are computed: full pages are known from now on. */
  advance(sequence: Sequence): void {
    let at = Math.floor(sequence.computed / this.#pageTokens);
    sequence.computed += sequence.take;
    sequence.take = 0;
    for (; (at + 1) * this.#pageTokens <= sequence.computed; at++) {
      sequence.pages[at] = this.#pool.publish(sequence.pages[at] ?? 0, this.#keyOf(sequence, at));
    }
  }

  /** Gives back all pages, the last first: what follows a page is forgotten before it. */
  vacate(sequence: Sequence): void {
    for (let page = sequence.pages.pop(); page !== undefined; page = sequence.pages.pop()) this.#pool.giveBack(page);
    sequence.computed = 0;
    sequence.take = 0;
  }

  #keyOf({ tokens, pages, policy }: Sequence, at: number): string {
    return this.#key(at === 0 ? policy : this.#pool.identity(pages[at - 1] ?? 0), tokens, at);
  }

  #key(parent: PageParent, tokens: Int32Array, at: number): string {
    return pageKey(parent, tokens.subarray(at * this.#pageTokens, (at + 1) * this.#pageTokens));
  }
}
