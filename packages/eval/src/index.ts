// Measure, by name: evaluate, resume, compare, score again, and the same as text.
export { compareEvaluations, type Compared, type Comparison, type TaskDifference } from "./compare.ts";
export { EvalConfig, type EvalEnvConfig, readMatrix, type ReadMatrixOptions } from "./eval-config.ts";
export { evaluate } from "./evaluate.ts";
export {
  type Durations,
  type ErrorCount,
  type Evaluation,
  evaluationRow,
  type Pass,
  type Spent,
} from "./evaluation.ts";
export { type Cell, evaluateMatrix, type LoadedCell, type Matrix, type MatrixOptions } from "./matrix.ts";
export { passAllK, passAtK } from "./pass-at-k.ts";
export { type EvaluateOptions } from "./plan.ts";
export { type Progress, renderProgress } from "./progress.ts";
export { renderComparison, renderEvaluation, renderMatrix, renderRescored } from "./render.ts";
export { rescore, type Rescored, type RescoreOptions } from "./rescore.ts";
export { EvaluationSettings } from "./settings.ts";
export { type Estimate, estimate, pairedDifference, type PairedDifference, tQuantile } from "./statistics.ts";
export { type Circumstances, summarise, Summary, type SummaryOptions } from "./summary.ts";
