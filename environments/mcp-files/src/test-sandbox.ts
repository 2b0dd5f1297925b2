// For tests without an isolating sandbox: programs run on this machine in a temporary folder that stands for /, with /work and /tmp in it.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import type { SandboxScope } from "@hone/env";

type Sandbox = SandboxScope["sandbox"];

export const folderSandboxes = {
  name: "folder",
  open: async (): Promise<AsyncDisposable & { readonly sandbox: Sandbox }> => {
    const root = await mkdtemp(join(tmpdir(), "hone-files-"));
    const children: { kill: (signal: "SIGKILL") => boolean }[] = [];
    const at = (path: string): string => join(root, path.startsWith("/") ? path : `/work/${path}`);
    await mkdir(at("/work"));
    await mkdir(at("/tmp"));
    const sandbox: Sandbox = {
      exec: () => Promise.reject(new Error("not here")),
      start: async (command, { cwd = "/work" } = {}) => {
        const local = command.replaceAll(/'(\/(?:work|tmp)[^']*)'/g, (_quoted, path: string) => `'${at(path)}'`);
        const child = spawn("sh", ["-c", local], { cwd: at(cwd), stdio: ["pipe", "pipe", "pipe"] });
        children.push(child);
        const output = new PassThrough({ objectMode: true });
        for (const stream of ["stdout", "stderr"] as const) {
          child[stream].setEncoding("utf8").on("data", (text: string) => output.write({ stream, text }));
        }
        child.once("close", () => output.end());
        return {
          output,
          ended: new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 128))),
          signal: async (name) => void child.kill(name),
          write: async (text) => void child.stdin.write(text),
        };
      },
      read: (path) => readFile(at(path)),
      write: async (path, content) => {
        await mkdir(dirname(at(path)), { recursive: true });
        await writeFile(at(path), content);
      },
      list: async (path) => {
        const entries = await readdir(at(path), { withFileTypes: true });
        return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
      },
    };
    return {
      sandbox,
      [Symbol.asyncDispose]: async () => {
        for (const child of children) child.kill("SIGKILL");
        await rm(root, { recursive: true, force: true });
      },
    };
  },
};
