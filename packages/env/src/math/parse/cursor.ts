// The place in the tokens that the parser has reached, and what it is inside of. Tokens are never changed, so going back is setting `at`.
import { limits, OutOfBounds, type Work } from "../bounds.ts";
import type { MathNode } from "../ast.ts";
import type { Reading, Token } from "../scan/token.ts";

/** Thrown when the tokens are no mathematics that is known here; the answer is then compared as text. Made once: throwing it is cheap. */
const failure = new Error("The answer cannot be read as mathematics.");

export function isParseFailure(error: unknown): boolean {
  return error === failure;
}

const end: Token = { kind: "end", text: "", isSpaced: false };

export class Cursor {
  at = 0;
  /** How many | are open at this level of brackets: then the next one in operator position closes. */
  bars = 0;
  /** Inside { ... }: a colon or bar separates the elements from their conditions. */
  isInSet = false;
  /** Inside an integral: "dx" ends the integrand. */
  integrals = 0;
  /** Inside ]a, b[: the second bracket closes. */
  isInReversed = false;
  #depth = 0;
  /** What was parsed from a place on, by place: undefined where it failed. */
  readonly #known = new Map<number, { readonly node: MathNode; readonly end: number } | undefined>();
  readonly #tokens: readonly Token[];
  readonly #work: Work;
  readonly reading: Reading;

  constructor(tokens: readonly Token[], reading: Reading, work: Work) {
    this.#tokens = tokens;
    this.reading = reading;
    this.#work = work;
  }

  peek(offset = 0): Token {
    return this.#tokens[this.at + offset] ?? end;
  }

  next(): Token {
    this.#work.spend();
    const token = this.peek();
    this.at++;
    return token;
  }

  is(kind: Token["kind"], text?: string, offset = 0): boolean {
    const token = this.peek(offset);
    return token.kind === kind && (text === undefined || token.text === text);
  }

  isSymbol(text: string, offset = 0): boolean {
    return this.is("symbol", text, offset);
  }

  isCommand(text: string, offset = 0): boolean {
    return this.is("command", text, offset);
  }

  accept(kind: Token["kind"], text: string): boolean {
    if (!this.is(kind, text)) return false;
    this.next();
    return true;
  }

  expect(kind: Token["kind"], text: string): void {
    if (!this.accept(kind, text)) this.fail();
  }

  fail(): never {
    throw failure;
  }

  /** One level deeper. A failure may leave the level counted: the parse is over then, except in `attempt`. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > limits.depth) throw new OutOfBounds("depth");
    const result = parse();
    this.#depth--;
    return result;
  }

  /** Inside brackets of its own: bars that are open outside cannot be closed there. */
  bracketed<T>(parse: () => T, isInSet = false): T {
    const outer = {
      bars: this.bars,
      isInSet: this.isInSet,
      integrals: this.integrals,
      isInReversed: this.isInReversed,
    };
    Object.assign(this, { bars: 0, isInSet, integrals: 0, isInReversed: false });
    const result = this.nested(parse);
    Object.assign(this, outer);
    return result;
  }

  /** Parses what depends on this place alone, and remembers it. */
  once(parse: () => MathNode): MathNode {
    const { at } = this;
    if (!this.#known.has(at)) {
      this.#known.set(at, undefined);
      const node = parse();
      this.#known.set(at, { node, end: this.at });
      return node;
    }
    const known = this.#known.get(at);
    if (known === undefined) return this.fail();
    this.at = known.end;
    return known.node;
  }

  /** undefined, and back where it began, when `parse` fails. */
  attempt<T>(parse: () => T): T | undefined {
    const { at, bars, isInSet, integrals, isInReversed } = this;
    const depth = this.#depth;
    try {
      return parse();
    } catch (error) {
      if (error !== failure) throw error;
      Object.assign(this, { at, bars, isInSet, integrals, isInReversed });
      this.#depth = depth;
      return undefined;
    }
  }
}
