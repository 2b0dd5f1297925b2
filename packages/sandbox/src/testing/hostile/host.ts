// The host side of the hostile suite: things that must not be reached, and looking at what runs here.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export const hostProcessCount = (): number => hostProcesses().length;

function hostProcesses(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** How many processes of the host have this text in their command line. */
export function processesWith(text: string): number {
  return hostProcesses().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text);
    } catch {
      return false;
    }
  }).length;
}

export interface Canary {
  /** Only ever in the host's files and variables. */
  readonly secret: string;
  /** Folders of the host, each with the file `secret.txt`. */
  readonly folders: readonly string[];
  readonly isUntouched: () => boolean;
}

/** A secret in the host's temporary folder, in its home and in its environment, for as long as `work` takes. */
export async function withCanary(work: (canary: Canary) => Promise<void>): Promise<void> {
  const secret = `canary-${crypto.randomUUID()}`;
  const folders = [tmpdir(), homedir()].map((parent) => mkdtempSync(join(parent, ".hone-canary-")));
  for (const folder of folders) writeFileSync(join(folder, "secret.txt"), secret);
  process.env["HONE_CANARY_SECRET"] = secret;
  const isUntouched = (): boolean =>
    folders.every(
      (folder) =>
        readdirSync(folder).join() === "secret.txt" && readFileSync(join(folder, "secret.txt"), "utf8") === secret,
    );
  try {
    await work({ secret, folders, isUntouched });
  } finally {
    delete process.env["HONE_CANARY_SECRET"];
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

/** A process of the host that nobody inside may see or signal. */
export async function withVictim(work: (pid: number, isAlive: () => boolean) => Promise<void>): Promise<void> {
  const victim: ChildProcess = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  try {
    if (victim.pid === undefined) throw new Error("no process could be started on the host");
    await work(victim.pid, () => victim.exitCode === null && victim.signalCode === null);
  } finally {
    victim.kill("SIGKILL");
  }
}

/** A server on the host's loopback; tells whether anybody came. */
export async function withServer(work: (port: number, visitors: () => number) => Promise<void>): Promise<void> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  try {
    await work(typeof address === "object" && address !== null ? address.port : 0, () => count);
  } finally {
    server.close();
  }
}
