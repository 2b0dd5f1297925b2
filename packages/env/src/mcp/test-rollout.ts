// For tests of MCP toolsets: an environment of nothing but servers, a model that makes given calls, and what came of it.
import { readFile } from "node:fs/promises";
import type { Content, Model, Rollout, ToolMessage } from "@hone/core";
import { scriptedModel, type ScriptedReply } from "@hone/core/testing";
import { runOnce } from "../testing/run-once.ts";
import { MCPEnv } from "./mcp-env.ts";
import type { McpToolsetOptions } from "./servers.ts";

export type Calls = readonly (readonly [name: string, input?: object])[];

export function environmentOf(options: McpToolsetOptions): MCPEnv<{ readonly n: number }> {
  return new MCPEnv({ name: "mcp", tasks: [{ n: 1 }], prompt: () => "go", rewards: {}, ...options });
}

/** One call per turn; `before` runs before each. */
export function caller(calls: Calls, before: (turn: number) => Promise<unknown> = async () => undefined): Model {
  return scriptedModel(async (_request, { index }): Promise<ScriptedReply> => {
    await before(index);
    const [name, input = {}] = calls[index] ?? [];
    return name === undefined ? { content: "done" } : { toolCalls: [{ name, arguments: JSON.stringify(input) }] };
  });
}

export function answersIn(rollout: Rollout): readonly ToolMessage[] {
  return rollout.nodes.flatMap(({ message }) => (message.role === "tool" ? [message] : []));
}

export interface Used {
  readonly rollout: Rollout;
  readonly messages: readonly ToolMessage[];
  readonly contents: readonly Content[];
}

export async function use(options: McpToolsetOptions, calls: Calls): Promise<Used> {
  const rollout = await runOnce(environmentOf(options), { model: caller(calls) });
  const messages = answersIn(rollout);
  return { rollout, messages, contents: messages.map(({ content }) => content) };
}

/** Throws until it is written. */
export async function pidIn(path: string): Promise<number> {
  const pid = Number(await readFile(path, "utf8"));
  if (pid === 0) throw new Error("not yet written");
  return pid;
}
