// One message: reasoning, words, tool calls, pictures. Nothing of it is markup, and no picture is loaded from anywhere: only bytes that are in the
// rollout itself are drawn.
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Content, Message, ToolCall } from "@hone/core";
import { formatBytes } from "./format.ts";
import { useLongTexts } from "./long-texts.tsx";
import { Written } from "./markdown-view.tsx";
import { Said } from "./said.tsx";
import { useSeen } from "./use-seen.ts";
import { isInlineImage } from "./visible-text.ts";

interface BodyProps {
  readonly message: Message;
  /** Its place in the rollout. */
  readonly at: string;
}

export function MessageBody({ message, at }: BodyProps): ReactNode {
  switch (message.role) {
    case "assistant":
      return (
        <>
          {message.reasoning !== undefined && message.reasoning !== "" && (
            <details className="reasoning" open={message.reasoning.length < 4000}>
              <summary>Reasoning</summary>
              <Written text={message.reasoning} at={`${at}/reasoning`} />
            </details>
          )}
          {message.content === "" && message.toolCalls === undefined && message.reasoning === undefined ? (
            <p className="faint">said nothing</p>
          ) : (
            message.content !== "" && <Written text={message.content} at={`${at}/content`} />
          )}
          {message.toolCalls?.map((call, index) => (
            <Called key={index} call={call} at={`${at}/toolCalls/${index}`} />
          ))}
        </>
      );
    case "tool":
      return <Shown content={message.content} at={`${at}/content`} isExact />;
    case "system":
    case "user":
      return <Shown content={message.content} at={`${at}/content`} />;
  }
}

function Called({ call, at }: { readonly call: ToolCall; readonly at: string }): ReactNode {
  return (
    <div className="called">
      <span className="tool-name">
        <Said text={call.name} className="inline" />
      </span>
      <Said text={indented(call.arguments)} className="code" at={`${at}/arguments`} />
    </div>
  );
}

/** JSON as the model wrote it when it is malformed, laid out when it is not. */
function indented(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    const text = JSON.stringify(value, null, 2);
    return text.length < 80 ? JSON.stringify(value) : text;
  } catch {
    return json;
  }
}

interface ShownProps {
  readonly content: Content;
  readonly at: string;
  /** Output of a program, in which every space counts. */
  readonly isExact?: boolean;
}

function Shown({ content, at, isExact = false }: ShownProps): ReactNode {
  const text = (value: string, place: string): ReactNode =>
    isExact ? <Said key={place} text={value} at={place} /> : <Written key={place} text={value} at={place} />;
  if (typeof content === "string") return text(content, at);
  return content.map((part, index) =>
    part.type === "text" ? (
      text(part.text, `${at}/${index}/text`)
    ) : (
      <Picture key={index} url={part.url} at={`${at}/${index}/url`} />
    ),
  );
}

function Picture({ url, at }: { readonly url: string; readonly at: string }): ReactNode {
  const { cuts, load } = useLongTexts();
  const length = cuts[at];
  const place = useRef<HTMLParagraphElement>(null);
  const [loaded, setLoaded] = useState<string>();
  const isWaiting = length !== undefined && loaded === undefined && url.startsWith("data:image/");
  const isSeen = useSeen(place);
  useEffect(() => {
    // A large picture is fetched when it comes into sight.
    if (isWaiting && isSeen) load(at).then(setLoaded, () => undefined);
  }, [isWaiting, isSeen, at, load]);
  const whole = loaded ?? url;
  if (isWaiting) {
    return (
      <p className="faint waiting" ref={place}>
        A picture of {formatBytes(length)} characters
      </p>
    );
  }
  if (isInlineImage(whole)) return <img src={whole} alt="From the conversation" />;
  return <Said text={`a picture that is not loaded: ${whole}`} className="faint mono" />;
}
