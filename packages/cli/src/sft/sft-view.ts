// What a person sees of fine-tuning: one line that is rewritten on a terminal, a line every few seconds elsewhere, and a line that stays for
// every measurement. It only reads events; nothing waits for it.
import type { MetricRow } from "@hone/store";
import type { SftEvent } from "@hone/train";
import type { Output } from "../io.ts";
import { ProgressLine } from "../screen/progress-line.ts";
import { decimal, plural, seconds } from "../screen/words.ts";

export interface SftViewOptions {
  readonly output: Output;
  readonly now?: () => number;
}

/** The newest updates, of which speed and time left are told. */
const recent = 20;

export class SftView implements Disposable {
  readonly #line: ProgressLine;
  readonly #now: () => number;
  #heldOut: string | undefined;
  /** When each of the newest updates was done, and its tokens. */
  #done: { readonly atMs: number; readonly tokens: number }[];

  constructor({ output, now = Date.now }: SftViewOptions) {
    this.#line = new ProgressLine({ output, now });
    this.#now = now;
    this.#done = [{ atMs: now(), tokens: 0 }];
  }

  note(line: string): void {
    this.#line.note(line);
  }

  show(event: SftEvent): void {
    switch (event.type) {
      case "run-start": {
        const heldOut = event.heldOut === 0 ? "none held out" : `${event.heldOut.toLocaleString("en-US")} held out`;
        this.note(`${plural(event.conversations, "conversation")} to learn from, ${heldOut}`);
        if (event.step > 0) this.note(`going on after step ${event.step}`);
        this.#line.show(event.step === 0 ? "measuring what is held out" : "");
        break;
      }
      case "update-end":
        this.#update(event.row, event.steps);
        break;
      case "update-reject":
        this.note(`step ${event.step} was rejected, the policy stays: ${event.reason}`);
        break;
      case "eval-end":
        this.#heldOut = decimal(event.row["loss/mean"]);
        this.note(`step ${event.row.step}: held-out loss ${this.#heldOut}${byFile(event.row)}`);
        // What was measured is no part of an update.
        this.#done = [{ atMs: this.#now(), tokens: 0 }];
        break;
      case "run-end":
        this.#line.clear();
        break;
    }
  }

  [Symbol.dispose](): void {
    this.#line[Symbol.dispose]();
  }

  #update(row: MetricRow, steps: number): void {
    this.#done = [...this.#done, { atMs: this.#now(), tokens: Number(row["sample/tokens"]) }].slice(-recent - 1);
    const [first, ...later] = this.#done;
    const elapsedMs = (later.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0);
    const speed = elapsedMs > 0 ? later.reduce((sum, { tokens }) => sum + tokens, 0) / (elapsedMs / 1000) : 0;
    const left = (Math.max(0, steps - row.step) * elapsedMs) / Math.max(1, later.length) / 1000;
    const parts = [
      `step ${row.step}/${Math.max(steps, row.step)}`,
      `loss ${decimal(row["update/loss"])}`,
      ...(this.#heldOut === undefined ? [] : [`held-out ${this.#heldOut}`]),
      `${Math.round(speed).toLocaleString("en-US")} tokens/s`,
      ...(row.step < steps ? [`${seconds(left)} left`] : []),
    ];
    this.#line.show(parts.join("  "));
  }
}

function byFile(row: MetricRow): string {
  const files = Object.entries(row).flatMap(([key, value]) =>
    key.startsWith("loss/") && key !== "loss/mean" ? [`${key.slice("loss/".length)} ${decimal(value)}`] : [],
  );
  return files.length === 0 ? "" : ` (${files.join(", ")})`;
}
