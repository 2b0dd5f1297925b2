import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractBoxed, extractHash, extractLastHash } from "./extract.ts";

describe("extractBoxed", () => {
  test("gives the last box, with nested braces", () => {
    expect(extractBoxed("\\boxed{1} or rather \\boxed{\\frac{1}{2}}.")).toBe("\\frac{1}{2}");
    expect(extractBoxed("\\boxed{}")).toBe("");
  });

  test("without a finished box gives the text, or nothing when strict", () => {
    for (const text of ["forty-two", "\\boxed{4", "\\boxed{\\frac{1}{2}", "\\boxed 4"]) {
      expect(extractBoxed(text)).toBe(text);
      expect(extractBoxed(text, { strict: true })).toBe("");
    }
  });

  test("finds any balanced content in any surroundings", () => {
    const { balanced } = fc.letrec<{ balanced: string }>((tie) => ({
      balanced: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("", "x", "1/2"),
        fc.tuple(tie("balanced"), tie("balanced")).map(([inside, after]) => `{${inside}}${after}`),
      ),
    }));
    fc.assert(
      fc.property(balanced, (content) => {
        expect(extractBoxed(`so { \\boxed{${content}} }`)).toBe(content);
      }),
    );
  });
});

describe("extractHash", () => {
  test("gives what follows the first mark, up to the next", () => {
    expect(extractHash("2 + 2 = 4\n#### 4")).toBe("4");
    expect(extractHash("#### 4 #### 5")).toBe("4");
  });

  test("without a mark gives the text, or nothing when strict", () => {
    expect(extractHash(" 4 ")).toBe(" 4 ");
    expect(extractHash("4", { strict: true })).toBe("");
  });
});

describe("extractLastHash", () => {
  test("gives the line of the last mark", () => {
    expect(extractLastHash("#### Plan\nadd\n#### 18 \r\nHave a nice day.")).toBe("18");
    expect(extractLastHash("####\n18\nbye")).toBe("18");
    expect(extractLastHash("the answer is\n####")).toBe("");
  });

  test("without a mark gives the text, or nothing when strict", () => {
    expect(extractLastHash("18")).toBe("18");
    expect(extractLastHash("18", { strict: true })).toBe("");
  });
});
