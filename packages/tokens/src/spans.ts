// Which ids of a rendered conversation belong to which message: for readers, and for masks when training on given conversations.
// Exact or refused. The conversation is rendered a second time with a stand-in word for everything but the assistant's messages; what
// is the same in both texts is template and replies, which control tokens then cut into turns (nobody's words can fake one).
import { HoneError, type Message } from "@hone/core";
import type { GuardedTemplate, Written } from "./guarded-template.ts";
import { commonPrefix, tokenPositions } from "./token-positions.ts";
import type { RenderOptions } from "./template-variables.ts";

/**
 * Spans follow each other from id 0 without gaps. What the template writes before a message belongs to it (headers, a default system
 * prompt, the list of tools); an opened turn at the end belongs to none. A token that reaches over a border belongs to the earlier side.
 */
export interface Span {
  /** Index into the messages. */
  readonly message: number;
  readonly start: number;
  readonly end: number;
  /** For the assistant's: what a policy would have sampled, from after the opened turn to its end, stop token included. */
  readonly reply?: { readonly start: number; readonly end: number };
}

export interface SpansRequest {
  readonly template: GuardedTemplate;
  readonly stops: ReadonlySet<number>;
  readonly messages: readonly Message[];
  readonly options: RenderOptions;
}

export function findSpans(request: SpansRequest): readonly Span[] {
  const { template, messages, options } = request;
  if (messages.length === 0) return [];
  const written = template.write(messages, options);
  const contents = locateContents(request, written);
  const cutter = createCutter(request, written);
  const borders: Border[] = [];
  let at = 0;
  for (const [index, message] of messages.entries()) {
    const content = contents.get(index);
    const border =
      message.role === "assistant"
        ? cutter.reply(at)
        : { end: cutter.after(message.role, content?.end ?? at), reply: undefined };
    borders.push(border);
    at = border.end;
  }
  const position = tokenPositions(template, written);
  return borders.map(({ end, reply }, message) => ({
    message,
    start: message === 0 ? 0 : position(borders[message - 1]?.end ?? 0),
    end: position(end),
    ...(reply === undefined ? {} : { reply: { start: position(reply.start), end: position(reply.end) } }),
  }));
}

interface Range {
  readonly start: number;
  readonly end: number;
}
interface Border {
  readonly end: number;
  readonly reply: Range | undefined;
}

/** Where the words of each message that is not the assistant's stand in the text. */
function locateContents({ template, messages, options }: SpansRequest, written: Written): Map<number, Range> {
  const stem = freeStem(JSON.stringify([messages, options.tools, options.variables]) + written.text);
  const others = [...messages.keys()].filter((index) => messages[index]?.role !== "assistant");
  const standIn = messages.map((message, index) =>
    message.role === "assistant" ? message : { ...message, content: `${stem}${index}${stem}` },
  );
  const { text } = template.write(standIn, options, written.guard);
  const pieces = text.split(new RegExp(`${stem}\\d+${stem}`));
  if (pieces.length !== others.length + 1) throw refused("it leaves out or repeats a message");
  const ranges = new Map<number, Range>();
  let at = pieces[0]?.length ?? 0;
  if (!written.text.startsWith(pieces[0] ?? "")) throw refused("its text depends on the words of a message");
  for (const [order, index] of others.entries()) {
    const piece = pieces[order + 1] ?? "";
    const isLast = order === others.length - 1;
    const end = isLast ? written.text.length - piece.length : written.text.indexOf(piece, at);
    const isFound = isLast ? end >= at && written.text.endsWith(piece) : end >= 0 && piece !== "";
    if (!isFound) throw refused("its text depends on the words of a message");
    if (!isLast && written.text.split(piece).length !== text.split(piece).length) {
      throw refused(`message ${index} contains the template's own words`);
    }
    ranges.set(index, { start: at, end });
    at = end + piece.length;
  }
  return ranges;
}

interface Cutter {
  /** The end of the message whose words end at `from`. */
  after(role: Exclude<Message["role"], "assistant">, from: number): number;
  /** The assistant's message that starts at `from`. */
  reply(from: number): Border;
}

function createCutter({ template, stops, options }: SpansRequest, written: Written): Cutter {
  const { text } = written;
  const controls = template.controls(written);
  const word = "honestandin";
  const small = (messages: readonly Message[], addGenerationPrompt: boolean): string =>
    template.write(messages, { ...options, addGenerationPrompt }).text;
  const closingOf = (messages: readonly Message[]): string | undefined => {
    try {
      const shown = small(messages, false);
      const at = shown.lastIndexOf(word);
      return at < 0 ? undefined : shown.slice(at + word.length);
    } catch (error) {
      if (HoneError.is(error) && error.code === "chat-template") return undefined;
      throw error;
    }
  };
  const user: Message = { role: "user", content: "x" };
  const call: Message = {
    role: "assistant",
    content: "",
    toolCalls: [{ id: "honecall0", name: "x", arguments: "{}" }],
  };
  const closings = {
    system: closingOf([{ role: "system", content: word }]),
    user: closingOf([{ role: "user", content: word }]),
    tool: closingOf([user, call, { role: "tool", toolCallId: "honecall0", content: word }]),
  };
  const closing = closingOf([user, { role: "assistant", content: word }]) ?? "";
  const firstStop = template.controls({ text: closing, guard: undefined }).find(({ id }) => stops.has(id));
  const afterStop = closing.slice(firstStop?.end ?? 0);
  const opened = small([user], true);
  const header = opened.slice(commonPrefix(opened, small([user], false)));
  const headerControls = template.controls({ text: header, guard: undefined }).at(-1)?.end ?? 0;
  /** How much of `known` stands at `from`, no control token halfway. */
  const sharedStart = (known: string, from: number): number => {
    const shared = commonPrefix(known, text.slice(from, from + known.length));
    const cut = template
      .controls({ text: known, guard: undefined })
      .find(({ start, end }) => start < shared && shared < end);
    return cut?.start ?? shared;
  };
  return {
    after: (role, from) => {
      const known = closings[role];
      if (known !== undefined) return from + sharedStart(known, from);
      const stop = controls.find(({ id, start }) => start >= from && stops.has(id));
      return stop?.start === from ? stop.end : from;
    },
    reply: (from) => {
      const shared = sharedStart(header, from);
      if (shared < headerControls) throw refused("it opens the assistant's turn in more than one way");
      // An opened turn may go on with words (an empty reasoning block) that a finished one lacks; those start on a line of their own.
      const isWhole = shared === header.length;
      const start = from + (isWhole ? shared : Math.max(headerControls, header.lastIndexOf("\n", shared - 1) + 1));
      const stop = controls.find((control) => control.start >= start && stops.has(control.id));
      if (stop === undefined) throw refused("it does not end the assistant's turn");
      const end = stop.end + sharedStart(afterStop, stop.end);
      return { end, reply: { start, end: stop.end } };
    },
  };
}

function freeStem(text: string): string {
  let stem = "honemark";
  while (text.includes(stem)) stem += "k";
  return stem;
}

function refused(why: string): HoneError {
  return new HoneError(`the chat template does not show which tokens belong to which message: ${why}`, {
    code: "template-spans",
    hint: "Render the conversation turn by turn with `extend` instead; then every turn's ids are known.",
  });
}
