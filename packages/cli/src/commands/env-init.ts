// `hone env init`: a new environment package that passes its own test. Nothing that exists is overwritten.
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { HoneError } from "@hone/core";
import type { Work } from "../command.ts";
import { templateFiles } from "../environment/template.ts";
import { shown } from "../screen/shown-path.ts";
import { exitCodes } from "../io.ts";
import { styleFor } from "../screen/style.ts";

export interface InitFlags {
  readonly dir: string | undefined;
  readonly json: boolean;
}

export const init: Work<InitFlags, [name: string]> = async ({ io }, { dir = ".", json }, packageName) => {
  const name = nameIn(packageName);
  const folder = resolve(io.cwd, dir, name);
  if (existsSync(folder) && (await readdir(folder).catch(() => ["a file"])).length > 0) {
    throw new HoneError(`${shown(folder, io.cwd)} exists already.`, {
      code: "exists",
      hint: "Nothing was changed. Choose another name, or another folder with --dir.",
    });
  }
  const { version } = createRequire(import.meta.url)("../../package.json") as { readonly version: string };
  const files = templateFiles({ packageName, name, version });
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // "wx": a file that appeared in the meantime is not ours to replace.
    await writeFile(join(folder, path), text, { flag: "wx" });
  }
  if (json) io.stdout.write(`${JSON.stringify({ name: packageName, folder, files: [...files.keys()] })}\n`);
  else {
    const style = styleFor(io.stdout, io.env);
    const place = shown(folder, io.cwd);
    const path = /^[./]/.test(place) ? place : `./${place}`;
    const made = [...files.keys()].map((file) => `  ${style.paint("dim", join(place, file))}\n`).join("");
    const next = [
      `cd ${place} && npm install && npm test`,
      `hone env test ${path}`,
      `hone eval ${path} --model scripted`,
    ];
    io.stdout.write(
      `Made the environment ${style.paint("bold", packageName)}:\n${made}\nNext:\n${next.map((one) => `  ${one}\n`).join("")}`,
    );
  }
  return exitCodes.ok;
};

/** The last part of the package's name, which is also its folder. */
function nameIn(packageName: string): string {
  const name = /^(?:@[a-z0-9][a-z0-9._-]*\/)?([a-z0-9][a-z0-9._-]*)$/.exec(packageName)?.[1];
  if (name !== undefined && packageName.length <= 100) return name;
  throw new HoneError(`\`${packageName}\` cannot be the name of an environment.`, {
    code: "bad-name",
    hint: "Use small letters, digits and hyphens: my-env, or @owner/my-env.",
  });
}
