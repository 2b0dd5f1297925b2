// Weights in files, by name: safetensors, model folders as Hugging Face lays them out, PEFT's LoRA adapters.
export { type Dtype, type FloatDtype, type TensorInfo } from "./dtype.ts";
export { type MergedModel, mergedModel, mergeLora } from "./merge.ts";
export { type ModelFolder, openModelFolder } from "./model-folder-read.ts";
export { companionFiles, writeModelFolder, type WriteModelFolderOptions } from "./model-folder-write.ts";
export { type LoraModule, type LoraPair, type PeftAdapter, readPeftAdapter } from "./peft-read.ts";
export { writePeftAdapter, type WritePeftAdapterOptions } from "./peft-write.ts";
export { openSafetensors, type SafetensorsFile, type TensorReader } from "./safetensors-read.ts";
export {
  type NamedTensorSource,
  type TensorData,
  type TensorSource,
  type TensorSources,
  writeSafetensors,
  type WriteSafetensorsOptions,
} from "./safetensors-write.ts";
export { decodeFloats, encodeFloats, type Tensor } from "./tensor.ts";
