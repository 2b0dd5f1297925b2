// The session of one rollout: what a harness may do, recorded. Limits first, then the stop conditions in the order written, before each further call.
import {
  type AssistantMessage,
  boundary,
  type Call,
  HoneError,
  type Limits,
  type Message,
  type RolloutRequest,
  type Sampling,
  type SeenTokens,
  seedFrom,
  type Session,
  type Stop,
  toFailure,
  type ToolSpec,
} from "@hone/core";
import type { Answer } from "../options.ts";
import { callTool } from "../tool/call-tool.ts";
import type { Toolset } from "../tool/toolset.ts";
import { breathe } from "./breathe.ts";
import { limitReached, withinLimits } from "./limits.ts";
import type { ErasedTurnScope, Program } from "./program.ts";
import type { RolloutRecord } from "./record.ts";

export interface SessionParts {
  readonly program: Program;
  readonly request: RolloutRequest;
  readonly record: RolloutRecord;
  readonly prompt: readonly Message[];
  readonly limits: Limits;
  /** Task, state, sandbox and so on: what every function of the environment receives. */
  readonly scope: object;
  readonly toolset: Toolset | undefined;
  readonly signal: AbortSignal;
}

export const mainAgent = "agent";
const noUsage = { inputTokens: 0, outputTokens: 0 };

export class RolloutSession implements Session {
  readonly prompt: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    const { tools } = parts.request.settings ?? {};
    this.#parts = parts;
    this.prompt = parts.prompt;
    const all = [...parts.program.specs, ...(parts.toolset?.specs ?? [])];
    this.tools = tools === undefined ? all : all.filter(({ name }) => tools.includes(name));
  }

  async turn(
    say: readonly Message[],
    { node, agent = mainAgent }: { readonly node?: number | null; readonly agent?: string } = {},
  ): ReturnType<Session["turn"]> {
    const { record, limits, request, signal } = this.#parts;
    const parent = record.say(say, node === undefined ? record.lastNode : node, agent);
    const stop = limitReached(record.calls, limits) ?? (await this.#stopCondition(parent));
    if (stop !== undefined) return stop;
    await breathe();
    signal.throwIfAborted();
    const seen = record.seenTo(parent);
    const sampling = this.#sampling(agent);
    const startedAtMs = Date.now();
    const started = performance.now();
    const call = (rest: Pick<Call, "node" | "usage" | "finish"> & Pick<Partial<Call>, "error">): void => {
      const { name: endpoint } = request.resources.model;
      record.calls.push({ endpoint, sampling, startedAtMs, durationMs: performance.now() - started, ...rest });
    };
    try {
      const messages = record.messagesTo(parent);
      const completion = await this.#complete(messages, seen, sampling, agent);
      signal.throwIfAborted(); // given up meanwhile: the rollout is already data
      const at = record.reply(completion, parent, agent, seen);
      call({ node: at, usage: completion.usage, finish: completion.finish });
      return { node: at, message: completion.message };
    } catch (error) {
      const failure = toFailure(error, "model");
      call({ node: null, usage: noUsage, finish: null, error: failure });
      if (failure.code === "context-length") return { type: "limit", of: "context" };
      throw error;
    }
  }

  async call(toolCall: Parameters<Session["call"]>[0]): ReturnType<Session["call"]> {
    const { program, scope, toolset, signal, request } = this.#parts;
    const run = { offered: this.tools, tools: program.tools, toolset, call: toolCall, scope, signal };
    return this.#watched(`tool ${toolCall.name}`, () => callTool(run), request);
  }

  async respond(reply: AssistantMessage): Promise<readonly Message[] | Stop> {
    const { record, request } = this.#parts;
    const { respond } = this.#parts.program;
    if (respond === undefined) return { type: "answered" };
    const scope = this.#turnScope(reply, record.lastNode);
    const answer = await boundary("environment", () => this.#watched("respond", () => respond(scope), request));
    if (typeof answer === "string") return [{ role: "user", content: answer }];
    if (!isEnd(answer)) return answer;
    if (answer.say !== undefined) record.say([{ role: "user", content: answer.say }], record.lastNode, mainAgent);
    return answer.by === "answered" ? { type: "answered" } : { type: "ended", by: answer.by };
  }

  #complete(messages: readonly Message[], seen: SeenTokens | undefined, sampling: Sampling, agent: string) {
    const { resources, identity } = this.#parts.request;
    const request = {
      messages,
      tools: this.tools,
      sampling,
      session: { rollout: identity.id, agent },
      ...(seen === undefined ? {} : { seen }),
    };
    return boundary("model", () => resources.model.complete(request, { signal: this.#parts.signal }));
  }

  /** Each call has noise of its own that depends on the rollout's seed alone, not on when it is made. */
  #sampling(agent: string): Sampling {
    const { record, limits, request } = this.#parts;
    const seed = seedFrom(request.identity.seed, agent, record.calls.length);
    return withinLimits({ ...request.resources.sampling, seed }, record.calls, limits);
  }

  async #stopCondition(leaf: number | null): Promise<Stop | undefined> {
    const { program, record, request } = this.#parts;
    const conditions = program.options.stop;
    const last = conditions === undefined ? undefined : record.nodes.findLast((node) => node.sampled)?.message;
    if (conditions === undefined || last?.role !== "assistant") return undefined;
    const scope = this.#turnScope(last, leaf);
    for (const [by, holds] of Object.entries(conditions)) {
      if (await boundary("environment", () => this.#watched(`stop ${by}`, () => holds(scope), request)))
        return { type: "ended", by };
    }
    return undefined;
  }

  #turnScope(message: AssistantMessage, leaf: number | null): ErasedTurnScope {
    const { record, scope } = this.#parts;
    const turn = record.calls.filter((call) => call.node !== null).length;
    const reply = { message, reply: message.content, messages: record.messagesTo(leaf), turn };
    return { ...scope, ...reply } as unknown as ErasedTurnScope;
  }

  #watched<T>(where: string, work: () => T, { resources, settings }: RolloutRequest): T {
    const env = settings?.name ?? this.#parts.program.options.name;
    return resources.watchdog === undefined ? work() : resources.watchdog.call(env, where, work);
  }
}

function isEnd(answer: Exclude<Answer, string>): answer is Extract<Answer, { readonly by: string }> {
  if ("by" in answer) return true;
  if (Array.isArray(answer)) return false;
  throw new HoneError("`respond` must return a text, a list of messages or end(...).", { code: "bad-answer" });
}
