// A checkpoint as a policy to sample from: the parameters alone, without moments, put on the base model.
import { HoneError } from "@hone/core";
import type { Kernels } from "../kernel/kernels.ts";
import { copyDecoder, parametersOf } from "../model/assemble.ts";
import type { DecoderWeights, PolicyWeights } from "../model/weights.ts";
import { importAdapter, isAdapterFolder } from "../train/import-adapter.ts";
import { createLora, loraParameters } from "../train/lora.ts";
import type { TrainerState } from "../train/trainer.ts";
import { type CheckpointPlace, readHeader, readState, tensorsFile } from "./checkpoint.ts";
import type { LoadedPolicy } from "./policies.ts";

export interface CheckpointPolicyOptions extends CheckpointPlace {
  /** Name of the base model. */
  readonly model: string;
  readonly kernels: Kernels;
  readonly base: DecoderWeights;
}

/** Reads the header now, the weights when they are asked for. */
export async function checkpointPolicy(options: CheckpointPolicyOptions): Promise<LoadedPolicy> {
  const { folder, name, model, kernels, base } = options;
  if (isAdapterFolder(name)) {
    return { id: name, read: async () => policyOf(await importAdapter(name, base), { kernels, base, file: name }) };
  }
  const header = await readHeader({ folder, name }, model);
  return {
    id: header.id,
    read: async () => {
      const state = await readState({ folder, name, header, only: "weight" });
      return policyOf(state, { kernels, base, file: tensorsFile({ folder, name }, header) });
    },
  };
}

interface Onto extends Pick<CheckpointPolicyOptions, "kernels" | "base"> {
  /** For errors. */
  readonly file: string;
}

function policyOf({ version, adapter, tensors }: TrainerState, { kernels, base, file }: Onto): PolicyWeights {
  const lora = adapter === "full" ? undefined : createLora(kernels.memory, base, adapter);
  const decoder = lora === undefined ? copyDecoder(kernels, base) : base;
  const parameters = lora === undefined ? parametersOf(decoder) : loraParameters(lora);
  for (const { name, values } of parameters) {
    const saved = tensors.get(`weight/${name}`);
    if (saved?.length !== values.length) throw doesNotFit(file, name);
    values.set(saved);
  }
  return { version, decoder, ...(lora && { adapter: lora }) };
}

function doesNotFit(file: string, name: string): HoneError {
  return new HoneError(`${file} does not fit the model: ${name} is missing or has another size`, {
    code: "checkpoint",
    hint: "It is damaged or belongs to another model; use another checkpoint.",
  });
}
