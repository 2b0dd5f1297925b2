import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listEnvironments, loadEnvironment, loadHarness } from "./index.ts";

let cwd: string;
const bare = (name: string) =>
  `export default { kind: "hone/environment", info: { name: "${name}", tools: [], rewards: {}, hasEvalTasks: false } };`;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "hone-load-"));
  const file = async (path: string, text: string): Promise<void> => {
    await mkdir(join(cwd, path, ".."), { recursive: true });
    await writeFile(join(cwd, path), text);
  };
  await file("one.mjs", bare("one"));
  await file("not-one.mjs", "export default 3;");
  await file("broken.mjs", "export default (;");
  await file(
    "with-args.mjs",
    `export default { kind: "hone/environment-definition", args: {}, create: (args) => ({ info: { name: "n" + args.n } }) };`,
  );
  await file(
    "environments/local/package.json",
    JSON.stringify({ version: "1.2.3", hone: { source: "src/index.mjs" } }),
  );
  await file("environments/local/src/index.mjs", bare("local"));
  await file("environments/empty/package.json", JSON.stringify({ hone: {} }));
  const installed = {
    name: "@hone/installed",
    version: "2.0.0",
    hone: {},
    exports: { ".": { default: "./dist/index.mjs" }, "./package.json": "./package.json" },
  };
  await file("node_modules/@hone/installed/package.json", JSON.stringify(installed));
  await file("node_modules/@hone/installed/dist/index.mjs", bare("installed"));
  await file("node_modules/@hone/library/package.json", JSON.stringify({ name: "@hone/library" }));
  await file("node_modules/@owner/theirs/package.json", JSON.stringify({ ...installed, name: "@owner/theirs" }));
  await file("node_modules/@owner/theirs/dist/index.mjs", bare("theirs"));
  await file(
    "harness.mjs",
    `export default (options) => ({ id: "mine", run: async () => ({ type: "ended", by: options.why }) });`,
  );
});
afterAll(() => rm(cwd, { recursive: true }));

test.each([
  ["./one.mjs", "one", "0.0.0"],
  ["local", "local", "1.2.3"],
  ["./environments/local", "local", "1.2.3"],
  ["installed", "installed", "2.0.0"],
  ["@hone/installed", "installed", "2.0.0"],
  ["owner/theirs", "theirs", "2.0.0"],
  ["owner/theirs@2.0.0", "theirs", "2.0.0"],
])("%s is found as %s", async (id, name, version) => {
  const { environment, location } = await loadEnvironment(id, { cwd });
  expect(environment.info.name).toBe(name);
  expect(location.version).toBe(version);
});

test.each([
  ["nothing-here", "unknown-environment", /There is no environment nothing-here/],
  ["./nothing.ts", "unknown-environment", /There is no environment/],
  ["./not-one.mjs", "bad-package", /is not an environment/],
  ["./broken.mjs", "load", /could not be loaded/],
  ["empty", "bad-package", /holds no environment/],
  ["owner/theirs@9.0.0", "environment-version", /version 2\.0\.0 is installed/],
])("%s is an error of kind %s", async (id, code, message) => {
  await expect(loadEnvironment(id, { cwd })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
  });
});

test("arguments reach a definition, and are refused by an environment that takes none", async () => {
  expect((await loadEnvironment("./with-args.mjs", { cwd, args: { n: 2 } })).environment.info.name).toBe("n2");
  await expect(loadEnvironment("./one.mjs", { cwd, args: { n: 2 } })).rejects.toThrow(
    "takes no arguments, but was given n",
  );
});

test("the list holds environments and no other packages", () => {
  expect(listEnvironments({ cwd }).map(({ id }) => id)).toEqual(["local", "installed"]);
});

test("a harness is a built-in name or a file", async () => {
  expect((await loadHarness({ id: "chat" }, { cwd })).id).toBe("chat");
  const mine = await loadHarness({ id: "./harness.mjs", why: "bored" }, { cwd });
  expect(await mine.run({} as never, { signal: new AbortController().signal })).toEqual({ type: "ended", by: "bored" });
  await expect(loadHarness({ id: "chta" }, { cwd })).rejects.toThrow("There is no harness chta");
  await expect(loadHarness({ id: "chat", depth: 2 }, { cwd })).rejects.toThrow("takes no option depth");
});
