// A server that stands in for the E2B service: the part of its protocol that the official package speaks (REST for sandboxes and files, Connect with JSON for
// programs), with real programs and real files behind it, seen through bubblewrap. It isolates nothing.
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const fakeKey = "e2b_0123456789abcdef";

export interface FakeE2B extends AsyncDisposable {
  readonly url: string;
  /** Bodies of the requests for sandboxes. */
  readonly created: readonly Record<string, unknown>[];
  readonly open: () => readonly string[];
  /** As if its time were up. */
  readonly end: (id: string) => void;
}

interface Body {
  readonly path?: string;
  readonly depth?: number;
  readonly process?: {
    readonly pid?: number;
    readonly cwd?: string;
    readonly envs?: Record<string, string>;
    readonly args?: readonly string[];
  };
  readonly stdin?: boolean;
  readonly input?: { readonly stdin?: string };
  readonly signal?: string;
}

class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export async function fakeE2B(): Promise<FakeE2B> {
  const folder = mkdtempSync(join(tmpdir(), "hone-fake-e2b-"));
  const created: Record<string, unknown>[] = [];
  const programs = new Map<number, ChildProcess>();
  const place = (id: string): string => join(folder, id);
  const end = (id: string): void => {
    for (const child of programs.values()) if (child.spawnargs.includes(join(place(id), "work"))) kill(child);
    rmSync(place(id), { recursive: true, force: true });
  };
  /** Where a path of the sandbox is here. Only /work and /tmp are kept. */
  const locate = (id: string, path: string): string => {
    const match = /^\/(work|tmp)(\/[\s\S]*)?$/.exec(path);
    if (match === null) throw new Refusal("not_found", `path not found: ${path}`);
    return join(place(id), match[1] ?? "", match[2] ?? "");
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const content = await bodyOf(request);
    const json = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (url.pathname === "/v2/sandboxes") {
      if (request.headers["x-api-key"] !== fakeKey)
        return json(401, { code: 401, message: `bad key ${String(request.headers["x-api-key"])}` });
      const id = `box${created.length}`;
      for (const inner of ["work", "tmp"]) mkdirSync(join(place(id), inner), { recursive: true });
      created.push(JSON.parse(content.toString()) as Record<string, unknown>);
      return json(201, { sandboxID: id, templateID: "base", clientID: "c", envdVersion: "0.6.4" });
    }
    const [, , named, verb] = url.pathname.split("/");
    if (url.pathname.startsWith("/sandboxes/")) {
      if (verb !== "timeout") end(named ?? "");
      return void response.writeHead(204).end();
    }
    const id = String(request.headers["e2b-sandbox-id"]);
    if (!existsSync(place(id))) return json(502, { code: "unavailable", message: "The sandbox was not found" });
    if (url.pathname === "/health") return void response.writeHead(204).end();
    try {
      if (url.pathname === "/files") files(request, response, locate(id, url.searchParams.get("path") ?? ""), content);
      else if (url.pathname.endsWith("/Start")) start(id, JSON.parse(content.subarray(5).toString()) as Body, response);
      else json(200, unary(id, url.pathname, JSON.parse(content.toString()) as Body));
    } catch (error) {
      const code = error instanceof Refusal ? error.code : "internal";
      const status = { not_found: 404, invalid_argument: 400 }[code] ?? 500;
      json(status, { code: url.pathname === "/files" ? status : code, message: String(error) });
    }
  };

  const files = (request: IncomingMessage, response: ServerResponse, path: string, content: Buffer): void => {
    if (request.method === "POST") {
      if (existsSync(path) && lstatSync(path).isDirectory())
        throw new Refusal("invalid_argument", "path is a directory");
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, content);
      } catch {
        throw new Refusal("invalid_argument", "a part of the path is no folder");
      }
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify([{ name: "x", path, type: "file" }]));
      return;
    }
    if (!existsSync(path)) throw new Refusal("not_found", "path not found");
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(readFileSync(path));
  };

  const entry = (id: string, path: string): Record<string, unknown> => {
    const real = locate(id, path);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const info = lstatSync(real, { throwIfNoEntry: false });
    if (info === undefined) throw new Refusal("not_found", `path not found: ${path}`);
    const type = info.isDirectory() ? "FILE_TYPE_DIRECTORY" : "FILE_TYPE_FILE";
    const link = info.isSymbolicLink() ? { symlinkTarget: readlinkSync(real) } : {};
    return {
      name,
      path,
      type,
      size: String(info.size),
      mode: 420,
      permissions: "-rw-r--r--",
      owner: "u",
      group: "u",
      ...link,
    };
  };

  const below = (id: string, path: string, depth: number): Record<string, unknown>[] => {
    const names = readdirSync(locate(id, path));
    return names.flatMap((name) => {
      const found = entry(id, `${path}/${name}`);
      const isFolder = found["type"] === "FILE_TYPE_DIRECTORY";
      return isFolder && depth > 1 ? [found, ...below(id, `${path}/${name}`, depth - 1)] : [found];
    });
  };

  const unary = (id: string, method: string, body: Body): unknown => {
    const path = body.path ?? "";
    if (method.endsWith("/Stat")) return { entry: entry(id, path) };
    if (method.endsWith("/ListDir")) {
      if (entry(id, path)["type"] !== "FILE_TYPE_DIRECTORY")
        throw new Refusal("invalid_argument", "path is not a directory");
      return { entries: below(id, path, body.depth ?? 1) };
    }
    const child = programs.get(body.process?.pid ?? 0);
    if (child === undefined) throw new Refusal("not_found", "process not found");
    if (method.endsWith("/SendInput")) child.stdin?.write(Buffer.from(body.input?.stdin ?? "", "base64"));
    else if (method.endsWith("/CloseStdin")) child.stdin?.end();
    else if (method.endsWith("/SendSignal")) kill(child);
    return {};
  };

  const start = (id: string, { process: config = {}, stdin = false }: Body, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/connect+json" });
    const { cwd = "/work", envs = {}, args = [] } = config;
    if (!existsSync(locate(id, cwd))) {
      frame(response, 2, { error: { code: "invalid_argument", message: `cwd '${cwd}' does not exist` } });
      return void response.end();
    }
    const view = ["--ro-bind", "/", "/", "--dev", "/dev"];
    for (const inner of ["work", "tmp"]) view.push("--bind", join(place(id), inner), `/${inner}`);
    const variables = Object.entries({ PATH: "/usr/local/bin:/usr/bin:/bin", ...envs }).flatMap(([name, value]) => [
      "--setenv",
      name,
      value,
    ]);
    // No login shell: the profile of this machine is none of the sandbox's.
    const program = ["--chdir", cwd, "--", "/bin/bash", ...args.filter((word) => word !== "-l")];
    const child = spawn("bwrap", [...view, ...variables, ...program], {
      detached: true,
      env: { PATH: process.env["PATH"] },
      stdio: [stdin ? "pipe" : "ignore", "pipe", "pipe"],
    });
    const pid = child.pid ?? 0;
    programs.set(pid, child);
    child.stdin?.on("error", () => undefined);
    frame(response, 0, { event: { start: { pid } } });
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream]?.on("data", (chunk: Buffer) =>
        frame(response, 0, { event: { data: { [stream]: chunk.toString("base64") } } }),
      );
    }
    child.once("exit", (code, signal) => {
      setTimeout(() => {
        programs.delete(pid);
        const number = code !== null && code > 128 ? code - 128 : signal === null ? 0 : constants.signals[signal];
        const ended = signalWords[number];
        const end =
          ended === undefined
            ? { exitCode: code ?? 0, exited: true }
            : { exitCode: -1, exited: false, error: `signal: ${ended}` };
        frame(response, 0, { event: { end: { ...end, status: "" } } });
        frame(response, 2, {});
        response.end();
      }, 20);
    });
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? (address?.port ?? 0) : 0}`,
    created,
    open: () => readdirSync(folder),
    end,
    [Symbol.asyncDispose]: async () => {
      for (const child of programs.values()) kill(child);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const signalWords: Readonly<Record<number, string>> = { 2: "interrupt", 9: "killed", 15: "terminated" };

function frame(response: ServerResponse, flags: number, body: unknown): void {
  const text = Buffer.from(JSON.stringify(body));
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(text.length, 1);
  response.write(Buffer.concat([prefix, text]));
}

function kill(child: ChildProcess): void {
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
