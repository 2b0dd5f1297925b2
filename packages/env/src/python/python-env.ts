// PythonEnv: the model has a Python session as its one tool, or beside tools of its own. One session per rollout, started by the first cell.
import type { Data, Sandbox, SandboxSpec } from "@hone/core";
import * as z from "zod";
import { MultiTurnEnv } from "../environment.ts";
import type { EnvironmentOptions } from "../options.ts";
import { tool, type Tool, type ToolShapes } from "../tool/tool.ts";
import { PythonSession, type PythonSessionOptions } from "./session.ts";

const PythonInput = z.object({ code: z.string().describe("Python code; the value of a last expression is shown") });

/** A session per sandbox: the tool is made once, rollouts come and go. */
export function pythonTool(
  options: PythonSessionOptions = {},
): Tool<typeof PythonInput, { readonly sandbox: Sandbox }> {
  const sessions = new WeakMap<Sandbox, PythonSession>();
  return tool({
    description: "Run Python. Variables, imports and definitions stay for the next call.",
    parameters: PythonInput,
    execute: async ({ code }, { sandbox }: { readonly sandbox: Sandbox }) => {
      let session = sessions.get(sandbox);
      if (session === undefined) sessions.set(sandbox, (session = new PythonSession(sandbox, options)));
      const { text } = await session.run(code);
      return text === "" ? "(no output)" : text;
    },
  });
}

export interface PythonEnvOptions<
  Fields extends Data<Fields>,
  State extends Data<State>,
  Tools extends ToolShapes,
> extends EnvironmentOptions<Fields, State, Tools, SandboxSpec> {
  readonly python?: PythonSessionOptions;
}

export class PythonEnv<
  Fields extends Data<Fields>,
  State extends Data<State> = {},
  Tools extends ToolShapes = {},
> extends MultiTurnEnv<Fields, State, Tools, SandboxSpec> {
  constructor({ python = {}, sandbox = {}, ...options }: PythonEnvOptions<Fields, State, Tools>) {
    const tools = { python: pythonTool(python), ...options.tools };
    super({ ...options, sandbox, tools } as unknown as EnvironmentOptions<Fields, State, Tools, SandboxSpec>);
  }
}
