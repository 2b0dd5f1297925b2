// Work on files that are only reachable through tools over MCP: a real filesystem server runs in the rollout's sandbox and sees /work alone.
// Rewards are exact: the reply, or the files as they must be afterwards.
import { type RewardScope, type SandboxScope, withArgs } from "@hone/env";
import { MCPEnv } from "@hone/env/mcp";
import * as z from "zod";
import { filesystemServer, type ServerProgram } from "./server-program.ts";
import { type FileTask, makeTasks } from "./tasks.ts";

const Args = z.object({
  count: z.int().min(4).max(1000).default(12).describe("tasks; as many again are held out for evaluation"),
  seed: z.string().default("0").describe("the archives and questions follow from it"),
  maxTurns: z.int().min(1).default(16),
});

// Outside /work, where the tools cannot reach.
const programFolder = "/tmp/mcp-filesystem";

/** `program` is a filesystem MCP server for Node, which gets the folder it may use as its argument. */
export function mcpFiles(
  { count, seed, maxTurns }: z.output<typeof Args>,
  program: () => Promise<ServerProgram> = filesystemServer,
) {
  let made: Promise<ServerProgram> | undefined;
  return new MCPEnv({
    name: "mcp-files",
    tasks: makeTasks({ count, seed }),
    evalTasks: makeTasks({ count, seed: `${seed}/eval` }),
    system: "You work on files in /work with the tools you have. There is no other way to reach them.",
    prompt: ({ task }) => task.ask,
    sandbox: { memoryMb: 512 },
    state: async ({ task, sandbox }) => {
      const files = Object.entries(await (made ??= program()));
      for (const [name, content] of files) await sandbox.write(`${programFolder}/${name}`, content);
      for (const [path, content] of Object.entries(task.files)) await sandbox.write(path, content);
      return {};
    },
    servers: {
      files: { command: "node", args: [`${programFolder}/server.mjs`, "/work"], cwd: "/work", inSandbox: true },
    },
    rewards: { done: isDone },
    maxTurns,
  });
}

async function isDone({ task: { answer }, reply, sandbox }: RewardScope<FileTask, {}, {}>): Promise<boolean> {
  if (answer.type === "reply") return plain(reply) === answer.text;
  const found = await filesIn(sandbox);
  return (
    Object.entries(answer.there).every(([path, content]) => found.get(path)?.trim() === content.trim()) &&
    !answer.gone.some((path) => found.has(path))
  );
}

/** Quotes, a full stop and the folder in front make an answer no less right. */
function plain(reply: string): string {
  return reply
    .trim()
    .replace(/^[`'"*]+|[`'"*.]+$/g, "")
    .replace(/^(\/work\/|\.\/)/, "");
}

/** Everything in /work, by path below it. */
async function filesIn(sandbox: SandboxScope["sandbox"]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined && found.size < 1000; folder = folders.pop()) {
    for (const name of await sandbox.list(`/work/${folder}`)) {
      if (name.endsWith("/")) folders.push(`${folder}${name}`);
      else found.set(`${folder}${name}`, Buffer.from(await sandbox.read(`/work/${folder}${name}`)).toString());
    }
  }
  return found;
}

export default withArgs(Args, (args) => mcpFiles(args));
