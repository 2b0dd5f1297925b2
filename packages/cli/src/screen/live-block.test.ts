import { expect, test } from "vitest";
import { LiveBlock } from "./live-block.ts";

function terminal(isTerminal: boolean) {
  let written = "";
  return { output: { write: (text: string) => void (written += text), isTerminal, columns: 20 }, text: () => written };
}

test("on a terminal lines are rewritten in place, cut to its width, and gone at the end", () => {
  const { output, text } = terminal(true);
  {
    using block = new LiveBlock({ output, draw: () => ["step 1", "a line that is much too long"], everyMs: 1e6 });
    block.refresh();
    expect(text()).toBe("step 1\na line that is much\n");
    block.note("a note");
  }
  const up = "\u001B[2A\r\u001B[0J";
  expect(text()).toBe(`step 1\na line that is much\n${up}a note\nstep 1\na line that is much\n${up}`);
});

test("elsewhere only notes are written", () => {
  const { output, text } = terminal(false);
  {
    using block = new LiveBlock({ output, draw: () => ["step 1"], everyMs: 1e6 });
    block.refresh();
    block.note("step 1 · reward 0.5");
  }
  expect(text()).toBe("step 1 · reward 0.5\n");
});
