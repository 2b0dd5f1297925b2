// Processes: none may reach one of the host, none may outlive its sandbox, and the sandbox itself is not to be killed from inside.
import { type Check, eventually, printed } from "../rig.ts";
import { processesWith, withVictim } from "./host.ts";

export function processChecks(check: Check): void {
  const processes = { needs: ["shell", "processes"] } as const;

  check(
    "signals do not reach processes of the host",
    (rig) =>
      withVictim(async (pid, isAlive) => {
        for (const command of [`kill -9 ${pid}`, `kill -9 -${pid}`, `kill -TERM ${process.pid}`]) {
          await rig.box.exec(command);
        }
        rig.expect(isAlive()).toBe(true);
      }),
    processes,
  );

  check(
    "killing everything that can be killed leaves the sandbox usable",
    (rig) =>
      withVictim(async (_pid, isAlive) => {
        await rig.box.exec("kill -9 -1; kill -9 1; kill -STOP 1; kill -TERM 1; kill -INT 1; kill -HUP 1");
        rig.expect(await printed(rig, rig.run.print("on"))).toBe("on");
        rig.expect(isAlive()).toBe(true);
      }),
    processes,
  );

  check(
    "processes of the host cannot be traced",
    (rig) =>
      withVictim(async (pid, isAlive) => {
        if ((await rig.box.exec("command -v python3")).exitCode !== 0) return;
        // PTRACE_ATTACH is 16, PTRACE_SEIZE 0x4206; the numbers are the host's.
        const attach = `import ctypes; libc = ctypes.CDLL(None); print(*[libc.ptrace(how, ${pid}, 0, 0) for how in (16, 0x4206)])`;
        rig.expect(await printed(rig, `python3 -c "${attach}"`)).toBe("-1 -1\n");
        rig.expect(isAlive()).toBe(true);
      }),
    processes,
  );

  check(
    "children that leave their parents are gone when the sandbox is closed",
    async (rig) => {
      const mark = `${100_000 + Math.floor(Math.random() * 100_000)}.25`;
      const daemons = [
        `sleep ${mark} &`,
        `setsid sleep ${mark} >/dev/null 2>&1 </dev/null &`,
        `(setsid sh -c 'nohup sleep ${mark} & exec sleep ${mark}' &) >/dev/null 2>&1 </dev/null`,
        `trap '' TERM HUP INT; sleep ${mark} & disown`,
      ];
      for (const command of daemons)
        rig.expect((await rig.box.exec(command, { timeoutMs: 10_000 })).timedOut).toBe(false);
      await eventually("the daemons run", () => processesWith(mark) >= daemons.length);
      await rig.lease[Symbol.asyncDispose]();
      rig.expect(processesWith(mark), "processes left on the host").toBe(0);
    },
    processes,
  );

  check(
    "children that leave their parents do not survive a time limit",
    async (rig) => {
      const mark = `${200_000 + Math.floor(Math.random() * 100_000)}.25`;
      const command = `setsid sleep ${mark} & (setsid sh -c 'sleep ${mark} & sleep ${mark}' &); sleep ${mark}`;
      rig.expect((await rig.box.exec(command, { timeoutMs: 500 })).timedOut).toBe(true);
      await eventually("no process is left", () => processesWith(mark) === 0);
    },
    processes,
  );

  check(
    "zombies are cleared away",
    async (rig) => {
      // Each leaves a child that ends after its parent did.
      await printed(rig, "for i in $(seq 30); do (sleep 0.2 &) ; done");
      await eventually("no zombie is left", async () => {
        const states = await printed(rig, "cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z ' || :");
        return Number(states) === 0;
      });
    },
    processes,
  );
}
