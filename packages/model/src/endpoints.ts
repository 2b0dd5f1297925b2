// endpoints.toml: named models. One `[[endpoint]]` table each; a later file replaces endpoints of the same name.
//   [[endpoint]]
//   name = "mini"                           # what --model takes
//   model = "gpt-5-mini"                    # what the server calls it; the name unless told
//   base_url = "https://api.openai.com/v1"
//   key = "OPENAI_API_KEY"                  # the variable that holds the key, never the key
//   price = { input = 0.25, output = 2.0, cached = 0.025 }    # US dollars per million tokens
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ConfigText, readConfig } from "@hone/config";
import { HoneError } from "@hone/core";
import * as z from "zod";
import type { Endpoint } from "./endpoint.ts";
import { isVariableName, refuseKeys } from "./secrets.ts";
import { optional } from "./wire.ts";

const dollars = z.number().min(0);
const EndpointEntry = z.strictObject({
  name: z.string().min(1).describe("what --model takes"),
  model: z.string().min(1).exactOptional().describe("what the server calls it; the name unless told"),
  baseUrl: z.url({ protocol: /^https?$/ }).describe("usually ends in /v1"),
  key: z.string().exactOptional().describe("name of the environment variable that holds the key"),
  dialect: z.enum(["chat", "responses", "messages", "completions"]).default("chat"),
  headers: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe("sent with every request; ${NAME} is filled in from the environment"),
  price: z
    .strictObject({ input: dollars, output: dollars, cached: dollars.exactOptional() })
    .exactOptional()
    .describe("US dollars per million tokens"),
  timeoutSeconds: z.number().positive().exactOptional().describe("for one attempt"),
  maxAttempts: z.int().positive().exactOptional(),
  maxConnections: z.int().positive().exactOptional(),
  tokens: z.boolean().exactOptional().describe("ask for token ids and logprobs (vLLM)"),
  stream: z.boolean().exactOptional(),
  maxTokensField: z.enum(["max_tokens", "max_completion_tokens"]).exactOptional(),
  sendReasoning: z.boolean().exactOptional().describe("give the reasoning of earlier turns back"),
});
const EndpointsFile = z.strictObject({ endpoint: z.array(EndpointEntry).default([]) });

export interface LoadEndpointsOptions {
  /** Without it: endpoints.toml in the working directory, if there is one. */
  readonly files?: readonly string[];
  /** Where relative paths start. */
  readonly cwd?: string;
}

/** In the order of the files. Throws a HoneError that shows the place, and never a key. */
export async function loadEndpoints(options: LoadEndpointsOptions = {}): Promise<readonly Endpoint[]> {
  const cwd = options.cwd ?? process.cwd();
  const files = options.files ?? (existsSync(resolve(cwd, "endpoints.toml")) ? ["endpoints.toml"] : []);
  const byName = new Map<string, Endpoint>();
  for (const path of files) {
    const source = await readFile(resolve(cwd, path), "utf8").then(
      (text): ConfigText => ({ path, text }),
      () => undefined,
    );
    if (source !== undefined) refuseKeys(source.text, path);
    // A file that could not be read is named to the reader of configurations, which says why.
    const { value } = await readConfig({ schema: EndpointsFile, files: [source ?? path], cwd });
    for (const endpoint of endpointsOf(value.endpoint, path)) byName.set(endpoint.name, endpoint);
  }
  return [...byName.values()];
}

function endpointsOf(entries: z.output<typeof EndpointsFile>["endpoint"], file: string): readonly Endpoint[] {
  const names = new Set<string>();
  return entries.map((entry) => {
    if (names.has(entry.name)) {
      throw new HoneError(`${file} has two endpoints named \`${entry.name}\`.`, {
        code: "config",
        hint: "Give one of them another name.",
      });
    }
    names.add(entry.name);
    return endpointOf(entry, file);
  });
}

function endpointOf(entry: z.output<typeof EndpointEntry>, file: string): Endpoint {
  const { timeoutSeconds, model, ...rest } = entry;
  if (entry.key !== undefined && !isVariableName(entry.key)) {
    throw new HoneError(`${file}: \`key\` of endpoint \`${entry.name}\` is not the name of an environment variable.`, {
      code: "key-in-file",
      hint: 'Write the name of the variable that holds the key: key = "OPENAI_API_KEY".',
    });
  }
  return {
    ...rest,
    model: model ?? entry.name,
    ...optional("timeoutMs", timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000),
  };
}
