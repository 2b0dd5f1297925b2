import type { Sandbox, SandboxProvider } from "@hone/core";
import { HoneError } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOnce } from "../testing/run-once.ts";
import { addCallback } from "./callbacks.ts";
import { startOnHost } from "./host-job.ts";
import { sandboxTransport } from "./job-transport.ts";
import { MCPEnv } from "./mcp-env.ts";
import { isRunning, testServers, type TestServers } from "./test-server.ts";

let servers: TestServers;
beforeAll(async () => {
  servers = await testServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

/** All of a sandbox that a server needs: its commands go to a shell, as in a real one. */
function sandboxes(commands: string[], start?: Sandbox["start"]): SandboxProvider {
  const sandbox = {
    start:
      start ??
      (async (command, options) => {
        commands.push(command);
        return startOnHost({ command: "sh", args: ["-c", command], ...options }, { keepsAlive: true });
      }),
  } as Sandbox;
  return { name: "test", open: async () => ({ sandbox, [Symbol.asyncDispose]: async () => undefined }) };
}

const environmentOf = (flags: readonly string[] = []) => {
  const server = { ...servers.stdio(...flags), env: { QUOTE: "it's" }, inSandbox: true };
  const tasks = [{ n: 1 }];
  return new MCPEnv({ name: "mcp", tasks, prompt: () => "go", sandbox: {}, rewards: {}, servers: { test: server } });
};
const toolCalls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name, arguments: {} })) });

test("a server runs in the rollout's sandbox, quoted as given, and is ended with the rollout", async () => {
  const commands: string[] = [];
  const rollout = await runOnce(environmentOf(["it's $HOME", "--stubborn"]), {
    model: scriptedModel([toolCalls("environment", "pids"), "done"]),
    sandboxes: sandboxes(commands),
  });
  const [environment, pids] = rollout.nodes.flatMap(({ message }) =>
    message.role === "tool" ? [JSON.parse(message.content as string) as never] : [],
  ) as unknown as [Record<string, string>, number[]];
  expect(environment).toMatchObject({ QUOTE: "it's" });
  expect(commands).toHaveLength(1);
  expect(commands[0]).toMatch(/^exec '.*node' '.*server\.mjs' 'it'\\''s \$HOME' '--stubborn'$/);
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});

test("a sandbox that dies is a failure of the sandbox, at the start and during a call", async () => {
  const died = new HoneError("The sandbox is gone.", { code: "sandbox-gone", isRetryable: true });
  const model = scriptedModel([toolCalls("count"), toolCalls("count"), "done"]);
  const atStart = await runOnce(environmentOf(), { model, sandboxes: sandboxes([], () => Promise.reject(died)) });
  expect(atStart.failure).toMatchObject({ boundary: "sandbox", code: "sandbox-gone" });

  let writes = 0;
  const during = sandboxes([], async (command) => {
    const job = await startOnHost({ command: "sh", args: ["-c", command] }, { keepsAlive: true });
    // The handshake is three lines, and the first call the fourth.
    return { ...job, write: (text) => (++writes > 4 ? Promise.reject(died) : job.write(text)) };
  });
  const later = await runOnce(environmentOf(), { model, sandboxes: during });
  expect(later.failure).toMatchObject({ boundary: "sandbox", code: "sandbox-gone" });
  expect(later.nodes.some(({ message }) => message.role === "tool" && message.content === "1")).toBe(true);
});

test("the transport alone serves the official client, and a line without end is cut off", async () => {
  const client = new Client({ name: "tester", version: "1.0.0" });
  const job = await startOnHost(servers.stdio(), { keepsAlive: true });
  await client.connect(sandboxTransport(job));
  const { content } = await client.callTool({ name: "echo", arguments: { text: "x", times: 3_000_000 } });
  expect(content[0]?.type === "text" && content[0].text.length).toBe(3_000_000);
  await client.close();
  expect(await job.ended).toBe(143);

  const endless = await startOnHost({ command: "sh", args: ["-c", "cat /dev/zero"] }, { keepsAlive: true });
  const transport = sandboxTransport(endless);
  const problems: string[] = [];
  addCallback(transport, "onerror", (error) => void problems.push(error.message));
  const closed = new Promise<void>((resolve) => addCallback(transport, "onclose", resolve));
  await transport.start();
  await closed;
  expect(problems).toEqual(["The server wrote a line without end."]);
  expect(await endless.ended).toBe(137);
});
