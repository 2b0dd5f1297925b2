// A server that outlives its connections: connected to when first needed, again after it died. One per rollout, or one for all rollouts.
import { BoundaryError, HoneError } from "@hone/core";
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { abortable } from "../rollout/abort.ts";
import { connect, type Connection, type ConnectOptions } from "./connection.ts";

export interface LinkOptions extends Omit<ConnectOptions, "signal" | "keepsAlive"> {
  readonly isShared: boolean;
}
export interface Answered {
  readonly result: CallToolResult;
  /** What the server held in memory before this call is gone. */
  readonly isRestarted: boolean;
}

export class ServerLink implements AsyncDisposable {
  readonly #options: LinkOptions;
  readonly #closed = new AbortController();
  #current: Promise<Connection> | undefined;
  #starts = 0;
  #startsSeen = 1;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  async tools(signal: AbortSignal): Promise<readonly Tool[]> {
    return (await this.#open(signal)).tools;
  }

  /** A server that cannot be started again is no mistake of the model: that error leaves the rollout. */
  async call(tool: Tool, input: Record<string, unknown>, signal: AbortSignal): Promise<Answered> {
    for (let attempt = 0; ; attempt++) {
      const connection = await this.#open(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new BoundaryError("tool", error);
      });
      const isRestarted = !this.#options.isShared && this.#starts > this.#startsSeen;
      this.#startsSeen = this.#starts;
      try {
        return { result: await connection.call(tool.name, input, signal), isRestarted };
      } catch (error) {
        const isLost = HoneError.is(error) && error.code === "mcp-lost";
        if (!isLost || attempt > 0 || !this.#options.isShared || !mayRepeat(tool)) throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new HoneError(`The MCP server ${this.#options.name} was closed.`, { code: "mcp-closed" }));
    const connection = await this.#current?.catch(() => undefined);
    await connection?.[Symbol.asyncDispose]();
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const current = this.#current;
    if (current !== undefined) {
      const connection = await abortable(current, signal);
      if (connection.isOpen) return connection;
    }
    // Others may have seen the dead connection too: the first of them replaces it.
    if (this.#current === current) this.#current = this.#start();
    return abortable(this.#current as Promise<Connection>, signal);
  }

  /** Not with the signal of one rollout: others may be waiting for the same connection. */
  #start(): Promise<Connection> {
    this.#starts++;
    const started = connect({ ...this.#options, keepsAlive: !this.#options.isShared, signal: this.#closed.signal });
    started.catch(() => {
      if (this.#current === started) this.#current = undefined;
    });
    return started;
  }
}

/** The server may have done it before it died. Repeated unless it says that doing it twice makes a difference. */
function mayRepeat({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint !== false;
}
