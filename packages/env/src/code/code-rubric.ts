// CodeRubric: partial credit for the share of tests passed, and a metric for each way of failing. The tests run once per rollout, after the model has
// stopped, in a sandbox where the model never was: a fresh one when it had tools.
import type { Awaitable, Rollout, Sandbox } from "@hone/core";
import * as z from "zod";
import { Rubric } from "../reward/reward.ts";
import type { Language } from "./languages.ts";
import { type CodeTest, extractCode, runTests, type TestOutcome, type TestReport } from "./run-tests.ts";

export interface CodeScope {
  readonly task: { readonly tests: readonly CodeTest[] };
  readonly reply: string;
  readonly rollout: Rollout;
  readonly sandbox: Sandbox;
  readonly freshSandbox: () => Promise<Sandbox>;
}

export interface CodeRubricOptions {
  readonly language: string | Language;
  /** The program to test; default: the last code block of the reply. Read files of the model from `sandbox` here. */
  readonly program?: (scope: CodeScope) => Awaitable<string>;
  readonly testSeconds?: number;
  readonly weight?: number;
  /** All or nothing instead of the share; stops at the first failure. */
  readonly allOrNothing?: boolean;
}

export class CodeRubric extends Rubric<CodeScope> {
  constructor({ language, program, testSeconds, weight, allOrNothing = false }: CodeRubricOptions) {
    const reports = new WeakMap<Rollout, Promise<TestReport>>();
    const test = async (scope: CodeScope): Promise<TestReport> => {
      const source = await (program?.(scope) ??
        extractCode(scope.reply, typeof language === "string" ? language : undefined));
      return runTests({
        sandbox: wasUsed(scope.rollout) ? await scope.freshSandbox() : scope.sandbox,
        language,
        program: source,
        tests: scope.task.tests,
        failFast: allOrNothing,
        ...(testSeconds === undefined ? {} : { testSeconds }),
      });
    };
    const report = (scope: CodeScope): Promise<TestReport> => {
      const known = reports.get(scope.rollout) ?? test(scope);
      reports.set(scope.rollout, known);
      return known;
    };
    const share = (outcome: TestOutcome) => ({
      weight: 0,
      score: async (scope: CodeScope): Promise<number> => {
        const { outcomes } = await report(scope);
        return outcomes.length === 0 ? 0 : outcomes.filter((found) => found === outcome).length / outcomes.length;
      },
    });
    super(
      {
        tests: {
          ...(weight === undefined ? {} : { weight }),
          score: async (scope) => {
            const { share: passed } = await report(scope);
            return allOrNothing ? Number(passed === 1) : passed;
          },
        },
        compile_errors: share("compile-error"),
        run_errors: share("run-error"),
        wrong_answers: share("wrong-answer"),
        time_outs: share("time-out"),
      },
      z.object({
        tests: z.array(z.union([z.object({ stdin: z.string(), stdout: z.string() }), z.object({ code: z.string() })])),
      }),
    );
  }
}

/** Whether the model could have left something in the rollout's own sandbox. */
function wasUsed({ nodes }: Rollout): boolean {
  return nodes.some(({ message }) => message.role === "tool");
}
