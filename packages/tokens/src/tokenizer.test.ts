import { HoneError } from "@hone/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "./testing/arbitraries.ts";
import { createByteTokenizer, createTokenizer, type Tokenizer } from "./tokenizer.ts";

const bytes = createByteTokenizer(["<|im_start|>", "<|im_end|>"]);

describe("control tokens", () => {
  test("stay plain text unless asked for", () => {
    expect([...bytes.encode("a<|im_end|>")].every((id) => id < 256)).toBe(true);
    expect([...bytes.encode("a<|im_end|>", { control: true })]).toEqual([97, 257]);
  });

  test("are kept apart by the guard, which is dropped", () => {
    const options = { control: true, guard: "\u007F" };
    expect(bytes.decode(bytes.encode("<\u007F|im_end|><|im_end|>", options))).toBe("<|im_end|><|im_end|>");
    expect([...bytes.encode("<\u007F|im_end|><|im_end|>", options)].filter((id) => id > 255)).toEqual([257]);
  });

  test("decode to their text", () => {
    expect(bytes.decode([256, 104, 105, 257])).toBe("<|im_start|>hi<|im_end|>");
  });

  test("are known by name", () => {
    expect(bytes.controlTokens).toEqual(
      new Map([
        ["<|im_start|>", 256],
        ["<|im_end|>", 257],
      ]),
    );
    expect(bytes.id("<|im_end|>")).toBe(257);
    expect(bytes.id("<|eot_id|>")).toBeUndefined();
    expect(bytes.vocabularySize).toBe(258);
  });
});

test("any text survives encoding and decoding", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const wellFormed = Buffer.from(text).toString();
      expect(bytes.decode(bytes.encode(text))).toBe(wellFormed);
      expect(bytes.decode(bytes.encode(text, { control: true }))).toBe(wellFormed);
    }),
  );
});

test("ids outside the vocabulary and no ids at all decode to nothing", () => {
  expect(bytes.decode([])).toBe("");
  expect(bytes.decode([9999, -1, 97])).toBe("a");
});

/** A vocabulary of words, where pieces and flags of added tokens can be told apart. */
function words(vocabulary: readonly string[], added: readonly object[], more: object = {}): Tokenizer {
  return createTokenizer({
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: null,
    decoder: null,
    model: {
      type: "WordPiece",
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
      unk_token: "?",
      continuing_subword_prefix: "",
      max_input_chars_per_word: 100,
    },
    ...more,
  });
}

test("words of a format are read from any text, marked control or written like control they are not", () => {
  const tokenizer = words(
    ["?", "a", "<s>", "<think>", "<|fim|>"],
    [
      { id: 2, content: "<s>", special: true },
      { id: 3, content: "<think>", special: false, normalized: false },
      { id: 4, content: "<|fim|>", special: false, normalized: false },
    ],
  );
  expect([...tokenizer.controlTokens.keys()]).toEqual(["<s>", "<|fim|>"]);
  expect([...tokenizer.encode("a<think>a")]).toEqual([1, 3, 1]);
  expect([...tokenizer.encode("a<s>a", { control: true })]).toEqual([1, 2, 1]);
});

test("text does not reach a control token that the vocabulary holds as an ordinary piece", () => {
  const tokenizer = words(["?", "<", "s", ">", "s>", "<s>"], [{ id: 5, content: "<s>", special: true }]);
  expect([...tokenizer.encode("<s>")]).toEqual([1, 4]);
});

test("an added token takes the white space it asks for, and stands alone where it must", () => {
  const tokenizer = words(
    ["?", "a", "<l>", "<r>", "<w>", "b<w>b"],
    [
      { id: 2, content: "<l>", lstrip: true, normalized: false },
      { id: 3, content: "<r>", rstrip: true, normalized: false },
      { id: 4, content: "<w>", single_word: true, normalized: false },
    ],
    { pre_tokenizer: { type: "Split", pattern: { Regex: "." }, behavior: "Isolated", invert: false } },
  );
  expect([...tokenizer.encode("a  <l>a")]).toEqual([1, 2, 1]);
  expect([...tokenizer.encode("a<r>  a")]).toEqual([1, 3, 1]);
  expect([...tokenizer.encode("a<r>a<l>a")]).toEqual([1, 3, 1, 2, 1]);
  expect([...tokenizer.encode("a<w>")]).not.toContain(4);
  expect([...tokenizer.encode("<w>")]).toEqual([4]);
});

test("added tokens that are normalised are found after normalising", () => {
  const tokenizer = words(["?", "a", "[tool]"], [{ id: 2, content: "[TOOL]", special: false, normalized: true }], {
    normalizer: { type: "Lowercase" },
  });
  expect([...tokenizer.encode("A[Tool]A")]).toEqual([1, 2, 1]);
});

test("only the first words of a text get the space that a vocabulary puts in front", () => {
  const tokenizer = words(["?", "▁a", "a", "<s>"], [{ id: 3, content: "<s>", special: true }], {
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: false },
  });
  expect([...tokenizer.encode("a<s>a", { control: true })]).toEqual([1, 3, 2]);
});

test("a file that is no tokenizer is refused with a reason", () => {
  expect(() => createTokenizer({})).toThrow(HoneError);
  expect(() => createTokenizer({ model: { type: "Nonsense" } })).toThrow(/cannot be used/);
});
