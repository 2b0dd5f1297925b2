// A watcher that does not read: it is waited for, whatever the run writes meanwhile.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { runPaths } from "@hone/store";
import { expect, test } from "vitest";
import { sampleRoot, sampleRun } from "../testing/sample-run.ts";
import { createWebServer } from "./create-web-server.ts";

test("nothing is queued for a watcher that does not read", async () => {
  await using root = await sampleRoot();
  await using run = await sampleRun(root, "a");
  const { updates } = runPaths(run.directory).streams;
  const row = JSON.stringify({ step: 1, text: "x".repeat(100_000) });
  await writeFile(updates, `${row}\n`.repeat(600));
  const server = await createWebServer({ root: root.path, assets: root.assets });
  const { port, host } = new URL(server.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.pause();
  socket.write(`GET /api/runs/a/feed HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 700));
  // Had the server read on, the sixty megabytes would come all the same; now the rest of them is gone.
  await writeFile(updates, '{"step":2}\n');
  let [bytes, last] = [0, ""];
  socket.on("data", (chunk) => {
    bytes += chunk.length;
    last = (last + chunk.toString("latin1")).slice(-400);
  });
  socket.resume();
  await expect.poll(() => last).toMatch(/event: reload[^]*"step":2/);
  expect(bytes).toBeLessThan(40_000_000);
  socket.destroy();
  await once(socket, "close");
  await server.close();
});
