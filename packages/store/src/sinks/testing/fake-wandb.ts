// Test helper: a stand-in for the service, not for our code. A Python module named wandb with the few calls that the sidecar makes; it writes each of
// them as a JSON line, and refuses what the real client would.
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json } from "@hone/core";

const source = `
import json, os, sys

class Settings:
    def __init__(self, **values):
        self.values = values

class CommError(Exception):
    pass

class UsageError(Exception):
    pass

def _write(**call):
    with open(os.environ["WANDB_FAKE_LOG"], "a") as log:
        log.write(json.dumps(call) + "\\n")

class _Run:
    url = "https://wandb.invalid/run"

    def __init__(self):
        self.next = 0

    def define_metric(self, name, step_metric=None):
        _write(call="define_metric", name=name, step_metric=step_metric)

    def log(self, values, step, commit):
        if os.path.exists(os.environ["WANDB_FAKE_LOG"] + ".die"):
            os.remove(os.environ["WANDB_FAKE_LOG"] + ".die")
            print("something is wrong with " + os.environ["WANDB_API_KEY"], file=sys.stderr)
            os._exit(9)
        if step >= self.next:
            self.next = step + 1
            _write(call="log", step=step, values={name: repr(value) for name, value in values.items()})

    def finish(self, exit_code):
        _write(call="finish", exit_code=exit_code)

def init(**options):
    options["settings"] = options["settings"].values
    print("noise on standard output")
    away = os.environ["WANDB_FAKE_LOG"] + ".away"
    if os.path.exists(away):
        os.remove(away)
        raise CommError("nobody answers")
    _write(call="init", options=options, key=os.environ.get("WANDB_API_KEY"), other=os.environ.get("OPENAI_API_KEY"))
    return _Run()
`;

export interface FakeWandb {
  readonly env: Readonly<Record<string, string>>;
  /** Creating it makes the next start fail. */
  readonly away: string;
  /** Creating it kills the next log. */
  readonly die: string;
  readonly calls: () => Promise<readonly Readonly<Record<string, Json>>[]>;
}

export async function fakeWandb(folder: string): Promise<FakeWandb> {
  const log = join(folder, "calls.jsonl");
  await mkdir(join(folder, "modules"), { recursive: true });
  await writeFile(join(folder, "modules", "wandb.py"), source);
  return {
    env: {
      PATH: process.env["PATH"] ?? "",
      HONE_PYTHON: process.env["HONE_PYTHON"] ?? "python3",
      PYTHONPATH: join(folder, "modules"),
      PYTHONDONTWRITEBYTECODE: "1",
      WANDB_FAKE_LOG: log,
      WANDB_API_KEY: "key-of-wandb",
      OPENAI_API_KEY: "key-of-another",
    },
    away: `${log}.away`,
    die: `${log}.die`,
    calls: async () => {
      const text = await readFile(log, "utf8").catch(() => "");
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Readonly<Record<string, Json>>);
    },
  };
}

/** Why tests with Python cannot run here; undefined when they can. */
export function withoutPython(imports: string): string | undefined {
  const skip = process.env["HONE_SKIP_PYTHON3"];
  if (skip !== undefined) return skip;
  const python = process.env["HONE_PYTHON"] ?? "python3";
  const { status } = spawnSync(python, ["-c", imports], { stdio: "ignore", timeout: 30_000 });
  return status === 0 ? undefined : `${python} cannot run "${imports}"; set HONE_PYTHON to one that can`;
}
