import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import type { Rollout } from "@hone/core";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineEnvironment } from "../environment.ts";
import { serveTools } from "./serve.ts";
import { testServers } from "./test-server.ts";
import { toolsOf, toolsOfEnvironment } from "./tool-source.ts";

const shop = defineEnvironment({
  name: "shop",
  tasks: [
    { id: "tea", item: "tea" },
    { id: "milk", item: "milk" },
  ],
  prompt: ({ task }) => `Buy ${task.item}.`,
  state: ({ task }) => ({ wanted: task.item, bought: [] as string[] }),
  tools: {
    buy: {
      description: "Buys things.",
      parameters: z.object({ item: z.string().describe("what to buy"), count: z.int().min(1).default(1) }),
      execute: ({ item, count }, { state }) => {
        for (let n = 0; n < count; n++) state.bought.push(item);
        return { bought: state.bought.length };
      },
    },
    look: {
      description: "Shows a picture.",
      parameters: z.object({}),
      execute: () => [{ type: "image", url: "data:image/png;base64,AA==" }] as const,
    },
    fail: {
      description: "Fails.",
      parameters: z.object({}),
      execute: () => {
        throw new Error("sold out");
      },
    },
  },
  rewards: { done: ({ state, task }) => state.bought.join() === task.item },
});

async function connect(url: string, mode: "legacy" | "auto" = "legacy") {
  const client = new Client({ name: "tester", version: "1.0.0" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport);
  const call = (name: string, input: Record<string, unknown> = {}) => client.callTool({ name, arguments: input });
  const leave = async () => {
    await transport.terminateSession();
    await client.close();
  };
  return { client, call, leave };
}
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

describe("an environment over streamable HTTP", () => {
  test("has its tools, checked by their schemas, and the prompt as instructions", async () => {
    await using served = await serveTools(toolsOfEnvironment(shop), { name: "shop", transport: "http" });
    const { client, call, leave } = await connect(served.url ?? "");
    expect(client.getInstructions()).toBe("Buy tea.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["buy", "look", "fail"]);
    expect(tools[0]).toMatchObject({ description: "Buys things.", inputSchema: { required: ["item"] } });
    expect(await call("buy", { item: "tea" })).toMatchObject(text('{"bought":1}'));
    expect(await call("look")).toMatchObject({ content: [{ type: "image", mimeType: "image/png", data: "AA==" }] });
    expect(await call("fail")).toMatchObject({ ...text("Error: sold out"), isError: true });
    const wrong = await call("buy", { item: 3 });
    expect(wrong.isError).toBe(true);
    expect(JSON.stringify(wrong.content)).toMatch(/Invalid arguments for buy.*expected string/);
    expect(JSON.stringify(await call("steal"))).toMatch(/There is no tool steal/);
    await leave();
  });

  test("each session is a rollout of its own, with state and rewards, over when the client leaves", async () => {
    const rollouts: Rollout[] = [];
    const source = toolsOfEnvironment(shop, { onRollout: (rollout) => rollouts.push(rollout) });
    await using served = await serveTools(source, { name: "shop", transport: "http" });
    const [one, two] = [await connect(served.url ?? "", "auto"), await connect(served.url ?? "")];
    await one.call("buy", { item: "tea" });
    expect(await two.call("buy", { item: "milk", count: 2 })).toMatchObject(text('{"bought":2}'));
    await one.leave();
    await expect.poll(() => rollouts).toHaveLength(1);
    expect(rollouts[0]).toMatchObject({ state: { bought: ["tea"] }, stop: { type: "answered" } });
    expect(rollouts[0]?.agents[0]?.reward).toBe(1);
    await two.leave();
    await expect.poll(() => rollouts).toHaveLength(2);
    expect(rollouts[1]?.agents[0]?.reward).toBe(0);
  });

  test("closing the server ends the sessions first", async () => {
    const rollouts: Rollout[] = [];
    const source = toolsOfEnvironment(shop, { onRollout: (rollout) => rollouts.push(rollout) });
    const served = await serveTools(source, { name: "shop", transport: "http" });
    const { call } = await connect(served.url ?? "");
    await call("buy", { item: "tea" });
    await served[Symbol.asyncDispose]();
    expect(rollouts.map(({ agents }) => agents[0]?.reward)).toEqual([1]);
    await served.closed;
    await expect(connect(served.url ?? "")).rejects.toThrow(/fetch failed/);
  });

  test("a session that asks nothing is ended, and one that cannot begin says why", async () => {
    const rollouts: Rollout[] = [];
    const source = toolsOfEnvironment(shop, { onRollout: (rollout) => rollouts.push(rollout) });
    await using served = await serveTools(source, { name: "shop", transport: { type: "http", idleSeconds: 0.2 } });
    const { call } = await connect(served.url ?? "");
    await expect.poll(() => rollouts).toHaveLength(1);
    await expect(call("look")).rejects.toThrow(/not known/);
    const boxed = defineEnvironment({ name: "boxed", tasks: [{ n: 1 }], prompt: () => "", sandbox: {}, rewards: {} });
    await using bare = await serveTools(toolsOfEnvironment(boxed), { name: "boxed", transport: "http" });
    await expect(connect(bare.url ?? "")).rejects.toThrow(/No sandbox is given here/);
    const empty = defineEnvironment({ name: "empty", tasks: [], prompt: () => "", rewards: {} });
    await using broken = await serveTools(toolsOfEnvironment(empty), { name: "empty", transport: "http" });
    await expect(connect(broken.url ?? "")).rejects.toThrow(/empty has no tasks/);
  });

  test("a session over its time limit is over: it is rewarded, and further calls say so", async () => {
    const rollouts: Rollout[] = [];
    const source = toolsOfEnvironment(shop, {
      onRollout: (rollout) => rollouts.push(rollout),
      settings: { limits: { seconds: 0.3 } },
    });
    await using served = await serveTools(source, { name: "shop", transport: "http" });
    const { call, leave } = await connect(served.url ?? "");
    await call("buy", { item: "tea" });
    await expect.poll(() => rollouts).toHaveLength(1);
    expect(rollouts[0]).toMatchObject({ stop: { type: "limit", of: "seconds" }, agents: [{ reward: 1 }] });
    expect(await call("buy", { item: "tea" })).toMatchObject({ ...text("The session is over."), isError: true });
    await leave();
  });

  test("what another host's page sends is refused", async () => {
    await using served = await serveTools(toolsOfEnvironment(shop), { name: "shop", transport: "http" });
    const statusOf = (headers: Record<string, string>) =>
      new Promise((resolve) => {
        request(served.url ?? "", { method: "POST", headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).end("{}");
      });
    expect(await statusOf({ host: "evil.example" })).toBe(403);
    expect(await statusOf({ origin: "https://evil.example" })).toBe(403);
    expect(await statusOf({ "mcp-session-id": "made-up" })).toBe(404);
    expect(await statusOf({})).toBe(400);
  });
});

test("a record of tools is served over stdio, with a scope per session", async () => {
  const servers = await testServers();
  const [path, log] = [join(servers.folder, "serve.mjs"), join(servers.folder, "log")];
  await writeFile(
    path,
    `import { writeFileSync } from "node:fs";
     import * as z from ${JSON.stringify(import.meta.resolve("zod"))};
     import { serveTools, toolsOf } from ${JSON.stringify(new URL("../../dist/mcp/index.js", import.meta.url).href)};
     const add = {
       description: "Adds.",
       parameters: z.object({ n: z.number() }),
       execute: ({ n }, scope) => ({ sum: (scope.sum += n) }),
     };
     const scope = ({ signal }) => {
       signal.addEventListener("abort", () => writeFileSync(${JSON.stringify(log)}, "ended"));
       return { sum: 0 };
     };
     const served = await serveTools(toolsOf({ add }, scope), { name: "sums", version: "1.2.3", transport: "stdio" });
     await served.closed;`,
  );
  for (const mode of ["legacy", "auto"] as const) {
    const client = new Client({ name: "tester", version: "1.0.0" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [path] }));
    expect(client.getServerVersion()).toMatchObject({ name: "sums", version: "1.2.3" });
    await client.callTool({ name: "add", arguments: { n: 2 } });
    expect(await client.callTool({ name: "add", arguments: { n: 3 } })).toMatchObject(text('{"sum":5}'));
    await client.close();
    expect(await readFile(log, "utf8")).toBe("ended");
  }
  await servers[Symbol.asyncDispose]();
});

test("the tools that are served may themselves come from a record without a scope", async () => {
  const hello = { description: "", parameters: z.object({}), execute: () => "hello" };
  await using served = await serveTools(toolsOf({ hello }), { name: "greeter", transport: "http" });
  const { call, leave } = await connect(served.url ?? "");
  expect(await call("hello")).toMatchObject(text("hello"));
  await leave();
});
