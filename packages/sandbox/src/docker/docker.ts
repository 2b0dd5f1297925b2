// Containers, by the program docker or podman: any image, any language. For machines that have a daemon. Nothing of the host is mounted, there is no network
// unless the spec asks for one, files are in memory, programs belong to nobody and have no privileges.
import { type CallOptions, type SandboxLease, type SandboxProvider, SandboxSpec } from "@hone/core";
import type { Spawned } from "../process/spawned.ts";
import { onAbort } from "../shared/abort.ts";
import { sandboxError } from "../shared/errors.ts";
import { callDefaults, type CallDefaults, type Limits, limitsOf } from "../shared/settings.ts";
import { textFiles } from "../shared/text-files.ts";
import { type ContainerOptions, runArguments } from "./arguments.ts";
import { Cli, ownerName } from "./cli.ts";
import { DockerSandbox } from "./sandbox.ts";
import { workFiles } from "./scripts.ts";

export interface DockerOptions extends Partial<Limits>, Partial<CallDefaults> {
  /** Where the spec names none. It has to have `sh` and the usual small tools. */
  readonly image?: string;
  /** Processors that a sandbox may keep busy. */
  readonly cpus?: number;
  /** The program: a name on PATH or a path; "podman" works too. */
  readonly command?: string;
}

export function docker(options: DockerOptions = {}): SandboxProvider {
  const { command = "docker", image = "python:3.12-slim", cpus = 1 } = options;
  const cli = new Cli(command);
  let ready: Promise<void> | undefined;
  return {
    name: "docker",
    async open(spec: SandboxSpec, { signal }: CallOptions): Promise<SandboxLease> {
      signal.throwIfAborted();
      const { network = false, ...rest } = SandboxSpec.parse(spec);
      ready ??= prepare(cli).catch((error: unknown) => {
        ready = undefined;
        throw error;
      });
      await ready;
      const name = `hone-${crypto.randomUUID()}`;
      const limits = limitsOf(spec, options);
      const container = { name, owner: await ownerName(), image: rest.image ?? image, limits, cpus, network };
      const anchor = await startContainer(cli, container, signal);
      const gone = anchor.ended.then(() => undefined);
      const sandbox = new DockerSandbox({ cli, container: name, gone, defaults: { ...callDefaults, ...options } });
      let closing: Promise<void> | undefined;
      const close = async (): Promise<void> => {
        sandbox.close();
        await cli.run(["rm", "--force", name]);
        anchor.input.end();
        await anchor.ended;
      };
      try {
        for (const [path, text] of Object.entries(spec.files ?? {})) await sandbox.write(path, text);
      } catch (error) {
        await close();
        throw error;
      }
      return {
        sandbox,
        snapshot: async () => {
          const paths = await workFiles(sandbox.runScript);
          return { ...spec, files: await textFiles(paths, (path) => sandbox.read(path)) };
        },
        [Symbol.asyncDispose]: () => (closing ??= close()),
      };
    },
  };
}

async function prepare(cli: Cli): Promise<void> {
  await cli.check();
  await cli.reap();
}

/** Resolves when the container is up. An image that is not here is fetched first, which may take its time. */
async function startContainer(cli: Cli, container: ContainerOptions, signal: AbortSignal): Promise<Spawned> {
  let complaints = "";
  let onReady: () => void = () => undefined;
  const up = new Promise<true>((resolve) => (onReady = () => resolve(true)));
  const anchor = await cli.start(runArguments(container), (stream, chunk) => {
    const text = Buffer.from(chunk).toString();
    if (stream === "stderr") complaints = (complaints + text).slice(-2000);
    else if (text.includes("ready")) onReady();
  });
  const stopListening = onAbort(signal, () => {
    anchor.signal("SIGKILL");
    void cli.run(["rm", "--force", container.name]).catch(() => undefined);
  });
  const isUp = await Promise.race([up, anchor.ended.then(() => false)]);
  stopListening();
  signal.throwIfAborted();
  if (isUp) return anchor;
  throw sandboxError("sandbox-open", `No container of ${container.image} could be started.\n${complaints.trim()}`, {
    hint: "Check the image's name, and that it has sh.",
  });
}
