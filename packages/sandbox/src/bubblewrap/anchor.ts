// The process that is a sandbox: bwrap with the supervisor in it. Namespaces, mounts, limits and filter are set up once, here; every program is a
// child of the supervisor and inherits all of it, so nothing ever has to be let in from outside. Its end is the end of everything inside:
// the kernel kills a pid namespace with its first process, and bwrap dies with the host program even by SIGKILL (--die-with-parent).
import { type ChildProcess, spawn } from "node:child_process";
import { close as closeCallback, open as openCallback, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { promisify } from "node:util";
import { onAbort } from "../shared/abort.ts";
import { closedError, sandboxError } from "../shared/errors.ts";
import { basicVariables } from "../shared/settings.ts";
import type { Cgroup } from "./cgroup.ts";
import type { HostUser } from "./slots.ts";
import { channelFolder, userId, words } from "./view.ts";

const [open, close] = [promisify(openCallback), promisify(closeCallback)];

/** Kept of what bwrap says when it fails. */
const longestComplaint = 4000;
/** A fork bomb shares the processors with the host program, which must still be able to end it. */
const niceness = 5;

export interface AnchorOptions {
  readonly bwrap: string;
  readonly view: readonly string[];
  /** Holds supervisor, filter and channels. */
  readonly folder: string;
  readonly user: HostUser | undefined;
  readonly network: boolean;
  readonly cgroup: Cgroup | undefined;
  readonly signal: AbortSignal;
}

export class Anchor {
  /** Of the first process in the sandbox, as the host counts. */
  readonly pid: number;
  /** Resolves when nothing of the sandbox runs any more. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #isEnded = false;

  private constructor(child: ChildProcess, pid: number) {
    this.#child = child;
    this.pid = pid;
    this.ended = new Promise((resolve) => {
      child.once("exit", () => {
        this.#isEnded = true;
        letGo(child);
        resolve();
      });
    });
    // An idle sandbox does not keep the host program alive; its commands do.
    child.unref();
    for (const stream of child.stdio) if (stream && "unref" in stream) (stream as Unreferenced).unref();
  }

  static async start(options: AnchorOptions): Promise<Anchor> {
    const { bwrap, user, folder, cgroup, signal } = options;
    const filter = await open(join(folder, "filter"), "r");
    const child = spawn(bwrap, anchorArguments(options), {
      // Orders, replies, complaints, what bwrap made, the filter, permission to go on.
      stdio: ["pipe", "pipe", "pipe", "pipe", filter, "pipe"],
      env: {},
      cwd: "/",
      // A Ctrl-C in the terminal is for the host program, which decides what becomes of its sandboxes.
      detached: true,
      ...user,
    });
    try {
      return new Anchor(child, await begin(child, cgroup, signal));
    } catch (error) {
      child.kill("SIGKILL");
      letGo(child);
      throw error;
    } finally {
      await close(filter);
    }
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  order(line: string): void {
    if (this.#isEnded) throw closedError();
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Kills the first process; bwrap ends after it, when the kernel has cleared the namespace of all others. */
  async stop(): Promise<void> {
    if (this.#isEnded) return;
    this.#child.ref();
    if (parentOf(this.pid) === this.#child.pid) process.kill(this.pid, "SIGKILL");
    else this.#child.kill("SIGKILL");
    await this.ended;
  }
}

/** Half-closed sockets that nobody reads would stay open for ever. */
function letGo(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

/** Numbers of processes are used again: one that is not bwrap's child any more is somebody else's. */
function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

interface Unreferenced {
  unref(): void;
}

function anchorArguments({ view, network }: AnchorOptions): readonly string[] {
  return [
    // The user namespace is the one thing that "all" would do without.
    ...words("--unshare-all --unshare-user"),
    ...(network ? ["--share-net"] : []),
    ...words(`--uid ${userId} --gid ${userId} --hostname sandbox`),
    ...words("--die-with-parent --new-session --as-pid-1 --cap-drop ALL"),
    ...view,
    "--clearenv",
    ...Object.entries(basicVariables).flatMap(([name, value]) => ["--setenv", name, value]),
    ...words("--chdir /work --info-fd 3 --seccomp 4 --block-fd 5"),
    ...words(`-- /bin/bash --noprofile --norc ${channelFolder}/supervisor`),
  ];
}

/** Waits for bwrap's word on what it made, puts that under its limits, lets it go on, and waits for the supervisor's word. */
async function begin(child: ChildProcess, cgroup: Cgroup | undefined, signal: AbortSignal): Promise<number> {
  const [, replies, complaints, made, , permission] = child.stdio as readonly unknown[];
  let complaint = "";
  (complaints as Readable).on("data", (chunk: Buffer) => {
    if (complaint.length < longestComplaint) complaint += chunk.toString("utf8");
  });
  let stopListening = (): void => undefined;
  const failed = new Promise<never>((_, reject) => {
    child.on("error", (cause) => reject(startError(cause.message, cause)));
    child.once("close", () => reject(startError(complaint.trim())));
    stopListening = onAbort(signal, reject);
  });
  // The race below may be over before; an error afterwards is the sandbox's end, which `ended` tells.
  failed.catch(() => undefined);
  // Writing to a child that has already died fails; why it died is what counts.
  for (const stream of [child.stdin, permission]) (stream as Writable).on("error", () => undefined);

  try {
    const info = await Promise.race([firstMatch(made as Readable, /"child-pid":\s*(\d+)/), failed]);
    const pid = Number(info);
    if (child.pid !== undefined) await cgroup?.add(child.pid);
    await cgroup?.add(pid);
    lowerPriority(pid);
    (permission as Writable).end("go");
    await Promise.race([firstMatch(replies as Readable, /(ready)\n/), failed]);
    (replies as Readable).resume();
    return pid;
  } finally {
    stopListening();
  }
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has died already, which the caller is about to notice.
  }
}

/** The first group of the first match in what a stream says. Pending for ever when none comes. */
function firstMatch(stream: Readable, pattern: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const listen = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const found = pattern.exec(text)?.[1];
      if (found === undefined) return;
      stream.off("data", listen);
      resolve(found);
    };
    stream.on("data", listen);
  });
}

function startError(complaint: string, cause?: unknown): Error {
  const isForbidden = /namespace|Operation not permitted|uid map|setting up/i.test(complaint);
  const hint = isForbidden
    ? "bubblewrap needs unprivileged user namespaces: see kernel.unprivileged_userns_clone, user.max_user_namespaces, AppArmor's profile for bwrap, or the seccomp profile of the container this runs in."
    : "Is bubblewrap (bwrap) installed, and bash with it?";
  const options = cause === undefined ? { hint } : { hint, cause };
  return sandboxError(
    "sandbox-open",
    `bubblewrap could not start a sandbox: ${complaint || "no reason given"}`,
    options,
  );
}
