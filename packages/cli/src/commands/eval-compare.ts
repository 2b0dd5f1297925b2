// `hone eval compare A B`.
import { compareEvaluations, renderComparison } from "@hone/eval";
import type { Work } from "../command.ts";
import { evaluationFolder } from "../evaluation/directories.ts";
import { shown } from "../screen/shown-path.ts";
import { exitCodes } from "../io.ts";
import { styleFor } from "../screen/style.ts";

export interface CompareFlags {
  readonly json: boolean;
}

export const compare: Work<CompareFlags, [a: string, b: string]> = async ({ io }, { json }, nameA, nameB) => {
  const [a, b] = [await evaluationFolder(nameA, io.cwd), await evaluationFolder(nameB, io.cwd)];
  const comparison = await compareEvaluations(a, b);
  if (json) io.stdout.write(`${JSON.stringify(comparison)}\n`);
  else {
    const short = {
      ...comparison,
      a: { ...comparison.a, directory: shown(a, io.cwd) },
      b: { ...comparison.b, directory: shown(b, io.cwd) },
    };
    io.stdout.write(`${renderComparison(short, { color: styleFor(io.stdout, io.env).color })}\n`);
  }
  return exitCodes.ok;
};
