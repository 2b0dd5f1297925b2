// MLflow's REST interface (version 2.0): one request, its answer checked, its refusals told apart. Credentials come from the environment or from the
// address, go into one header, and are in no error.
import { HoneError } from "@hone/core";
import * as z from "zod";
import { errorCode } from "../disk-error.ts";
import { type Environment, withoutCredentials } from "./secrets.ts";
import { awayError, refusedError } from "./sink.ts";

const requestMs = 15_000;
const mostAnswerBytes = 1_000_000;

export interface MlflowRequest<Value> {
  readonly method: "GET" | "POST";
  /** After `api/2.0/mlflow/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly answer: z.ZodType<Value>;
  readonly signal: AbortSignal;
}

export class MlflowApi {
  /** As it may be shown. */
  readonly uri: string;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(trackingUri: string, env: Environment) {
    const base = new URL(trackingUri);
    const authorization = authorizationOf(base, env);
    base.username = "";
    base.password = "";
    base.search = "";
    base.hash = "";
    this.#base = base;
    this.uri = base.href.replace(/\/$/, "");
    this.#headers = { "content-type": "application/json", ...(authorization !== undefined && { authorization }) };
  }

  async ask<Value>({ method, path, query, body, answer, signal }: MlflowRequest<Value>): Promise<Value> {
    const url = new URL(`${this.#base.pathname.replace(/\/$/, "")}/api/2.0/mlflow/${path}`, this.#base);
    url.search = new URLSearchParams(query).toString();
    const { status, text } = await this.#fetch(url, method, body, signal);
    if (status < 200 || status > 299) throw this.#problem(path, status, text);
    const result = answer.safeParse(parsed(text));
    if (result.success) return result.data;
    throw awayError(
      `${this.uri} does not answer as MLflow does (${path}: ${text.slice(0, 80).replaceAll(/\s+/g, " ")})`,
    );
  }

  async #fetch(
    url: URL,
    method: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const timeout = AbortSignal.timeout(requestMs);
    try {
      const response = await fetch(url, {
        method,
        headers: this.#headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A key must not follow to another host, and a POST that is redirected loses its body.
        redirect: "manual",
        signal: AbortSignal.any([signal, timeout]),
      });
      return { status: response.status, text: await boundedText(response) };
    } catch (error) {
      signal.throwIfAborted();
      const why = timeout.aborted ? `no answer within ${requestMs / 1000} s` : reasonOf(error);
      throw awayError(`cannot reach MLflow at ${this.uri}: ${why}`, error);
    }
  }

  #problem(path: string, status: number, text: string): HoneError {
    const answer = MlflowFailure.safeParse(parsed(text));
    const code = answer.data?.error_code;
    const said = withoutCredentials(answer.data?.message ?? text)
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, 300);
    const message = `MLflow at ${this.uri} answered ${status} to ${path}${said === "" ? "" : `: ${said}`}`;
    if (code === "RESOURCE_DOES_NOT_EXIST") return new HoneError(message, { code: "mlflow-missing" });
    if (code === "RESOURCE_ALREADY_EXISTS") return awayError(message);
    if (status === 401 || status === 403) return new HoneError(message, { code: "sink-key", hint: keyHint });
    if (status === 408 || status === 429 || status >= 500) return awayError(message);
    if (status === 400 || status === 413) return refusedError(message);
    return new HoneError(message, { code: "sink-usage", hint: "Check tracking_uri under [mlflow]." });
  }
}

const keyHint =
  "Set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, in the environment.";

const MlflowFailure = z.object({ error_code: z.string().exactOptional(), message: z.string().exactOptional() });

/** The order of MLflow's own client: name and password, then the token; an address that carries its own comes last. */
function authorizationOf({ username, password }: URL, env: Environment): string | undefined {
  const name = env["MLFLOW_TRACKING_USERNAME"];
  const word = env["MLFLOW_TRACKING_PASSWORD"];
  const token = env["MLFLOW_TRACKING_TOKEN"];
  if (name !== undefined && word !== undefined) return basic(name, word);
  if (token !== undefined) return `Bearer ${token}`;
  return username === "" ? undefined : basic(decodeURIComponent(username), decodeURIComponent(password));
}

function basic(name: string, word: string): string {
  return `Basic ${Buffer.from(`${name}:${word}`).toString("base64")}`;
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    size += piece.length;
    if (size > mostAnswerBytes) throw new Error("the answer is too long");
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** "fetch failed" says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? (cause instanceof Error ? cause.message : String(error));
}
