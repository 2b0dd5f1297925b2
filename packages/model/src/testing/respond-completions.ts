// Plain text completions as a server: the prompt is one user message, the reply is its text.
import type { JsonObject } from "@hone/core";
import { at, textOrNone } from "../wire.ts";
import { finishReasons, idsOf, wireUsage } from "./respond-chat.ts";
import { BadRequest, frame, openAiError, piecesOf, requestOf, type Served, type ServedDialect } from "./served.ts";

export const respondCompletions: ServedDialect = {
  path: "/v1/completions",
  read: (body) => {
    const prompt = [body["prompt"]].flat()[0];
    if (typeof prompt !== "string") throw new BadRequest("the prompt is not a text");
    return requestOf(body, [{ role: "user", content: prompt }]);
  },
  write: (served) => {
    const { message, finish, usage } = served.completion;
    const choice = { index: 0, text: message.content, finish_reason: finishReasons[finish] };
    return {
      ...headOf(served),
      choices: [{ ...choice, logprobs: null, ...tokenFields(served, 0), ...promptFields(served) }],
      usage: wireUsage(usage),
    };
  },
  *stream(served) {
    const head = headOf(served);
    const { message, finish, tokens, usage } = served.completion;
    const pieces = piecesOf(message.content);
    const perPiece = Math.ceil((tokens?.ids.length ?? 0) / Math.max(1, pieces.length));
    for (const [index, text] of pieces.entries()) {
      const fields = tokenFields(served, index * perPiece, (index + 1) * perPiece);
      const prompt = index === 0 ? promptFields(served) : {};
      yield frame({
        ...head,
        choices: [{ index: 0, text, finish_reason: null, logprobs: null, ...fields, ...prompt }],
      });
    }
    const left = pieces.length === 0 ? { ...tokenFields(served, 0), ...promptFields(served) } : {};
    yield frame({
      ...head,
      choices: [{ index: 0, text: "", finish_reason: finishReasons[finish], logprobs: null, ...left }],
    });
    if (at(served.body, "stream_options", "include_usage") === true) {
      yield frame({ ...head, choices: [], usage: wireUsage(usage) });
    }
    yield frame("[DONE]");
  },
  error: openAiError,
};

function headOf({ id, body }: Served): JsonObject {
  return { id: `cmpl-${id}`, object: "text_completion", created: 0, model: textOrNone(body["model"]) ?? "scripted" };
}

function promptFields({ body, completion }: Served): JsonObject {
  return body["return_token_ids"] === true ? { prompt_token_ids: idsOf(completion.tokens?.prompt) } : {};
}

function tokenFields({ body, completion: { tokens } }: Served, start: number, stop?: number): JsonObject {
  const ids = idsOf(tokens?.ids.subarray(start, stop));
  return {
    ...(typeof body["logprobs"] === "number"
      ? {
          logprobs: {
            tokens: ids.map((id) => `token_id:${id}`),
            token_logprobs: Array.from(tokens?.logprobs.subarray(start, stop) ?? []),
            top_logprobs: null,
            text_offset: ids.map(() => 0),
          },
        }
      : {}),
    ...(body["return_token_ids"] === true ? { token_ids: ids } : {}),
  };
}
