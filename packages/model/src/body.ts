// Bytes of an answer to a reply: JSON at once, server-sent events as they arrive, or an error by status.
// Memory is bounded by the transport's cap whatever the pieces look like: bytes are copied into one buffer, not kept as a list of crumbs.
import { createParser } from "eventsource-parser";
import { type Dialect, invalid, type WireReply } from "./dialect/dialect.ts";
import { excerpt, retryAfter, statusError } from "./errors.ts";
import type { BodyReader, HttpHead } from "./transport.ts";

/** Of an error, which is only quoted. */
const maxErrorBytes = 65_536;
/** Of one event. Token ids of a long prompt come in one. */
const maxEventCharacters = 33_554_432;

export function openReply(head: HttpHead, dialect: Dialect, now: () => number): BodyReader<WireReply> {
  if (head.status >= 300) return errorReader(head, now);
  const encoding = headerOf(head, "content-encoding");
  if (encoding !== "" && encoding !== "identity") throw invalid("the answer is compressed, unasked");
  return headerOf(head, "content-type").includes("event-stream") ? eventReader(dialect) : jsonReader(dialect);
}

function jsonReader(dialect: Dialect): BodyReader<WireReply> {
  const bytes = createBytes();
  return {
    chunk: (chunk) => bytes.add(chunk),
    end: () => dialect.fromResponse(jsonOf(bytes.text())),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`the answer is not JSON: ${excerpt(text)}`);
  }
}

function errorReader(head: HttpHead, now: () => number): BodyReader<WireReply> {
  const bytes = createBytes();
  const end = (): never => {
    throw statusError(head.status, bytes.text(), retryAfter(head.headers, now()));
  };
  return {
    chunk: (chunk) => {
      bytes.add(chunk);
      return bytes.length() > maxErrorBytes ? end() : undefined;
    },
    end,
  };
}

function eventReader(dialect: Dialect): BodyReader<WireReply> {
  const stream = dialect.createStream();
  const decoder = new TextDecoder();
  let start = "";
  let events = 0;
  let isComplete = false;
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ event, data }) => {
      events++;
      if (!isComplete) isComplete = stream.push({ event, data });
    },
    onError: ({ type }) => {
      isTooLong ||= type === "max-buffer-size-exceeded";
    },
  });
  const feed = (text: string): void => {
    if (start.length < 200) start += text.slice(0, 200);
    parser.feed(text);
    if (isTooLong) throw invalid(`an event of the stream is longer than ${maxEventCharacters} characters`);
  };
  return {
    chunk: (chunk) => {
      feed(decoder.decode(chunk, { stream: true }));
      return isComplete ? { result: stream.finish() } : undefined;
    },
    end: () => {
      feed(`${decoder.decode()}\n\n`);
      if (events === 0) throw invalid(`the stream holds no event: ${excerpt(start)}`);
      return stream.finish();
    },
  };
}

/** One buffer that doubles: a million one-byte pieces take as much room as one piece of a million bytes. */
function createBytes(): { add(chunk: Buffer): undefined; text(): string; length(): number } {
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add: (chunk) => {
      if (length === 0) {
        buffer = chunk;
        length = chunk.length;
        return undefined;
      }
      if (length + chunk.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(16_384, 2 * (length + chunk.length)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      chunk.copy(buffer, length);
      length += chunk.length;
      return undefined;
    },
    text: () => buffer.toString("utf8", 0, length),
    length: () => length,
  };
}

function headerOf(head: HttpHead, name: string): string {
  const value = head.headers[name];
  return (Array.isArray(value) ? value.join(",") : (value ?? "")).toLowerCase();
}
