import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning, testServers } from "./test-server.ts";

const library = new URL("../../dist/mcp/index.js", import.meta.url).href;

test("a program that leaves shared servers open still ends, and they end with it", async () => {
  const servers = await testServers();
  const { url } = await servers.http();
  const path = join(servers.folder, "user.mjs");
  const options = { servers: { local: servers.stdio(), web: { url } }, lifecycle: "shared" };
  await writeFile(
    path,
    `import { mcpToolset } from ${JSON.stringify(library)};
     const { signal } = new AbortController();
     const toolset = await mcpToolset(${JSON.stringify(options)})({ signal });
     for (const name of ["local_pids", "web_count"]) {
       console.log((await toolset.call({ id: "1", name, arguments: "{}" }, { signal })).content);
     }`,
  );
  const child = spawn(process.execPath, [path], { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const code = await new Promise((resolve) => child.once("close", resolve));
  const [pids = "[]", count] = printed.split("\n");
  expect([code, count]).toEqual([0, "1"]);
  const [pid = 0] = JSON.parse(pids) as number[];
  await expect.poll(() => isRunning(pid)).toBe(false);
  await servers[Symbol.asyncDispose]();
});
