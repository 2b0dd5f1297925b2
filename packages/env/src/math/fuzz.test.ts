import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Work } from "./bounds.ts";
import { compareAnswers } from "./equal.ts";
import { resolveMathOptions } from "./options.ts";

const options = resolveMathOptions();
const compare = (answer: string, gold: string): boolean => compareAnswers(answer, gold, options, new Work());

/** Pieces of LaTeX in any order: most of it nonsense. */
const nonsense = fc
  .array(
    fc.constantFrom(
      ..."0 1 2 37 .5 1,000 x y n i e \\pi \\infty + - * / ^ _ = < > \\le \\ne ( ) [ ] { } \\{ \\} | , ; : ! ' % & \\\\ \\% \\$ $ ~".split(
        " ",
      ),
      ..."\\frac \\sqrt \\sqrt[3] \\left( \\right) \\sin \\log \\log_ \\binom \\sum_{k=1}^ \\int_0^1 dx \\lim_{x\\to0} \\frac{d}{dx} \\cup \\cap \\in".split(
        " ",
      ),
      ..."\\mathbb{R} \\text{cm} \\text{or} and or \\pm \\mp ^\\circ \\overline{3} _2 _{16} \\boxed{ answer cm \\begin{pmatrix} \\end{pmatrix} f( \\mid \\circ".split(
        " ",
      ),
      ..."\\begin{cases} \\end{cases} \\to \\implies \\ldots ... e-4 é 𝒳 \u0000".split(" "),
      " ",
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(""));

test("no text makes the comparison throw, and the verdict and its cost are the same every time", () => {
  fc.assert(
    fc.property(nonsense, nonsense, (answer, gold) => {
      const [first, second] = [new Work(), new Work()];
      const verdict = compareAnswers(answer, gold, options, first);
      expect(compareAnswers(answer, gold, options, second)).toBe(verdict);
      expect(second.spent).toBe(first.spent);
    }),
    { numRuns: 4000 },
  );
});

test("no characters at all make it throw", () => {
  const anything = fc.string({ unit: "binary", maxLength: 40 });
  fc.assert(
    fc.property(anything, anything, (answer, gold) => {
      expect(typeof compare(answer, gold)).toBe("boolean");
    }),
    { numRuns: 500 },
  );
});

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.integer({ min: 0, max: 50 }).map(String),
    fc.constantFrom("x", "y", "\\pi", "i", "0.25", "\\sqrt{2}", "a_1", "f(x)"),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `(${a}) + (${b})`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `\\left(${a}\\right)\\left(${b}\\right)`),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `\\frac{${a}}{${b}}`),
    tie("expression").map((a) => `(${a})^2`),
    tie("expression").map((a) => `\\sqrt{${a}}`),
    tie("expression").map((a) => `\\sin(${a})`),
    tie("expression").map((a) => `|${a}|`),
  ),
}));

test("an expression equals itself however it is set", () => {
  fc.assert(
    fc.property(expression, (text) => {
      expect(compare(`\\displaystyle {${text}}`, `$ ${text} $`)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test("which expression is the gold does not matter", () => {
  fc.assert(
    fc.property(expression, expression, (a, b) => {
      expect(compare(a, b)).toBe(compare(b, a));
    }),
    { numRuns: 600 },
  );
});

test("an expression with one more is another", () => {
  const number = fc.integer({ min: -999, max: 999 });
  fc.assert(
    fc.property(number, number, (a, b) => {
      const text = `\\sqrt{${a * a + 1}} + ${b}x`;
      expect(compare(text, `${text} + 1`)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
