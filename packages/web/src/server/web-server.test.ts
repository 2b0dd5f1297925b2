import { request } from "node:http";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunDetail, RunItem } from "../app/api-types.ts";
import { sampleRollout, type SampleRoot, sampleRoot, sampleRun, writeRollouts } from "../testing/sample-run.ts";
import { createWebServer, type WebServer, type WebServerOptions } from "./create-web-server.ts";

let root: SampleRoot;
const servers: WebServer[] = [];
beforeEach(async () => {
  root = await sampleRoot();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await root[Symbol.asyncDispose]();
});
async function serve(options: Partial<WebServerOptions> = {}): Promise<string> {
  const server = await createWebServer({ root: root.path, assets: root.assets, ...options });
  servers.push(server);
  return server.url;
}
/** fetch tidies a path before it is sent; this does not. */
function rawStatus(url: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ port, hostname, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
const json = async <Value>(url: string): Promise<Value> => (await (await fetch(url)).json()) as Value;

describe("what is told of runs", () => {
  test("state, model, environments, steps and reward come from the files", async () => {
    const run = await sampleRun(root, "live");
    await run.append("events", { type: "run-start", atMs: 1, detail: {} });
    await run.append("updates", {
      step: 1,
      "reward/mean": 0.25,
      "reward/words/mean": 0.25,
      "reward/trained/mean": 0.25,
    });
    await run.append("groups", {
      group: "g",
      env: "words",
      rollouts: [],
      outcome: "trained",
      step: 1,
      attempt: 0,
    } as never);
    const url = await serve();
    const [item] = await json<RunItem[]>(`${url}api/list/runs`);
    expect(item).toMatchObject({
      name: "live",
      state: "running",
      model: "toy",
      environments: ["words"],
      step: 1,
      maxSteps: 20,
    });
    await writeFile(join(run.directory, "stop"), "");
    expect(await json<RunDetail>(`${url}api/runs/live`)).toMatchObject({ state: "stopping", outcomes: { trained: 1 } });
    await run.append("events", { type: "run-end", atMs: 2, detail: { why: "stopped" } });
    await run.close();
    expect(await json(`${url}api/runs/live`)).toMatchObject({ state: "stopped", reward: 0.25 });
  });

  test("a run whose process failed says so; a folder without runs has none", async () => {
    const run = await sampleRun(root, "broken");
    await run.append("events", { type: "run-start", atMs: 1, detail: {} });
    await run.close();
    const url = await serve();
    expect(await json(`${url}api/runs/broken`)).toMatchObject({ state: "failed" });
    expect(await json(`${url}api/list/evals`)).toEqual([]);
  });

  test("a bad question is answered, not a crash", async () => {
    await using run = await sampleRun(root, "a");
    await writeRollouts(run, 1, [sampleRollout({ id: "g#0" })]);
    const url = await serve();
    expect((await fetch(`${url}api/runs/a/rollouts?limit=-1`)).status).toBe(400);
    expect((await fetch(`${url}api/runs/a/rollouts/1/nobody`)).status).toBe(404);
    expect((await fetch(`${url}api/other/a`)).status).toBe(400);
    expect((await fetch(`${url}api/nothing`)).status).toBe(404);
    expect((await fetch(`${url}api/runs/a/rollouts/1/${encodeURIComponent("g#0")}`)).status).toBe(200);
  });
});

describe("what may be read", () => {
  test("no path leads out of the root", async () => {
    await (await sampleRun(root, "a")).close();
    const url = await serve();
    for (const path of [
      "/api/runs/../../etc",
      "/api/runs/..%2f..%2f..%2fetc",
      "/api/runs/%2e%2e",
      "/api/runs/a%2f..%2fa",
      "/api/runs/%00",
      "/assets/../../package.json",
      "/..%2f..%2fetc%2fpasswd",
      "/assets/..%2findex.html",
    ]) {
      expect([path, await rawStatus(url, path)]).toEqual([path, 404]);
    }
  });

  test("a link that leads out of the root is no run, and a linked file inside a run is empty", async () => {
    const outside = join(root.path, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "run.toml"), 'model = "secret-model"\n');
    await writeFile(
      join(outside, "events.jsonl"),
      `${JSON.stringify({ type: "secret", atMs: 1, detail: "secret" })}\n`,
    );
    const run = await sampleRun(root, "a");
    await run.close();
    await symlink(outside, join(root.path, "runs", "linked"));
    await symlink(join(outside, "events.jsonl"), join(run.directory, "events.jsonl"));
    await mkdir(join(outside, "rollouts"));
    await writeFile(
      join(outside, "rollouts", "000001.jsonl"),
      `${JSON.stringify(sampleRollout({ id: "secret#0" }))}\n`,
    );
    await symlink(join(outside, "rollouts"), join(run.directory, "rollouts"));
    const url = await serve();
    expect((await fetch(`${url}api/runs/linked`)).status).toBe(404);
    const answers = ["list/runs", "runs/a", "runs/a/rollouts", "runs/a/tasks"].map(async (path) =>
      (await fetch(`${url}api/${path}`)).text(),
    );
    expect((await Promise.all(answers)).join("")).not.toContain("secret");
    expect((await fetch(`${url}api/runs/a/rollouts/1/${encodeURIComponent("secret#0")}`)).status).toBe(404);
  });

  test("asking to stop writes the stop file and never through a link", async () => {
    await using run = await sampleRun(root, "a");
    await using hostile = await sampleRun(root, "hostile");
    const victim = join(root.path, "victim");
    await writeFile(victim, "precious");
    await symlink(victim, join(hostile.directory, "stop"));
    const url = await serve();
    const headers = { origin: new URL(url).origin };
    expect((await fetch(`${url}api/runs/a/stop`, { method: "POST", headers })).status).toBe(200);
    expect(await readdir(run.directory)).toContain("stop");
    await fetch(`${url}api/runs/hostile/stop`, { method: "POST", headers });
    expect(await readFile(victim, "utf8")).toBe("precious");
  });
});

describe("who may ask", () => {
  test("another page cannot stop a run, nor read one through a name that was pointed here", async () => {
    await using run = await sampleRun(root, "a");
    const url = await serve();
    for (const headers of [
      {},
      { origin: "https://example.com" },
      { origin: "null" },
      { origin: url, "sec-fetch-site": "cross-site" },
    ]) {
      expect((await fetch(`${url}api/runs/a/stop`, { method: "POST", headers })).status).toBe(403);
    }
    expect(await readdir(run.directory)).not.toContain("stop");
    expect(await rawStatus(url, "/api/list/runs", { host: "attacker.example" })).toBe(421);
    expect(await rawStatus(url, "/api/list/runs", { host: `localhost:${new URL(url).port}` })).toBe(200);
  });

  test("other machines need a token, and the server refuses to be open without one", async () => {
    await expect(serve({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "needs-token" });
    await expect(serve({ host: "0.0.0.0", token: "short" })).rejects.toMatchObject({ code: "needs-token" });
    const token = "a-token-of-sixteen-or-more";
    const url = await serve({ host: "0.0.0.0", token });
    const base = new URL("/", url).href;
    expect((await fetch(`${base}api/list/runs`)).status).toBe(401);
    expect((await fetch(base)).status).toBe(401);
    expect((await fetch(`${base}?token=wrong`)).status).toBe(401);
    expect((await fetch(`${base}api/list/runs`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    const opened = await fetch(url, { redirect: "manual" });
    expect([opened.status, opened.headers.get("location")]).toEqual([303, "/"]);
    const cookie = opened.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect((await fetch(`${base}api/list/runs`, { headers: { cookie: cookie.split(";")[0] ?? "" } })).status).toBe(200);
  });

  test("every answer forbids scripts, styles and requests that are not ours", async () => {
    const url = await serve();
    for (const path of ["", "runs/any", "api/list/runs", "api/runs/none", "missing.js"]) {
      const { headers } = await fetch(url + path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get("content-security-policy")).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  test("a page that was not built says how to build it", async () => {
    await rm(join(root.assets, "index.html"));
    await expect(serve()).rejects.toMatchObject({ code: "not-built" });
  });
});

test("the feed goes on after the last event a browser has seen", async () => {
  await using run = await sampleRun(root, "a");
  await run.append("updates", { step: 1 });
  await run.append("updates", { step: 2 });
  const url = await serve();
  const read = async (lastId: string): Promise<string> => {
    const stop = new AbortController();
    const response = await fetch(`${url}api/runs/a/feed`, {
      signal: stop.signal,
      headers: lastId === "" ? {} : { "last-event-id": lastId },
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk as Uint8Array);
      if (text.includes('"step":2')) break;
    }
    stop.abort();
    return text;
  };
  const all = await read("");
  const [first] = [...all.matchAll(/^id: (.+)$/gm)].map(([, id]) => id);
  expect(all).toContain('"step":1');
  expect(await read(first ?? "")).not.toContain('"step":1');
});
