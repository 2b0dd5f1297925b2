// Texts of ids, for stop strings. The tokenizer is read, and its code loaded, when the first request needs it: most runs stop at tokens.
import { HoneError } from "@hone/core";
import type { Tokenizer } from "@hone/tokens";

export class Texts {
  readonly #folder: string;
  #tokenizer: Tokenizer | undefined;
  #loading: Promise<void> | undefined;

  /** `folder` holds tokenizer.json. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      // The file may be there the next time.
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  readonly textOf = (ids: Int32Array): string => {
    if (this.#tokenizer === undefined) throw new HoneError("the tokenizer is not loaded", { code: "tokenizer" });
    return this.#tokenizer.decode(ids);
  };

  async #read(): Promise<void> {
    const { loadTokenizer } = await import("@hone/tokens");
    this.#tokenizer = (await loadTokenizer(this.#folder)).tokenizer;
  }
}
