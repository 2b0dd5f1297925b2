// What a rollout is handed when the caller gave nothing: refusals that say what is missing and where it would come from.
import { HoneError, type Model, type Resources, type SandboxProvider, type Watchdog } from "@hone/core";
import type { EvaluateOptions } from "./plan.ts";

export function resourcesOf(
  { model, models, sandboxes, harness, sampling = {} }: Pick<EvaluateOptions, keyof Resources & keyof EvaluateOptions>,
  watchdog: Watchdog,
): Resources {
  return { model, models: models ?? noModels, sandboxes: sandboxes ?? noSandboxes, harness, sampling, watchdog };
}

/** Stands for the model whose rollouts are only looked at again. */
export function uncalledModel(name: string): Model {
  return {
    name,
    complete: () => {
      throw new HoneError(`${name} is not called while saved rollouts are scored again.`, { code: "model-not-called" });
    },
  };
}

function noModels(name: string): Model {
  throw new HoneError(`There is no model ${name} to judge with.`, {
    code: "unknown-model",
    hint: `Name its server in endpoints.toml under [[endpoint]] name = "${name}", or pass \`models\` to evaluate.`,
  });
}

const noSandboxes: SandboxProvider = {
  name: "none",
  open: () => {
    throw new HoneError("This environment needs a sandbox and none is set up.", {
      code: "no-sandbox-provider",
      hint: "Pass `sandboxes` to evaluate.",
    });
  },
};
