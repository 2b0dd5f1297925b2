// What a sandbox sees of the file system, as arguments of bwrap: the host's programs and libraries read-only, an /etc of our own making, its own
// /proc and devices, and three places to write (/work, /tmp, /dev/shm) in memory, with sizes that add up to the disk limit.
// Nothing else of the host: no /home, /root, /var, /run, /sys, and of /etc only what the dynamic linker and the alternatives system need.
import { chmod, lstat, mkdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sandboxError } from "../shared/errors.ts";
import type { Limits } from "../shared/settings.ts";

/** Where the folder with the channels to the host appears in the sandbox. */
export const channelFolder = "/run/hone";
export const userId = 1000;

const passwd = `user:x:${userId}:${userId}:user:/work:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`;
const group = `user:x:${userId}:\nnogroup:x:65534:\n`;
const hosts = "127.0.0.1 localhost sandbox\n::1 localhost\n";

export interface ViewOptions {
  readonly limits: Limits;
  /** Further folders of the host, shown read-only under their own names. */
  readonly readOnlyPaths: readonly string[];
  /** On the host: the sandbox's own folder, with `etc` and `io` in it. */
  readonly folder: string;
  readonly network: boolean;
}

export async function viewArguments(options: ViewOptions): Promise<readonly string[]> {
  const { limits, readOnlyPaths, folder, network } = options;
  const size = diskShares(limits.diskMb);
  const etc = await makeEtc(join(folder, "etc"), network);
  return [
    ...words("--ro-bind /usr /usr"),
    ...(await rootLinks()),
    ...words("--proc /proc --dev /dev"),
    ...tmpfs("/work", size.work, "0755"),
    ...tmpfs("/tmp", size.tmp, "1777"),
    ...tmpfs("/dev/shm", size.shm, "1777"),
    ...["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"].flatMap((name) => optional(`/etc/${name}`)),
    ...(network ? ["/etc/ssl", "/etc/pki", "/etc/ca-certificates"].flatMap(optional) : []),
    ...etc.flatMap((name) => ["--ro-bind", join(folder, "etc", name), `/etc/${name}`]),
    ...readOnlyPaths.flatMap((path) => ["--ro-bind", path, path]),
    "--ro-bind",
    join(folder, "io"),
    channelFolder,
    // These two are file systems in memory without a size, and would otherwise be a way around the disk limit.
    ...words("--remount-ro /dev --remount-ro /"),
  ];
}

/** Arguments without spaces of their own. */
export const words = (line: string): readonly string[] => line.split(" ");

/** In bytes; together the limit. */
export function diskShares(diskMb: number): { readonly work: number; readonly tmp: number; readonly shm: number } {
  const total = diskMb * 2 ** 20;
  const [tmp, shm] = [Math.floor(total / 4), Math.floor(total / 16)];
  return { work: total - tmp - shm, tmp, shm };
}

const tmpfs = (path: string, bytes: number, mode: string): readonly string[] =>
  words(`--size ${bytes} --perms ${mode} --tmpfs ${path}`);
const optional = (path: string): readonly string[] => ["--ro-bind-try", path, path];

/** /bin, /lib and so on as the host has them: links into /usr on a merged system, folders on others. */
async function rootLinks(): Promise<readonly string[]> {
  const names = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"];
  const links = await Promise.all(
    names.map(async (name) => {
      const path = `/${name}`;
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined) return [];
      return found.isSymbolicLink() ? ["--symlink", await readlink(path), path] : ["--ro-bind", path, path];
    }),
  );
  return links.flat();
}

async function makeEtc(folder: string, network: boolean): Promise<readonly string[]> {
  const resolver = network ? await readFile("/etc/resolv.conf", "utf8").catch(() => "") : "";
  const files = {
    passwd,
    group,
    hosts,
    "resolv.conf": resolver,
    "nsswitch.conf": `passwd: files\ngroup: files\nhosts: files${network ? " dns" : ""}\n`,
  };
  await mkdir(folder);
  // The sandbox's user reads them, whatever this program's umask.
  await chmod(folder, 0o755);
  const write = async ([name, text]: readonly [string, string]): Promise<void> => {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o644);
  };
  await Promise.all(Object.entries(files).map(write));
  return Object.keys(files);
}

/** Folders of the host that must not be shown, because writable places of the sandbox or its channels lie there. */
export function checkReadOnlyPaths(paths: readonly string[]): void {
  for (const path of paths) {
    const isTaken = ["/work", "/tmp", "/proc", "/dev", channelFolder].some((ours) => `${ours}/`.startsWith(`${path}/`));
    if (path.startsWith("/") && !path.includes("/../") && path !== "/" && !isTaken) continue;
    throw sandboxError("bad-argument", `The folder ${JSON.stringify(path)} cannot be shown to a sandbox.`, {
      hint: "Give absolute paths of folders with programs or data, such as /opt/conda.",
    });
  }
}
