import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fromHubOn } from "./from-hub.ts";
import { fromUrlOn } from "./from-url.ts";
import type { DataMachine } from "./machine.ts";
import { errorOf, expectedSums, publishSums, read, rowsOf, type Sum, sums, testMachine } from "./test-dataset.ts";
import { startHub, type TestHub } from "./test-hub.ts";

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

describe("a bad connection", () => {
  test("that is cut is continued where it stopped, and the whole is intact", async () => {
    hub.troubles.push({ stallAfter: 1000 }, { stallAfter: 500 });
    expect(await read(fromHubOn(machine, { ...sums, onProgress: hub.cut }))).toEqual(expectedSums());
    expect(storageRequests().map(({ range }) => range)).toEqual([undefined, "bytes=1000-", "bytes=1500-", undefined]);
  });

  test("to a server that cannot vouch for the file starts again", async () => {
    const plain = await startHub({ hasEtags: false });
    const content = rowsOf("u", 50)
      .map((row) => JSON.stringify(row))
      .join("\n");
    plain.files.set("rows.jsonl", Buffer.from(content));
    plain.troubles.push({ cutAfter: 700 });
    const sha256 = createHash("sha256").update(content).digest("hex");
    const tasks = fromUrlOn<Sum>(machine, { url: `${plain.endpoint}/rows.jsonl`, sha256 });
    expect(await read(tasks)).toHaveLength(50);
    expect(plain.requests.every(({ range }) => range === undefined)).toBe(true);
    await plain[Symbol.asyncDispose]();
  });

  test("answers of 500 and 429 are tried again, after the wait the server asks for", async () => {
    hub.troubles.push({ status: 500 }, { status: 429, retryAfter: "7" });
    const waits: number[] = [];
    const patient = { ...machine, sleep: (milliseconds: number) => Promise.resolve(void waits.push(milliseconds)) };
    expect(await read(fromHubOn(patient, sums))).toEqual(expectedSums());
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBe(7000);
  });

  test("that stays bad is given up with the address and what else to try", async () => {
    for (let n = 0; n < 10; n++) hub.troubles.push({ status: 503 });
    const error = await errorOf(read(fromHubOn(machine, sums)));
    expect(error.message).toMatch(/files\/0\.parquet answered 503\.$/);
    expect(error.message).not.toContain("signature");
    expect(error.hint).toContain("HONE_DATA");
    expect(storageRequests()).toHaveLength(4);
  });

  test("that falls silent is cut and continued", async () => {
    hub.troubles.push({ stallAfter: 1000 });
    const impatient = { ...machine, patience: { attempts: 3, retryMs: 1, stallMs: 150 } };
    expect(await read(fromHubOn(impatient, sums))).toEqual(expectedSums());
    expect(storageRequests()[1]?.range).toBe("bytes=1000-");
  });

  test("that is refused altogether is one clear error", async () => {
    await hub[Symbol.asyncDispose]();
    const error = await errorOf(read(fromHubOn(machine, sums)));
    expect(error.message).toContain("ECONNREFUSED");
    expect(error.isRetryable).toBe(true);
    hub = await startHub();
  });

  test("can be left at any moment by the caller's signal", async () => {
    hub.troubles.push({ stallAfter: 1000 });
    const controller = new AbortController();
    const reading = read(
      fromHubOn(machine, {
        ...sums,
        signal: controller.signal,
        onProgress: () => controller.abort(new Error("enough")),
      }),
    );
    await expect(reading).rejects.toThrow("enough");
    expect(existsSync(join(folderOf(), "lock"))).toBe(false);
  });
});

describe("content", () => {
  test("with another checksum than the one asked for is not kept", async () => {
    const zeros = "0".repeat(64);
    const error = await errorOf(read(fromHubOn(machine, { ...sums, sha256: [zeros, zeros] })));
    expect(error.code).toBe("checksum");
    expect(error.message).toContain(`not ${zeros}`);
    expect(existsSync(join(folderOf(), "manifest.json"))).toBe(false);
    expect(existsSync(join(folderOf(), "0.parquet"))).toBe(false);
    expect((await errorOf(read(fromHubOn(machine, { ...sums, sha256: zeros })))).message).toContain(
      "2 files, and 1 checksums",
    );
  });

  test("with the right one is", async () => {
    const sha256 = ["files/0.parquet", "files/1.parquet"].map((path) =>
      createHash("sha256")
        .update(hub.files.get(path) ?? "")
        .digest("hex")
        .toUpperCase(),
    );
    expect(await read(fromHubOn(machine, { ...sums, sha256 }))).toEqual(expectedSums());
    expect(await read(fromHubOn(machineWith({ HONE_OFFLINE: "1" }), { ...sums, sha256 }))).toEqual(expectedSums());
  });

  test("that was damaged in the cache is fetched again, and only that", async () => {
    await read(fromHubOn(machine, sums));
    const path = join(folderOf(), "1.parquet");
    const bytes = readFileSync(path);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const error = await errorOf(read(fromHubOn(machineWith({ HONE_OFFLINE: "1" }), sums)));
    expect(error.code).toBe("offline");
    hub.requests.length = 0;
    expect(await read(fromHubOn(machine, sums))).toEqual(expectedSums());
    expect(storageRequests().map(({ path }) => path)).toEqual(["files/1.parquet"]);
  });

  test("whose halves come from two versions is noticed and fetched anew", async () => {
    hub.troubles.push({ stallAfter: 1000 });
    const brief = { ...machine, patience: { ...machine.patience, attempts: 1 } };
    await errorOf(read(fromHubOn(brief, { ...sums, onProgress: hub.cut })));
    const part = join(folderOf(), "0.parquet.part");
    expect(statSync(part).size).toBe(1000);
    writeFileSync(part, Buffer.alloc(1000));
    expect(await read(fromHubOn(machine, sums))).toEqual(expectedSums());
  });
});

describe("several processes", () => {
  test("one fetches, the others wait and find it done", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => read(fromHubOn(machine, sums))));
    for (const questions of all) expect(questions).toEqual(expectedSums());
    expect(storageRequests()).toHaveLength(2);
  });

  test("a lock that its owner left behind is taken over", async () => {
    mkdirSync(folderOf(), { recursive: true });
    writeFileSync(join(folderOf(), "lock"), JSON.stringify({ pid: 1, host: "another machine" }));
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(folderOf(), "lock"), longAgo, longAgo);
    expect(await read(fromHubOn(machine, sums))).toEqual(expectedSums());
  });

  test("a download that is killed is never taken for complete, and the next one continues it", async () => {
    hub.troubles.push({ stallAfter: 2000 });
    const program = `
      import { fromHub } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
      const onProgress = ({ receivedBytes }) => { if (receivedBytes >= 2000) process.stdout.write("there"); };
      for await (const task of fromHub({ dataset: "owner/sums", config: "main", split: "train", onProgress })) void task;`;
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "--conditions=@hone/source", "--input-type=module", "-e", program],
      {
        env: { ...process.env, HONE_CACHE: cache, HF_ENDPOINT: hub.endpoint },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(readdirSync(folderOf()).sort()).toEqual(["0.parquet.part", "0.parquet.part.json", "lock"]);
    expect((await errorOf(read(fromHubOn(machineWith({ HONE_OFFLINE: "1" }), sums)))).code).toBe("offline");
    expect(await read(fromHubOn(machine, sums))).toEqual(expectedSums());
    expect(storageRequests().map(({ range }) => range)).toEqual([undefined, "bytes=2000-", undefined]);
    expect(readdirSync(folderOf()).sort()).toEqual(["0.parquet", "1.parquet", "manifest.json"]);
  });

  test("a download that was killed when all had arrived finishes", async () => {
    mkdirSync(folderOf(), { recursive: true });
    const content = hub.files.get("files/0.parquet") ?? Buffer.alloc(0);
    const etag = `"${createHash("sha256").update(content).digest("hex").slice(0, 20)}"`;
    writeFileSync(join(folderOf(), "0.parquet.part"), content);
    writeFileSync(
      join(folderOf(), "0.parquet.part.json"),
      JSON.stringify({ url: `${hub.endpoint}/files/0.parquet`, etag }),
    );
    expect(await read(fromHubOn(machine, sums))).toEqual(expectedSums());
  });
});
