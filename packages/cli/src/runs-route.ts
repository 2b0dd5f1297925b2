// `hone runs ...`: what to do with the runs in runs/.
import { buildCommand, buildRouteMap } from "@stricli/core";
import { type Context, lazy } from "./command.ts";
import type { RunsExportFlags } from "./commands/runs-export.ts";
import type { RunsListFlags } from "./commands/runs-list.ts";
import type { RunsReplayFlags } from "./commands/runs-replay.ts";
import type { RunsShowFlags } from "./commands/runs-show.ts";
import type { RunsStopFlags } from "./commands/runs-stop.ts";
import { json, text, wholeNumber } from "./flags.ts";

const oneRun = {
  kind: "tuple",
  parameters: [{ brief: "the name of a run, or its folder", parse: text, placeholder: "run" }],
} as const;

const list = buildCommand<RunsListFlags, [], Context>({
  loader: lazy(async () => (await import("./commands/runs-list.ts")).runsList),
  parameters: { flags: { json } },
  docs: { brief: "list the runs here", fullDescription: "Example\n  hone runs list" },
});

const show = buildCommand<RunsShowFlags, [run: string], Context>({
  loader: lazy(async () => (await import("./commands/runs-show.ts")).runsShow),
  parameters: { flags: { json }, positional: oneRun },
  docs: {
    brief: "show a run: configuration, metrics, evaluations, checkpoints",
    fullDescription: "Example\n  hone runs show reverse-text-tiny-1",
  },
});

const stop = buildCommand<RunsStopFlags, [run: string], Context>({
  loader: lazy(async () => (await import("./commands/runs-stop.ts")).runsStop),
  parameters: { flags: { json }, positional: oneRun },
  docs: {
    brief: "ask a run to stop after the step under way",
    fullDescription: `It saves, exports its policy and ends; \`hone train --resume\` goes on with it.

Example
  hone runs stop reverse-text-tiny-1`,
  },
});

const exportRoute = buildCommand<RunsExportFlags, [run: string], Context>({
  loader: lazy(async () => (await import("./commands/runs-export.ts")).runsExport),
  parameters: {
    flags: {
      step: {
        kind: "parsed",
        parse: wholeNumber({ from: 1 }),
        brief: "of this checkpoint; the last one unless given",
        placeholder: "N",
        optional: true,
      },
      merged: {
        kind: "boolean",
        brief: "a whole model with the adapter folded in, instead of the adapter",
        withNegated: false,
      },
      output: {
        kind: "parsed",
        parse: text,
        brief:
          "the folder; adapter/ or model/ of the run unless given, adapter-step-N/ or model-step-N/ for an earlier step",
        placeholder: "FOLDER",
        optional: true,
      },
      json,
    },
    positional: oneRun,
  },
  docs: {
    brief: "write the policy of a run as files that others load",
    fullDescription: `A PEFT adapter, which transformers and vLLM load beside the model; with --merged a whole Hugging Face folder.

Examples
  hone runs export reverse-text-tiny-1 --step 10 --output step-10
  hone runs export reverse-text-tiny-1 --merged --output reverser`,
  },
});

const replay = buildCommand<RunsReplayFlags, [run: string], Context>({
  loader: lazy(async () => (await import("./commands/runs-replay.ts")).runsReplay),
  parameters: {
    flags: {
      step: { kind: "parsed", parse: wholeNumber({ from: 1 }), brief: "the update to make again", placeholder: "N" },
      json,
    },
    positional: oneRun,
  },
  docs: {
    brief: "make an update again and compare the weights",
    fullDescription: `From the checkpoint before it and the samples on disk; the result must be the checkpoint of that step, bit for bit.
Exit code 1 when it is not.

Example
  hone runs replay reverse-text-tiny-1 --step 20`,
  },
});

export const runsRoutes = buildRouteMap({
  routes: { list, show, stop, export: exportRoute, replay },
  docs: { brief: "list, show, stop, export and replay runs" },
});
