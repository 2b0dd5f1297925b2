import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { tokenTextsIn } from "./token-texts.ts";

test("the tokens of a model that is here have texts, those of another have none", async () => {
  const texts = tokenTextsIn(tmpdir());
  const ids = Int32Array.from("Hi", (letter) => letter.charCodeAt(0));
  expect(await texts("hone/tiny", ids)).toEqual(["H", "i"]);
  expect(await texts("openai/gpt-5-mini", ids)).toBeUndefined();
  expect(await texts("./no-such-folder", ids)).toBeUndefined();
});
