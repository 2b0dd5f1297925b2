// From a server's description to a transport for the MCP client: a program on the host, a program in the rollout's sandbox, or an address.
import { boundary, HoneError, type Sandbox, type SandboxJob, type StartOptions } from "@hone/core";
import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import { type HostJob, startOnHost } from "./host-job.ts";
import { sandboxTransport } from "./job-transport.ts";
import { clientPackage } from "./packages.ts";
import { isHttp, type McpServerOptions, type ProgramServer } from "./servers.ts";

export interface Opened {
  readonly transport: Transport;
  /** Of the program, where there is one and it has ended. */
  exitCode(): number | undefined;
  /** The end of what it said on standard error. */
  notes(): string;
  /** Never fails, and takes at most a few seconds. */
  close(): Promise<void>;
}
export interface OpenOptions {
  readonly sandbox: Sandbox | undefined;
  /** Whether an open connection alone keeps this program running. */
  readonly keepsAlive: boolean;
}

/** A sandbox cannot close a job's input; there the first step of ending is a signal. */
type StartedJob = SandboxJob & Partial<Pick<HostJob, "endInput">>;

const notesCharacters = 1000;
const goodbyeMs = 1000;

export async function openTransport(server: McpServerOptions, { sandbox, keepsAlive }: OpenOptions): Promise<Opened> {
  if (isHttp(server)) {
    const { StreamableHTTPClientTransport } = await clientPackage();
    const requestInit = { headers: { ...server.headers } };
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit, fetch: fetchAnswersOnly });
    const close = async (): Promise<void> => {
      const timer = setTimeout(() => void transport.close(), goodbyeMs);
      await transport.terminateSession().catch(() => undefined); // it frees what the server holds for us
      clearTimeout(timer);
      await transport.close();
    };
    return { transport, exitCode: () => undefined, notes: () => "", close };
  }
  let said = "";
  const onNote = (text: string): void => {
    said = (said + text).slice(-notesCharacters);
  };
  const isHost = server.inSandbox !== true;
  const job: StartedJob = isHost ? await startOnHost(server, { keepsAlive }) : await startInSandbox(server, sandbox);
  const { endInput } = job;
  const transport = sandboxTransport(job, { onNote, ...(endInput === undefined ? {} : { askToEnd: endInput }) });
  let ended: number | undefined;
  job.ended.then(
    (code) => (ended = code),
    () => undefined,
  );
  return { transport, exitCode: () => ended, notes: () => said.trim(), close: () => transport.close() };
}

function startInSandbox(server: ProgramServer, sandbox: Sandbox | undefined): Promise<SandboxJob> {
  if (sandbox === undefined) {
    throw new HoneError("An MCP server is to run in the sandbox, but the environment declares none.", {
      code: "mcp-options",
      hint: "Give the environment `sandbox: {}`.",
    });
  }
  return boundary("sandbox", () => sandbox.start(commandLine(server), startOptions(server)));
}

function startOptions({ env, cwd }: ProgramServer): StartOptions {
  return { ...(env === undefined ? {} : { env }), ...(cwd === undefined ? {} : { cwd }) };
}

/** `exec`, so that a signal reaches the server and not a shell around it. */
export function commandLine({ command, args = [] }: ProgramServer): string {
  return `exec ${[command, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ")}`;
}

/**
 * Tools need answers, not the stream of notifications that a client may open beside them: it would hold a socket per rollout and keep
 * this program running. A GET with an event id goes on with an answer that was cut off, and is let through.
 */
const fetchAnswersOnly: FetchLike = async (url, init) => {
  const isNotifications = init?.method === "GET" && !new Headers(init.headers).has("last-event-id");
  return isNotifications ? new Response(null, { status: 405 }) : fetch(url, init);
};
