// Endpoint: one named model on one server, as data. It names the variable that holds its key and never holds the key itself,
// so printing or storing an endpoint cannot leak it. Read from endpoints.toml (endpoints.ts) or written in code.

/** What the server speaks: OpenAI chat completions, OpenAI responses, Anthropic messages, plain text completions. */
export type DialectName = "chat" | "responses" | "messages" | "completions";

export interface Endpoint {
  /** As the user names it. */
  readonly name: string;
  /** As the server names it. */
  readonly model: string;
  /** "https://host/v1". A URL without a path gets /v1. */
  readonly baseUrl: string;
  readonly dialect: DialectName;
  /** Name of the environment variable with the key; absent when the server wants none. */
  readonly key?: string;
  /** Sent with every request. `${NAME}` stands for an environment variable. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly price?: Price;
  /** For one attempt, from the moment it is on the wire to its last byte. Waiting for a free connection does not count. */
  readonly timeoutMs?: number;
  readonly maxAttempts?: number;
  readonly maxConnections?: number;
  /** Ask for token ids and logprobs (vLLM's fields), and fail when the server gives none. Dialects chat and completions. */
  readonly tokens?: boolean;
  readonly stream?: boolean;
  /** How chat names the limit of sampled tokens; max_completion_tokens at api.openai.com, else max_tokens. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** Give the reasoning of earlier turns back in chat, as `reasoning_content`. */
  readonly sendReasoning?: boolean;
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input read from the server's cache; the price of input unless told. */
  readonly cached?: number;
}

export const endpointDefaults = {
  timeoutMs: 600_000,
  maxAttempts: 5,
  maxConnections: 256,
  tokens: false,
  stream: false,
  sendReasoning: true,
} as const satisfies Partial<Endpoint>;
