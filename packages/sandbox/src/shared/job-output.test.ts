import { describe, expect, test } from "vitest";
import { JobOutputQueue } from "./job-output.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const rest = async (queue: JobOutputQueue): Promise<string> => {
  let text = "";
  for await (const output of queue) text += output.text;
  return text;
};

describe("job output", () => {
  test("it comes in order, with its stream, and ends", async () => {
    const queue = new JobOutputQueue();
    queue.add("stdout", bytes("one"));
    queue.add("stderr", bytes("two"));
    const iterator = queue[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: { stream: "stdout", text: "one" } });
    expect(await iterator.next()).toEqual({ done: false, value: { stream: "stderr", text: "two" } });
    const last = iterator.next();
    queue.end();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  test("a character split between two chunks arrives whole", async () => {
    const queue = new JobOutputQueue();
    const euro = bytes("€");
    queue.add("stdout", euro.subarray(0, 1));
    queue.add("stderr", bytes("between"));
    queue.add("stdout", euro.subarray(1));
    queue.end();
    expect(await rest(queue)).toBe("between€");
  });

  test("a reader that falls behind slows the program down, and lets it go on", async () => {
    const queue = new JobOutputQueue();
    const calls: string[] = [];
    queue.attach({ pause: () => calls.push("pause"), resume: () => calls.push("resume") });
    const iterator = queue[Symbol.asyncIterator]();
    const half = bytes("x".repeat(600_000));
    queue.add("stdout", half);
    expect(calls).toEqual([]);
    queue.add("stdout", half);
    expect(calls).toEqual(["pause"]);
    await iterator.next();
    await iterator.next();
    expect(calls.at(-1)).toBe("resume");
  });

  test("without a reader only the newest output is kept", async () => {
    const queue = new JobOutputQueue();
    for (let index = 0; index < 40; index++) queue.add("stdout", bytes(`${index};`.padEnd(100_000, "x")));
    queue.end();
    const kept = await rest(queue);
    expect(kept.length).toBeLessThanOrEqual(1 << 20);
    expect(kept.slice(0, 4)).toBe("30;x");
    expect(kept.includes("39;")).toBe(true);
  });

  test("reading can stop and be taken up again", async () => {
    const queue = new JobOutputQueue();
    queue.add("stdout", bytes("a"));
    queue.add("stdout", bytes("b"));
    for await (const output of queue) {
      expect(output.text).toBe("a");
      break;
    }
    queue.end();
    expect(await rest(queue)).toBe("b");
  });
});
