import * as fc from "fast-check";
import { expect, test } from "vitest";
import { didYouMean, nearest } from "./nearest.ts";

const keys = ["model", "engine", "max_steps", "batch_size", "group_size", "max_tokens", "temperature", "seed"];

test.each([
  ["group_sze", "group_size"],
  ["gruop_size", "group_size"],
  ["groupSize", "group_size"],
  ["GROUP-SIZE", "group_size"],
  ["maxTokens", "max_tokens"],
  ["temprature", "temperature"],
  ["modle", "model"],
  ["steps", "max_steps"],
  ["temp", "temperature"],
  ["model_name", "model"],
])("%s is most likely %s", (word, meant) => {
  expect(nearest(word, keys)).toBe(meant);
});

test.each(["", "wandb", "xyz", "lr", "id"])("%j is like none of them", (word) => {
  expect(nearest(word, keys)).toBeUndefined();
});

test("an edit beats a part of a word, and a tie goes to the earlier candidate", () => {
  expect(nearest("step", ["max_step_size", "steps"])).toBe("steps");
  expect(nearest("cat", ["bat", "rat"])).toBe("bat");
});

test("a swap of neighbours is one edit", () => {
  expect(nearest("abc", ["acb"])).toBe("acb");
  expect(nearest("abcd", ["badc"])).toBeUndefined();
});

test("a word is nearest to itself, whatever its case and separators", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z_-]{0,12}$/), fc.array(fc.string()), (word, others) => {
      const found = nearest(word.toUpperCase(), [word, ...others]);
      expect(found).toBe(word);
    }),
  );
});

test("the suggestion follows a full stop, and is nothing when there is none", () => {
  expect(`Unknown key.${didYouMean("group_sze", keys)}`).toBe("Unknown key. Did you mean `group_size`?");
  expect(didYouMean("wandb", keys)).toBe("");
  expect(didYouMean("model", ["model"])).toBe("");
});
