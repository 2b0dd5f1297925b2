import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { runOnce } from "../testing/run-once.ts";
import { MCPEnv } from "./mcp-env.ts";
import { answersIn, caller, pidIn, use } from "./test-rollout.ts";
import { isRunning, testServers, type TestServers } from "./test-server.ts";

let servers: TestServers;
beforeAll(async () => {
  servers = await testServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

const untilGone = async (pids: readonly number[]) => {
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
};

describe("a server over stdio", () => {
  test("offers its tools, and each kind of answer reaches the model", async () => {
    const { contents, messages, rollout } = await use({ servers: { test: servers.stdio("--noise") } }, [
      ["echo", { text: "ab" }],
      ["echo", { text: "ab", times: 3 }],
      ["add", { a: 2, b: 3 }],
      ["picture"],
      ["link"],
      ["dotted_name"],
    ]);
    expect(rollout.failure).toBeUndefined();
    expect(contents).toEqual([
      "ab",
      "ababab",
      '{"sum":5}',
      [
        { type: "text", text: "a dot" },
        { type: "image", url: "data:image/png;base64,iVBORw0KGgo=" },
      ],
      "notes: file:///notes.txt (mine)\nembedded",
      "dotted",
    ]);
    expect(messages.every(({ isError }) => isError === undefined)).toBe(true);
  });

  test("what the server calls an error, what it refuses and what its protocol refuses are errors to the model", async () => {
    const { messages, rollout } = await use({ servers: { test: servers.stdio() } }, [
      ["wrong"],
      ["throws"],
      ["echo", { text: 3 }],
      ["nothing"],
    ]);
    expect(rollout.failure).toBeUndefined();
    expect(messages.map(({ isError }) => isError)).toEqual([true, true, true, true]);
    const [wrong, throws, invalid, unknown] = messages.map(({ content }) => content);
    expect(wrong).toBe("sold out");
    expect(throws).toMatch(/broken inside/);
    expect(invalid).toMatch(/expected string/);
    expect(unknown).toMatch(/There is no tool nothing/);
  });

  test("long text is cut and counted", async () => {
    const { contents } = await use({ servers: { test: servers.stdio() }, maxOutputBytes: 10 }, [
      ["echo", { text: "é", times: 8 }],
      ["echo", { text: "0", times: 10 }],
    ]);
    expect(contents).toEqual(["ééééé\n(truncated 6 bytes)", "0000000000"]);
  });

  test("a server sees PATH, HOME and what it is given, and nothing else of the host", async () => {
    process.env["HONE_TEST_SECRET"] = "must not be seen";
    const { contents } = await use({ servers: { test: { ...servers.stdio(), env: { GIVEN: "yes" } } } }, [
      ["environment"],
    ]);
    delete process.env["HONE_TEST_SECRET"];
    const seen = JSON.parse(contents[0] as string) as Record<string, string>;
    expect(seen).toMatchObject({ GIVEN: "yes", PATH: process.env["PATH"] });
    expect(Object.keys(seen).toSorted()).toEqual(["GIVEN", "HOME", "PATH"]);
  });

  test("a server that speaks only the later protocol is understood", async () => {
    const { contents } = await use({ servers: { test: servers.stdio("--modern") } }, [["echo", { text: "ab" }]]);
    expect(contents).toEqual(["ab"]);
  });
});

describe("a server that cannot be used fails the rollout at the boundary tool, to be tried again", () => {
  test.each([
    ["a program that is not there", () => ({ command: "no-such-program-here" }), /There is no program no-such-program/],
    ["one that ends at once", () => ({ ...servers.stdio("--fail"), env: { API_KEY: "sk-12345678" } }), /no config/],
    ["an address where nothing listens", () => ({ url: "http://127.0.0.1:9/mcp" }), /cannot be used: .*fail/],
  ])("%s", async (_what, server, message) => {
    const { rollout } = await use({ servers: { test: server() } }, []);
    expect(rollout.failure).toMatchObject({ boundary: "tool", code: "mcp-start", isRetryable: true });
    expect(rollout.failure?.message).toMatch(message);
    expect(rollout.failure?.message).not.toContain("sk-12345678");
  });

  test("one that says nothing, and nothing of it is left", async () => {
    const env = { PID_FILE: join(servers.folder, "silent") };
    const { rollout } = await use({ servers: { test: { ...servers.stdio("--silent"), env } }, connectSeconds: 2 }, []);
    expect(rollout.failure).toMatchObject({ boundary: "tool", code: "mcp-start", isRetryable: true });
    expect(rollout.failure?.message).toMatch(/no answer within 2 s/);
    await untilGone([await pidIn(env.PID_FILE)]);
  });

  test("one that starts is closed when another does not", async () => {
    const env = { PID_FILE: join(servers.folder, "good") };
    const bad = { command: "sh", args: ["-c", `while [ ! -s ${env.PID_FILE} ]; do sleep 0.05; done`] };
    const { rollout } = await use({ servers: { good: { ...servers.stdio("--stubborn"), env }, bad } }, []);
    expect(rollout.failure?.message).toMatch(/server bad cannot be used: Connection closed/);
    await untilGone([await pidIn(env.PID_FILE)]);
  });
});

describe("several servers", () => {
  test("their tools carry their names", async () => {
    const { contents, rollout } = await use({ servers: { one: servers.stdio(), two: servers.stdio() } }, [
      ["one_count"],
      ["one_count"],
      ["two_count"],
      ["count"],
    ]);
    expect(contents.slice(0, 3)).toEqual(["1", "2", "1"]);
    expect(contents[3]).toMatch(/There is no tool count\. Tools: one_echo/);
    expect(rollout.agents[0]?.metrics["tool_calls"]).toBe(4);
  });

  test("one server carries its name where asked, and none where told not to, if that is unique", async () => {
    const one = await use({ servers: { one: servers.stdio() }, prefix: true }, [["one_count"]]);
    expect(one.contents).toEqual(["1"]);
    const both = await use({ servers: { one: servers.stdio(), two: servers.stdio() }, prefix: false }, []);
    expect(both.rollout.failure).toMatchObject({ boundary: "tool", code: "duplicate-tool", isRetryable: false });
    expect(both.rollout.failure?.message).toMatch(/Two tools are named/);
  });

  test("the environment's own tools stand beside them, and their names are taken", async () => {
    const own = { description: "", parameters: z.object({}), execute: () => "mine" };
    const options = { name: "mcp", tasks: [{ n: 1 }], prompt: () => "go", rewards: {} };
    const server = { servers: { test: servers.stdio() } };
    const beside = new MCPEnv({ ...options, ...server, tools: { own } });
    const rollout = await runOnce(beside, { model: caller([["own"], ["count"]]) });
    expect(answersIn(rollout).map(({ content }) => content)).toEqual(["mine", "1"]);
    const clash = new MCPEnv({ ...options, ...server, tools: { echo: own } });
    const failed = await runOnce(clash, { model: caller([]) });
    expect(failed.failure).toMatchObject({ code: "duplicate-tool", isRetryable: false });
  });
});

describe("a server that misbehaves during a call", () => {
  test("one that crashes is an error to the model, and there again for the next call, which says so", async () => {
    const { messages, rollout } = await use({ servers: { test: servers.stdio() } }, [["count"], ["crash"], ["count"]]);
    expect(rollout.failure).toBeUndefined();
    expect(messages.map(({ content }) => content)).toEqual([
      "1",
      "Error: The server test ended (exit code 7) during the call.",
      "(The server was restarted before this call: what it held in memory is gone.)\n1",
    ]);
    expect(messages[1]?.isError).toBe(true);
  });

  test("a call that takes too long is given up; the server lives on with what it holds", async () => {
    const { contents } = await use({ servers: { test: servers.stdio() }, callSeconds: 1 }, [
      ["count"],
      ["hang", { busy: false }],
      ["count"],
    ]);
    expect(contents).toEqual(["1", "Error: hang did not answer within 1 s.", "2"]);
  });

  test("a server that hangs as a whole is ended and started again", async () => {
    const { contents } = await use({ servers: { test: servers.stdio() }, callSeconds: 1 }, [
      ["count"],
      ["hang", { busy: true }],
      ["count"],
    ]);
    expect(contents[1]).toBe(
      "Error: hang did not answer within 1 s. The server test answers nothing any more and was ended.",
    );
    expect(contents[2]).toMatch(/was restarted before this call.*\n1$/);
  });
});
