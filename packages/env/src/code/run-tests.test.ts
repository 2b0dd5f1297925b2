import { expect, test } from "vitest";
import { extractCode } from "./run-tests.ts";

const reply = "First:\n```python\na = 1\n```\nthen\n```js\nlet b;\n```\nand\n```\nc\n```\nDone.";

test("the last block is the program, or the last one of the language", () => {
  expect(extractCode(reply)).toBe("c\n");
  expect(extractCode(reply, "python")).toBe("a = 1\n");
  expect(extractCode(reply, "rust")).toBe("c\n");
});
test("a reply without blocks is the program itself", () => {
  expect(extractCode("print(1)")).toBe("print(1)");
});
test("a block that is not closed does not count", () => {
  expect(extractCode("```python\nx = 1\n```\n```python\ny =")).toBe("x = 1\n");
});
