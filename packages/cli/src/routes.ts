// The commands of `hone`: names, flags and help texts. What they do is loaded when they are run.
import { buildCommand, buildRouteMap, type RouteMap } from "@stricli/core";
import { type Context, lazy } from "./command.ts";
import type { CompareFlags } from "./commands/eval-compare.ts";
import type { RescoreFlags } from "./commands/eval-rescore.ts";
import type { InfoFlags } from "./commands/env-info.ts";
import type { InitFlags } from "./commands/env-init.ts";
import type { ListFlags } from "./commands/env-list.ts";
import type { TestFlags } from "./commands/env-test.ts";
import type { DoctorFlags } from "./commands/doctor.ts";
import type { WebFlags } from "./commands/web.ts";
import { configRoutes } from "./config-route.ts";
import { evalCommand } from "./eval-route.ts";
import { environmentArguments, environmentName, json, text, wholeNumber } from "./flags.ts";
import { runsRoutes } from "./runs-route.ts";
import { sftRoute } from "./sft/sft-route.ts";
import { trainRoute } from "./train-route.ts";

const compare = buildCommand<CompareFlags, [a: string, b: string], Context>({
  loader: lazy(async () => (await import("./commands/eval-compare.ts")).compare),
  parameters: {
    flags: { json },
    positional: {
      kind: "tuple",
      parameters: [
        { brief: "the folder of an evaluation", parse: text, placeholder: "A" },
        { brief: "the folder of another one of the same tasks", parse: text, placeholder: "B" },
      ],
    },
  },
  docs: {
    brief: "compare two evaluations, task by task",
    fullDescription: `Rollouts are paired by task and index, so what makes a task hard cancels out and small differences show.

Example
  hone eval compare evals/reverse-text--scripted--x7k2mq evals/reverse-text--scripted_gold--p04f1c`,
  },
});

const rescore = buildCommand<RescoreFlags, [directory: string], Context>({
  loader: lazy(async () => (await import("./commands/eval-rescore.ts")).rescoreCommand),
  parameters: {
    flags: {
      env: {
        kind: "parsed",
        parse: text,
        brief: "the environment whose rewards are used; its own unless given",
        placeholder: "ENV",
        optional: true,
      },
      endpoints: {
        kind: "parsed",
        parse: text,
        brief: "file of named models, for judges",
        placeholder: "FILE",
        optional: true,
      },
      envFile: {
        kind: "parsed",
        parse: text,
        brief: "file of NAME=value lines with keys",
        placeholder: "FILE",
        optional: true,
        variadic: true,
      },
      json,
    },
    positional: {
      kind: "tuple",
      parameters: [{ brief: "the folder of an evaluation", parse: text, placeholder: "folder" }],
    },
  },
  docs: {
    brief: "score saved rollouts again, without calling the model",
    fullDescription: `For rewards that were corrected, or another judge. The folder stays as it is; the new scores go into one beside it.

Example
  hone eval rescore evals/reverse-text--scripted--x7k2mq`,
  },
});

const evaluation = buildRouteMap({
  routes: { run: evalCommand, compare, rescore },
  defaultCommand: "run",
  docs: { brief: "measure a model on an environment", hideRoute: { run: true } },
});

const init = buildCommand<InitFlags, [name: string], Context>({
  loader: lazy(async () => (await import("./commands/env-init.ts")).init),
  parameters: {
    flags: {
      dir: {
        kind: "parsed",
        parse: text,
        brief: "the folder to make it in; here unless given",
        placeholder: "FOLDER",
        optional: true,
      },
      json,
    },
    positional: {
      kind: "tuple",
      parameters: [{ brief: "its name: my-env, or @owner/my-env", parse: text, placeholder: "name" }],
    },
  },
  docs: {
    brief: "make a new environment that passes its own test",
    fullDescription: `Example
  hone env init my-env
  hone env test ./my-env`,
  },
});

const list = buildCommand<ListFlags, [], Context>({
  loader: lazy(async () => (await import("./commands/env-list.ts")).list),
  parameters: { flags: { json } },
  docs: {
    brief: "list the environments that can be named",
    fullDescription: `Those under ./environments, those installed here, and those that came with hone.

Example
  hone env list`,
  },
});

const info = buildCommand<InfoFlags, [env: string], Context>({
  loader: lazy(async () => (await import("./commands/env-info.ts")).info),
  parameters: {
    flags: { ...environmentArguments, json },
    positional: { kind: "tuple", parameters: [environmentName] },
  },
  docs: {
    brief: "show an environment: arguments, tools, rewards, tasks, a prompt",
    fullDescription: `Example
  hone env info word-guess --arg max_guesses=4`,
  },
});

const test = buildCommand<TestFlags, [env: string], Context>({
  loader: lazy(async () => (await import("./commands/env-test.ts")).test),
  parameters: {
    flags: {
      numTasks: {
        kind: "parsed",
        parse: wholeNumber({ from: 1 }),
        brief: "how many tasks are tried",
        placeholder: "N",
        default: "8",
      },
      ...environmentArguments,
      json,
    },
    aliases: { n: "numTasks" },
    positional: { kind: "tuple", parameters: [environmentName] },
  },
  docs: {
    brief: "check that an environment keeps the rules",
    fullDescription: `Tasks load, ids are unique and stable, gold replies score 1, saying nothing scores 0, state survives JSON.

Example
  hone env test gsm8k --arg source=own -n 20`,
  },
});

const environment = buildRouteMap({
  routes: { init, list, info, test },
  docs: { brief: "make, list, show and check environments" },
});

const web = buildCommand<WebFlags, [], Context>({
  loader: lazy(async () => (await import("./commands/web.ts")).web),
  parameters: {
    flags: {
      root: {
        kind: "parsed",
        parse: text,
        brief: "the folder that holds runs/ and evals/; here unless given",
        placeholder: "FOLDER",
        optional: true,
      },
      port: {
        kind: "parsed",
        parse: wholeNumber({ from: 0, to: 65_535 }),
        brief: "the port; the first free one from 4663 unless given",
        placeholder: "N",
        optional: true,
      },
      host: {
        kind: "parsed",
        parse: text,
        brief: "the address to listen on; this machine alone unless given",
        placeholder: "HOST",
        optional: true,
      },
      token: {
        kind: "parsed",
        parse: text,
        brief: "what a browser must know; needed with --host",
        placeholder: "TEXT",
        optional: true,
      },
      json,
    },
  },
  docs: {
    brief: "look at runs and evaluations in the browser",
    fullDescription: `Prints the address of the page and serves it until Ctrl-C. It reads the folders and nothing leaves this machine.

Example
  hone web
  hone web --root ~/experiments --port 8080`,
  },
});

const doctor = buildCommand<DoctorFlags, [], Context>({
  loader: lazy(async () => (await import("./commands/doctor.ts")).doctor),
  parameters: {
    flags: {
      model: {
        kind: "parsed",
        parse: text,
        brief: "also show what training this model takes of the memory",
        placeholder: "NAME",
        optional: true,
      },
      json,
    },
  },
  docs: {
    brief: "show what this machine has: engine, sandboxes, memory",
    fullDescription: `Example
  hone doctor
  hone doctor --model hone/tiny`,
  },
});

export const routes: RouteMap<Context> = buildRouteMap({
  routes: {
    train: trainRoute,
    sft: sftRoute,
    eval: evaluation,
    env: environment,
    runs: runsRoutes,
    config: configRoutes,
    web,
    doctor,
  },
  docs: {
    brief: "Train language models on your own tasks: write an environment, measure any model on it, improve one.",
  },
});
