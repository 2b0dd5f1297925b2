// Reward → reading a reply. A parser gives the answer in a conversation and scores how well replies keep to a format.
// The names and meaning are those of verifiers; every one of them takes time linear in the reply.
import { type AssistantMessage, type Message, pathTo, type Rollout } from "@hone/core";

/** What every parser can do, whatever it makes of a text. */
export interface AnswerParser<Parsed = unknown> {
  parse(text: string): Parsed;
  /** The answer in the last reply; undefined when there is none. */
  answer(completion: string | readonly Message[]): string | undefined;
  /** How well one reply keeps to the format, 0 to 1. */
  formatScore(text: string): number;
  /** A reward or metric: the mean format score of what the model said, from the root to the last message. */
  formatReward(): FormatReward;
}
export type FormatReward = (scope: { readonly rollout: Rollout }) => number;
export type ExtractAnswer = (text: string) => string;

export class Parser implements AnswerParser<string> {
  readonly #extract: ExtractAnswer;

  constructor(extract: ExtractAnswer = (text) => text) {
    this.#extract = extract;
  }

  parse(text: string): string {
    return this.#extract(text);
  }

  answer(completion: string | readonly Message[]): string | undefined {
    if (typeof completion === "string") return this.parse(completion);
    const last = completion.findLast((message) => message.role === "assistant");
    return last === undefined ? undefined : this.parse(this.textOf(last));
  }

  formatScore(_text: string): number {
    return 1;
  }

  formatReward(): FormatReward {
    return formatRewardOf((message) => this.formatScore(this.textOf(message)));
  }

  /** What this parser reads of a message. */
  protected textOf(message: AssistantMessage): string {
    return message.content;
  }
}

/** The reply as the model wrote it: a reasoning block that the client took out of the content is put back. */
export function withReasoning({ reasoning, content }: AssistantMessage): string {
  return reasoning === undefined ? content : `<think>${reasoning}</think>${content}`;
}

/** The mean over the sampled replies of the last branch; 0 without any. Replies given in the prompt are not the model's. */
export function formatRewardOf(score: (message: AssistantMessage) => number): FormatReward {
  return ({ rollout: { nodes } }) => {
    let sum = 0;
    let count = 0;
    for (const index of nodes.length === 0 ? [] : pathTo(nodes, nodes.length - 1)) {
      const node = nodes[index];
      if (node === undefined || !node.sampled || node.message.role !== "assistant") continue;
      sum += score(node.message);
      count += 1;
    }
    return count === 0 ? 0 : sum / count;
  };
}

/** How often `part` occurs in `text`, without overlap. */
export function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}
