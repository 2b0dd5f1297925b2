// What the suites stand on: the test functions handed in, a fresh sandbox per check, and what a provider says of itself.
// Nothing here knows a test runner; vitest's functions fit, and so do others of the same shape.
import { HoneError, type Sandbox, type SandboxLease, type SandboxProvider, type SandboxSpec } from "@hone/core";
import type { TestApi } from "@hone/core/testing";
import { type SandboxCommands, shellCommands } from "./commands.ts";

/** What a provider has. A check that needs something it lacks is skipped, with the reason. */
export interface SandboxFeatures {
  /** `start` works. */
  readonly jobs: boolean;
  /** Commands are processes of an operating system: they have children, get signals, and go on in the background. */
  readonly processes: boolean;
  /** Commands are those of a POSIX shell with the usual programs. */
  readonly shell: boolean;
  /** Commands know the working directory as /work. */
  readonly workFolder: boolean;
  readonly links: boolean;
  readonly snapshot: boolean;
}

export interface SandboxSuiteOptions {
  readonly name: string;
  readonly provider: SandboxProvider;
  /** Nothing of the host can be reached from inside. */
  readonly isolates: boolean;
  readonly features: SandboxFeatures;
  /** Other words for the same deeds, where commands are not those of a shell. */
  readonly commands?: Partial<SandboxCommands>;
  /** For every sandbox of the suite; a check may change it. */
  readonly spec?: SandboxSpec;
  /** Why the provider cannot be tested here; all checks are then skipped with this reason. */
  readonly skip?: string;
}

/** One sandbox under test. */
export interface Rig {
  readonly box: Sandbox;
  readonly lease: SandboxLease;
  readonly open: (spec?: SandboxSpec) => Promise<SandboxLease>;
  readonly run: SandboxCommands;
  readonly options: SandboxSuiteOptions;
  readonly expect: TestApi["expect"];
}

export interface CheckOptions {
  readonly needs?: readonly (keyof SandboxFeatures)[];
  readonly spec?: SandboxSpec;
}
export type Check = (name: string, body: (rig: Rig) => Promise<void>, options?: CheckOptions) => void;

const never: AbortSignal = new AbortController().signal;

export function checkWith(api: TestApi, options: SandboxSuiteOptions): Check {
  const { provider, features } = options;
  return (name, body, { needs = [], spec: change = {} } = {}) => {
    api.test(name, async (context) => {
      const lacking = needs.filter((feature) => !features[feature]);
      const reason =
        options.skip ?? (lacking.length > 0 ? `${options.name} has no ${lacking.join(", no ")}` : undefined);
      if (reason !== undefined) {
        context.skip(reason);
        return;
      }
      const leases: SandboxLease[] = [];
      const open = async (spec: SandboxSpec = {}): Promise<SandboxLease> => {
        const lease = await provider.open({ ...options.spec, ...spec }, { signal: never });
        leases.push(lease);
        return lease;
      };
      try {
        const lease = await open(change);
        const run = { ...shellCommands, ...options.commands };
        await body({ box: lease.sandbox, lease, open, run, options, expect: api.expect });
      } finally {
        for (const lease of leases) await lease[Symbol.asyncDispose]();
      }
    });
  };
}

/** Refused with an error of ours; gives its code. */
export async function refusal({ expect }: Rig, promise: Promise<unknown>, what: string): Promise<string> {
  const reason = await reasonOf(promise, what);
  expect(HoneError.is(reason), `${what}: refused with a HoneError, not ${String(reason)}`).toBe(true);
  return HoneError.is(reason) ? reason.code : "";
}

/** Refused, and the sandbox lives on: a code that starts with "sandbox" would mean its end. */
export async function expectRefused(rig: Rig, promise: Promise<unknown>, what: string): Promise<void> {
  const code = await refusal(rig, promise, what);
  rig.expect(code.startsWith("sandbox"), `${what}: the code ${code} says that the sandbox is lost`).toBe(false);
  rig.expect(await printed(rig, rig.run.print("alive")), `${what}: the sandbox goes on`).toBe("alive");
}

/** Why a promise was rejected; a promise that is kept fails the check. */
export async function reasonOf(promise: Promise<unknown>, what: string): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ isKept: true as const }),
    (reason: unknown) => ({ isKept: false as const, reason }),
  );
  if (outcome.isKept) throw new Error(`${what} was accepted; it has to be refused`);
  return outcome.reason;
}

/** What a command that works prints. */
export async function printed({ box, expect }: Rig, command: string): Promise<string> {
  const result = await box.exec(command, { timeoutMs: 30_000 });
  expect(result.exitCode, `${command.slice(0, 200)}: ${result.stderr.slice(0, 500)}`).toBe(0);
  return result.stdout;
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Asks again until the answer is yes; for what other processes do in their own time. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  for (const start = Date.now(); !(await holds()); await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (Date.now() - start > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
  }
}
