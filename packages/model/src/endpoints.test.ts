import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadEndpoints } from "./endpoints.ts";

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "hone-endpoints-"));
});
afterEach(() => rm(cwd, { recursive: true }));

async function load(text: string, more: Readonly<Record<string, string>> = {}) {
  const files = { "endpoints.toml": text, ...more };
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
  return loadEndpoints({ files: Object.keys(files), cwd });
}
const base = 'base_url = "http://127.0.0.1:8000/v1"';

test("every setting has a place", async () => {
  const [endpoint] = await load(`
    [[endpoint]]
    name = "mini"
    model = "gpt-5-mini"
    base_url = "https://api.openai.com/v1"
    key = "OPENAI_API_KEY"
    dialect = "responses"
    headers = { "OpenAI-Project" = "bees", x-token = "\${TOKEN}" }
    price = { input = 0.25, output = 2.0, cached = 0.025 }
    timeout_seconds = 30
    max_attempts = 2
    max_connections = 8
    tokens = false
    stream = true
    max_tokens_field = "max_tokens"
    send_reasoning = false
  `);
  expect(endpoint).toEqual({
    name: "mini",
    model: "gpt-5-mini",
    baseUrl: "https://api.openai.com/v1",
    key: "OPENAI_API_KEY",
    dialect: "responses",
    headers: { "OpenAI-Project": "bees", "x-token": "${TOKEN}" },
    price: { input: 0.25, output: 2, cached: 0.025 },
    timeoutMs: 30_000,
    maxAttempts: 2,
    maxConnections: 8,
    tokens: false,
    stream: true,
    maxTokensField: "max_tokens",
    sendReasoning: false,
  });
});

test("two lines are enough, and a later file replaces by name", async () => {
  const endpoints = await load(`[[endpoint]]\nname = "qwen"\n${base}\n[[endpoint]]\nname = "other"\n${base}`, {
    "mine.toml": `[[endpoint]]\nname = "qwen"\nmodel = "Qwen/Qwen3-8B"\n${base}`,
  });
  expect(endpoints).toEqual([
    { name: "qwen", model: "Qwen/Qwen3-8B", baseUrl: "http://127.0.0.1:8000/v1", dialect: "chat" },
    { name: "other", model: "other", baseUrl: "http://127.0.0.1:8000/v1", dialect: "chat" },
  ]);
});

test("without files named, endpoints.toml is read if it is there", async () => {
  expect(await loadEndpoints({ cwd })).toEqual([]);
  await writeFile(join(cwd, "endpoints.toml"), `[[endpoint]]\nname = "qwen"\n${base}`);
  expect(await loadEndpoints({ cwd })).toHaveLength(1);
  await expect(loadEndpoints({ files: ["endpoint.toml"], cwd })).rejects.toThrow("endpoint.toml");
});

test("mistakes are shown at their place", async () => {
  await expect(load(`[[endpoint]]\nname = "a"\n${base}\ndialect = "chatt"`)).rejects.toThrow("endpoints.toml:4:11");
  await expect(load(`[[endpoint]]\nname = "a"\n${base}\nmodle = "b"`)).rejects.toThrow("`model`");
  await expect(load(`[[endpoint]]\nname = "a"\nbase_url = "ftp://host"`)).rejects.toThrow("endpoints.toml:3");
  const twice = `[[endpoint]]\nname = "a"\n${base}\n`.repeat(2);
  await expect(load(twice)).rejects.toThrow("two endpoints named `a`");
});

test.each([
  ["a key instead of its variable", `key = "sk-proj-SECRETSECRET"`],
  ["a key under another name, beside a mistake", `api_key = "SECRET secret", dialect = "chatt"`],
  ["a key in a header", `headers = { Authorization = "Bearer SECRETSECRET" }`],
  ["a name in small letters that may be a key", `key = "SECRETSECRETa1"`],
])("%s is refused, and not shown", async (_what, line) => {
  const outcome = load(`[[endpoint]]\nname = "a"\n${base}\n${line}`);
  const error = await outcome.then(
    () => undefined,
    (caught: unknown) => caught as Error & { hint: string; at: unknown },
  );
  expect(error).toMatchObject({ code: "key-in-file" });
  expect(`${error?.message} ${error?.hint} ${JSON.stringify(error?.at ?? "")}`).not.toContain("SECRET");
});
