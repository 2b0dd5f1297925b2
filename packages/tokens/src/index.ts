// Everything other packages and people may use of the tokens, by name.
export { type ChatTemplate, type ChatTemplateOptions, chatmlTemplate, createChatTemplate } from "./chat-template.ts";
export { type LoadedTokenizer, loadTokenizer } from "./load.ts";
export { type Reasoned, splitReasoning } from "./reasoning.ts";
export {
  createRenderer,
  type ParsedReply,
  type ParseOptions,
  type Rendered,
  type Renderer,
  type RendererOptions,
} from "./renderer.ts";
export type { Span } from "./spans.ts";
export { createStreamDecoder, type StreamDecoder } from "./stream-decoder.ts";
export type { RenderOptions } from "./template-variables.ts";
export { createByteTokenizer, createTokenizer, type EncodeOptions, type Tokenizer } from "./tokenizer.ts";
export {
  detectToolCallFormat,
  type TextWithCalls,
  type ToolCallFormat,
  toolCallFormat,
  type ToolCallFormatName,
  type WrittenCall,
} from "./tool-calls/format.ts";
