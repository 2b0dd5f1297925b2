import type { AssistantMessage, Message, MessageNode, Rollout } from "@hone/core";
import { describe, expect, test } from "vitest";
import { extractBoxed } from "../reward/extract.ts";
import { Parser } from "./parser.ts";
import { MaybeThinkParser, ThinkParser } from "./think-parser.ts";
import { XMLParser } from "./xml-parser.ts";

const said = (content: string, reasoning?: string): AssistantMessage =>
  reasoning === undefined ? { role: "assistant", content } : { role: "assistant", content, reasoning };
const conversation: readonly Message[] = [{ role: "user", content: "?" }, said("first"), said("second")];

/** One branch: `prompt` messages given, then `replies` sampled. */
function rolloutOf(prompt: readonly Message[], replies: readonly AssistantMessage[]): { readonly rollout: Rollout } {
  const nodes = [...prompt, ...replies].map((message, index): MessageNode => ({
    parent: index === 0 ? null : index - 1,
    agent: "agent",
    message,
    sampled: index >= prompt.length,
  }));
  return { rollout: { nodes } as Pick<Rollout, "nodes"> as Rollout };
}

describe("Parser", () => {
  test("the answer is the last assistant message, through the extract function", () => {
    expect(new Parser().answer(conversation)).toBe("second");
    expect(new Parser((text) => text.toUpperCase()).answer(conversation)).toBe("SECOND");
    expect(new Parser((text) => extractBoxed(text, { strict: true })).parse("\\boxed{4}")).toBe("4");
    expect(new Parser().answer("a text")).toBe("a text");
  });

  test("a conversation without a reply has no answer", () => {
    expect(new Parser().answer([{ role: "user", content: "?" }])).toBeUndefined();
  });
});

describe("ThinkParser", () => {
  test("the answer is what follows the last </think>", () => {
    expect(new ThinkParser().parse("<think>a</think> b </think>\n c ")).toBe("c");
  });

  test("without a closed block there is no answer", () => {
    expect(new ThinkParser().parse("<think>forever")).toBe("");
    expect(new ThinkParser((text) => `[${text}]`).parse("42")).toBe("[]");
  });

  test("format: one block at the start and something after it", () => {
    const score = (text: string): number => new ThinkParser().formatScore(text);
    expect(score("  <think>a</think>b")).toBe(1);
    expect(score("<think>a</think>")).toBe(0);
    expect(score("<think>a<think></think>b")).toBe(0);
    expect(score("<think>a</think></think>b")).toBe(0);
    expect(score("so <think>a</think>b")).toBe(0);
    expect(score("b")).toBe(0);
  });

  test("reasoning that the client took out of the content counts as the block", () => {
    expect(new ThinkParser().answer([said("42", "hm")])).toBe("42");
    expect(new ThinkParser().formatReward()(rolloutOf([], [said("42", "hm"), said("", "hm")]))).toBe(0.5);
  });
});

test("MaybeThinkParser takes the reply with or without the block", () => {
  expect(new MaybeThinkParser().parse("<think>a</think> b ")).toBe("b");
  expect(new MaybeThinkParser().parse(" b ")).toBe("b");
});

describe("XMLParser", () => {
  const parser = new XMLParser(["think", ["code", "answer"]]);

  test("the answer is in `answer`, in the only field, or where it is said to be; else asking for it is an error", () => {
    expect(new XMLParser(["think", "answer"]).answer("<answer>1</answer>")).toBe("1");
    expect(new XMLParser(["guess"]).answer("<guess>2</guess>")).toBe("2");
    expect(new XMLParser(["think", "guess"], { answerField: "guess" }).answer("<guess>3</guess>")).toBe("3");
    expect(() => new XMLParser(["think", "guess"]).answer("<guess>4</guess>")).toThrow(
      "None of the fields think, guess",
    );
  });

  test("every allowed tag is a typed field: text, empty, or undefined when missing", () => {
    const parsed = parser.parse("<think>\n why \n</think>\n<answer></answer>");
    expect(parsed).toEqual({ think: "why", code: undefined, answer: "" });
    const answer: string | undefined = parsed.answer;
    expect(answer).toBe("");
    // @ts-expect-error a field that was not declared
    expect(parsed.anwser).toBeUndefined();
  });

  test("parse takes the first occurrence, an answer from a text the last", () => {
    const twice = "<answer>1</answer> no, <answer>2</answer>";
    expect(parser.parse(twice).answer).toBe("1");
    expect(parser.answer(twice)).toBe("2");
    expect(parser.answer("<answer>1</answer> and <answer>2")).toBe("1");
  });

  test("in a conversation the answer comes from the last reply that has one", () => {
    const messages = [said("<answer>1</answer>"), said("<answer>2</answer><answer>3</answer>"), said("well")];
    expect(parser.answer(messages)).toBe("2");
    expect(parser.answer([said("well")])).toBeUndefined();
  });

  test("an unclosed tag is no field", () => {
    expect(parser.parse("<think>a</think><answer>b").answer).toBeUndefined();
    expect(parser.parse("</answer><answer>").answer).toBeUndefined();
  });

  test("format writes canonical tags, whatever alternative the value came under", () => {
    expect(parser.format({ think: "a", answer: "b" })).toBe("<think>\na\n</think>\n<code>\nb\n</code>");
    expect(() => parser.format({ think: "a" })).toThrow("No value for the field code.");
    // @ts-expect-error a plain field must be given
    expect(() => parser.format({ code: "b" })).toThrow("No value for the field think.");
  });

  test("what it formats it parses back, with a full format score", () => {
    const text = parser.format({ think: "because", code: "x" });
    expect(parser.parse(text)).toEqual({ think: "because", code: "x", answer: undefined });
    expect(parser.formatScore(text)).toBe(1);
  });

  test("format scores are those of verifiers", () => {
    const score = (text: string): number => new XMLParser(["think", "answer"]).formatScore(text);
    expect(score("plain text")).toBe(0.2);
    expect(score("<think>a</think><answer>b</answer>")).toBe(1);
    expect(score("  <think>a</think>\n<answer>b</answer>\n")).toBe(1);
    expect(score("<think>a</think> b")).toBe(0.2 + 0.2 + 0.2);
    expect(score("<answer>b</answer>")).toBe(0.2 + 0.2 + 0.2);
    expect(score("<think>a</think><answer>b")).toBe(0.4 + 0.2 + 0.2);
    expect(score("<answer>b</answer><think>a</think>")).toBe(0.4 + 0.2);
    expect(score("<answer>")).toBe(0.2);
    expect(score("<think>")).toBe(0.4);
    expect(new XMLParser([["code", "answer"]]).formatScore("<answer>x</answer>")).toBe(1);
  });

  test("the format reward is the mean over sampled replies of the last branch", () => {
    const reward = new XMLParser(["answer"]).formatReward();
    const good = said("<answer>1</answer>");
    expect(reward(rolloutOf([said("an example")], [good, said("no")]))).toBe((1 + 0.2) / 2);
    expect(reward(rolloutOf([{ role: "user", content: "?" }], []))).toBe(0);
    expect(reward(rolloutOf([], []))).toBe(0);
    const { rollout } = rolloutOf([], [said("no"), good]);
    const branched = { ...rollout, nodes: rollout.nodes.map((node) => ({ ...node, parent: null })) };
    expect(reward({ rollout: branched })).toBe(1);
  });

  test("a think field also reads reasoning that the client took out", () => {
    const message = said("<answer>1</answer>", "because");
    expect(new XMLParser(["think", "answer"]).formatReward()(rolloutOf([], [message]))).toBe(1);
    expect(new XMLParser(["answer"]).formatReward()(rolloutOf([], [message]))).toBe(1);
  });

  test("fields without a name, twice the same, or none at all are refused", () => {
    expect(() => new XMLParser([])).toThrow("at least one field");
    expect(() => new XMLParser(["a", "a"])).toThrow("The field a is named twice.");
    expect(() => new XMLParser([""])).toThrow("A field has no name.");
    expect(() => new XMLParser([[] as unknown as ["a"]])).toThrow("A list of alternatives is empty.");
    expect(() => new XMLParser([3 as unknown as string])).toThrow("a name or a list of names");
  });

  test("a megabyte of opened tags costs no more than its length", () => {
    const hostile = "<answer>".repeat(131_072);
    const started = performance.now();
    expect(parser.parse(hostile).answer).toBeUndefined();
    expect(parser.answer(hostile)).toBeUndefined();
    expect(parser.formatScore(hostile)).toBe(0.2);
    const spaces = `<answer>${" ".repeat(1_000_000)}`;
    expect(parser.answer(`${spaces}x`)).toBeUndefined();
    // A backtracking expression takes minutes here; the bound only has to tell the two apart.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
