import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer as Library } from "@huggingface/tokenizers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyText } from "./testing/arbitraries.ts";
import { createLoad, families, folderOf } from "./testing/families.ts";
import { createStreamDecoder } from "./stream-decoder.ts";

const load = createLoad();
const text = fc.oneof(
  anyText,
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

test.each(families)("%s: with control tokens on, ids are those of the library", async (family) => {
  const [json, config] = await Promise.all(
    ["tokenizer.json", "tokenizer_config.json"].map(
      async (file) => JSON.parse(await readFile(join(folderOf(family), file), "utf8")) as object,
    ),
  );
  const library = new Library(json ?? {}, config ?? {});
  const { tokenizer } = await load(family);
  const control = new Set(tokenizer.controlTokens.values());
  fc.assert(
    fc.property(text, (text) => {
      const { ids } = library.encode(text, { add_special_tokens: false });
      expect([...tokenizer.encode(text, { control: true })]).toEqual(ids);
      expect([...tokenizer.encode(text)].filter((id) => control.has(id))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test.each(families)("%s: streamed text joins to what decoding all ids gives", async (family) => {
  const { tokenizer } = await load(family);
  const id = fc.oneof(fc.integer({ min: 0, max: tokenizer.vocabularySize + 9 }), fc.integer({ min: 90, max: 260 }));
  fc.assert(
    fc.property(fc.array(id, { maxLength: 60 }), (ids) => {
      const decoder = createStreamDecoder(tokenizer);
      expect(ids.map((one) => decoder.push(one)).join("") + decoder.end()).toBe(tokenizer.decode(ids));
    }),
    { numRuns: 200 },
  );
});
