// Which ids end a reply: those the model's files name, and the one its template writes after the assistant's words.
// They can differ: a base model's files name the end of a document, its template the end of a turn.
import { HoneError } from "@hone/core";
import type { GuardedTemplate } from "./guarded-template.ts";

export function findStopTokens(template: GuardedTemplate, named: readonly number[]): readonly number[] {
  const endOfTurn = endOfTurnOf(template);
  const stopTokens = [...new Set([...(endOfTurn === undefined ? [] : [endOfTurn]), ...named])];
  if (stopTokens.length > 0) return stopTokens;
  throw new HoneError("no token is known to end a reply", {
    code: "chat-template",
    hint: "The template writes none after the assistant's words and the model's files name none; give `stopTokens`.",
  });
}

function endOfTurnOf(template: GuardedTemplate): number | undefined {
  const word = "honestandin";
  try {
    const written = template.write(
      [
        { role: "user", content: "x" },
        { role: "assistant", content: word },
      ],
      { addGenerationPrompt: false },
    );
    const end = written.text.lastIndexOf(word);
    return end < 0 ? undefined : template.controls(written).find(({ start }) => start >= end)?.id;
  } catch (error) {
    if (HoneError.is(error) && error.code === "chat-template") return undefined;
    throw error;
  }
}
