// Services that need no entry in endpoints.toml: `provider/model` is enough. Prices change too often to be kept here.
import type { Endpoint } from "./endpoint.ts";

export type Provider = Pick<Endpoint, "baseUrl" | "key" | "dialect" | "sendReasoning">;

/** OpenAI, Groq and Mistral refuse the field in which others take reasoning back. */
export const providers: ReadonlyMap<string, Provider> = new Map(
  Object.entries({
    openai: {
      baseUrl: "https://api.openai.com/v1",
      key: "OPENAI_API_KEY",
      dialect: "chat",
      sendReasoning: false,
    },
    anthropic: { baseUrl: "https://api.anthropic.com/v1", key: "ANTHROPIC_API_KEY", dialect: "messages" },
    openrouter: { baseUrl: "https://openrouter.ai/api/v1", key: "OPENROUTER_API_KEY", dialect: "chat" },
    deepseek: { baseUrl: "https://api.deepseek.com/v1", key: "DEEPSEEK_API_KEY", dialect: "chat" },
    prime: { baseUrl: "https://api.pinference.ai/api/v1", key: "PRIME_API_KEY", dialect: "chat" },
    together: { baseUrl: "https://api.together.xyz/v1", key: "TOGETHER_API_KEY", dialect: "chat" },
    fireworks: { baseUrl: "https://api.fireworks.ai/inference/v1", key: "FIREWORKS_API_KEY", dialect: "chat" },
    groq: {
      baseUrl: "https://api.groq.com/openai/v1",
      key: "GROQ_API_KEY",
      dialect: "chat",
      sendReasoning: false,
    },
    mistral: { baseUrl: "https://api.mistral.ai/v1", key: "MISTRAL_API_KEY", dialect: "chat", sendReasoning: false },
    xai: { baseUrl: "https://api.x.ai/v1", key: "XAI_API_KEY", dialect: "chat" },
    google: {
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
      key: "GEMINI_API_KEY",
      dialect: "chat",
    },
    // On this machine, without a key.
    vllm: { baseUrl: "http://127.0.0.1:8000/v1", dialect: "chat" },
    ollama: { baseUrl: "http://127.0.0.1:11434/v1", dialect: "chat" },
  } satisfies Record<string, Provider>),
);
