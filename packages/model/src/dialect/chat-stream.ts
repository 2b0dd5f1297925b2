// Chunks of a streamed chat completion, folded into the body of an unstreamed one.
// Tool calls arrive in pieces keyed by index; a piece that brings another id starts another call, because some servers send index 0 throughout.
import { errorIn } from "../errors.ts";
import { at, isObject, listOf, parseJson, textOrNone } from "../wire.ts";
import { invalid, type ServerEvent, type WireReply, type WireStream } from "./dialect.ts";

interface CallInPieces {
  id: string;
  name: string;
  arguments: string;
}

const textFields = ["content", "refusal", "reasoning_content", "reasoning"] as const;

export function createChatStream(replyFrom: (body: unknown) => WireReply): WireStream {
  const head: Record<string, unknown> = {};
  const texts: Record<string, string> = {};
  const calls = createCalls();
  const details: unknown[] = [];
  const logprobs: unknown[] = [];
  const tokenIds: unknown[] = [];
  let hasTokenIds = false;
  let finishReason: unknown;
  let isDone = false;

  const takeChoice = (choice: unknown): void => {
    const delta = at(choice, "delta");
    for (const field of textFields) {
      const piece = textOrNone(at(delta, field));
      if (piece !== undefined) texts[field] = (texts[field] ?? "") + piece;
    }
    for (const piece of listOf(at(delta, "reasoning_details"))) addDetail(details, piece);
    for (const piece of listOf(at(delta, "tool_calls"))) calls.add(piece);
    for (const entry of listOf(at(choice, "logprobs", "content"))) logprobs.push(entry);
    const ids = at(choice, "token_ids");
    hasTokenIds ||= Array.isArray(ids);
    for (const id of listOf(ids)) tokenIds.push(id);
    finishReason = at(choice, "finish_reason") ?? finishReason;
  };

  return {
    push: ({ data }: ServerEvent) => {
      if (data === "[DONE]") return (isDone = true);
      const chunk = parseChunk(data);
      for (const field of ["id", "usage", "prompt_token_ids"]) head[field] = at(chunk, field) ?? head[field];
      const choice = at(chunk, "choices", 0);
      if (choice !== undefined && (at(choice, "index") ?? 0) === 0) takeChoice(choice);
      return false;
    },
    finish: () => {
      if (!isDone && finishReason === undefined) throw invalid("the stream ended before the reply did");
      return replyFrom({
        ...head,
        choices: [
          {
            message: { ...texts, tool_calls: calls.list(), reasoning_details: details },
            finish_reason: finishReason,
            ...(logprobs.length > 0 || hasTokenIds ? { logprobs: { content: logprobs } } : {}),
            ...(hasTokenIds ? { token_ids: tokenIds } : {}),
          },
        ],
      });
    },
  };
}

/** A chunk as JSON; throws for garbage and for an error that the server sends within the stream. */
export function parseChunk(data: string): unknown {
  const chunk = parseJson(data);
  if (!isObject(chunk)) throw invalid("the stream holds something that is not a JSON object");
  const error = errorIn(chunk);
  if (error !== undefined) throw error;
  return chunk;
}

function createCalls(): { add(piece: unknown): void; list(): unknown[] } {
  const calls: CallInPieces[] = [];
  const byIndex = new Map<unknown, CallInPieces>();
  return {
    add: (piece) => {
      const index = at(piece, "index") ?? calls.length;
      const id = textOrNone(at(piece, "id"));
      let call = byIndex.get(index);
      if (call === undefined || (id !== undefined && call.id !== "" && id !== call.id)) {
        call = { id: "", name: "", arguments: "" };
        calls.push(call);
        byIndex.set(index, call);
      }
      call.id ||= id ?? "";
      call.name ||= textOrNone(at(piece, "function", "name")) ?? "";
      call.arguments += textOrNone(at(piece, "function", "arguments")) ?? "";
    },
    list: () => calls.map(({ id, name, arguments: text }) => ({ id, function: { name, arguments: text } })),
  };
}

/** OpenRouter streams a detail as pieces with one index: texts grow, everything else is taken as it comes. */
function addDetail(details: unknown[], piece: unknown): void {
  const index = at(piece, "index");
  const last = details.at(-1);
  if (!isObject(piece)) return;
  if (!isObject(last) || index === undefined || at(last, "index") !== index || last["type"] !== piece["type"]) {
    details.push({ ...piece });
    return;
  }
  const merged: Record<string, unknown> = { ...last, ...piece };
  for (const field of ["text", "summary", "data"]) {
    const [before, after] = [last[field], piece[field]];
    if (typeof before === "string" && typeof after === "string") merged[field] = before + after;
    else if (before !== undefined && (after === undefined || after === null)) merged[field] = before;
  }
  merged["signature"] = piece["signature"] ?? last["signature"];
  if (merged["signature"] === undefined) delete merged["signature"];
  details[details.length - 1] = merged;
}
