// Taking without end: processes, memory, disk, output, time. Contained means: the attack stops at its limit, the host goes on, and the sandbox
// or at least the next one works.
import { hostProcessCount, processesWith } from "./host.ts";
import { type Check, type Rig, eventually, printed } from "../rig.ts";

export function exhaustionChecks(check: Check): void {
  const processes = { needs: ["shell", "processes"] } as const;

  check(
    "a fork bomb stops at the number of processes",
    async (rig) => {
      const { box, expect } = rig;
      // A bounded one first: where the limit does not hold, the other would take the machine down.
      const mark = `3.${Math.floor(Math.random() * 1e9)}1`;
      const bounded = box.exec(`for i in $(seq 200); do sleep ${mark} & done 2>/dev/null; wait`, { timeoutMs: 2000 });
      expect(await mostDuring(bounded, () => processesWith(mark)), "of 200 processes").toBeLessThanOrEqual(64);

      const before = hostProcessCount();
      const bomb = box.exec("bomb() { bomb | bomb & }; bomb; sleep 30", { timeoutMs: 2500 });
      const most = await mostDuring(bomb, () => hostProcessCount() - before);
      expect(most, "processes more on the host while it ran").toBeLessThanOrEqual(64 + 150);
      const result = await bomb;
      expect(result.exitCode).toBeGreaterThan(0);
      await goesOn(rig);
      await eventually("the bomb is gone", async () => Number(await printed(rig, "ls /proc | grep -c '^[0-9]'")) < 12);
    },
    processes,
  );

  check("a memory bomb in one process is ended", async (rig) => {
    const result = await rig.box.exec(rig.run.takeMemory(), { timeoutMs: 30_000 });
    rig.expect(result.exitCode).toBeGreaterThan(0);
    rig.expect(result.timedOut, "it ran into its memory limit, not its time limit").toBe(false);
    await goesOn(rig);
  });

  check(
    "a memory bomb of many processes is ended",
    async (rig) => {
      const many = "for i in $(seq 12); do tail /dev/zero & done; wait; exit 9";
      const result = await rig.box.exec(many, { timeoutMs: 30_000 });
      rig.expect(result.timedOut, "it ran into its memory limit, not its time limit").toBe(false);
      rig.expect(result.exitCode).toBeGreaterThan(0);
      await goesOn(rig);
    },
    processes,
  );

  check(
    "a memory bomb that stays below the limit in each process is ended",
    async (rig) => {
      // 20 times 100 MB, each of which would be allowed alone.
      const each = "head -c 100M /dev/zero | { tail -c 100M; sleep 20; } >/dev/null";
      const held = `for i in $(seq 20); do python3 -c "x = bytearray(100 << 20); import time; time.sleep(20)" & done; wait; exit 9`;
      const command = (await rig.box.exec("command -v python3")).exitCode === 0 ? held : each;
      const result = await rig.box.exec(command, { timeoutMs: 18_000 });
      rig.expect(result.exitCode === 0, "all of them got their memory").toBe(false);
      rig.expect(result.timedOut, "the sum of memory is limited").toBe(false);
      await goesOn(rig);
    },
    processes,
  );

  check("a full disk stops the writer and takes no more than the limit", async (rig) => {
    const { box, run, expect, options } = rig;
    const result = await box.exec(run.fillDisk("fill"), { timeoutMs: 60_000 });
    expect([result.timedOut, result.exitCode === 0]).toEqual([false, false]);
    if (options.features.shell && options.features.processes) {
      const places = "/work /tmp /dev/shm /dev /run /etc /var/tmp /usr / /proc";
      const fill = `for place in ${places}; do dd if=/dev/zero of=$place/more bs=1M count=200 2>/dev/null; done; :`;
      await box.exec(fill, { timeoutMs: 60_000 });
      const sum = `for place in ${places}; do stat -c %s $place/more $place/fill 2>/dev/null; done | sort -u`;
      const sizes = (await printed(rig, sum)).split("\n").map(Number);
      const total = sizes.reduce((left, right) => left + right, 0);
      expect(total, "bytes written in all places together").toBeLessThanOrEqual(64 * 2 ** 20);
      await printed(rig, `for place in ${places}; do rm -f $place/more $place/fill 2>/dev/null; done; :`);
    }
    await goesOn(rig);
  });

  check("output without end is cut and ended", async (rig) => {
    const { box, run, expect } = rig;
    const before = process.memoryUsage.rss();
    const result = await box.exec(run.flood(), { timeoutMs: 1500, maxOutputBytes: 4096 });
    expect([result.timedOut, result.stdout.length]).toEqual([true, 4096]);
    expect(process.memoryUsage.rss() - before, "bytes more in the host program").toBeLessThanOrEqual(200 << 20);
    await goesOn(rig);
  });

  check("a loop that ignores every signal it can is ended", async (rig) => {
    const deaf = "trap '' TERM INT HUP QUIT USR1 USR2 ALRM; while :; do :; done";
    const command = rig.options.features.processes && rig.options.features.shell ? deaf : rig.run.loop();
    rig.expect((await rig.box.exec(command, { timeoutMs: 500 })).timedOut).toBe(true);
    await goesOn(rig);
  });

  check("time runs out for many at once", async (rig) => {
    const { box, run, expect } = rig;
    const results = await Promise.all(Array.from({ length: 4 }, () => box.exec(run.loop(), { timeoutMs: 800 })));
    expect(results.map(({ timedOut }) => timedOut)).toEqual([true, true, true, true]);
    await goesOn(rig);
  });
}

/** The highest value seen while a command runs. */
async function mostDuring(command: Promise<unknown>, value: () => number): Promise<number> {
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, value())), 50);
  await command;
  clearInterval(timer);
  return most;
}

async function goesOn(rig: Rig): Promise<void> {
  await rig.box.write("after.txt", "after");
  rig.expect(await printed(rig, rig.run.printFile("after.txt"))).toBe("after");
}
