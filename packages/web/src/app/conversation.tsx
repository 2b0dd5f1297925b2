// What was said, in order. A rollout of several branches shows each from its root, since a message belongs to what came before it.
import type { ReactNode } from "react";
import type { Call, Content, Message, ToolCall } from "@hone/core";
import type { RolloutDetail, RolloutNode } from "./api-types.ts";
import { formatCount, formatDuration } from "./format.ts";
import { Said } from "./said.tsx";
import { isInlineImage } from "./visible-text.ts";

export function Conversation({ detail }: { readonly detail: RolloutDetail }): ReactNode {
  const { nodes, calls, agents, failure } = detail;
  const callOf = new Map(calls.flatMap((call) => (call.node === null ? [] : [[call.node, call] as const])));
  const severalAgents = agents.length > 1;
  return (
    <div className="conversation">
      {nodes.map((node, index) => (
        <Turn
          key={index}
          node={node}
          index={index}
          call={callOf.get(index)}
          isRoot={node.parent === null && index > 0}
          isFork={node.parent !== null && node.parent !== index - 1}
          showAgent={severalAgents}
        />
      ))}
      {failure !== null && (
        <section className="turn failure" aria-label="Failure">
          <header>
            <span className="who">failed in {failure.boundary}</span>
            <span className="faint">{failure.code}</span>
          </header>
          <Said text={failure.message} className="mono" />
        </section>
      )}
    </div>
  );
}

interface TurnProps {
  readonly node: RolloutNode;
  readonly index: number;
  readonly call: Call | undefined;
  readonly isRoot: boolean;
  readonly isFork: boolean;
  readonly showAgent: boolean;
}

function Turn({ node, index, call, isRoot, isFork, showAgent }: TurnProps): ReactNode {
  const { message, agent, sampled } = node;
  return (
    <>
      {isRoot && <p className="branch">a conversation of its own begins</p>}
      {isFork && <p className="branch">goes on after message {node.parent}</p>}
      <section id={`turn-${index}`} className={`turn ${message.role}`} aria-label={`${message.role}, message ${index}`}>
        <header>
          <span className="who">{sampled ? "model" : message.role}</span>
          {showAgent && <span className="faint">{agent}</span>}
          {call !== undefined && (
            <span className="faint number">
              {formatCount(call.usage.outputTokens)} tokens, {formatDuration(call.durationMs)}
              {call.finish !== null && call.finish !== "stop" ? `, ${call.finish}` : ""}
            </span>
          )}
          <a className="anchor" href={`#turn-${index}`} aria-label={`Link to message ${index}`}>
            {index}
          </a>
        </header>
        <Body message={message} />
      </section>
    </>
  );
}

export function Body({ message }: { readonly message: Message }): ReactNode {
  switch (message.role) {
    case "assistant":
      return (
        <>
          {message.reasoning !== undefined && message.reasoning !== "" && (
            <details className="reasoning" open={message.reasoning.length < 4000}>
              <summary>Reasoning</summary>
              <Said text={message.reasoning} />
            </details>
          )}
          {message.content === "" && message.toolCalls === undefined && message.reasoning === undefined ? (
            <p className="faint">said nothing</p>
          ) : (
            <Said text={message.content} />
          )}
          {message.toolCalls?.map((call, index) => (
            <Called key={index} call={call} />
          ))}
        </>
      );
    case "tool":
      return (
        <>
          {message.isError === true && <p className="bad">the tool failed</p>}
          <Shown content={message.content} />
        </>
      );
    case "system":
    case "user":
      return <Shown content={message.content} />;
  }
}

function Called({ call }: { readonly call: ToolCall }): ReactNode {
  return (
    <div className="called">
      <span className="tool-name">
        <Said text={call.name} className="inline" />
      </span>
      <Said text={indented(call.arguments)} className="code" />
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

function Shown({ content }: { readonly content: Content }): ReactNode {
  if (typeof content === "string") return <Said text={content} />;
  return content.map((part, index) => {
    if (part.type === "text") return <Said key={index} text={part.text} />;
    if (isInlineImage(part.url)) return <img key={index} src={part.url} alt="From the conversation" />;
    return <Said key={index} text={`image ${part.url}`} className="faint mono" />;
  });
}
