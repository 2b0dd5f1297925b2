import fc from "fast-check";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { countsPerNamespace } from "./bubblewrap.ts";
import { checkReadOnlyPaths, diskShares, viewArguments } from "./view.ts";

test("the shares of the disk add up to the limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (diskMb) => {
      const { work, tmp, shm } = diskShares(diskMb);
      expect(work + tmp + shm).toBe(diskMb * 2 ** 20);
      expect(Math.min(work, tmp, shm)).toBeGreaterThan(0);
    }),
  );
});

describe("what a sandbox sees", () => {
  const view = async (network: boolean, readOnlyPaths: readonly string[] = []): Promise<readonly string[]> => {
    const folder = mkdtempSync(join(tmpdir(), "hone-view-"));
    mkdirSync(join(folder, "io"));
    try {
      const limits = { memoryMb: 1, diskMb: 16, processes: 1 };
      const found = await viewArguments({ limits, readOnlyPaths, folder, network });
      expect(readFileSync(join(folder, "etc", "passwd"), "utf8").split("\n")[0]).toContain("/work");
      return found.map((word) => word.replace(folder, "FOLDER"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test("nothing of the host is writable", async () => {
    const words = await view(false, ["/opt/tools"]);
    expect(words.filter((word) => ["--bind", "--bind-try", "--dev-bind"].includes(word))).toEqual([]);
    expect(words.join(" ")).toContain("--ro-bind /opt/tools /opt/tools");
  });

  test("the roots in memory are made read-only last", async () => {
    expect((await view(false)).slice(-4)).toEqual(["--remount-ro", "/dev", "--remount-ro", "/"]);
  });

  test("certificates are only shown to who has a network", async () => {
    expect(await view(false)).not.toContain("/etc/ssl");
    expect(await view(true)).toContain("/etc/ssl");
  });
});

test("folders that would cover the sandbox's own are refused", () => {
  checkReadOnlyPaths(["/opt", "/nix/store"]);
  for (const path of ["/", "/work", "/tmp", "/proc", "/dev", "/run", "relative", "/a/../work"]) {
    expect(() => checkReadOnlyPaths([path])).toThrow("cannot be shown");
  }
});

test("kernels from 5.14 on count the processes of a sandbox by themselves", () => {
  expect(["5.13.0", "4.19.0-21-amd64"].map(countsPerNamespace)).toEqual([false, false]);
  expect(["5.14.0-503.el9", "5.15.0-1", "6.1.0-18-amd64", "10.0"].map(countsPerNamespace)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});
