// The built page, for tests in a browser: built when it is missing or older than a source.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const folder = fileURLToPath(new URL("../..", import.meta.url));

export async function buildPage(): Promise<void> {
  const built = await changedAt(join(folder, "assets", "index.html"));
  const sources = await readdir(join(folder, "src", "app"), { recursive: true });
  const times = await Promise.all(
    ["index.html", "vite.config.ts", ...sources.map((name) => join("src", "app", name))].map((name) =>
      changedAt(join(folder, name)),
    ),
  );
  if (built > Math.max(...times)) return;
  await build({ root: folder, configFile: join(folder, "vite.config.ts"), logLevel: "error" });
}

function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
