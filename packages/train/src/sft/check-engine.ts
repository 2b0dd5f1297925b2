// What the configuration asks of the engine, before anything is read: what it cannot honour is an error at start, never ignored.
import { HoneError } from "@hone/core";
import type { SftOptions } from "./options.ts";

type Asked = Pick<SftOptions, "engine" | "adapter" | "seqLen" | "maxSteps" | "epochs" | "data">;

export function checkEngine({ engine: { info }, adapter, seqLen, maxSteps, epochs, data }: Asked): void {
  const tuning = adapter === "full" ? "full" : "lora";
  if (!info.tuning.includes(tuning)) {
    const what = tuning === "full" ? "all weights" : "an adapter";
    const hint = tuning === "full" ? "Remove lora = false." : "Set lora = false.";
    throw refused(`the engine ${info.name} cannot train ${what}`, hint);
  }
  if (!info.losses.includes("cross_entropy")) {
    throw refused(`the engine ${info.name} has no cross-entropy`, "Choose another engine.");
  }
  if (seqLen > info.contextTokens) {
    throw refused(`seq_len is ${seqLen}, and the model takes ${info.contextTokens} tokens`, "Lower seq_len.");
  }
  if (data.length === 0) throw refused("there is no data", "Add a [[data]] with a path, a run or an eval.");
  if ((maxSteps === undefined) === (epochs === undefined)) {
    throw refused("a run has max_steps or epochs, and not both", "Keep one of the two.");
  }
}

function refused(message: string, hint: string): HoneError {
  return new HoneError(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`, { code: "config", hint });
}
