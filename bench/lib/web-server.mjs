// The server of the page in a process of its own, so that what it costs can be told from what the bench costs.
import { createWebServer } from "@hone/web/server";

const server = await createWebServer({ root: process.argv[2] });
process.on("message", (question) => {
  if (question !== "usage") return;
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send({ cpuMs: (user + system) / 1000, rss, used: heapUsed + external });
});
// Whoever started it is gone, or failed.
process.on("disconnect", () => process.exit());
process.send(server.url);
