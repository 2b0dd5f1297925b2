// The MCP server as one file that can be brought into any sandbox with Node: nothing of the host's packages is visible in there.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { build } from "esbuild";

/** Files by name, to lie in one folder; server.mjs is started. */
export type ServerProgram = Readonly<Record<"server.mjs" | "package.json", string>>;

/** @modelcontextprotocol/server-filesystem with all that it imports, and its package.json: servers look up their version there. */
export async function filesystemServer(): Promise<ServerProgram> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("@modelcontextprotocol/server-filesystem/package.json");
  return {
    "server.mjs": await bundleProgram(require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js")),
    "package.json": await readFile(manifest, "utf8"),
  };
}

export async function bundleProgram(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    format: "esm", // it awaits at its top level
    // Parts of it are CommonJS and require Node's own modules.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
