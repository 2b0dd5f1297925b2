// A program that stands in for docker where there is no daemon: it writes down how it is called, and imitates containers with folders and bubblewrap, so that
// the scripts and the order of calls meet a real shell and real files. It isolates nothing; what containers contain can only be tested with containers.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface FakeDocker extends Disposable {
  /** To be given as the program. */
  readonly command: string;
  /** Arguments of every call so far. */
  readonly calls: () => readonly (readonly string[])[];
  /** Whether the daemon answers. */
  readonly setUp: (isUp: boolean) => void;
  readonly containers: () => readonly string[];
  /** As if another program had left one. */
  readonly addContainer: (name: string, owner: string) => void;
}

const program = (folder: string): string => `#!${process.execPath}
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
const folder = ${JSON.stringify(folder)};
const [verb, ...rest] = process.argv.slice(2);
appendFileSync(folder + "/calls", JSON.stringify([verb, ...rest]) + "\\n");
const flags = new Set(["--interactive", "--rm", "--init", "--read-only", "--all", "--no-trunc", "--force"]);
const options = [];
while (rest[0]?.startsWith("--")) {
  const name = rest.shift();
  options.push([name, flags.has(name) ? "" : rest.shift()]);
}
const option = (name) => options.filter(([key]) => key === name).map(([, value]) => value);
const place = (name) => folder + "/containers/" + name;
const fail = (text, code = 1) => { process.stderr.write(text + "\\n"); process.exit(code); };
if (!existsSync(folder + "/up")) fail("Cannot connect to the Docker daemon at unix:///nowhere. Is the docker daemon running?");
if (verb === "version") console.log("Server: imitation");
else if (verb === "ps") {
  for (const name of readdirSync(folder + "/containers")) console.log(name, readFileSync(place(name) + "/owner", "utf8"));
} else if (verb === "rm") {
  for (const name of rest) rmSync(place(name), { recursive: true, force: true });
} else if (verb === "run") {
  const [name] = option("--name");
  if (rest[0] === "missing-image") fail("Unable to find image 'missing-image' locally", 125);
  for (const inner of ["work", "tmp"]) mkdirSync(place(name) + "/" + inner, { recursive: true });
  writeFileSync(place(name) + "/owner", option("--label").find((label) => label.startsWith("hone.owner=")).slice(11));
  console.log("ready");
  const end = () => { rmSync(place(name), { recursive: true, force: true }); process.exit(); };
  process.stdin.on("end", end).resume();
  setInterval(() => existsSync(place(name)) || process.exit(137), 20);
} else if (verb === "exec") {
  const [name, ...command] = rest;
  if (!existsSync(place(name))) fail("Error response from daemon: No such container: " + name);
  const variables = option("--env").flatMap((pair) => ["--setenv", pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
  const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--bind", place(name) + "/work", "/work", "--bind", place(name) + "/tmp", "/tmp"];
  const child = spawn("bwrap", [...view, ...variables, "--chdir", option("--workdir")[0], "--", ...command], {
    env: { PATH: process.env.PATH }, stdio: "inherit", detached: true,
  });
  const gone = () => {
    if (existsSync(place(name))) return;
    try { process.kill(-child.pid, "SIGKILL"); } catch {}
    process.exit(137);
  };
  setInterval(gone, 20);
  child.on("error", gone);
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
} else fail("unknown: " + verb);
`;

export function fakeDocker(): FakeDocker {
  const folder = mkdtempSync(join(tmpdir(), "hone-fake-docker-"));
  const command = join(folder, "docker.mjs");
  const containers = join(folder, "containers");
  mkdirSync(containers);
  writeFileSync(command, program(folder));
  chmodSync(command, 0o755);
  const lines = (): readonly string[] => {
    const path = join(folder, "calls");
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  };
  const setUp = (isUp: boolean): void =>
    isUp ? writeFileSync(join(folder, "up"), "") : rmSync(join(folder, "up"), { force: true });
  setUp(true);
  return {
    command,
    calls: () => lines().map((line) => JSON.parse(line) as readonly string[]),
    setUp,
    containers: () => readdirSync(containers),
    addContainer: (name, owner) => {
      mkdirSync(join(containers, name), { recursive: true });
      writeFileSync(join(containers, name, "owner"), owner);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
