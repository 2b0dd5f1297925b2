// The suites on the real shell, and what is special about it.
import type { ExecResult } from "@hone/core";
import { describe, expect, test } from "vitest";
import { quote } from "../shared/quote.ts";
import { hostileSuite, sandboxConformance } from "../testing/index.ts";
import { memoryBash } from "./memory-bash.ts";

const provider = memoryBash();
const suite = {
  name: "memory-bash",
  provider,
  isolates: true,
  features: { jobs: false, processes: false, shell: true, workFolder: true, links: false, snapshot: true },
  commands: {
    // There is no endless /dev/zero here, and no network that a redirection could lead to.
    fill: (bytes: number) => `printf '%${bytes}s' '' | tr ' ' x`,
    takeMemory: () => "x=xxxxxxxx; while :; do x=$x$x; done",
    fillDisk: (path: string) => `while printf '%1000000s' x > ${quote(path)}$((i++)); do :; done; exit 1`,
    connect: (host: string, port: number) => `curl -s http://${host}:${port}/`,
  },
};
const api = { describe, test, expect };
const { signal } = new AbortController();

sandboxConformance(suite, api);
hostileSuite(suite, api);

test("a program that looks at no clock is ended too, the host never stands still, and files stay", async () => {
  await using lease = await provider.open({}, { signal });
  await lease.sandbox.write("kept.txt", "kept");
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  const result = await lease.sandbox.exec("echo lost > new.txt; awk 'BEGIN { while (1) i++ }'", { timeoutMs: 400 });
  clearInterval(timer);
  expect(result).toMatchObject({ exitCode: 137, timedOut: true, stderr: expect.stringContaining("was lost") });
  expect(turns).toBeGreaterThan(5);
  expect(await lease.sandbox.exec("cat kept.txt; ls")).toMatchObject({ stdout: "keptkept.txt\n" });
});

test("of a command only its files last", async () => {
  await using lease = await provider.open({}, { signal });
  const exec = (command: string): Promise<ExecResult> => lease.sandbox.exec(command);
  await exec("mkdir d; cd d; X=1; export X; f() { echo f; }; alias l=ls; echo a > file; set -e; rm -rf /bin /usr/bin");
  expect(await exec("pwd; echo [$X]; f; ls d")).toMatchObject({ stdout: "/work\n[]\nfile\n", exitCode: 0 });
});

test("the usual tools work together", async () => {
  await using lease = await provider.open({ files: { "a.csv": "x,3\ny,1\nx,4\n" } }, { signal });
  const exec = (command: string): Promise<ExecResult> => lease.sandbox.exec(command);
  const sum = "awk -F, '{ s[$1] += $2 } END { for (k in s) print k, s[k] }' a.csv | sort | sed 's/ /=/'";
  expect((await exec(sum)).stdout).toBe("x=7\ny=1\n");
  expect((await exec(`echo '{"a":[1,2]}' | jq -c '.a | map(. + 1)' | tee out; grep -c 3 out`)).stdout).toBe(
    "[2,3]\n1\n",
  );
  expect((await exec("for f in a b; do echo $f > $f.txt; done; find . -name '*.txt' | sort | xargs cat")).stdout).toBe(
    "a\nb\n",
  );
});

test("files are counted as well as their bytes", async () => {
  await using lease = await provider.open({ diskMb: 1 }, { signal });
  const result = await lease.sandbox.exec("for i in $(seq 3000); do : > f$i; done", { timeoutMs: 50_000 });
  expect(result).toMatchObject({ timedOut: false, stderr: expect.stringContaining("ENOSPC") });
  expect((await lease.sandbox.list(".")).length).toBeLessThanOrEqual(1024);
});

test("what it does not have is refused when it is asked for", async () => {
  for (const spec of [{ image: "debian" }, { network: true }]) {
    await expect(provider.open(spec, { signal })).rejects.toMatchObject({ code: "sandbox-spec" });
  }
  await using lease = await provider.open({}, { signal });
  await expect(lease.sandbox.start("sleep 1")).rejects.toMatchObject({ code: "bad-argument" });
});
