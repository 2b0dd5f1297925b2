// `hone eval` against real HTTP servers, good and bad. A bad one is a row of the error table and exit code 1, never a crash.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { defineEnvironment } from "@hone/env";
import { type Fault, serveScripted } from "@hone/model/testing";
import { expect, onTestFinished, test } from "vitest";
import { withEcho } from "./testing/environments.ts";
import { provideEnvironment, workspace } from "./testing/workspace.ts";

type Options = NonNullable<Parameters<typeof serveScripted>[1]>;

/** A server that says back what it is told. */
async function mirror(options: Options = {}) {
  const server = await serveScripted(({ messages }) => String(messages.at(-1)?.content), options);
  onTestFinished(() => server.close());
  return server;
}

async function everyFile(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "latin1")))).join("\n");
}

test("--base-url names a server, and sampling reaches it", async () => {
  const server = await mirror();
  const { hone } = await withEcho();
  const flags = [
    "--base-url",
    server.url,
    "-n4",
    "-r2",
    "--max-tokens",
    "77",
    "--temperature",
    "0.5",
    "--system",
    "Be brief.",
  ];
  const { code, stdout } = await hone(["eval", "echo", "-m", "some-model", ...flags, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ model: "some-model", rollouts: 8, reward: { mean: 1 } });
  expect(server.requests).toHaveLength(8);
  expect(server.requests[0]?.body).toMatchObject({
    model: "some-model",
    max_tokens: 77,
    temperature: 0.5,
    messages: [{ role: "system", content: "Be brief." }, { role: "user" }],
  });
});

test("a key goes to its server and nowhere else", async () => {
  const server = await mirror({ apiKey: "sk-my-own-secret" });
  const { hone, folder } = await withEcho();
  const argv = ["eval", "echo", "-m", "some-model", "--base-url", server.url, "-n2", "-r1", "--key", "MY_KEY"];
  const right = await hone(argv, { env: { MY_KEY: "sk-my-own-secret" } });
  expect(right.code).toBe(0);
  const wrong = await hone(argv, { env: { MY_KEY: "sk-another-secret" } });
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(/^ +2 +model +unauthorized/m);
  expect(right.stdout + right.stderr + wrong.stdout + wrong.stderr + (await everyFile(folder))).not.toContain("secret");
});

test("a judge is found in endpoints.toml", async () => {
  const judge = await serveScripted(() => "yes");
  onTestFinished(() => judge.close());
  const made = await workspace();
  await provideEnvironment(
    made,
    "judged",
    defineEnvironment({
      name: "judged",
      tasks: [{ id: "a", question: "?" }],
      prompt: ({ task }) => task.question,
      rewards: {
        good: {
          judge: "judge",
          prompt: ({ reply }) => `Is ${reply} good? yes or no`,
        },
      },
    }),
  );
  await made.write("endpoints.toml", `[[endpoint]]\nname = "judge"\nbase_url = "${judge.url}"\n`);
  const { code, stdout } = await made.hone(["eval", "judged", "-m", "scripted", "-n1", "-r2", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ reward: { mean: 1 }, rollouts: 2 });
  expect(judge.requests.length).toBeGreaterThan(0);
});

const bad: readonly [string, Fault, string][] = [
  ["hangs", { type: "hang" }, "timeout"],
  ["sends a page of HTML", { type: "garbage" }, "invalid-response"],
  ["cuts the answer", { type: "cut" }, "connection"],
  ["answers 429", { type: "status", status: 429, headers: { "retry-after": "0" } }, "rate-limit"],
  ["answers 500", { type: "status", status: 500 }, "server"],
];

test.each(bad)(
  "a server that %s is recorded at the model boundary, within its limits",
  async (_what, fault, errorCode) => {
    const server = await mirror({ faults: () => fault });
    const { hone, write } = await withEcho();
    const endpoint = `[[endpoint]]\nname = "bad"\nbase_url = "${server.url}"\ntimeout_seconds = 0.3\nmax_attempts = 2\n`;
    await write("endpoints.toml", endpoint);
    const { code, stdout, stderr } = await hone(["eval", "echo", "-m", "bad", "-n2", "-r1", "--json"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const { failed, errors, reward } = JSON.parse(stdout) as { failed: number; errors: object[]; reward: unknown };
    expect({ failed, reward }).toEqual({ failed: 2, reward: null });
    expect(errors).toEqual([expect.objectContaining({ boundary: "model", code: errorCode, count: 2 })]);
    expect(server.requests).toHaveLength(4);
  },
);

test("a server that is bad for a while is asked again", async () => {
  const server = await mirror({ faults: [{ type: "status", status: 500 }, { type: "cut" }, { type: "garbage" }] });
  const { hone, write } = await withEcho();
  await write("endpoints.toml", `[[endpoint]]\nname = "moody"\nbase_url = "${server.url}"\nmax_attempts = 1\n`);
  const argv = ["eval", "echo", "-m", "moody", "-n1", "-r1"];
  expect((await hone(argv)).code).toBe(1);
  const { code, stdout } = await hone([...argv, "--retries", "3", "--json", "--output", "again"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ failed: 0, reward: { mean: 1 } });
});

test("a server that is not there is told as such", async () => {
  const server = await mirror();
  await server.close();
  const { hone, write } = await withEcho();
  await write("endpoints.toml", `[[endpoint]]\nname = "gone"\nbase_url = "${server.url}"\nmax_attempts = 1\n`);
  const { code, stdout } = await hone(["eval", "echo", "-m", "gone", "-n1", "-r1"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ +1 +model +connection +gone: /m);
});
