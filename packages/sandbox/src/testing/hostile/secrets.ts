// What must not be learnt: files, variables, processes and services of the host.
import { join } from "node:path";
import { type Check, type Rig, textOf } from "../rig.ts";
import { withCanary, withServer, withVictim } from "./host.ts";

export function secretChecks(check: Check): void {
  check("files of the host cannot be read, by any way to write their path", (rig) =>
    withCanary(async ({ secret, folders }) => {
      const paths = folders.flatMap((folder) => {
        const file = join(folder, "secret.txt");
        return [
          file,
          `/work/../..${file}`,
          `/proc/1/root${file}`,
          `/proc/self/root${file}`,
          `/proc/self/cwd/../..${file}`,
        ];
      });
      for (const path of paths) {
        await expectSecretKept(rig, secret, rig.run.printFile(path));
        const read = await rig.box.read(path).then(textOf, () => "");
        rig.expect(read.includes(secret), `read ${path}`).toBe(false);
      }
    }),
  );

  check("the host's variables cannot be read", (rig) =>
    withCanary(async ({ secret }) => {
      const own = await rig.open();
      await expectSecretKept({ ...rig, box: own.sandbox }, secret, rig.run.printVariables());
      await expectSecretKept({ ...rig, box: own.sandbox }, secret, rig.run.printFile("/proc/self/environ"));
      await expectSecretKept({ ...rig, box: own.sandbox }, secret, rig.run.printFile("/proc/1/environ"));
      if (!rig.options.features.shell) return;
      const everything = "cat /proc/*/environ /proc/*/cmdline 2>/dev/null";
      await expectSecretKept({ ...rig, box: own.sandbox }, secret, everything);
    }),
  );

  check("users, homes and keys of the host are not there", async ({ box, run, expect, options }) => {
    for (const path of ["/etc/shadow", "/root/.ssh/id_rsa", "/home", "/var/log", "/run/docker.sock"]) {
      expect((await box.exec(run.printFile(path))).exitCode === 0, path).toBe(false);
    }
    if (!options.features.shell || !options.features.processes) return;
    const { stdout } = await box.exec("ls /root /home /var/lib /srv /mnt 2>/dev/null | wc -w");
    expect(Number(stdout), "names in the host's own folders").toBe(0);
  });

  check(
    "the host's processes cannot be seen",
    (rig) =>
      withVictim(async (pid) => {
        const { stdout } = await rig.box.exec("ls /proc | grep '^[0-9]'");
        const seen = stdout.split("\n").filter((line) => line !== "");
        rig.expect(seen.length, "processes in /proc").toBeLessThanOrEqual(20);
        const status = await rig.box.exec(`cat /proc/${pid}/status /proc/${pid}/cmdline`);
        rig.expect(status.stdout.includes("setInterval"), "the command line of a process of the host").toBe(false);
      }),
    { needs: ["shell", "processes"] },
  );

  check("the host's services cannot be reached", (rig) =>
    withServer(async (port, visitors) => {
      for (const host of ["127.0.0.1", "localhost"]) {
        const { exitCode } = await rig.box.exec(rig.run.connect(host, port), { timeoutMs: 10_000 });
        rig.expect(exitCode === 0, `a connection to ${host}`).toBe(false);
      }
      rig.expect(visitors()).toBe(0);
    }),
  );

  // Looked at from inside, so that a sandbox that leaks sends nothing to anybody.
  check(
    "there is no way out: no interface but loopback, no route",
    async ({ box, expect }) => {
      const { stdout: devices } = await box.exec("cat /proc/net/dev");
      const names = [...devices.matchAll(/^\s*([\w.@-]+):/gm)].map(([, name]) => name);
      expect(names.filter((name) => name !== "lo").length, `interfaces: ${names.join(", ")}`).toBe(0);
      const { stdout: routes } = await box.exec("tail -n +2 /proc/net/route");
      expect(routes.trim(), "routes").toBe("");
    },
    { needs: ["shell", "processes"] },
  );
}

async function expectSecretKept({ box, expect }: Rig, secret: string, command: string): Promise<void> {
  const { stdout, stderr } = await box.exec(command, { timeoutMs: 10_000 });
  expect((stdout + stderr).includes(secret), command).toBe(false);
}
