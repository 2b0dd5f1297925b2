// Test helpers: a folder to work in, environments in it that are made in the test, and `hone` run there without a process.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { main } from "../main.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  /** Called with a function that does what Ctrl-C does. */
  readonly onStart?: (interrupt: () => void) => void;
}

export interface Workspace {
  readonly folder: string;
  readonly write: (path: string, text: string) => Promise<string>;
  /** A file of the workspace whose default export is this object. */
  readonly provide: (path: string, exported: unknown) => Promise<void>;
  readonly hone: (argv: readonly string[], options?: RunOptions) => Promise<Ran>;
}

export async function workspace(): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), "hone-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const write = async (path: string, text: string): Promise<string> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    return join(folder, path);
  };
  const provide = async (path: string, exported: unknown): Promise<void> => {
    const key = `hone-cli-test ${folder} ${path}`;
    const shared = globalThis as unknown as Record<symbol, unknown>;
    shared[Symbol.for(key)] = exported;
    onTestFinished(() => void delete shared[Symbol.for(key)]);
    await write(path, `export default globalThis[Symbol.for(${JSON.stringify(key)})];\n`);
  };
  const hone = async (argv: readonly string[], { env = {}, isTerminal = false, onStart }: RunOptions = {}) => {
    let stdout = "";
    let stderr = "";
    const code = await main(argv, {
      stdout: { write: (text) => void (stdout += text), isTerminal, columns: 80 },
      stderr: { write: (text) => void (stderr += text), isTerminal, columns: 80 },
      cwd: folder,
      env,
      onInterrupt: (listener) => {
        onStart?.(listener);
        return () => undefined;
      },
    });
    return { code, stdout, stderr };
  };
  return { folder, write, provide, hone };
}

/** An environment package of the workspace, under `environments/`. */
export async function provideEnvironment(
  { write, provide }: Workspace,
  name: string,
  exported: unknown,
): Promise<void> {
  const manifest = {
    name: `@hone/${name}`,
    version: "1.2.3",
    description: `About ${name}.`,
    hone: { source: "./index.mjs" },
  };
  await write(`environments/${name}/package.json`, JSON.stringify(manifest));
  await provide(`environments/${name}/index.mjs`, exported);
}
