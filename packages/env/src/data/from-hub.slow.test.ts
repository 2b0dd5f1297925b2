import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { DownloadProgress } from "./download.ts";
import { fromHubOn } from "./from-hub.ts";
import { fromUrlOn } from "./from-url.ts";
import type { DataMachine } from "./machine.ts";
import { errorOf, expectedSums, publishSums, read, rowsOf, type Sum, sums, testMachine } from "./test-dataset.ts";
import { parquetOf, startHub, type TestHub } from "./test-hub.ts";

let hub: TestHub;
let cache: string;
let machine: DataMachine;
beforeEach(async () => {
  hub = await startHub();
  publishSums(hub);
  cache = mkdtempSync(join(tmpdir(), "hone-cache-"));
  machine = machineWith({});
});
afterEach(async () => {
  await hub[Symbol.asyncDispose]();
  rmSync(cache, { recursive: true, force: true });
});

const machineWith = (env: Readonly<Record<string, string>>): DataMachine =>
  testMachine({ HONE_CACHE: cache, HF_ENDPOINT: hub.endpoint, ...env });
const folderOf = (): string => join(cache, "datasets", "owner--sums", "main--train");
const storageRequests = (): TestHub["requests"] => hub.requests.filter(({ origin }) => origin === "storage");

describe("a dataset id", () => {
  test("gives the rows of all shards in order, fetched once for every later reading", async () => {
    expect(await read(fromHubOn(machine, sums))).toEqual(expectedSums());
    const count = hub.requests.length;
    expect(await read(fromHubOn(machine, sums))).toEqual(expectedSums());
    expect(await read(fromHubOn(machineWith({ HONE_OFFLINE: "1" }), sums))).toEqual(expectedSums());
    expect(hub.requests.length).toBe(count);
    expect(readdirSync(folderOf()).sort()).toEqual(["0.parquet", "1.parquet", "manifest.json"]);
  });

  test("reports progress up to the whole", async () => {
    const seen: DownloadProgress[] = [];
    await read(fromHubOn(machine, { ...sums, onProgress: (progress) => seen.push(progress) }));
    const last = seen.findLast(({ url }) => url.endsWith("0.parquet"));
    expect(last?.receivedBytes).toBe(hub.files.get("files/0.parquet")?.length);
    expect(last?.totalBytes).toBe(last?.receivedBytes);
  });

  test("needs no config where there is only one with that split", async () => {
    const { config: _config, ...rest } = sums;
    expect(await read(fromHubOn(machine, rest))).toEqual(expectedSums());
    const error = await errorOf(read(fromHubOn(machine, { ...rest, split: "tset" })));
    expect(error.message).toBe("owner/sums has no split tset.");
    expect(error.hint).toContain("main: train");
  });

  test("may name one file of the repository at a revision", async () => {
    const content = gzipSync(
      rowsOf("f", 3)
        .map((row) => JSON.stringify(row))
        .join("\n"),
    );
    hub.files.set("datasets/owner/sums/resolve/v1.0/raw/rows.jsonl.gz", content);
    const options = {
      ...sums,
      file: "raw/rows.jsonl.gz",
      revision: "v1.0",
      schema: z.object({ question: z.string() }),
    };
    expect(await read(fromHubOn(machine, options))).toEqual(rowsOf("f", 3).map(({ question }) => question));
  });

  test("that the hub does not have is named, with what to check, and not asked for again and again", async () => {
    hub.views.clear();
    const error = await errorOf(read(fromHubOn(machine, sums)));
    expect(error.message).toContain("/api/datasets/owner/sums/parquet/main/train answered 404.");
    expect(error.hint).toContain("split");
    expect(hub.requests).toHaveLength(1);
  });

  test("options that make no sense are refused at once", () => {
    const wrong =
      (options: object): (() => unknown) =>
      () =>
        fromHubOn(machine, { ...sums, ...options });
    expect(wrong({ dataset: "../etc" })).toThrow("not a dataset id");
    expect(wrong({ revision: "v1" })).toThrow("together with a file");
    expect(wrong({ file: "rows.csv" })).toThrow("neither JSONL, JSON nor Parquet");
  });
});

describe("the token", () => {
  test("goes to the hub's own origin only, not to its storage, and into no file or error", async () => {
    await read(fromHubOn(machineWith({ HF_TOKEN: "hf_secret" }), sums));
    expect(
      hub.requests
        .filter(({ origin }) => origin === "hub")
        .every(({ authorization }) => authorization === "Bearer hf_secret"),
    ).toBe(true);
    expect(storageRequests()).toHaveLength(2);
    for (const { authorization } of storageRequests()) expect(authorization).toBeUndefined();
    const manifest = readFileSync(join(folderOf(), "manifest.json"), "utf8");
    expect(manifest).not.toMatch(/secret|signature/);
  });

  test("is not sent to another host than the endpoint's", async () => {
    const other = await startHub();
    other.files.set("rows.jsonl", Buffer.from('{"question":"q"}\n'));
    const sha256 = createHash("sha256").update('{"question":"q"}\n').digest("hex");
    const tasks = fromUrlOn<Sum>(machineWith({ HF_TOKEN: "hf_secret" }), {
      url: `${other.endpoint}/rows.jsonl?key=secret`,
      sha256,
    });
    expect(await read(tasks)).toEqual(["q"]);
    for (const { authorization } of other.requests) expect(authorization).toBeUndefined();
    await other[Symbol.asyncDispose]();
  });

  test("that may not read a dataset is asked for by name", async () => {
    hub.troubles.push({ status: 403 });
    expect((await errorOf(read(fromHubOn(machine, sums)))).hint).toContain("HF_TOKEN");
  });
});

describe("offline", () => {
  test("what is not here is an error that lists the places and says what to do", async () => {
    const folder = join(cache, "copies");
    const error = await errorOf(read(fromHubOn(machineWith({ HONE_OFFLINE: "1", HONE_DATA: folder }), sums)));
    expect(error.message).toBe("owner/sums, main, train is not on this machine, and HONE_OFFLINE is set.");
    expect(error.hint).toContain(join(folder, "owner", "sums", "train.{jsonl,json,jsonl.gz,parquet}"));
    expect(error.hint).toContain(join(folder, "sums", "main", "train.{"));
    expect(error.hint).toContain(folderOf());
    expect(hub.requests).toEqual([]);
  });
});

describe("a local folder", () => {
  const line = '{"question":"local"}\n';

  test("named by HONE_DATA is read instead of the hub, in any of its formats", async () => {
    const local = machineWith({ HONE_DATA: join(cache, "copies"), HONE_OFFLINE: "1" });
    const contents = {
      jsonl: line,
      json: `[${line}]`,
      "jsonl.gz": gzipSync(line),
      parquet: parquetOf([{ question: "local" }]),
    };
    for (const [ending, content] of Object.entries(contents)) {
      const folder = join(cache, "copies", "sums");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `train.${ending}`), content);
      expect(await read(fromHubOn(local, sums))).toEqual(["local"]);
      rmSync(folder, { recursive: true });
    }
  });

  test("named by the caller is the only place looked at", async () => {
    const folder = join(cache, "mine");
    const error = await errorOf(read(fromHubOn(machine, { ...sums, folder })));
    expect(error.hint).toContain(join(folder, "train.{jsonl"));
    expect(hub.requests).toEqual([]);
    mkdirSync(folder);
    writeFileSync(join(folder, "train.jsonl"), line);
    expect(await read(fromHubOn(machine, { ...sums, folder }))).toEqual(["local"]);
  });

  test("without the dataset gives way to the hub", async () => {
    expect(await read(fromHubOn(machineWith({ HONE_DATA: join(cache, "copies") }), sums))).toEqual(expectedSums());
  });
});

describe("a file by address", () => {
  test("is fetched once, checked, and read in the format told", async () => {
    const content = '[{"question":"q"}]';
    hub.files.set("raw", Buffer.from(content));
    const sha256 = createHash("sha256").update(content).digest("hex");
    const options = { url: `${hub.endpoint}/raw`, sha256, format: "json" } as const;
    expect(await read(fromUrlOn<Sum>(machine, options))).toEqual(["q"]);
    expect(await read(fromUrlOn<Sum>(machineWith({ HONE_OFFLINE: "1" }), options))).toEqual(["q"]);
    expect(storageRequests()).toHaveLength(1);
  });

  test("is refused when it is not what was asked for, or not said to be anything", async () => {
    hub.files.set("rows.jsonl", Buffer.from("{}\n"));
    const sha256 = "f".repeat(64);
    const url = `${hub.endpoint}/rows.jsonl`;
    expect((await errorOf(read(fromUrlOn<Sum>(machine, { url, sha256 })))).code).toBe("checksum");
    expect(() => fromUrlOn(machine, { url: `${hub.endpoint}/rows`, sha256 })).toThrow("does not say what it is");
    expect(() => fromUrlOn(machine, { url, sha256: "abc" })).toThrow("not a SHA-256");
    expect(() => fromUrlOn(machine, { url: "file:///rows.jsonl", sha256 })).toThrow("not an http address");
  });
});
