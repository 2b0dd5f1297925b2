// The suites on the real thing, and what is bubblewrap's own: the filter, the limits that are watched, the host's network, death.
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox, SandboxSpec } from "@hone/core";
import { afterAll, describe, expect, test } from "vitest";
import { processesOf } from "../reaper.ts";
import { withServer } from "../testing/hostile/host.ts";
import { eventually } from "../testing/rig.ts";
import { hostileSuite, sandboxConformance } from "../testing/index.ts";
import { bubblewrap, type BubblewrapOptions } from "./bubblewrap.ts";

const skip = process.env["HONE_SKIP_BWRAP"];
const state = mkdtempSync(join(tmpdir(), "hone-bubblewrap-"));
chmodSync(state, 0o711);
afterAll(() => rmSync(state, { recursive: true, force: true }));

const suite = {
  name: "bubblewrap",
  provider: bubblewrap({ stateFolder: state }),
  isolates: true,
  features: { jobs: true, processes: true, shell: true, workFolder: true, links: true, snapshot: true },
  ...(skip === undefined ? {} : { skip }),
};
sandboxConformance(suite, { describe, test, expect });
hostileSuite(suite, { describe, test, expect });

const never = { signal: new AbortController().signal };

async function within(
  work: (box: Sandbox) => Promise<void>,
  spec: SandboxSpec = {},
  options: BubblewrapOptions = {},
): Promise<void> {
  const lease = await bubblewrap({ stateFolder: state, ...options }).open(spec, never);
  try {
    await work(lease.sandbox);
  } finally {
    await lease[Symbol.asyncDispose]();
  }
}

describe.skipIf(skip !== undefined)(`bubblewrap ${skip ?? "itself"}`, () => {
  test("programs have no rights and cannot get any", () =>
    within(async (box) => {
      const { stdout } = await box.exec("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; id -u");
      expect(stdout.match(/^Cap\w+:\t0{16}$/gm)?.length).toBe(5);
      expect(stdout).toMatch(/^NoNewPrivs:\t1$/m);
      expect(stdout).toMatch(/^Seccomp:\t2$/m);
      expect(stdout).toMatch(/^1000$/m);
      expect((await box.exec("unshare --user --map-root-user true")).exitCode).toBeGreaterThan(0);
      expect((await box.exec("unshare --mount true")).exitCode).toBeGreaterThan(0);
    }));

  test("dangerous system calls fail, threads and processes work", () =>
    within(async (box) => {
      if ((await box.exec("command -v python3")).exitCode !== 0) return;
      await box.write(
        "calls.py",
        `import ctypes, errno, socket, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(libc, name)(*arguments)
    print(name, errno.errorcode.get(ctypes.get_errno(), "fine" if result >= 0 else "failed"))
call("ptrace", 0, 0, 0, 0)
call("unshare", 0x10000000)
call("setns", 0, 0)
call("mount", b"none", b"/work", b"tmpfs", 0, None)
call("personality", 0x0040000)
call("shmget", 0, 4096, 0o600)
for family in (socket.AF_VSOCK, socket.AF_PACKET):
    try:
        socket.socket(family, socket.SOCK_DGRAM)
        print("socket fine")
    except OSError as error:
        print("socket", errno.errorcode[error.errno])
thread = threading.Thread(target=lambda: print("thread"))
thread.start(); thread.join()
print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout, end="")
`,
      );
      const { stdout, stderr } = await box.exec("python3 calls.py");
      expect(stderr).toBe("");
      const refused = [
        "ptrace EPERM",
        "unshare EPERM",
        "setns EPERM",
        "mount EPERM",
        "personality EPERM",
        "shmget ENOSYS",
      ];
      const families = ["socket EAFNOSUPPORT", "socket EAFNOSUPPORT"];
      expect(stdout.trim().split("\n")).toEqual([...refused, ...families, "thread", "child"]);
    }));

  test("memory that processes share is counted once", () =>
    within(
      async (box) => {
        if ((await box.exec("command -v python3")).exitCode !== 0) return;
        // Eight processes that see the same 150 MB, in a sandbox with 300.
        const share = "x = b'x' * (150 << 20)\nimport os, time\nfor _ in range(3): os.fork()\ntime.sleep(1)";
        const { exitCode, stderr } = await box.exec(`python3 -c "${share}"`);
        expect([exitCode, stderr]).toEqual([0, ""]);
      },
      { memoryMb: 300 },
    ));

  test("too many files end what makes them, and can be removed", () =>
    within(
      async (box) => {
        const make = "i=0; while :; do : > f$i; i=$((i+1)); done";
        const { exitCode, stderr, timedOut } = await box.exec(make, { timeoutMs: 30_000 });
        expect([exitCode, timedOut]).toEqual([137, false]);
        expect(stderr).toContain("more than 2048 files");
        expect((await box.exec("find . -type f -delete; ls | wc -l")).stdout).toBe("0\n");
      },
      { diskMb: 2 },
    ));

  test("a fork bomb beside a program leaves the program alone", () =>
    within(
      async (box) => {
        const job = await box.start('while read -r line; do echo "$line"; done');
        const bomb = "bomb() { bomb | bomb & }; bomb; (setsid sleep 99 &); sleep 30";
        expect((await box.exec(bomb, { timeoutMs: 1500 })).timedOut).toBe(true);
        await job.write("alive\n");
        for await (const { text } of job.output) {
          expect(text).toBe("alive\n");
          break;
        }
        await eventually("the bomb is gone", async () => {
          const left = (await box.list("/proc")).filter((name) => /^\d+\/$/.test(name));
          return left.length <= 8;
        });
      },
      { processes: 40 },
    ));

  test("standard outputs can be opened by name", () =>
    within(async (box) => {
      const { stdout, stderr } = await box.exec("echo out > /dev/stdout; echo err > /dev/stderr");
      expect([stdout, stderr]).toEqual(["out\n", "err\n"]);
    }));

  test("programs have only their own three files open", () =>
    within(async (box) => {
      // The fourth is the folder that ls reads.
      expect((await box.exec("ls /proc/self/fd")).stdout).toBe("0\n1\n2\n3\n");
    }));

  test("more programs at once than there are channels made beforehand", () =>
    within(async (box) => {
      const results = await Promise.all(Array.from({ length: 25 }, (_, index) => box.exec(`sleep 0.2; echo ${index}`)));
      expect(results.map(({ stdout }) => Number(stdout))).toEqual(results.map((_, index) => index));
    }));

  test("many files are written when it opens", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`d${index % 7}/f${index}`, `${index}`]),
    );
    await within(
      async (box) => {
        expect((await box.exec("cat d*/f* | wc -c")).stdout.trim()).toBe("790");
      },
      { files },
    );
  });

  test("further folders are shown, read-only", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hone-shown-"));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "data.txt"), "shown");
    // Its name in the sandbox lies in /tmp, which is the sandbox's own.
    await within(
      async (box) => {
        expect((await box.exec(`cat ${folder}/data.txt`)).stdout).toBe("shown");
        expect((await box.exec(`touch ${folder}/new`)).exitCode).toBeGreaterThan(0);
      },
      {},
      { readOnlyPaths: [folder] },
    );
    expect(readdirSync(folder)).toEqual(["data.txt"]);
    rmSync(folder, { recursive: true });
  });

  test("a network is the host's, and only if that is allowed", () =>
    withServer(async (port, visitors) => {
      await expect(within(async () => undefined, { network: true })).rejects.toMatchObject({ code: "sandbox-spec" });
      const connect = `exec 3<>/dev/tcp/127.0.0.1/${port}`;
      await within(
        async (box) => {
          expect((await box.exec(connect)).exitCode).toBe(0);
        },
        { network: true },
        { sharesHostNetwork: true },
      );
      await within(
        async (box) => {
          expect((await box.exec(connect)).exitCode).toBe(1);
        },
        {},
        { sharesHostNetwork: true },
      );
      expect(visitors()).toBe(1);
    }));

  test("an image is refused", async () => {
    await expect(within(async () => undefined, { image: "debian" })).rejects.toMatchObject({ code: "sandbox-spec" });
  });

  test("a sandbox killed from outside says so, and closes", async () => {
    const own = mkdtempSync(join(tmpdir(), "hone-killed-"));
    chmodSync(own, 0o711);
    const lease = await bubblewrap({ stateFolder: own }).open({}, never);
    const running = lease.sandbox.exec("sleep 60");
    const job = await lease.sandbox.start("sleep 60");
    const [name = ""] = readdirSync(own);
    for (const pid of await processesOf(join(own, name))) process.kill(pid, "SIGKILL");
    await expect(running).rejects.toMatchObject({ code: "sandbox-dead", isRetryable: true });
    expect(await job.ended).toBe(137);
    await expect(lease.sandbox.exec("true")).rejects.toMatchObject({ code: "sandbox-dead" });
    await expect(lease.sandbox.read("x")).rejects.toMatchObject({ code: "sandbox-dead" });
    await lease[Symbol.asyncDispose]();
    expect(readdirSync(own)).toEqual([]);
    rmSync(own, { recursive: true });
  });

  test("a bwrap that does not work is told with its own words", async () => {
    const wrong = within(async () => undefined, {}, { bwrap: "/bin/false" });
    await expect(wrong).rejects.toMatchObject({ code: "sandbox-open" });
    const missing = within(async () => undefined, {}, { bwrap: "/nowhere/bwrap" });
    await expect(missing).rejects.toThrow("ENOENT");
    expect(readdirSync(state)).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)("root is told when others cannot reach its sandboxes", async () => {
    const closed = mkdtempSync(join(tmpdir(), "hone-closed-"));
    const opening = within(async () => undefined, {}, { stateFolder: join(closed, "state") });
    await expect(opening).rejects.toThrow(`other users may not enter ${closed}`);
    rmSync(closed, { recursive: true });
  });
});
