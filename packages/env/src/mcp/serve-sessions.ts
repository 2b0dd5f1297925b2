// The sessions of an MCP server of ours: a toolset and a protocol server each, opened together and ended together.
import type { McpServer } from "@modelcontextprotocol/server";
import { addCallback } from "./callbacks.ts";
import { createToolServer } from "./tool-server.ts";
import type { ToolSource } from "./tool-source.ts";

export interface Served extends AsyncDisposable {
  /** For HTTP. */
  readonly url: string | undefined;
  /** When the client has gone (stdio) or the server was closed (both), and all sessions have ended. */
  readonly closed: Promise<void>;
}

export interface ServedSession {
  readonly server: McpServer;
  /** Puts the toolset away. Closing the server does it too, once it was connected. */
  readonly end: () => Promise<void>;
}

export class ServedSessions {
  readonly #source: ToolSource;
  readonly #identity: { readonly name: string; readonly version?: string };
  readonly #alive = new Set<Promise<void>>();

  constructor(source: ToolSource, identity: { readonly name: string; readonly version?: string }) {
    this.#source = source;
    this.#identity = identity;
  }

  async open(): Promise<ServedSession> {
    const opening = this.#open();
    const life = opening.then(
      ({ ended }) => ended,
      () => undefined,
    );
    this.#alive.add(life);
    void life.then(() => this.#alive.delete(life));
    return opening;
  }

  /** All that were opened, also those that were being opened, have put everything away. */
  async ended(): Promise<void> {
    await Promise.all(this.#alive);
  }

  async #open(): Promise<ServedSession & { readonly ended: Promise<void> }> {
    const toolset = await this.#source();
    const server = await createToolServer({ ...this.#identity, toolset });
    let end: () => Promise<void> = () => Promise.resolve();
    const ended = new Promise<void>((resolve) => {
      end = async () => {
        await Promise.resolve(toolset[Symbol.asyncDispose]()).catch(() => undefined);
        resolve();
      };
    });
    addCallback(server.server, "onclose", () => void end());
    return { server, end, ended };
  }
}
