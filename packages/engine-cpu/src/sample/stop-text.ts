// Stop strings of one sequence, looked for as its tokens come. A character whose bytes come in several tokens counts when it is whole.
// Only a few tokens are decoded each time, with some before them: decoders treat a first token in their own way.

export interface StopTextOptions {
  /** None of them empty. */
  readonly stopStrings: readonly string[];
  readonly textOf: (ids: Int32Array) => string;
  /** Where what is sampled begins in the tokens. */
  readonly from: number;
}

const replacement = "\uFFFD";
const contextTokens = 8;

export class StopText {
  readonly #options: StopTextOptions;
  readonly #longest: number;
  /** The tokens from here on are decoded. */
  #from: number;
  /** Characters of the decoded window that were looked at already. */
  #seen = 0;
  /** The last characters before those, fewer than the longest stop string has. */
  #tail = "";

  constructor(options: StopTextOptions) {
    this.#options = options;
    this.#longest = options.stopStrings.reduce((longest, { length }) => Math.max(longest, length), 0);
    this.#from = options.from;
  }

  /** True when the newest token, at `length - 1`, completes a stop string. To be asked once per token. */
  isCompleted(tokens: Int32Array, length: number): boolean {
    const { stopStrings, textOf } = this.#options;
    const text = textOf(tokens.subarray(this.#from, length));
    const certain = text.endsWith(replacement) ? text.length - 1 : text.length;
    const passage = this.#tail + text.slice(this.#seen, certain);
    this.#seen = Math.max(this.#seen, certain);
    if (length - this.#from > 2 * contextTokens) {
      // The shorter window may decode to other text at its start, which was looked at before; its end is the same.
      this.#from = length - contextTokens;
      this.#seen = textOf(tokens.subarray(this.#from, length)).length - (text.length - certain);
    }
    this.#tail = passage.slice(Math.max(0, passage.length - this.#longest + 1));
    return stopStrings.some((stop) => passage.includes(stop));
  }
}
