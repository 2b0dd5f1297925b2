// The official MCP packages are optional peers: loaded when a server is connected to or served, and asked for by name when they are missing.
import { HoneError } from "@hone/core";
import type * as clientModule from "@modelcontextprotocol/client";
import type * as serverModule from "@modelcontextprotocol/server";
import type * as serverStdioModule from "@modelcontextprotocol/server/stdio";

export type ClientPackage = typeof clientModule;
export type ServerPackage = typeof serverModule;
export type ServerStdioPackage = typeof serverStdioModule;

export function clientPackage(load = () => import("@modelcontextprotocol/client")): Promise<ClientPackage> {
  return found("@modelcontextprotocol/client", load);
}

export function serverPackage(load = () => import("@modelcontextprotocol/server")): Promise<ServerPackage> {
  return found("@modelcontextprotocol/server", load);
}

export function serverStdioPackage(
  load = () => import("@modelcontextprotocol/server/stdio"),
): Promise<ServerStdioPackage> {
  return found("@modelcontextprotocol/server", load);
}

async function found<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new HoneError(`Tools over MCP need the package ${name}, which is not installed.`, {
      code: "missing-package",
      hint: `npm install ${name}@2.4.0`,
      cause,
    });
  }
}
