// Mathematical answers: extraction, equality, and the rubric on them.
export { mathEqual } from "./equal.ts";
export { type ExtractMathOptions, extractMathAnswer } from "./extract.ts";
export type { MathOptions } from "./options.ts";
export { MathRubric, type MathRubricOptions } from "./rubric.ts";
