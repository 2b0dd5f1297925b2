// Text to ids and back, over the pure JavaScript implementation of Hugging Face tokenizers.
// The library always reads control tokens from text and cleans up spaces when it decodes; here neither happens: sections are split by
// added-tokens.ts and only plain text goes through the library's normaliser, pre-tokeniser and model.
import { HoneError } from "@hone/core";
import { Tokenizer as Library } from "@huggingface/tokenizers";
import { type AddedToken, createSplitter, isControl } from "./added-tokens.ts";

export interface Tokenizer {
  /** One more than the largest id. The model's embedding may have more rows. */
  readonly vocabularySize: number;
  /** Tokens with a meaning beyond their text, such as the end of a turn, by text. */
  readonly controlTokens: ReadonlyMap<string, number>;
  /** Without special tokens around it. A control token in `text` stays plain text unless `control` is set. */
  encode(text: string, options?: EncodeOptions): Int32Array;
  /** Everything that has a text, control tokens included; ids outside the vocabulary are left out. Never throws. */
  decode(ids: ArrayLike<number>): string;
  /** The id of one token, as tokenizer.json writes it. */
  id(token: string): number | undefined;
}

export interface EncodeOptions {
  /** Read control tokens from the text. Only for text whose author may use them. */
  readonly control?: boolean;
  /** A character that is dropped after control tokens were looked for: inside what looks like one, it keeps it from being read. */
  readonly guard?: string;
}

/** `json` is the content of tokenizer.json, `config` that of tokenizer_config.json. */
export function createTokenizer(json: object, config: object = {}): Tokenizer {
  const library = open(json, config);
  const { normalizer, pre_tokenizer: preTokenizer, model } = library;
  if (model === null) throw broken("it has no model", undefined);
  const added: readonly AddedToken[] = [...library.get_added_tokens_decoder().values()];
  const control = added.filter(isControl);
  const controlTokens = new Map(control.map((token) => [token.content, token.id]));
  const controlIds = new Set(controlTokens.values());
  const isNormalized = (token: AddedToken) => token.normalized && normalizer !== null && !isControl(token);
  const raw = added.filter((token) => !isNormalized(token));
  const splitAll = createSplitter(raw);
  const splitWords = createSplitter(raw.filter((token) => !isControl(token)));
  const splitNormalized = createSplitter(added.filter(isNormalized), ({ content }) => normalizer?.(content) ?? content);

  const pushModelTokens = (pieces: string[], ids: number[]): void => {
    for (const token of model(pieces)) {
      const id = model.tokens_to_ids.get(token) ?? model.unk_token_id;
      if (id === undefined) continue;
      // A vocabulary may hold a control token as an ordinary piece; text reaches it only in halves.
      if (controlIds.has(id) && token.length > 1) pushModelTokens([token.slice(0, 1), token.slice(1)], ids);
      else ids.push(id);
    }
  };
  const pushPlain = (text: string, isFirst: boolean, ids: number[]): void => {
    for (const section of splitNormalized(normalizer?.(text) ?? text)) {
      if (section.id !== undefined) ids.push(section.id);
      else {
        const options = { section_index: isFirst && section.start === 0 ? 0 : 1 };
        pushModelTokens(preTokenizer?.(section.text, options) ?? [section.text], ids);
      }
    }
  };

  return {
    vocabularySize: model.vocab.length,
    controlTokens,
    encode: (text, options = {}) => {
      const ids: number[] = [];
      for (const section of (options.control === true ? splitAll : splitWords)(text)) {
        const plain = options.guard === undefined ? section.text : section.text.replaceAll(options.guard, "");
        if (section.id !== undefined) ids.push(section.id);
        else if (plain !== "") pushPlain(plain, section.start === 0, ids);
      }
      return Int32Array.from(ids);
    },
    decode: (ids) => {
      const known = Array.from(ids).filter((id) => model.vocab[id] !== undefined);
      if (known.length === 0) return "";
      return library.decode(known, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
    },
    id: (token) => model.tokens_to_ids.get(token),
  };
}

/** 256 bytes and the control tokens, without any file: for small models and for tests. Control token i has id 256 + i. */
export function createByteTokenizer(controlTokens: readonly string[]): Tokenizer {
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: true };
  return createTokenizer({
    added_tokens: controlTokens.map((content, index) => ({ id: 256 + index, content, special: true })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: { type: "BPE", vocab: byteVocabulary(), merges: [], unk_token: null },
  });
}

/** Byte-level vocabularies write each byte as a printable character: itself where it is one, else the next from U+0100. */
function byteVocabulary(): Record<string, number> {
  const vocabulary: Record<string, number> = {};
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    vocabulary[String.fromCharCode(isPrintable ? byte : next++)] = byte;
  }
  return vocabulary;
}

function open(json: object, config: object): Library {
  try {
    return new Library({ added_tokens: [], ...json }, config);
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error), error);
  }
}

function broken(what: string, cause: unknown): HoneError {
  return new HoneError(`this tokenizer cannot be used: ${what}`, {
    code: "tokenizer",
    hint: "Give the tokenizer.json of a fast Hugging Face tokenizer; `save_pretrained` of transformers writes one.",
    cause,
  });
}
