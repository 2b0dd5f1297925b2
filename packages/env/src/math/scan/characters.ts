// The characters of an answer and the place that the tokeniser has reached in them.

export class Characters {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  peek(offset = 0): string {
    return this.text[this.at + offset] ?? "";
  }

  /** The characters from here on that pass. */
  takeWhile(test: (character: string) => boolean): string {
    const start = this.at;
    while (!this.isAtEnd && test(this.peek())) this.at++;
    return this.text.slice(start, this.at);
  }

  /** The next character that is no space, a few spaces on. */
  nextVisible(): string {
    let offset = 0;
    while (this.peek(offset) === " " && offset < 8) offset++;
    return this.peek(offset);
  }

  /** The group in braces that stands here, without its braces; undefined when there is none. An unclosed one goes to the end. */
  takeGroup(): string | undefined {
    let at = this.at;
    while (this.text[at] === " ") at++;
    if (this.text[at] !== "{") return undefined;
    const start = at + 1;
    let depth = 1;
    for (at = start; at < this.text.length && depth > 0; at++) {
      const character = this.text[at];
      if (character === "\\") at++;
      else if (character === "{") depth++;
      else if (character === "}") depth--;
    }
    this.at = at;
    return this.text.slice(start, depth === 0 ? at - 1 : at);
  }
}
