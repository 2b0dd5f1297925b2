// The four dialects by name.
import { HoneError } from "@hone/core";
import type { Endpoint } from "../endpoint.ts";
import { chat } from "./chat.ts";
import { completions } from "./completions.ts";
import type { Dialect } from "./dialect.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";

const dialects = { chat, responses, messages, completions } as const;

/** Refuses an endpoint that asks of its dialect what it cannot say. */
export function dialectNamed({ name, dialect, tokens }: Endpoint): Dialect {
  if (tokens === true && dialect !== "chat" && dialect !== "completions") {
    throw new HoneError(`${name} asks for token ids, which the ${dialect} dialect does not carry`, {
      code: "bad-endpoint",
      hint: 'Use dialect = "chat" or "completions", or leave tokens out.',
    });
  }
  return dialects[dialect];
}
