import { scriptedModel } from "@hone/core/testing";
import { testSandboxes } from "@hone/sandbox/testing";
import { expect, test } from "vitest";
import { SandboxEnv } from "../index.ts";
import { runOnce } from "../testing/run-once.ts";

const sandboxes = testSandboxes();
const environment = new SandboxEnv({
  name: "shell",
  tasks: [{ name: "Ada" }],
  prompt: ({ task }) => `Greet ${task.name}.`,
  files: ({ task }) => ({ "name.txt": task.name, "deep/er/note.txt": "hello" }),
  shell: { commandSeconds: 1, maxOutputBytes: 100 },
  rewards: {
    greeted: async ({ sandbox, task }) =>
      new TextDecoder().decode(await sandbox.read("/work/out.txt")) === `Hi ${task.name}\n`,
    untouched: async ({ freshSandbox }) => !(await (await freshSandbox()).list("/work")).includes("out.txt"),
  },
});

async function said(...calls: readonly { readonly name: string; readonly arguments: object }[]) {
  const model = scriptedModel((_request, { index }) => {
    const call = calls[index];
    return call === undefined ? "done" : { toolCalls: [call as never] };
  });
  const rollout = await runOnce(environment, { model, sandboxes });
  return {
    rollout,
    texts: rollout.nodes.flatMap(({ message }) => (message.role === "tool" ? [String(message.content)] : [])),
  };
}
const bash = (command: string, background = false) => ({ name: "bash", arguments: { command, background } });

test("files of the task are there, what the model leaves is scored, a fresh sandbox has none of it", async () => {
  const { rollout, texts } = await said(bash('cat deep/er/note.txt; echo "Hi $(cat name.txt)" > out.txt'));
  expect(texts).toEqual(["hello"]);
  expect(rollout.failure).toBeUndefined();
  expect(rollout.agents[0]?.rewards).toMatchObject({ greeted: { value: 1 }, untouched: { value: 1 } });
});

test("exit codes, errors, silence, time limits and long output are told plainly", async () => {
  const { texts } = await said(
    bash("echo out; echo err >&2; exit 3"),
    bash("true"),
    bash("sleep 30"),
    bash("head -c 1000 /dev/zero | tr '\\0' x; echo 'Hi Ada' > out.txt"),
  );
  expect(texts[0]).toBe("out\nstderr:\nerr\n(exit code 3)");
  expect(texts[1]).toBe("(no output)");
  expect(texts[2]).toBe("Error: the command was stopped after 1 s.");
  expect(texts[3]).toMatch(/^x{100}\n\(truncated 900 bytes\)$/);
});

test("a background job is looked at and stopped later", async () => {
  const { texts } = await said(
    bash("echo started; sleep 60", true),
    bash("sleep 0.3; echo 'Hi Ada' > out.txt"),
    { name: "job", arguments: { number: 1 } },
    { name: "job", arguments: { number: 1, stop: true } },
    { name: "job", arguments: { number: 9 } },
  );
  expect(texts[0]).toBe("Started as job 1.");
  expect(texts[2]).toBe("started\n(still running)");
  expect(texts[3]).toMatch(/^\(ended with exit code \d+\)$/);
  expect(texts[4]).toBe("Error: There is no job 9.");
});
