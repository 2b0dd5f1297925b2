// Test helper: a run to be followed, and sinks whose notices are kept. Looks are frequent, so that tests need not wait.
import { join } from "node:path";
import { type RunWriter, createRun } from "../../run-directory.ts";
import { type Sinks, type SinkNotice, type SinksOptions, openSinks, SinksConfig } from "../index.ts";
import { temporaryFolder } from "../../testing/temporary.ts";

const settings = 'model = "hone/tiny"\nseed = 7\n\n[optimizer]\nlearning_rate = 0.001\n\n[[env]]\nid = "words"\n';

export async function newRun(): Promise<RunWriter> {
  return createRun(join(await temporaryFolder(), "first"), { config: settings });
}

export interface Followed extends AsyncDisposable {
  readonly sinks: Sinks;
  readonly notices: readonly SinkNotice[];
  /** Without the hints. */
  readonly messages: () => readonly string[];
}

export async function follow(
  directory: string,
  config: unknown,
  options: Partial<SinksOptions> = {},
): Promise<Followed> {
  const notices: SinkNotice[] = [];
  const sinks = await openSinks(directory, SinksConfig.parse(config), {
    onNotice: (notice) => notices.push(notice),
    env: {},
    pollMs: 5,
    random: () => 0,
    ...options,
  });
  return {
    sinks,
    notices,
    messages: () => notices.map(({ message }) => message),
    [Symbol.asyncDispose]: () => sinks[Symbol.asyncDispose](),
  };
}

/** Looks until it is so. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 2000; looks++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`not so after 10 s: ${isSo.toString()}`);
}
