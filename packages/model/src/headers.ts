// Request headers: fixed ones once per client, the session's per request. Here, and only here, a key is read from the environment.
import { HoneError, type ModelSession } from "@hone/core";
import type { Dialect } from "./dialect/dialect.ts";
import type { Endpoint } from "./endpoint.ts";
import { isVariableName } from "./secrets.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface RequestHeaders {
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  /** Values that must not show anywhere. */
  readonly secrets: readonly string[];
}

export function requestHeaders(endpoint: Endpoint, dialect: Dialect, env: Environment): RequestHeaders {
  const key = endpoint.key === undefined ? undefined : variable(endpoint.key, endpoint, env);
  const secrets = key === undefined ? [] : [key];
  const own = Object.entries(endpoint.headers ?? {}).map(([name, value]) => {
    const filled = value.replaceAll(/\$\{(\w+)\}/g, (_whole, from: string) => {
      const secret = variable(from, endpoint, env);
      secrets.push(secret);
      return secret;
    });
    return [name.toLowerCase(), filled] as const;
  });
  const all = new Map<string, string>([
    ["content-type", "application/json"],
    ["accept", endpoint.stream === true ? "text/event-stream" : "application/json"],
    ["accept-encoding", "identity"],
    ["user-agent", "hone"],
    ...Object.entries(dialect.headers(key)),
    ...own,
  ]);
  return { headers: [...all].flat(), secrets };
}

function variable(name: string, endpoint: Endpoint, env: Environment): string {
  if (!isVariableName(name)) {
    throw new HoneError(`the key of ${endpoint.name} is given by something that names no environment variable`, {
      code: "key-in-file",
      hint: "An endpoint holds the name of the variable, OPENAI_API_KEY for example, never the key.",
    });
  }
  const value = env[name]?.trim();
  if (value !== undefined && value !== "") return value;
  throw new HoneError(`${endpoint.name} needs the environment variable ${name}, which is not set`, {
    code: "missing-key",
    hint: `Set it (export ${name}=...), or put it into a file and name that with env_file.`,
  });
}

/** Keeps a rollout on one replica, where its prefix is cached. */
export function sessionHeader(session: ModelSession | undefined): readonly string[] {
  return session === undefined ? [] : ["x-session-id", encodeURI(session.rollout)];
}
