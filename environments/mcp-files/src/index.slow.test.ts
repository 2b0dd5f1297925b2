import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkEnvironment, runOnce, scriptedModel, type ScriptedReply } from "@hone/env/testing";
import { describe, expect, test } from "vitest";
import { mcpFiles } from "./index.ts";
import { bundleProgram, filesystemServer, type ServerProgram } from "./server-program.ts";
import { type FileTask, makeTasks } from "./tasks.ts";
import { folderSandboxes as sandboxes } from "./test-sandbox.ts";

const { resolve } = createRequire(import.meta.url);

/** The few tools of the real server that the scripted model uses, with the same names and arguments. */
async function ownServer(): Promise<ServerProgram> {
  const folder = await mkdtemp(join(tmpdir(), "hone-files-server-"));
  const entry = join(folder, "server.mjs");
  await writeFile(
    entry,
    `import { readdir, readFile, rename, writeFile } from "node:fs/promises";
     import { resolve } from "node:path";
     import { McpServer } from ${JSON.stringify(resolve("@modelcontextprotocol/server"))};
     import { serveStdio } from ${JSON.stringify(resolve("@modelcontextprotocol/server/stdio"))};
     import * as z from ${JSON.stringify(resolve("zod"))};
     const at = (path) => resolve(process.argv[2], path);
     const tools = {
       list_directory: [{ path: z.string() }, async ({ path }) => (await readdir(at(path))).join("\\n")],
       read_text_file: [{ path: z.string() }, ({ path }) => readFile(at(path), "utf8")],
       move_file: [{ source: z.string(), destination: z.string() }, async ({ source, destination }) => {
         await rename(at(source), at(destination));
         return "moved";
       }],
       write_file: [{ path: z.string(), content: z.string() }, async ({ path, content }) => {
         await writeFile(at(path), content);
         return "written";
       }],
     };
     serveStdio(() => {
       const server = new McpServer({ name: "files", version: "1.0.0" });
       for (const [name, [shape, run]] of Object.entries(tools)) {
         server.registerTool(name, { description: name, inputSchema: z.object(shape) }, async (input) => ({
           content: [{ type: "text", text: await run(input) }],
         }));
       }
       return server;
     });`,
  );
  const program = await bundleProgram(entry);
  await rm(folder, { recursive: true });
  return { "server.mjs": program, "package.json": "{}" };
}

/** Reads what it needs, then does what the task asks. */
function solution({ answer, files }: FileTask): ScriptedReply[] {
  const call = (name: string, input: Record<string, string>) => ({ name, arguments: input });
  const look = Object.keys(files).map((path) => call("read_text_file", { path }));
  if (answer.type === "reply") return [{ toolCalls: look }, { content: answer.text }];
  const [source] = answer.gone;
  const [destination = ""] = Object.keys(answer.there).filter((path) => files[path] === undefined);
  const act =
    source === undefined
      ? call("write_file", { path: destination, content: `${answer.there[destination] ?? ""}\n` })
      : call("move_file", { source, destination });
  return [{ toolCalls: look }, { toolCalls: [act] }, { content: "Done." }];
}

describe.each([
  ["a small server of our own", ownServer],
  ["the filesystem server from npm", filesystemServer],
])("with %s", (_name, program) => {
  const environment = mcpFiles({ count: 4, seed: "0", maxTurns: 16 }, program);

  test("each kind of task is solved by tool calls, and every file was read through them", async () => {
    for (const task of makeTasks({ count: 4, seed: "0" })) {
      const model = scriptedModel(solution(task));
      const rollout = await runOnce(environment, { task: task as never, model, sandboxes });
      expect(rollout.failure).toBeUndefined();
      expect([task.id, rollout.agents[0]?.reward]).toEqual([task.id, 1]);
      const read = rollout.nodes.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []));
      for (const [index, content] of Object.values(task.files).entries()) {
        expect(String(read[index]).trim()).toBe(content.trim());
      }
    }
  });

  test("a file that is not there is an error to the model, and work not done is worth nothing", async () => {
    const task = makeTasks({ count: 4, seed: "0" })[2]!;
    const toolCalls = [{ name: "read_text_file", arguments: { path: "nowhere.txt" } }];
    const model = scriptedModel([{ toolCalls }, "Done."]);
    const rollout = await runOnce(environment, { task: task as never, model, sandboxes });
    expect(rollout.agents[0]).toMatchObject({ reward: 0, metrics: { tool_errors: 1 } });
  });
});

test("keeps the rules of an environment", async () => {
  const checks = await checkEnvironment(mcpFiles({ count: 4, seed: "0", maxTurns: 16 }, ownServer), { sandboxes });
  const gold = { name: "gold replies score 1", outcome: "skipped" };
  expect(checks.filter(({ outcome }) => outcome !== "ok")).toEqual([expect.objectContaining(gold)]);
});
