// Whether two answers say the same. Sorts them by what they are and hands them on.
import { integerNode, type MathNode, pi, product, quotient } from "../ast.ts";
import type { Work } from "../bounds.ts";
import { keyOf } from "../key.ts";
import type { ResolvedMathOptions } from "../options.ts";
import { some } from "../tree.ts";
import { isCollection, sameCollection } from "./collection.ts";
import { sameConditions } from "./condition.ts";
import type { Context } from "./context.ts";
import { sameExpression } from "./expression.ts";
import { hasMatrix, sameMatrix } from "./matrix.ts";
import { countSigns, expandSigns, type SignChoice } from "./plus-minus.ts";
import { sameQuantity } from "./quantity.ts";
import { sameWords, wordsOf } from "./text.ts";
import { choiceOf, isCondition, meaning, unlabelled, unwrapped, withLetters } from "./unwrap.ts";

export function sameAnswer(answer: MathNode, gold: MathNode, options: ResolvedMathOptions, work: Work): boolean {
  const context: Context = { options, work, same: (a, b) => same(a, b, context) };
  const choices: readonly SignChoice[] =
    countSigns(answer) + countSigns(gold) > 1 ? ["together", "apart"] : ["together"];
  return choices.some((first) =>
    choices.some((second) => same(expandSigns(answer, first), expandSigns(gold, second), context)),
  );
}

function same(writtenAnswer: MathNode, writtenGold: MathNode, context: Context): boolean {
  const { work, options } = context;
  work.spend();
  const [meantAnswer, meantGold] = withLetters(meaning(writtenAnswer), meaning(writtenGold));
  const [answer, gold] = unwrapped(meantAnswer, meantGold, context).map(unlabelled) as [MathNode, MathNode];
  if (keyOf(answer, work) === keyOf(gold, work)) return true;
  const choices = [choiceOf(answer), choiceOf(gold)] as const;
  if ((choices[0] === undefined) !== (choices[1] === undefined)) return sameChoice(answer, gold, context);
  if (isCondition(answer) || isCondition(gold)) return sameConditions(answer, gold, context);
  const isListed = [answer, gold].some(({ kind }) => kind === "set" || kind === "list");
  if (!isListed && (hasMatrix(answer) || hasMatrix(gold))) return sameMatrix(answer, gold, context);
  if (isCollection(answer) || isCollection(gold)) return sameCollection(answer, gold, context);
  const words = [wordsOf(answer), wordsOf(gold)] as const;
  if (words[0] !== undefined && words[1] !== undefined) {
    if (sameWords(words[0], words[1], options.foldCase)) return true;
    if (hasText(answer) || hasText(gold)) return false;
  }
  return sameQuantityOrExpression(answer, gold, context);
}

function hasText(node: MathNode): boolean {
  return some(node, ({ kind }) => kind === "text");
}

/** The letter alone or the value alone is enough. */
function sameChoice(answer: MathNode, gold: MathNode, { same }: Context): boolean {
  const alternatives = (node: MathNode): readonly MathNode[] => {
    const choice = choiceOf(node);
    return choice === undefined ? [node] : [choice.letter, choice.value];
  };
  return alternatives(answer).some((first) => alternatives(gold).some((second) => same(first, second)));
}

function sameQuantityOrExpression(answer: MathNode, gold: MathNode, context: Context): boolean {
  const degrees = sameDegreesAndRadians(answer, gold, context);
  if (degrees) return true;
  const quantity = sameQuantity(answer, gold, context);
  if (quantity !== undefined) return quantity;
  if (answer.kind === "ratio" && gold.kind === "ratio") return sameRatio(answer.items, gold.items, context);
  return sameExpression(answer, gold, context);
}

/** 30^\circ and pi/6. */
function sameDegreesAndRadians(answer: MathNode, gold: MathNode, context: Context): boolean {
  if ((answer.kind === "degrees") === (gold.kind === "degrees")) return false;
  const other = answer.kind === "degrees" ? gold : answer;
  if (!some(other, (node) => node.kind === "constant" && node.name === "pi")) return false;
  const radians = (node: MathNode): MathNode =>
    node.kind === "degrees" ? product([node.value, quotient(pi, integerNode(180))]) : node;
  return sameExpression(radians(answer), radians(gold), context);
}

/** 2 : 4 is 1 : 2, and so are longer ones with one factor between them. */
function sameRatio(answer: readonly MathNode[], gold: readonly MathNode[], context: Context): boolean {
  const [a, b] = [answer[0], gold[0]];
  if (answer.length !== gold.length || a === undefined || b === undefined) return false;
  return answer.every((item, index) => sameExpression(product([item, b]), product([gold[index] ?? item, a]), context));
}
