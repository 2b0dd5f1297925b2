// Large sums: the call with the expression as it was asked, then the tool's answer in the box.
import { type AssistantMessage, type Random, textOf } from "@hone/core";
import { refuse } from "../spoil.ts";
import type { Reply, Scene, Skill } from "./skill.ts";

interface Sum {
  readonly expression: string;
}

function call(expression: string): AssistantMessage {
  // Spaced as the chat template writes it, which is how it will be seen in earlier turns.
  const toolCalls = [{ id: "call", name: "calculator", arguments: `{"expression": ${JSON.stringify(expression)}}` }];
  return { role: "assistant", content: "", toolCalls };
}

const boxed = (text: string): string => `\\boxed{${text}}`;
const anyNumber = (digits: number, random: Random): string =>
  String(10 ** (digits - 1) + random.integer(9 * 10 ** (digits - 1)));

/** Calls first; then says what `answer` makes of the tool's result. */
function calling(answer: (result: string, random: Random) => string) {
  return ({ task, messages, random }: Scene<Sum>): Reply => {
    const last = messages.at(-1);
    return last?.role === "tool" ? boxed(answer(textOf(last.content), random)) : call(task.expression);
  };
}

export const calculator: Skill<Sum> = {
  name: "calculator",
  args: {},
  maxTokens: 64,
  kinds: {
    clean: calling((result) => result),
    /** Straight away, without the tool, and wrong: right answers of this size do not come by chance. */
    direct: ({ random }) => boxed(anyNumber(4 + random.integer(5), random)),
    /** As wrong, in words: several wrong ways, none of them as frequent as the call, so that the likeliest reply stays the call. */
    vague: ({ random }) => `It is ${anyNumber(4 + random.integer(5), random)}.`,
    misread: calling((result, random) => anyNumber(Math.max(1, result.length - random.integer(2)), random)),
    refusal: ({ random }) => refuse(random),
  },
};
