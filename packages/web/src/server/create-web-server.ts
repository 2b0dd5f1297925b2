// The server behind `hone web`: the built page, and JSON about the runs under one root. It reads run directories and nothing else, binds loopback
// unless it is given a token, and never signals a process.
import { stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { HoneError } from "@hone/core";
import { type ServerType, serve } from "@hono/node-server";
import { Hono } from "hono";
import { createApi } from "./api.ts";
import { type Asset, readAssets } from "./assets.ts";
import { checkExposure, guard, isLoopback } from "./guard.ts";
import type { TokenTexts } from "./read-tokens.ts";
import { RunViews } from "./run-views.ts";

export interface WebServerOptions {
  /** The folder that holds `runs/` and `evals/`. */
  readonly root: string;
  /** 127.0.0.1 unless given; anything that is not loopback needs a token. */
  readonly host?: string;
  /** A free one unless given. */
  readonly port?: number;
  readonly token?: string;
  /** What token ids of a model say. Without it the token view shows ids. */
  readonly tokenTexts?: TokenTexts;
  /** Where the built page lies; that of this package unless given. */
  readonly assets?: string;
  readonly now?: () => number;
}

export interface WebServer {
  /** With the token, when there is one. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const builtAssets = fileURLToPath(new URL("../../assets", import.meta.url));
/** Addresses of the page itself; everything else that is not a file or the API is not found. */
const pages = /^\/(?:|(?:runs|evals)(?:\/.*)?)$/;

export async function createWebServer(options: WebServerOptions): Promise<WebServer> {
  const { root, host = "127.0.0.1", port = 0, token, tokenTexts, now = Date.now } = options;
  checkExposure({ host, token });
  await checkRoot(root);
  const assets = await readAssets(options.assets ?? builtAssets);
  const ending = new AbortController();
  const app = new Hono();
  app.use(guard({ host, token }));
  app.use("/api/*", async (context, next) => {
    await next();
    context.header("Cache-Control", "no-store");
  });
  const views = new RunViews(root, now);
  app.route("/api", createApi({ root, views, tokenTexts, now, signal: ending.signal }));
  app.get("*", (context) => {
    const { pathname } = new URL(context.req.url);
    const asset = assets.get(pages.test(pathname) ? "/index.html" : pathname);
    if (asset === undefined) return context.json({ error: "There is nothing here." }, 404);
    return respond(asset, context.req.header("accept-encoding") ?? "", pathname.startsWith("/assets/"));
  });
  const { server, address } = await listen(app, host, port);
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  const shown = isLoopback(host) || !["0.0.0.0", "::"].includes(host) ? name : "127.0.0.1";
  return {
    url: `http://${shown}:${address.port}/${token === undefined ? "" : `?token=${encodeURIComponent(token)}`}`,
    close: () =>
      new Promise((resolve) => {
        ending.abort();
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

async function checkRoot(root: string): Promise<void> {
  const isFolder = await stat(root).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isFolder === true) return;
  throw new HoneError(isFolder === undefined ? `There is no folder ${root}.` : `${root} is no folder.`, {
    code: "no-root",
    hint: "Name the folder that holds runs/ and evals/.",
  });
}

function respond({ type, bytes, gzipped }: Asset, accepts: string, isNamedByContent: boolean): Response {
  const isGzip = /\bgzip\b/.test(accepts);
  return new Response(isGzip ? gzipped : bytes, {
    headers: {
      "Content-Type": type,
      "Cache-Control": isNamedByContent ? "public, max-age=31536000, immutable" : "no-cache",
      Vary: "Accept-Encoding",
      ...(isGzip ? { "Content-Encoding": "gzip" } : {}),
    },
  });
}

function listen(app: Hono, hostname: string, port: number): Promise<{ server: ServerType; address: AddressInfo }> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname, port }, (address) => resolve({ server, address }));
    server.once("error", (cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const isBusy = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
      const hint = isBusy
        ? "Another program uses this port, perhaps a page of yours that is still open: choose another, or 0 for a free one."
        : "Choose another host or port; 0 takes a free one.";
      reject(new HoneError(`Cannot listen on ${hostname}:${port}: ${reason}`, { code: "listen", hint, cause }));
    });
  });
}
