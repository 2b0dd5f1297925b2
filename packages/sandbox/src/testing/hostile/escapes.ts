// What must not be changed: anything outside. Commands that write to the host's paths, and files whose paths lead out when the host itself reads
// or writes them: through links, through `..`, through links put in place of folders at the last moment.
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type Check, type Rig, textOf } from "../rig.ts";
import { type Canary, withCanary } from "./host.ts";

export function escapeChecks(check: Check): void {
  check("commands cannot write to the host's files", (rig) =>
    withCanary(async ({ folders, isUntouched }) => {
      for (const folder of folders) {
        await rig.box.exec(rig.run.writeFile(join(folder, "secret.txt"), "changed"));
        await rig.box.exec(rig.run.writeFile(join(folder, "new.txt"), "x"));
      }
      rig.expect(isUntouched()).toBe(true);
    }),
  );

  check("the system of the sandbox is read-only", async ({ box, run, expect }) => {
    const name = `hone-${crypto.randomUUID()}`;
    for (const folder of ["/usr/bin", "/usr/lib", "/etc", "/bin", "/"]) {
      await box.exec(run.writeFile(`${folder}/${name}`, "x"));
      expect(existsSync(join(folder, name)), `${folder} of the host`).toBe(false);
    }
  });

  check("files given by absolute paths of the host stay inside", (rig) =>
    withCanary(async ({ folders, isUntouched, secret }) => {
      for (const folder of folders) {
        await attempt(rig.box.write(join(folder, "secret.txt"), "changed"));
        await attempt(rig.box.write(`/work/../..${folder}/new.txt`, "x"));
        await attempt(rig.box.write(`../../../../..${folder}/new.txt`, "x"));
        const read = await rig.box.read(`/work/../../../../../..${folder}/secret.txt`).then(textOf, () => "");
        rig.expect(read === secret, `read below ${folder}`).toBe(false);
      }
      rig.expect(isUntouched()).toBe(true);
    }),
  );

  check("the spec's files stay inside", (rig) =>
    withCanary(async ({ folders, isUntouched }) => {
      const outside = folders.map((folder) => [`/work/../..${folder}/new.txt`, "x"]);
      await attempt(rig.open({ files: Object.fromEntries(outside) }));
      rig.expect(isUntouched()).toBe(true);
    }),
  );

  check(
    "links cannot lead the host out when it reads, writes or lists",
    (rig) =>
      withCanary(async (canary) => {
        for (const folder of canary.folders) await throughLinks(rig, folder, canary);
        rig.expect(canary.isUntouched()).toBe(true);
      }),
    { needs: ["links"] },
  );

  check(
    "a folder that becomes a link at the last moment does not lead the host out",
    (rig) =>
      withCanary(async ({ folders: [folder = ""], isUntouched, secret }) => {
        const swap = `while :; do mkdir d; echo own > d/secret.txt; rm -r d; ln -s ${folder} d; rm d; done 2>/dev/null`;
        const job = await rig.box.start(swap);
        for (let round = 0; round < 40; round++) {
          await attempt(rig.box.write("d/written.txt", "x"));
          const read = await rig.box.read("d/secret.txt").then(textOf, () => "");
          rig.expect(read === secret, "read through a link").toBe(false);
        }
        await job.signal("SIGKILL");
        await job.ended;
        rig.expect(isUntouched()).toBe(true);
      }),
    { needs: ["links", "jobs", "shell", "processes"] },
  );

  check(
    "devices and their like can be neither made nor used",
    async ({ box, expect }) => {
      for (const command of ["mknod disk b 8 0", "mknod memory c 1 1", "mount -t tmpfs none /work", "chroot / true"]) {
        expect((await box.exec(command)).exitCode === 0, command).toBe(false);
      }
      const disks = readdirSync("/dev").filter((name) => /^(sd|vd|xvd|nvme|mem$|kmem$|kvm$)/.test(name));
      for (const name of disks) {
        const { exitCode } = await box.exec(`head -c 1 /dev/${name}`);
        expect(exitCode === 0, `/dev/${name} of the host`).toBe(false);
      }
    },
    { needs: ["shell", "processes"] },
  );
}

/** Links to a folder, to a file in it, absolute, relative, and in several steps. */
async function throughLinks({ box, run, expect }: Rig, folder: string, { secret }: Canary): Promise<void> {
  const name = basename(folder);
  const file = join(folder, "secret.txt");
  const links = {
    folder,
    file,
    up: `../../../../..${folder}`,
    root: "/",
    proc: "/proc/1/root",
    chain: `root${folder}`,
  };
  for (const [link, target] of Object.entries(links)) await box.exec(run.link(target, `${name}-${link}`));
  for (const link of ["folder", "up", "chain"]) {
    await attempt(box.write(`${name}-${link}/secret.txt`, "changed"));
    await attempt(box.write(`${name}-${link}/new.txt`, "x"));
    const read = await box.read(`${name}-${link}/secret.txt`).then(textOf, () => "");
    expect(read === secret, `read through the link ${link}`).toBe(false);
    const listed = await box.list(`${name}-${link}`).catch((): readonly string[] => []);
    expect(listed.includes("secret.txt") && !listed.includes("new.txt"), `listed through the link ${link}`).toBe(false);
  }
  for (const link of ["root", "proc"]) {
    await attempt(box.write(`${name}-${link}${file}`, "changed"));
    const read = await box.read(`${name}-${link}${file}`).then(textOf, () => "");
    expect(read === secret, `read through the link ${link}`).toBe(false);
  }
  await attempt(box.write(`${name}-file`, "changed"));
  const read = await box.read(`${name}-file`).then(textOf, () => "");
  expect(read === secret, "read through the link to a file").toBe(false);
}

/** Refused or done inside: both are well. What counts is the host afterwards. */
async function attempt(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => undefined);
}
