import { expect, test } from "vitest";
import { runSettings } from "./run-settings.ts";
import { scrubber } from "./secrets.ts";

const scrub = scrubber({ WANDB_API_KEY: "abcdef123456" });

test("a configuration becomes flat names and values", () => {
  const toml = `model = "hone/tiny" # small
max_steps = 1_000 # many
literal = 'a "b"'
is_quick = true

[optimizer]
learning_rate = 1e-3
betas = [ 0.9, 0.95 ]

[[env]]
id = "a"
[env.sampling]
temperature = 0.7

[[env]]
id = "b"
args = { words = 3 }
["odd.name"]
x = "1"
`;
  expect(runSettings(toml, scrub)).toEqual({
    model: "hone/tiny",
    max_steps: 1000,
    literal: 'a "b"',
    is_quick: true,
    "optimizer.learning_rate": 0.001,
    "optimizer.betas": "[ 0.9, 0.95 ]",
    "env.0.id": "a",
    "env.0.sampling.temperature": 0.7,
    "env.1.id": "b",
    "env.1.args": "{ words = 3 }",
    "odd.name.x": "1",
  });
});

test("secrets stay out: by name, by value, and inside addresses", () => {
  const toml = `judge = { url = "http://u:pw@host/v1", api_key = "sk-1234" }
note = "the key is abcdef123456"
[teacher]
api_key = "sk-5678"
max_tokens = 16
`;
  const settings = runSettings(toml, scrub);
  expect(JSON.stringify(settings)).not.toMatch(/sk-|pw|abcdef/);
  expect(settings).toMatchObject({ "teacher.api_key": "***", "teacher.max_tokens": 16, note: "the key is ***" });
});
