import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excerpt } from "./errors.ts";
import { createScrubber, isVariableName, refuseKeys } from "./secrets.ts";

test.each(["OPENAI_API_KEY", "KEY", "MY_KEY_2", "_X"])("%s names a variable", (name) => {
  expect(isVariableName(name)).toBe(true);
});
test.each(["sk-proj-abc", "gsk_abcDEF123", "my_key", "AKIAIOSFODNN7EXAMPLE", "0123456789abcdef", "", "A B"])(
  "%s names none",
  (value) => {
    expect(isVariableName(value)).toBe(false);
  },
);

describe("a file with a key is refused without showing it", () => {
  test.each([
    'key = "sk-proj-abcdefgh"',
    "key = 'deadbeefdeadbeefdeadbeef'",
    'api_key = "anything at all"',
    'x = { name = "a", "key" = "my secret", dialect = "chat" }',
    'headers = { authorization = "Basic dXNlcjpwYXNz" }',
    'headers = { "x-api-key" = "topsecret" }',
    'comment = "gsk_0123456789abcdef"',
    '[[endpoint] # broken\nother = "hf_0123456789abcdef"',
  ])("%s", (line) => {
    const text = `# a comment\n${line}\n`;
    const secret = /"([^"]*)"\s*[,}]?\s*(?:dialect|}|$)|'([^']*)'/m.exec(line)?.[0] ?? "?";
    let message = "";
    try {
      refuseKeys(text, "endpoints.toml");
    } catch (error) {
      message = `${(error as Error).message} ${(error as { hint: string }).hint}`;
    }
    expect(message).toMatch(/^endpoints\.toml:[23] holds a key/);
    expect(message).not.toContain(secret);
  });

  test("names of variables, references and other strings pass", () => {
    const text = [
      'key = "OPENAI_API_KEY"',
      'headers = { authorization = "Bearer ${MY_TOKEN}", "x-team" = "bees" }',
      'base_url = "https://api.openai.com/v1"',
      'name = "sk"',
    ].join("\n");
    expect(() => refuseKeys(text, "endpoints.toml")).not.toThrow();
  });
});

test("no secret survives scrubbing, not even the beginning of one that a quotation cut", () => {
  const secret = fc.stringMatching(/^[a-zA-Z0-9_-]{12,60}$/);
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 220 }), fc.string(), (key, before, after) => {
      const scrubbed = createScrubber([key])(excerpt(`${before}${key}${after}`));
      expect(scrubbed).not.toContain(key);
      expect(scrubbed).not.toContain(`${key.slice(0, 8)}…`);
    }),
  );
});

test("a secret within another, and texts without one", () => {
  const scrub = createScrubber(["abcd", "abcdefgh", "x"]);
  expect(scrub("abcdefgh and abcd and x")).toBe("[key] and [key] and x");
  expect(createScrubber([])("plain")).toBe("plain");
});
