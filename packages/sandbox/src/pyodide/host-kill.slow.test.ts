// A host that is killed leaves no interpreter behind, whatever its programs are doing.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { eventually } from "../testing/rig.ts";

const provider = new URL("../../dist/pyodide/pyodide.js", import.meta.url).href;
const host = `
import { pyodide } from ${JSON.stringify(provider)};
const { sandbox } = await pyodide().open({}, { signal: new AbortController().signal });
const job = await sandbox.start("python3 -c 'print(1, flush=True); sum(range(10**13))'");
for await (const { text } of job.output) { console.log(text.trim()); break; }
await sandbox.exec("python3 -c 'input()'");
console.log("ready");
await sandbox.exec("python3 -c 'while True: pass'", { timeoutMs: 600_000 });
`;

/** Parent of a process, or undefined when it is gone. */
function parentOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : parent;
  } catch {
    return undefined;
  }
}

function descendants(root: string): readonly string[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = new Set([root]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const pid of all) if (found.has(parentOf(pid) ?? "")) found.add(pid);
  }
  found.delete(root);
  return [...found];
}

test.skipIf(process.platform !== "linux")("no process outlives a killed host", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", host], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) if (line === "ready") break;
  const started = descendants(String(child.pid));
  expect(started.length).toBeGreaterThanOrEqual(4);
  child.kill("SIGKILL");
  await eventually("all are gone", () => started.every((pid) => parentOf(pid) === undefined));
});
