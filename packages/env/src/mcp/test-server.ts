// For tests: a real MCP server as a program, over stdio or HTTP, that also misbehaves: it crashes, hangs, ignores signals, prints noise.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const { resolve } = createRequire(import.meta.url);

const program = `
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import * as z from ${JSON.stringify(resolve("zod"))};
import * as server from ${JSON.stringify(resolve("@modelcontextprotocol/server"))};
import * as stdio from ${JSON.stringify(resolve("@modelcontextprotocol/server/stdio"))};

const flags = process.argv.slice(2);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const png = "iVBORw0KGgo=";
let calls = 0;
let child;
if (process.env.PID_FILE !== undefined) writeFileSync(process.env.PID_FILE, String(process.pid));
if (flags.includes("--child")) child = spawn("sleep", ["600"], { stdio: "ignore" });
if (flags.includes("--stubborn")) {
  setInterval(() => {}, 1000);
  for (const name of ["SIGTERM", "SIGINT"]) process.on(name, () => {});
}
if (flags.includes("--fail")) {
  process.stderr.write("no configuration, key " + process.env.API_KEY + "\\n");
  process.exit(3);
}
if (flags.includes("--silent")) setInterval(() => {}, 1000);
if (flags.includes("--noise")) process.stdout.write("Starting...\\n[1, 2]\\n{\\n");

function create() {
  const made = new server.McpServer({ name: "test", version: "1.0.0" });
  const tool = (name, shape, run, more = {}) =>
    made.registerTool(name, { description: "Does " + name + ".", inputSchema: z.object(shape), ...more }, run);
  tool("echo", { text: z.string(), times: z.int().default(1) }, ({ text: said, times }) => text(said.repeat(times)));
  tool("environment", {}, () => text(JSON.stringify(process.env)));
  tool("count", {}, () => text(String(++calls)));
  tool("pids", {}, () => text(JSON.stringify([process.pid, child?.pid].filter(Boolean))));
  tool("add", { a: z.number(), b: z.number() }, ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }), {
    outputSchema: z.object({ sum: z.number() }),
  });
  tool("picture", {}, () => ({ content: [{ type: "text", text: "a dot" }, { type: "image", data: png, mimeType: "image/png" }] }));
  tool("link", {}, () => ({
    content: [
      { type: "resource_link", name: "notes", uri: "file:///notes.txt", description: "mine" },
      { type: "resource", resource: { uri: "file:///a.txt", text: "embedded" } },
    ],
  }));
  tool("wrong", {}, () => ({ ...text("sold out"), isError: true }));
  tool("throws", {}, () => {
    throw new Error("broken inside");
  });
  tool("hang", { busy: z.boolean() }, ({ busy }) => {
    while (busy);
    return new Promise(() => {});
  });
  tool("crash", {}, () => process.exit(7));
  tool("crash_later", {}, () => new Promise(() => setTimeout(() => process.exit(7), 100)));
  tool("crash_once", { marker: z.string() }, ({ marker }) => {
    if (existsSync(marker)) return text("survived");
    writeFileSync(marker, "");
    process.exit(7);
  });
  tool("crash_once_unsafe", { marker: z.string() }, ({ marker }) => {
    if (existsSync(marker)) return text("done twice");
    writeFileSync(marker, "");
    process.exit(7);
  }, { annotations: { readOnlyHint: false, idempotentHint: false } });
  tool("dotted.name", {}, () => text("dotted"));
  return made;
}

if (flags.includes("--http")) {
  const handler = server.createMcpHandler(create, { legacy: flags.includes("--modern") ? "reject" : "stateless" });
  const http = createServer(async (incoming, outgoing) => {
    const { method, headers } = incoming;
    if (process.env.TOKEN !== undefined && headers.authorization !== "Bearer " + process.env.TOKEN) {
      outgoing.writeHead(401).end("no entry for " + headers.authorization);
      return;
    }
    const body = method === "POST" ? { body: Readable.toWeb(incoming), duplex: "half" } : {};
    const response = await handler.fetch(new Request("http://127.0.0.1/mcp", { method, headers, ...body }));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) outgoing.end();
    else Readable.fromWeb(response.body).pipe(outgoing);
  });
  http.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(http.address().port));
} else if (!flags.includes("--silent")) {
  stdio.serveStdio(create, { legacy: flags.includes("--modern") ? "reject" : "serve" });
}
`;

export interface TestServers extends AsyncDisposable {
  readonly folder: string;
  /** `node <program> ...flags`, for `servers`. */
  stdio(...flags: string[]): { readonly command: string; readonly args: readonly string[] };
  http(options?: HttpTestOptions): Promise<HttpTestServer>;
}
export interface HttpTestOptions {
  readonly flags?: readonly string[];
  readonly port?: number;
  readonly token?: string;
}
export interface HttpTestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

export async function testServers(): Promise<TestServers> {
  const folder = await mkdtemp(join(tmpdir(), "hone-mcp-"));
  const path = join(folder, "server.mjs");
  await writeFile(path, program);
  const running: HttpTestServer[] = [];
  return {
    folder,
    stdio: (...flags) => ({ command: process.execPath, args: [path, ...flags] }),
    http: async (options) => {
      const server = await startHttp(path, options);
      running.push(server);
      return server;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((server) => server[Symbol.asyncDispose]()));
      await rm(folder, { recursive: true });
    },
  };
}

async function startHttp(path: string, { flags = [], port = 0, token }: HttpTestOptions = {}): Promise<HttpTestServer> {
  const env = { ...process.env, PORT: String(port), ...(token === undefined ? {} : { TOKEN: token }) };
  const child = spawn(process.execPath, [path, "--http", ...flags], { env, stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const bound = await new Promise<number>((done) => {
    createInterface(child.stdout).once("line", (line) => done(Number(line)));
  });
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    port: bound,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** A zombie has ended: it only waits for its parent to notice. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return process.platform !== "linux";
  }
}
