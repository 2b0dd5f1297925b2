// `hone sft`: its flags and its help. Everything else about a run is a key of its file, set with --set where there is none.
import { buildCommand } from "@stricli/core";
import { type Context, lazy } from "../command.ts";
import type { SftCommandFlags } from "../commands/sft.ts";
import { json, text } from "../flags.ts";

export const sftRoute = buildCommand<SftCommandFlags, string[], Context>({
  loader: lazy(async () => (await import("../commands/sft.ts")).sftCommand),
  parameters: {
    flags: {
      set: {
        kind: "parsed",
        parse: text,
        brief: "any key of the file, such as epochs=3 or optimizer.learning_rate=1e-3",
        placeholder: "K=V",
        optional: true,
        variadic: true,
      },
      run: {
        kind: "parsed",
        parse: text,
        brief: "name of the run; sft-<model>-<number> unless given",
        placeholder: "NAME",
        optional: true,
      },
      resume: {
        kind: "parsed",
        parse: text,
        brief: "go on with that run, from its last checkpoint",
        placeholder: "RUN",
        optional: true,
      },
      dryRun: {
        kind: "boolean",
        brief: "read the data, check everything, show what would be trained on, train nothing",
        withNegated: false,
      },
      json,
    },
    positional: {
      kind: "array",
      parameter: {
        brief: "the run's TOML file; several compose, later ones win",
        parse: text,
        placeholder: "run.toml",
      },
    },
  },
  docs: {
    brief: "teach a model by examples: conversations, or rollouts that went well",
    fullDescription: `Only the assistant's words are trained on. The run is kept in runs/<name>: configuration, metrics, checkpoints, and at the end the model or
the adapter. Ctrl-C stops after the step under way; --resume goes on, also after a kill, with the very conversation that was next.

A file
  model = "hone/tiny"
  epochs = 2
  [[data]]
  path = "data/*.jsonl"          # {"messages": [...]} or {"prompt": ..., "completion": ...}, one per line
  [[data]]
  run = "reverse-text-tiny-1"    # what went well in a run of hone train
  min_reward = 0.9

Examples
  hone sft run.toml --dry-run
  hone sft run.toml --set batch_tokens=8192 --run first
  hone sft --resume first

Exit codes: 0 all worked, 1 it failed, 2 a mistake on the command line or in a file, 130 stopped.`,
  },
});
