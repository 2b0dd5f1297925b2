import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rolloutLines } from "../testing/binary.ts";
import { withEcho } from "../testing/environments.ts";
import type { Workspace } from "../testing/workspace.ts";

test("failed rollouts are exit code 1 with a table of errors, and --resume tries only those again", async () => {
  const made = await withEcho();
  let isBroken = true;
  const calls: string[] = [];
  await made.provide("script.mjs", ({ messages }: { messages: readonly { content: string }[] }) => {
    const text = messages.at(-1)?.content ?? "";
    calls.push(text);
    if (isBroken && text.includes("word1 ")) return { fail: { code: "server", message: "overloaded" } };
    return text;
  });
  const argv = ["eval", "echo", "-m", "scripted:./script.mjs", "-n", "4", "-r", "2"];
  const first = await made.hone(argv);
  expect(first.code).toBe(1);
  expect(first.stdout).toMatch(/^ +2 +model +server +overloaded/m);
  const [name = ""] = await readdir(join(made.folder, "evals"));
  expect(first.stderr).toBe(
    `\n2 rollouts failed. Try those again with:\n  hone eval echo -m scripted:./script.mjs -n 4 -r 2 --resume evals/${name}\n`,
  );
  isBroken = false;
  calls.length = 0;
  const second = await made.hone([...argv, "--resume"]);
  expect(second.code).toBe(0);
  expect(second.stdout).toContain(`going on in evals/${name}`);
  expect(second.stdout).toContain("8 rollouts of 4 tasks");
  expect(calls).toHaveLength(2);
});

/** Echoes, until it has done so `count` times: then Ctrl-C is pressed, once, and it never answers. */
async function interruptedAfter({ provide }: Workspace, count: number) {
  let interrupt: (() => void) | undefined;
  let answered = 0;
  await provide("script.mjs", ({ messages }: { messages: readonly { content: string }[] }) => {
    if (interrupt === undefined || answered++ < count) return messages.at(-1)?.content;
    interrupt();
    interrupt = undefined;
    return new Promise(() => undefined);
  });
  return (stop: () => void): void => {
    interrupt = stop;
    answered = 0;
  };
}

test("Ctrl-C keeps what is finished, says how to go on, and is exit code 130", async () => {
  const made = await withEcho();
  const onStart = await interruptedAfter(made, 4);
  const argv = ["eval", "echo", "-m", "scripted:./script.mjs", "-r1", "--concurrency", "1"];
  const ran = await made.hone(argv, { onStart });
  expect(ran.code).toBe(130);
  expect(ran.stdout).toContain("4 rollouts of 4 tasks · interrupted");
  const [name = ""] = await readdir(join(made.folder, "evals"));
  expect(ran.stderr).toContain("Stopping: rollouts under way are cancelled. Ctrl-C again quits at once.\n");
  expect(ran.stderr).toContain(`Interrupted. Go on with:\n  hone ${argv.join(" ")} --resume evals/${name}\n`);
  expect(rolloutLines(made.folder)).toHaveLength(4);
  const { code, stdout } = await made.hone([...argv, "--resume", `evals/${name}`]);
  expect(code).toBe(0);
  expect(stdout).toContain("12 rollouts of 12 tasks");
  expect(rolloutLines(made.folder)).toHaveLength(12);
});

test("--resume without a folder takes the newest unfinished evaluation with the same settings", async () => {
  const made = await withEcho();
  const onStart = await interruptedAfter(made, 3);
  const argv = (seed: string) => [
    "eval",
    "echo",
    "-m",
    "scripted:./script.mjs",
    "-r1",
    "--concurrency",
    "1",
    "--seed",
    seed,
  ];
  expect((await made.hone(argv("1"), { onStart })).code).toBe(130);
  expect((await made.hone(argv("2"), { onStart })).code).toBe(130);
  const { code, stdout } = await made.hone([...argv("1"), "--resume", "--json"]);
  expect(code).toBe(0);
  const { directory } = JSON.parse(stdout) as { directory: string };
  expect(await readFile(join(directory, "run.toml"), "utf8")).toMatch(/^seed = 1$/m);
  expect((await made.hone([...argv("1"), "--resume"])).code).toBe(2);
  expect((await made.hone([...argv("2"), "--resume"])).code).toBe(0);
  expect(await readdir(join(made.folder, "evals"))).toHaveLength(2);
});

test("results of other settings are not mixed", async () => {
  const { hone, folder } = await withEcho();
  await hone(["eval", "echo", "-m", "scripted:gold", "-n2", "-r1", "--output", "mine"]);
  const { code, stderr } = await hone(["eval", "echo", "-m", "scripted:gold", "-n2", "-r3", "--resume", "mine"]);
  expect(code).toBe(2);
  expect(stderr).toBe(
    `error: ${join(folder, "mine")} cannot be resumed: group_size was 1 and is now 3. Resume with the same settings, or evaluate into another directory. Only num_tasks may grow.\n`,
  );
  const again = await hone(["eval", "echo", "-m", "scripted:gold", "-n2", "-r1", "--output", "mine"]);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("is a run already");
});
