// Conversations that were rendered already, for the next epoch: rendering costs more than reading memory. Bounded by bytes; what does not fit
// is rendered again, so that a corpus of any size works and a small one is rendered once.
import type { Draw } from "./mixture.ts";
import type { TokenRow } from "./tokenise.ts";

export class TokenCache {
  readonly #bytes: number;
  readonly #rows = new Map<string, TokenRow>();
  #used = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  async get(draw: Draw, read: () => Promise<TokenRow>): Promise<TokenRow> {
    const key = `${draw.source}/${draw.row}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = await read();
    // What an entry costs besides its tokens: key, objects, headers of the arrays.
    const bytes = row.tokens.byteLength + row.trained.byteLength + 400;
    if (this.#used + bytes <= this.#bytes) {
      this.#rows.set(key, row);
      this.#used += bytes;
    }
    return row;
  }
}
