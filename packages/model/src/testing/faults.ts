// What can go wrong between a server and a client, on purpose. Each fault takes the answer that would have been sent and spoils it.
import type { ServerResponse } from "node:http";

export type Fault =
  /** Takes the request and says nothing. */
  | { readonly type: "hang" }
  /** Status 200 and a page of HTML. */
  | { readonly type: "garbage" }
  /** Half of the answer, then the connection is gone. */
  | { readonly type: "cut" }
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** The answer byte by byte. */
  | { readonly type: "drip"; readonly everyMs: number }
  /** Bytes as fast as they are taken, for ever. */
  | { readonly type: "endless" };

/** One for each request in the order of arrival, undefined for a good answer; a list that is over means good answers. */
export type Faults = readonly (Fault | undefined)[] | ((requestIndex: number) => Fault | undefined);

export function faultFor(faults: Faults | undefined, requestIndex: number): Fault | undefined {
  return typeof faults === "function" ? faults(requestIndex) : faults?.[requestIndex];
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Written one after the other. */
  readonly pieces: readonly string[];
}

export function sendAnswer(response: ServerResponse, { status, headers, pieces }: Answer): void {
  const [only = ""] = pieces;
  response.writeHead(status, pieces.length > 1 ? headers : { ...headers, "content-length": Buffer.byteLength(only) });
  if (pieces.length > 1) for (const piece of pieces) response.write(piece);
  response.end(pieces.length > 1 ? undefined : only);
}

export function sendSpoilt(response: ServerResponse, fault: Fault, answer: Answer): void {
  const bytes = Buffer.from(answer.pieces.join(""));
  switch (fault.type) {
    case "hang":
      return;
    case "garbage":
      return sendAnswer(response, { status: 200, headers: { "content-type": "text/html" }, pieces: [page] });
    case "status": {
      const headers = { "content-type": "application/json", ...fault.headers };
      return sendAnswer(response, { status: fault.status, headers, pieces: [fault.body ?? errorBody(fault.status)] });
    }
    case "cut":
      response.writeHead(answer.status, answer.headers);
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
      return;
    case "drip":
      response.writeHead(answer.status, answer.headers);
      return drip(response, bytes, fault.everyMs);
    case "endless":
      response.writeHead(answer.status, answer.headers);
      return flood(response);
  }
}

const page = "<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>";

function errorBody(status: number): string {
  return JSON.stringify({ error: { message: `status ${status} on purpose`, type: "server_error", code: null } });
}

function drip(response: ServerResponse, bytes: Buffer, everyMs: number): void {
  let next = 0;
  const timer = setInterval(() => {
    if (next >= bytes.length) response.end();
    else response.write(bytes.subarray(next, ++next));
  }, everyMs);
  response.once("close", () => clearInterval(timer));
}

function flood(response: ServerResponse): void {
  const blank = " ".repeat(65_536);
  const more = (): void => {
    if (response.destroyed) return;
    if (response.write(blank)) setImmediate(more);
    else response.once("drain", more);
  };
  more();
}
