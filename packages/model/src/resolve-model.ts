// A model's name to its endpoint: endpoints.toml first, then `provider/model`, then any name on a server given by its URL.
import { nearest } from "@hone/config";
import { HoneError } from "@hone/core";
import type { DialectName, Endpoint } from "./endpoint.ts";
import { providers } from "./providers.ts";
import { isVariableName } from "./secrets.ts";
import { optional } from "./wire.ts";

export interface ResolveModelOptions {
  /** From `loadEndpoints`. */
  readonly endpoints?: readonly Endpoint[];
  /** Another server than the endpoint's own. Its key and headers do not go there: name the variable in `key` if it wants one. */
  readonly baseUrl?: string;
  readonly key?: string;
  readonly dialect?: DialectName;
  /** Further names that the caller understands, for "did you mean". */
  readonly known?: readonly string[];
}

/** Throws a HoneError with the nearest name when it knows no such model. */
export function resolveModel(name: string, options: ResolveModelOptions = {}): Endpoint {
  const { endpoints = [], baseUrl, key, dialect } = options;
  if (key !== undefined && !isVariableName(key)) {
    throw new HoneError("the key is given by the name of an environment variable, not by itself", {
      code: "key-in-file",
      hint: "Write the name of the variable, OPENAI_API_KEY for example.",
    });
  }
  const found = endpoints.find((endpoint) => endpoint.name === name) ?? fromProvider(name);
  if (found === undefined && baseUrl === undefined) throw unknownModel(name, options);
  const own: Endpoint = found ?? { name, model: name, baseUrl: baseUrl ?? "", dialect: "chat" };
  return {
    ...(baseUrl === undefined ? own : movedTo(baseUrl, own)),
    ...optional("key", key),
    ...optional("dialect", dialect),
  };
}

function fromProvider(name: string): Endpoint | undefined {
  const slash = name.indexOf("/");
  const provider = providers.get(name.slice(0, Math.max(0, slash)));
  const model = name.slice(slash + 1);
  return provider === undefined || model === "" ? undefined : { ...provider, name, model };
}

/** A key is meant for one server. Sent to another, it is given away. */
function movedTo(baseUrl: string, endpoint: Endpoint): Endpoint {
  if (originOf(baseUrl) === originOf(endpoint.baseUrl)) return { ...endpoint, baseUrl };
  const { key: _key, headers: _headers, ...rest } = endpoint;
  return { ...rest, baseUrl };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function unknownModel(name: string, { endpoints = [], known = [] }: ResolveModelOptions): HoneError {
  const names = [...endpoints.map((endpoint) => endpoint.name), ...known];
  const slash = name.indexOf("/");
  const provider = slash < 0 ? undefined : nearest(name.slice(0, slash), providers.keys());
  const meant = nearest(name, names) ?? (provider === undefined ? undefined : provider + name.slice(slash));
  const example = meant ?? `openai/${name.slice(slash + 1)}`;
  return new HoneError(`there is no model \`${name}\`.${meant === undefined ? "" : ` Did you mean \`${meant}\`?`}`, {
    code: "unknown-model",
    hint: `Try --model ${example}, add a [[endpoint]] named "${name}" to endpoints.toml, or name its server with --base-url. Providers: ${[...providers.keys()].join(", ")}.`,
  });
}
