// `hone web` as a program: it prints where it is, serves, and ends with Ctrl-C.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const hone = fileURLToPath(new URL("../bin/hone.js", import.meta.url));

test("it prints its address, answers there, and ends with Ctrl-C", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "hone-web-"));
  const child = spawn(process.execPath, [hone, "web", "--json", "--port", "0"], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve) =>
    child.stdout.once("data", (text: Buffer) => resolve(text.toString())),
  );
  const { url } = JSON.parse(line) as { readonly url: string };
  const answer = await fetch(new URL("api/list/runs", url));
  expect(answer.status).toBe(200);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  await rm(cwd, { recursive: true });
});

test("listening beyond this machine needs a token", async () => {
  const child = spawn(process.execPath, [hone, "web", "--host", "0.0.0.0"], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  expect(code).not.toBe(0);
  expect(errors).toMatch(/token/);
});
