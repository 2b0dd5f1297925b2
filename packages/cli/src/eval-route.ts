// `hone eval`: its flags and its help. Each flag that has a key in an evaluation's file has the same name there, in snake_case.
import { buildCommand } from "@stricli/core";
import { type Context, lazy } from "./command.ts";
import type { EvalFlags } from "./evaluation/eval-flags.ts";
import { sandboxNames } from "./evaluation/sandbox-names.ts";
import { environmentArguments, json, numberFromZero, numTasks, text, wholeNumber } from "./flags.ts";

const count = wholeNumber({ from: 1 });

export const evalCommand = buildCommand<EvalFlags, [target: string], Context>({
  loader: lazy(async () => (await import("./commands/eval.ts")).evaluateCommand),
  parameters: {
    flags: {
      model: parsed(text, "NAME", "the model: see Models above"),
      numTasks: parsed(numTasks, "N", "tasks, or all; 20 unless given"),
      groupSize: parsed(count, "N", "rollouts per task; 3 unless given"),
      ...environmentArguments,
      split: {
        kind: "enum",
        values: ["train", "eval", "all"],
        brief: "which tasks; those held out where the environment names some, else all",
        optional: true,
      },
      seed: parsed(wholeNumber(), "N", "the same seed gives the same rollout seeds; 0 unless given"),
      maxTokens: parsed(count, "N", "tokens per reply, at most"),
      temperature: parsed(numberFromZero, "T", "sampling temperature; the server's own unless given"),
      maxTurns: parsed(count, "N", "model calls per rollout, at most"),
      system: parsed(text, "TEXT", "system message instead of the environment's"),
      harness: parsed(text, "ID", "how the model is run: chat, single, or a file"),
      baseUrl: parsed(text, "URL", "server of the model, in OpenAI's dialect"),
      key: parsed(text, "VARIABLE", "environment variable that holds the server's key"),
      endpoints: parsed(text, "FILE", "named models; endpoints.toml unless given"),
      envFile: {
        ...parsed(text, "FILE", "NAME=value lines with keys; variables that are set already win"),
        variadic: true,
      },
      concurrency: parsed(count, "N", "rollouts at a time; 32 unless given"),
      workers: parsed(count, "N", "worker threads for the environment; none unless given"),
      sandbox: {
        kind: "enum",
        values: sandboxNames,
        brief: "where code of the model runs, for environments that run some; bubblewrap unless given",
        optional: true,
      },
      retries: parsed(
        wholeNumber({ from: 0 }),
        "N",
        "further attempts of a rollout that failed for a passing reason; 0 unless given",
      ),
      set: { ...parsed(text, "K=V", "any key of an evaluation's file, such as pass_threshold=0.9"), variadic: true },
      output: parsed(text, "FOLDER", "where results go, instead of evals/<env>--<model>--<id>"),
      resume: {
        ...parsed(text, "[FOLDER]", "go on with that evaluation; without a folder the newest unfinished one"),
        inferEmpty: true,
      },
      dryRun: { kind: "boolean", brief: "check everything, print the configuration, run nothing", withNegated: false },
      json,
    },
    aliases: { m: "model", n: "numTasks", r: "groupSize" },
    positional: {
      kind: "tuple",
      parameters: [
        {
          brief: "an environment (./my-env, a name, a package), or a TOML file of several",
          parse: text,
          placeholder: "env | file.toml",
        },
      ],
    },
  },
  docs: {
    brief: "measure a model on an environment",
    fullDescription: `Results are written as they finish, to evals/ under the current folder. Ctrl-C stops; --resume goes on.

Examples
  hone eval reverse-text --model scripted -n 20 -r 3
  hone eval gsm8k --model openai/gpt-5-mini -n 100 --max-tokens 1024
  hone eval ./my-env --model my-model --base-url http://127.0.0.1:8000/v1
  hone eval eval.toml --dry-run

Models
  a name in endpoints.toml
  ./folder, hone/tiny         a model on this machine, run in this process
  runs/NAME                   what a training run has learnt so far
  provider/name               openai, anthropic, openrouter, vllm, ...; the key comes from the environment
  any name with --base-url    a server that speaks OpenAI's dialect
  scripted                    right two times in three; offline, no network
  scripted:gold               always right; offline
  scripted:empty              says nothing; offline
  scripted:./script.ts        replies of your own; offline

Also
  hone eval compare A B       two evaluations, task by task
  hone eval rescore FOLDER    rewards again, without calling the model

Exit codes: 0 all worked, 1 rollouts failed, 2 a mistake on the command line or in a file, 130 interrupted.`,
  },
});

function parsed<Value>(parse: (input: string) => Value, placeholder: string, brief: string) {
  return { kind: "parsed", parse, placeholder, brief, optional: true } as const;
}
