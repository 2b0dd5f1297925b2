// `hone train`: its flags and its help. Everything else about a run is a key of its file, set with --set where there is none.
import { buildCommand } from "@stricli/core";
import { type Context, lazy } from "./command.ts";
import type { TrainFlags } from "./commands/train.ts";
import { json, text } from "./flags.ts";

export const trainRoute = buildCommand<TrainFlags, string[], Context>({
  loader: lazy(async () => (await import("./commands/train.ts")).trainCommand),
  parameters: {
    flags: {
      model: {
        kind: "parsed",
        parse: text,
        brief: "the model to start from: a folder, or hone/tiny",
        placeholder: "NAME",
        optional: true,
      },
      set: {
        kind: "parsed",
        parse: text,
        brief: "any key of a run's file, such as max_steps=50 or sampling.max_tokens=64",
        placeholder: "K=V",
        optional: true,
        variadic: true,
      },
      quick: { kind: "boolean", brief: "two small steps, to see that everything works", withNegated: false },
      run: {
        kind: "parsed",
        parse: text,
        brief: "name of the run; made from environments and model unless given",
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
        brief: "check everything, print the configuration, train nothing",
        withNegated: false,
      },
      noWeb: { kind: "boolean", brief: "serve no web page", withNegated: false },
      json,
    },
    aliases: { m: "model" },
    positional: {
      kind: "array",
      parameter: {
        brief: "a run's TOML file (several compose, later ones win), or one environment",
        parse: text,
        placeholder: "run.toml ... | env",
      },
    },
  },
  docs: {
    brief: "train a model on environments",
    fullDescription: `The run is kept in runs/<name>: configuration, rollouts, samples, metrics, checkpoints, and at the end the adapter.
Ctrl-C stops after the step under way; --resume goes on. A killed run is resumed the same way and loses at most one step.

Examples
  hone train reverse-text --model hone/tiny
  hone train run.toml --dry-run
  hone train base.toml long.toml --set optimizer.learning_rate=1e-3 --run longer
  hone train --resume longer

Also
  hone runs list              the runs there are
  hone web                    look at them in the browser

Exit codes: 0 all worked, 1 it failed, 2 a mistake on the command line or in a file, 130 stopped.`,
  },
});
