// Remote sandboxes: small virtual machines of the E2B service, or of an installation of one's own. Nothing runs on this machine; everything that programs and files
// contain goes over the network. How much memory, disk and processors there are is decided by the template.
import { type CallOptions, HoneError, type SandboxLease, type SandboxProvider, SandboxSpec } from "@hone/core";
import { sandboxError } from "../shared/errors.ts";
import { callDefaults, type CallDefaults } from "../shared/settings.ts";
import { textFiles } from "../shared/text-files.ts";
import { RemoteSandbox } from "./sandbox.ts";
import { type E2BSandbox, keyOf, loadE2B, serviceError } from "./service.ts";

export interface E2BOptions extends Partial<CallDefaults> {
  /** Otherwise the variable E2B_API_KEY. */
  readonly apiKey?: string;
  /** Where the spec names no image; the service's own otherwise. */
  readonly template?: string;
  /** Of an installation of one's own. */
  readonly domain?: string;
  readonly apiUrl?: string;
  readonly sandboxUrl?: string;
  /** A sandbox whose host has gone ends by itself after at most so long; while the host lives it is kept alive. */
  readonly lifetimeMs?: number;
  /** The template keeps the memory, disk and process limits that specs ask for. Otherwise such specs are refused: the service sets none by itself. */
  readonly hasLimitsInTemplate?: boolean;
}

const defaultLifetimeMs = 15 * 60_000;

export function e2b(options: E2BOptions = {}): SandboxProvider {
  const { lifetimeMs = defaultLifetimeMs } = options;
  return {
    name: "e2b",
    async open(given: SandboxSpec, { signal }: CallOptions): Promise<SandboxLease> {
      signal.throwIfAborted();
      const spec = checked(given, options);
      const key = keyOf(options.apiKey);
      const Remote = await loadE2B();
      const remote = await create(Remote, spec, { ...options, lifetimeMs }, key, signal);
      const sandbox = new RemoteSandbox({ remote, key, defaults: { ...callDefaults, ...options } });
      const alive = setInterval(() => void remote.setTimeout(lifetimeMs).catch(() => undefined), lifetimeMs / 3);
      alive.unref();
      let closing: Promise<void> | undefined;
      const close = async (): Promise<void> => {
        sandbox.close();
        clearInterval(alive);
        // One that cannot be reached ends by itself when its time is up.
        await remote.kill().catch(() => false);
      };
      try {
        await remote.commands.run("mkdir -p /work && chmod 777 /work", { user: "root" });
        for (const [path, text] of Object.entries(spec.files ?? {})) await sandbox.write(path, text);
        signal.throwIfAborted();
      } catch (error) {
        await close();
        signal.throwIfAborted();
        throw HoneError.is(error) ? error : serviceError(error, key, "Setting up failed");
      }
      return {
        sandbox,
        snapshot: async () => ({
          ...spec,
          files: await textFiles(await workFiles(remote, key), (path) => sandbox.read(path)),
        }),
        [Symbol.asyncDispose]: () => (closing ??= close()),
      };
    },
  };
}

async function create(
  Remote: typeof E2BSandbox,
  { image, network = false }: SandboxSpec,
  { template, domain, apiUrl, sandboxUrl, lifetimeMs }: E2BOptions,
  apiKey: string,
  signal: AbortSignal,
): Promise<E2BSandbox> {
  const connection = {
    apiKey,
    ...(domain === undefined ? {} : { domain }),
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(sandboxUrl === undefined ? {} : { sandboxUrl }),
  };
  const settings = { ...connection, timeoutMs: lifetimeMs ?? defaultLifetimeMs, allowInternetAccess: network, signal };
  const name = image ?? template;
  try {
    return await (name === undefined ? Remote.create(settings) : Remote.create(name, settings));
  } catch (error) {
    signal.throwIfAborted();
    const known = serviceError(error, apiKey, "E2B gave no sandbox");
    throw known.code === "sandbox-unavailable"
      ? known
      : sandboxError("sandbox-open", known.message, { isRetryable: true });
  }
}

function checked(given: SandboxSpec, { hasLimitsInTemplate = false }: E2BOptions): SandboxSpec {
  const spec = SandboxSpec.parse(given);
  const limits = (["memoryMb", "diskMb", "processes"] as const).filter((name) => spec[name] !== undefined);
  if (limits.length === 0 || hasLimitsInTemplate) return spec;
  throw sandboxError("sandbox-spec", `The spec asks for ${limits.join(", ")}, which E2B leaves to the template.`, {
    hint: "Build a template with these limits and give e2b({ hasLimitsInTemplate: true }), or leave them out.",
  });
}

/** Paths of all regular files below /work. */
async function workFiles(remote: E2BSandbox, key: string): Promise<readonly string[]> {
  try {
    const entries = await remote.files.list("/work", { depth: 100 });
    return entries
      .filter(({ type, symlinkTarget }) => String(type) === "file" && symlinkTarget === undefined)
      .map(({ path }) => path);
  } catch (error) {
    throw serviceError(error, key, "/work");
  }
}
