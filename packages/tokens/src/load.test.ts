import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, expect, test } from "vitest";
import { loadTokenizer } from "./load.ts";

const tokenizerJson = {
  added_tokens: [
    { id: 1, content: "<|im_end|>", special: true },
    { id: 2, content: "<|endoftext|>", special: true },
  ],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: { type: "BPE", vocab: { a: 0 }, merges: [] },
};

async function folder(files: Readonly<Record<string, unknown>>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "hone-tokens-"));
  onTestFinished(() => rm(path, { recursive: true }));
  await mkdir(join(path, "additional_chat_templates"));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(path, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return path;
}

test("stop tokens come from the end-of-text token and from generation_config.json", async () => {
  const loaded = await loadTokenizer(
    await folder({
      "tokenizer.json": tokenizerJson,
      "tokenizer_config.json": { eos_token: { content: "<|im_end|>" } },
      "generation_config.json": { eos_token_id: [2, 1] },
    }),
  );
  expect(loaded.stopTokens).toEqual([1, 2]);
  expect(loaded.template).toBeUndefined();
});

test("the template may be a text, a list of named ones or a file, and the file wins", async () => {
  const render = async (config: unknown, files: object = {}, tools = false): Promise<string | undefined> => {
    const path = await folder({ "tokenizer.json": tokenizerJson, "tokenizer_config.json": config, ...files });
    const { template } = await loadTokenizer(path);
    return template?.render([], tools ? { tools: [{ name: "f", description: "", parameters: {} }] } : {});
  };
  const named = [
    { name: "default", template: "list" },
    { name: "tool_use", template: "tools" },
  ];
  expect(await render({ bos_token: "<s>", chat_template: "{{ bos_token }}config" })).toBe("<s>config");
  expect(await render({ chat_template: named })).toBe("list");
  expect(await render({ chat_template: named }, {}, true)).toBe("tools");
  expect(await render({ chat_template: "config" }, { "chat_template.jinja": "file" })).toBe("file");
  expect(await render({}, { "additional_chat_templates/tool_use.jinja": "extra" }, true)).toBe("extra");
});

test("a folder without a tokenizer, and a file that is cut off, are named", async () => {
  await expect(loadTokenizer(await folder({}))).rejects.toThrow(/no tokenizer\.json in/);
  const cut = await folder({ "tokenizer.json": '{"model": ' });
  await expect(loadTokenizer(cut)).rejects.toThrow(/tokenizer\.json is not a JSON object/);
});
