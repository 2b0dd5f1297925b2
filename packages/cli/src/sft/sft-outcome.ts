// The last lines of a run of fine-tuning: loss before and after, what was left out, where the model is. Nothing is printed that would not work when
// it is typed.
import { columns } from "../screen/columns.ts";
import { shown } from "../screen/shown-path.ts";
import type { Style } from "../screen/style.ts";
import { decimal, plural } from "../screen/words.ts";
import type { SftOutcome } from "./run-sft.ts";

export interface SftOutcomeOptions {
  readonly cwd: string;
  readonly style: Style;
}

export function sftOutcomeText(outcome: SftOutcome, { cwd, style }: SftOutcomeOptions): string {
  const { name, why, step, loss, exported, directory } = outcome;
  const parts = [`${style.paint("bold", why === "done" ? "Done" : "Stopped")} after ${plural(step, "step")}.\n`];
  if (loss !== undefined) {
    const of = loss.of === "held-out" ? "held-out loss" : "loss of the first and the last batch";
    parts.push(`${of}: ${decimal(loss.before)} before, ${style.paint("bold", decimal(loss.after))} after\n`);
  }
  parts.push(...counted(outcome).map((line) => `${line}\n`));
  if (exported === undefined) parts.push("\nNo update was made, so there is no model to keep.\n");
  else parts.push(`\n${modelLines(outcome, exported, cwd)}`);
  if (why === "stopped") parts.push(`\nGo on with:\n  hone sft --resume ${name}\n`);
  return `${parts.join("")}${style.paint("dim", shown(directory, cwd))}\n`;
}

function counted({ dropped, cut }: SftOutcome): string[] {
  return [
    ...(dropped === 0 ? [] : [`${plural(dropped, "conversation")} longer than seq_len left out`]),
    ...(cut === 0 ? [] : [`${plural(cut, "conversation")} longer than seq_len trained without the end`]),
  ];
}

function modelLines({ name, model }: SftOutcome, exported: string, cwd: string): string {
  const folder = shown(exported, cwd);
  const isAdapter = exported.endsWith("adapter");
  return columns(
    isAdapter
      ? [
          ["adapter", `${folder}  (PEFT)`],
          ["serve", `vllm serve ${shown(model, cwd)} --enable-lora --lora-modules ${name}=${folder}`],
        ]
      : [
          ["model", `${folder}  (transformers)`],
          ["measure", `hone eval reverse-text --model ./${folder}`],
          ["train on", `hone train reverse-text --model ./${folder}`],
        ],
  );
}
