import { join } from "node:path";
import type { Content } from "@hone/core";
import { scriptedModel } from "@hone/core/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runOnce } from "../testing/run-once.ts";
import { answersIn, caller, environmentOf, pidIn } from "./test-rollout.ts";
import { isRunning, testServers, type TestServers } from "./test-server.ts";

let servers: TestServers;
beforeAll(async () => {
  servers = await testServers();
});
afterAll(() => servers[Symbol.asyncDispose]());

const pidsOf = (content: Content | undefined) => JSON.parse(content as string) as number[];
const untilGone = async (pids: readonly number[]) => {
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
};

describe("lifecycle rollout", () => {
  test("every rollout has servers of its own, and nothing of them is left, not even what they started", async () => {
    const environment = environmentOf({ servers: { test: servers.stdio("--child", "--stubborn") } });
    const rollouts = await Promise.all(
      [0, 1, 2].map((index) => runOnce(environment, { index, model: caller([["pids"], ["count"]]) })),
    );
    const pids = rollouts.flatMap((rollout) => pidsOf(answersIn(rollout)[0]?.content));
    expect(new Set(pids).size).toBe(6);
    expect(rollouts.map((rollout) => answersIn(rollout)[1]?.content)).toEqual(["1", "1", "1"]);
    await untilGone(pids);
  });

  test("nothing is left after a failure and after a cancel either", async () => {
    const pids: number[] = [];
    const cancel = new AbortController();
    for (const way of ["fail", "cancel"] as const) {
      const model = scriptedModel(async ({ messages }, { index, signal }) => {
        if (index === 0) return { toolCalls: [{ name: "pids", arguments: {} }] };
        const last = messages.at(-1);
        pids.push(...pidsOf(last?.role === "tool" ? last.content : ""));
        if (way === "fail") throw new Error("the model is gone");
        setTimeout(() => cancel.abort(), 10);
        return new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
      });
      const rollout = await runOnce(environmentOf({ servers: { test: servers.stdio("--child") } }), {
        model,
        signal: way === "cancel" ? cancel.signal : new AbortController().signal,
      });
      expect(rollout.stop.type).toBe(way === "fail" ? "failed" : "cancelled");
    }
    expect(pids).toHaveLength(4);
    await untilGone(pids);
  });

  test("a cancel while a server is starting ends it", async () => {
    const cancel = new AbortController();
    const env = { PID_FILE: join(servers.folder, "cancelled") };
    const started = runOnce(environmentOf({ servers: { test: { ...servers.stdio("--silent"), env } } }), {
      model: caller([]),
      signal: cancel.signal,
    });
    const pid = await vi.waitFor(() => pidIn(env.PID_FILE), { timeout: 10_000 });
    cancel.abort();
    expect((await started).stop).toEqual({ type: "cancelled" });
    await untilGone([pid]);
  });
});

describe("lifecycle shared", () => {
  test("rollouts share one server, which is closed with the environment", async () => {
    const environment = environmentOf({ servers: { test: servers.stdio("--child") }, lifecycle: "shared" });
    const rollouts = await Promise.all(
      [0, 1, 2].map((index) => runOnce(environment, { index, model: caller([["count"], ["pids"]]) })),
    );
    expect(new Set(rollouts.map((rollout) => answersIn(rollout)[0]?.content))).toEqual(new Set(["1", "2", "3"]));
    const pids = [...new Set(rollouts.flatMap((rollout) => pidsOf(answersIn(rollout)[1]?.content)))];
    expect(pids).toHaveLength(2);
    expect(pids.every(isRunning)).toBe(true);
    await environment[Symbol.asyncDispose]();
    await untilGone(pids);
  });

  test("a server that crashed is there again: within the call once, unless the tool says that twice is not once", async () => {
    const environment = environmentOf({ servers: { test: servers.stdio() }, lifecycle: "shared" });
    const marker = join(servers.folder, "marker");
    const rollout = await runOnce(environment, {
      model: caller([
        ["crash_once", { marker }],
        ["crash"],
        ["count"],
        ["crash_once_unsafe", { marker: `${marker}-unsafe` }],
        ["count"],
      ]),
    });
    const ended = "Error: The server test ended (exit code 7) during the call.";
    expect(answersIn(rollout).map(({ content }) => content)).toEqual(["survived", ended, "1", ended, "1"]);
    await environment[Symbol.asyncDispose]();
  });
});
