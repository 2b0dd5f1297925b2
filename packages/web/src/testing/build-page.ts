// The built page, for tests in a browser: built when it is missing or older than a source. Built aside and then moved into place, because several
// programs of tests may start at the same time.
import { mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const folder = fileURLToPath(new URL("../..", import.meta.url));

export async function buildPage(): Promise<void> {
  const assets = join(folder, "assets");
  if (!(await isStale(assets))) return;
  const made = await mkdtemp(join(folder, "dist", "page-"));
  const before = process.env["NODE_ENV"];
  try {
    // Tests run with another value, which would build React with its checks: several times slower, and not what is shipped.
    process.env["NODE_ENV"] = "production";
    await build({
      root: folder,
      configFile: join(folder, "vite.config.ts"),
      logLevel: "error",
      build: { outDir: join(made, "new") },
    });
    await rename(assets, join(made, "old")).catch(() => undefined);
    await rename(join(made, "new"), assets);
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
    await rm(made, { recursive: true, force: true });
  }
}

async function isStale(assets: string): Promise<boolean> {
  const built = await changedAt(join(assets, "index.html"));
  const sources = await readdir(join(folder, "src", "app"), { recursive: true });
  const names = ["index.html", "vite.config.ts", ...sources.map((name) => join("src", "app", name))];
  const times = await Promise.all(names.map((name) => changedAt(join(folder, name))));
  return built <= Math.max(...times);
}

function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
