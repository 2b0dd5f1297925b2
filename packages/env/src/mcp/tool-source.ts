// What an MCP server of ours serves: a toolset per session. From a record of tools, or from any environment: then a session is a rollout whose
// model is whoever is connected, with the task's state and sandbox, tools checked as always, and rewards when it disconnects.
import {
  type Awaitable,
  type CallOptions,
  type Environment,
  type Harness,
  HoneError,
  type Model,
  type Rollout,
  type RolloutSettings,
  type SandboxProvider,
  type Task,
  textOf,
} from "@hone/core";
import { runOnce } from "../testing/run-once.ts";
import { callTool } from "../tool/call-tool.ts";
import { type AnyTool, toolSpecs } from "../tool/tool.ts";
import type { Toolset } from "../tool/toolset.ts";

export interface ServedToolset extends Toolset {
  /** Told to the client when it connects. */
  readonly instructions?: string;
}
/** Called for each session. */
export type ToolSource = () => Awaitable<ServedToolset>;

/** `scope` is what `execute` gets, made anew for each session: the state that its calls share. The signal aborts when the session ends. */
export function toolsOf(
  tools: Readonly<Record<string, AnyTool>>,
  scope: (options: CallOptions) => Awaitable<object> = () => ({}),
): ToolSource {
  const specs = toolSpecs(tools);
  return async () => {
    const session = new AbortController();
    const made = await scope({ signal: session.signal });
    return {
      specs,
      call: (call, { signal }) => callTool({ offered: specs, tools, toolset: undefined, call, scope: made, signal }),
      [Symbol.asyncDispose]: async () => session.abort(),
    };
  };
}

export interface EnvironmentSourceOptions {
  /** Default: its first one. */
  readonly task?: Task;
  readonly seed?: number;
  /** Judges and simulated users, by name. */
  readonly models?: (name: string) => Model;
  readonly sandboxes?: SandboxProvider;
  readonly settings?: RolloutSettings;
  /** The session as a rollout, with its rewards, when it is over. */
  readonly onRollout?: (rollout: Rollout) => void;
}

/** Its tools, with the prompt of the task as instructions. */
export function toolsOfEnvironment(environment: Environment, options: EnvironmentSourceOptions = {}): ToolSource {
  const { onRollout, ...given } = options;
  return () =>
    new Promise<ServedToolset>((resolve, reject) => {
      let end: () => void = () => undefined;
      const untilEnd = new Promise<void>((over) => (end = over));
      let isOver = false;
      const harness: Harness = {
        id: "mcp",
        run: async (session) => {
          resolve({
            specs: session.tools,
            instructions: session.prompt.map(({ content }) => textOf(content)).join("\n\n"),
            call: async (call) => (isOver ? { content: "The session is over.", isError: true } : session.call(call)),
            [Symbol.asyncDispose]: async () => {
              end();
              await finished;
            },
          });
          await untilEnd;
          return { type: "answered" };
        },
      };
      const finished = runOnce(environment, { ...given, model: nobody, harness }).then((rollout) => {
        isOver = true;
        onRollout?.(rollout);
        // Does nothing where the session began.
        const { code = "no-session", message = "The session ended before it began." } = rollout.failure ?? {};
        reject(new HoneError(message, { code }));
      }, reject);
    });
}

const nobody: Model = {
  name: "mcp-client",
  complete: () =>
    Promise.reject(new HoneError("The model of this session is at the other end of MCP.", { code: "no-model" })),
};
