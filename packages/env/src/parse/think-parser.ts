// Parsers for models that think aloud: the answer is what follows the last </think>.
// ThinkParser insists on the block, MaybeThinkParser takes the reply with or without it.
import type { AssistantMessage } from "@hone/core";
import { countOf, Parser, withReasoning } from "./parser.ts";

const close = "</think>";

/** A reply without a closed block has no answer: its text is taken as "". */
export class ThinkParser extends Parser {
  override parse(text: string): string {
    const at = text.lastIndexOf(close);
    return super.parse(at === -1 ? "" : text.slice(at + close.length).trim());
  }

  /** 1 when the reply is one block at its start and something after it. */
  override formatScore(text: string): number {
    const isKept =
      text.trimStart().startsWith("<think>") &&
      countOf(text, "<think>") === 1 &&
      countOf(text, close) === 1 &&
      !text.endsWith(close);
    return isKept ? 1 : 0;
  }

  protected override textOf(message: AssistantMessage): string {
    return withReasoning(message);
  }
}

export class MaybeThinkParser extends Parser {
  override parse(text: string): string {
    const at = text.lastIndexOf(close);
    return super.parse((at === -1 ? text : text.slice(at + close.length)).trim());
  }
}
