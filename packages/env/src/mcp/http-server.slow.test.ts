import { afterAll, beforeAll, expect, test } from "vitest";
import { runOnce } from "../testing/run-once.ts";
import { answersIn, caller, environmentOf, use } from "./test-rollout.ts";
import { testServers, type TestServers } from "./test-server.ts";

let servers: TestServers;
beforeAll(async () => {
  servers = await testServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

test.each([[[]], [["--modern"]]])("a server over streamable HTTP is used as one over stdio is (%j)", async (flags) => {
  const { url } = await servers.http({ flags });
  const { contents, rollout } = await use({ servers: { web: { url } } }, [
    ["echo", { text: "ab" }],
    ["add", { a: 2, b: 3 }],
    ["wrong"],
    ["picture"],
  ]);
  expect(rollout.failure).toBeUndefined();
  expect(contents).toEqual([
    "ab",
    '{"sum":5}',
    "sold out",
    [
      { type: "text", text: "a dot" },
      { type: "image", url: "data:image/png;base64,iVBORw0KGgo=" },
    ],
  ]);
});

test("headers are sent; without them the rollout fails, and no error repeats a key", async () => {
  const { url } = await servers.http({ token: "key-of-the-user" });
  const right = { url, headers: { authorization: "Bearer key-of-the-user" } };
  expect((await use({ servers: { web: right } }, [["count"]])).contents).toEqual(["1"]);
  const wrong = { url, headers: { authorization: "Bearer another-user-key" } };
  const { rollout } = await use({ servers: { web: wrong } }, []);
  expect(rollout.failure).toMatchObject({ boundary: "tool", code: "mcp-start" });
  expect(rollout.failure?.message).toContain("no entry for ***");
  expect(rollout.failure?.message).not.toContain("another-user-key");
});

test("stdio and HTTP stand side by side", async () => {
  const { url } = await servers.http();
  const { contents } = await use({ servers: { local: servers.stdio(), web: { url } } }, [
    ["local_echo", { text: "a" }],
    ["web_echo", { text: "b" }],
  ]);
  expect(contents).toEqual(["a", "b"]);
});

test.each([
  ["crash", []],
  ["crash_later", []],
  ["crash_later", ["--modern"]],
])(
  "a server that dies in the middle of %s is an error at once, and a failure when it stays away",
  async (tool, flags) => {
    const { url } = await servers.http({ flags });
    const { contents, rollout } = await use({ servers: { web: { url } } }, [[tool], ["count"]]);
    expect(contents).toEqual(["Error: The server web was lost during the call."]);
    expect(rollout.failure).toMatchObject({ boundary: "tool", code: "mcp-start", isRetryable: true });
  },
  20_000,
);

test("a shared server that was restarted between calls is connected to again without the model noticing", async () => {
  const first = await servers.http();
  const environment = environmentOf({ servers: { web: { url: first.url } }, lifecycle: "shared" });
  const model = caller([["count"], ["count"], ["count"]], async (turn) => {
    if (turn !== 2) return;
    await first[Symbol.asyncDispose]();
    await servers.http({ port: first.port });
  });
  const rollout = await runOnce(environment, { model });
  expect(answersIn(rollout).map(({ content }) => content)).toEqual(["1", "2", "1"]);
  await environment[Symbol.asyncDispose]();
});

test("a call that takes too long is given up", async () => {
  const { url } = await servers.http();
  const { contents } = await use({ servers: { web: { url } }, callSeconds: 1 }, [["hang", { busy: false }], ["count"]]);
  expect(contents).toEqual(["Error: hang did not answer within 1 s.", "1"]);
});
