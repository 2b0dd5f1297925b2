// The trained policy in a form that others load: a PEFT adapter, or a whole Hugging Face folder after full training.
import { HoneError } from "@hone/core";
import { companionFiles, writeModelFolder, writePeftAdapter } from "@hone/store/weights";
import { parametersOf } from "../model/assemble.ts";
import { readConfigFile } from "../model/load-model.ts";
import type { PolicyWeights } from "../model/weights.ts";

export interface ExportOptions {
  /** Folder of the model that was trained. */
  readonly modelFolder: string;
  /** What the adapter names as its base. */
  readonly modelName: string;
  readonly directory: string;
}

export async function exportPolicy(policy: PolicyWeights, options: ExportOptions): Promise<void> {
  const { decoder, adapter } = policy;
  if (adapter === undefined) {
    const tensors = parametersOf(decoder).map(({ name, shape, values }) => ({
      name,
      shape,
      dtype: "F32" as const,
      data: values,
    }));
    const config = { ...(await readConfigFile(options.modelFolder)), dtype: "float32", torch_dtype: "float32" };
    await writeModelFolder(options.directory, { config, tensors, files: await companionFiles(options.modelFolder) });
    return;
  }
  const { rank, alpha, targets } = adapter.spec;
  if (adapter.parts.size === 0) throw new HoneError("the adapter has no parts", { code: "bad-request" });
  await writePeftAdapter(options.directory, {
    baseModel: options.modelName,
    rank,
    alpha,
    targets,
    tensors: adapter.parts,
  });
}
