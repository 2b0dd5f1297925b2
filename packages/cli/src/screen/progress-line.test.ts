import { expect, test } from "vitest";
import { ProgressLine } from "./progress-line.ts";

function screen(isTerminal: boolean, columns?: number) {
  const written: string[] = [];
  let nowMs = 0;
  const output = {
    write: (text: string) => void written.push(text),
    isTerminal,
    ...(columns === undefined ? {} : { columns }),
  };
  const line = new ProgressLine({ output, now: () => nowMs, everyMs: 60_000 });
  return { line, written, wait: (ms: number) => void (nowMs += ms) };
}
const clear = "\r\u001B[2K";

test("on a terminal one line is rewritten in place, and is gone at the end", () => {
  const { line, written, wait } = screen(true);
  line.show("1/9");
  line.show("2/9");
  wait(60_000);
  line.show("3/9");
  line[Symbol.dispose]();
  expect(written).toEqual([`${clear}1/9`, `${clear}3/9`, clear]);
});

test("a note stays above the line", () => {
  const { line, written } = screen(true);
  line.show("1/9");
  line.note("note: hot");
  line[Symbol.dispose]();
  expect(written).toEqual([`${clear}1/9`, clear, "note: hot\n", `${clear}1/9`, clear]);
});

test("a line that is wider than the terminal is cut", () => {
  const { line, written } = screen(true, 6);
  line.show("0123456789");
  line[Symbol.dispose]();
  expect(written[0]).toBe(`${clear}01234`);
});

test("elsewhere a plain line appears once in a while, and a short run shows none", () => {
  const { line, written, wait } = screen(false);
  line.show("1/9");
  wait(59_999);
  line.show("2/9");
  expect(written).toEqual([]);
  wait(1);
  line.show("3/9");
  line.show("4/9");
  line[Symbol.dispose]();
  expect(written).toEqual(["3/9\n"]);
});

test("a log shows life while nothing happens", async () => {
  const written: string[] = [];
  const line = new ProgressLine({
    output: { write: (text) => void written.push(text), isTerminal: false },
    everyMs: 1,
  });
  line.show("0/9");
  while (written.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  line[Symbol.dispose]();
  expect(written.slice(0, 2)).toEqual(["0/9\n", "0/9\n"]);
});
