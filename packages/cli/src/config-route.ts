// `hone config`: its commands, flags and help.
import { buildCommand, buildRouteMap } from "@stricli/core";
import { type Context, lazy } from "./command.ts";
import type { ConvertFlags } from "./commands/config-convert.ts";
import { json, text } from "./flags.ts";

const convert = buildCommand<ConvertFlags, string[], Context>({
  loader: lazy(async () => (await import("./commands/config-convert.ts")).convertCommand),
  parameters: {
    flags: {
      output: {
        kind: "parsed",
        parse: text,
        brief: "the file to write, which must not exist; printed unless given",
        placeholder: "FILE",
        optional: true,
      },
      json,
    },
    aliases: { o: "output" },
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        brief: "a prime-rl or hosted-training TOML, a shell script, or the words of an rLLM or verl command",
        parse: text,
        placeholder: "file.toml | script.sh | 'command'",
      },
    },
  },
  docs: {
    brief: "rewrite another tool's training configuration as ours",
    fullDescription: `The file goes to stdout. What has no counterpart is listed on stderr, each key with the reason, and so are the defaults of the other
tool that were written out because ours differ.

Examples
  hone config convert rl.toml -o run.toml
  hone config convert train.sh
  hone config convert 'data.train_batch_size=64 actor_rollout_ref.rollout.n=8 actor_rollout_ref.model.path=M +verifiers.env_id=math'`,
  },
});

export const configRoutes = buildRouteMap({
  routes: { convert },
  docs: { brief: "work with configuration files" },
});
