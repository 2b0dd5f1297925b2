import { expect, test } from "vitest";
import * as z from "zod";
import { readConfig } from "./read-config.ts";
import { hideSecrets, isSecretName } from "./secret.ts";

test.each(["api_key", "apiKey", "key", "KEY_VAR", "hf-token", "password"])("%s is the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});
test.each(["model", "tokenizer", "monkey", "keyboard_layout"])("%s is not", (name) => {
  expect(isSecretName(name)).toBe(false);
});

test("the text of a secret becomes as many asterisks, and nothing else changes", () => {
  expect(hideSecrets('api_key = "sk-1" # mine')).toBe('api_key = "****" # mine');
  expect(hideSecrets("a = { token = 'abc', b = 'def' }")).toBe("a = { token = '***', b = 'def' }");
  expect(hideSecrets("api_key = sk-12")).toBe("api_key = *****");
  expect(hideSecrets('keys = ["ab"]')).toBe('keys = ["**"]');
  expect(hideSecrets("max_tokens = 16 # up to")).toBe("max_tokens = 16 # up to");
  expect(hideSecrets('model = "m"')).toBe('model = "m"');
});

const secret = "sk-live-0123456789abcdef";
const Endpoint = z.strictObject({
  keyVar: z.union([z.string().regex(/^[A-Z_]+$/), z.array(z.string())]).exactOptional(),
  mode: z.enum(["chat", "plain"]).exactOptional(),
});

test.each([
  [`api_key = "${secret}"`],
  [`key_var = "${secret}"`],
  [`key_var = ${secret}`],
  [`key_var = "${secret}`],
  [`key_var = "A"\nkey_var = "${secret}"`],
])("a key pasted into a file is in no error (%#)", async (text) => {
  const error: unknown = await readConfig({ schema: Endpoint, files: [{ path: "endpoints.toml", text }] }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "config" });
  expect(`${String(error)}${JSON.stringify(error)}`).not.toContain("sk-live");
});

test("nor is one given by --set", async () => {
  const set = [`key_var=${secret}`, `api_key=${secret}`];
  const error: unknown = await readConfig({ schema: Endpoint, files: [], set }).catch((reason: unknown) => reason);
  expect(String(error)).toBe(
    [
      "HoneError: --set key_var: expected text that matches /^[A-Z_]+$/, found text that is not shown",
      "--set api_key: Unknown key `api_key`. Known here: `key_var`, `mode`.",
    ].join("\n"),
  );
});
