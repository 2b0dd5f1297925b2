// A Hugging Face folder on disk: tokenizer.json, tokenizer_config.json, generation_config.json and the chat template, wherever it is kept.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { HoneError, type Json, type JsonObject } from "@hone/core";
import { type ChatTemplate, createChatTemplate } from "./chat-template.ts";
import { createTokenizer, type Tokenizer } from "./tokenizer.ts";

/** What `createRenderer` takes. */
export interface LoadedTokenizer {
  readonly tokenizer: Tokenizer;
  /** Undefined for most base models. */
  readonly template: ChatTemplate | undefined;
  /** Ids that end a reply, as the files name them. */
  readonly stopTokens: readonly number[];
}

export async function loadTokenizer(folder: string): Promise<LoadedTokenizer> {
  const json = await readJson(join(folder, "tokenizer.json"));
  if (json === undefined) {
    throw new HoneError(`no tokenizer.json in ${folder}`, {
      code: "tokenizer",
      hint: "Name a folder that `save_pretrained` or a download from Hugging Face made.",
    });
  }
  const config = (await readJson(join(folder, "tokenizer_config.json"))) ?? {};
  const generation = (await readJson(join(folder, "generation_config.json"))) ?? {};
  const tokenizer = createTokenizer(json, config);
  const specialTokens = specialTokensOf(config);
  const templates = { ...templatesOf(config["chat_template"]), ...(await templateFiles(folder)) };
  const template = Object.keys(templates).length === 0 ? undefined : createChatTemplate(templates, { specialTokens });
  const endOfText = specialTokens["eos_token"];
  const named = [endOfText === undefined ? undefined : tokenizer.id(endOfText), generation["eos_token_id"]].flat();
  return {
    tokenizer,
    template,
    stopTokens: [...new Set(named.filter((id): id is number => typeof id === "number"))],
  };
}

/** One text, or a list of named ones. */
function templatesOf(value: Json | undefined): Record<string, string> {
  if (typeof value === "string") return { default: value };
  if (!Array.isArray(value)) return {};
  const entries = (value as readonly Json[]).flatMap((entry) => {
    const { name, template } = isObject(entry) ? entry : {};
    return typeof name === "string" && typeof template === "string" ? [[name, template] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Files win over the configuration, as in transformers. */
async function templateFiles(folder: string): Promise<Record<string, string>> {
  const main = await readText(join(folder, "chat_template.jinja"));
  const extra = join(folder, "additional_chat_templates");
  const files = (await optional(readdir(extra)))?.filter((file) => file.endsWith(".jinja")) ?? [];
  const named = await Promise.all(
    files.map(async (file) => [file.slice(0, -".jinja".length), await readFile(join(extra, file), "utf8")] as const),
  );
  return { ...(main === undefined ? {} : { default: main }), ...Object.fromEntries(named) };
}

/** bos_token and the like; each is a text, or an object with one. */
function specialTokensOf(config: JsonObject): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [key, value] of Object.entries(config)) {
    const text = isObject(value) ? value["content"] : value;
    if (key.endsWith("_token") && typeof text === "string") tokens[key] = text;
  }
  return tokens;
}

async function readJson(path: string): Promise<JsonObject | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    if (isObject(value)) return value;
  } catch (error) {
    throw unreadable(path, error);
  }
  throw unreadable(path, undefined);
}

function readText(path: string): Promise<string | undefined> {
  return optional(readFile(path, "utf8"));
}

/** Undefined where there is no such file. */
async function optional<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT") return undefined;
    throw error;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(path: string, cause: unknown): HoneError {
  return new HoneError(`${path} is not a JSON object`, {
    code: "tokenizer",
    hint: "It may be a Git LFS pointer or a download that was cut off; fetch the file again.",
    cause,
  });
}
