// How a model's folder turns messages into tokens and back: its tokenizer and its chat template. With it any sampler of an engine is a model.
import { type EngineInfo, HoneError, type Model, type Sampler } from "@hone/core";
import { policyModel } from "@hone/model";
import { createRenderer, loadTokenizer, type Renderer } from "@hone/tokens";

export async function loadRenderer(folder: string): Promise<Renderer> {
  const loaded = await loadTokenizer(folder);
  if (loaded.template !== undefined) return createRenderer(loaded);
  throw new HoneError(`${folder} comes without a chat template.`, {
    code: "chat-template",
    hint: "Base models often do. Use the instruction-tuned model, or put a chat_template.jinja into the folder.",
  });
}

export interface PolicyParts {
  readonly name: string;
  readonly renderer: Renderer;
  readonly info: EngineInfo;
}

export function modelFrom({ name, renderer, info }: PolicyParts): (sampler: Sampler) => Model {
  return (sampler) => policyModel({ name, sampler, renderer, info });
}
