// What every comparison is handed: the options, the work counter, and the comparison of parts.
import type { MathNode } from "../ast.ts";
import type { Work } from "../bounds.ts";
import type { ResolvedMathOptions } from "../options.ts";

export interface Context {
  readonly options: ResolvedMathOptions;
  readonly work: Work;
  readonly same: (answer: MathNode, gold: MathNode) => boolean;
}
