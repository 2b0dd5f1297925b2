// What was said, in order. A rollout of several branches shows each from its root, since a message belongs to what came before it.
// Every message has an address of its own.
import { memo, type ReactNode } from "react";
import type { Call } from "@hone/core";
import type { RolloutDetail, RolloutNode } from "./rollout-types.ts";
import { formatCount, formatDuration } from "./format.ts";
import { MessageBody } from "./message-body.tsx";
import { Said } from "./said.tsx";
import { useAimed } from "./use-aimed.ts";

export function Conversation({ detail }: { readonly detail: RolloutDetail }): ReactNode {
  const { nodes, calls, agents, failure } = detail;
  const callOf = new Map(calls.flatMap((call) => (call.node === null ? [] : [[call.node, call] as const])));
  const severalAgents = agents.length > 1;
  const aimed = useAimed();
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
          isAimed={aimed === `turn-${index}`}
        />
      ))}
      {failure !== null && (
        <section className="turn failure" aria-label="Failure">
          <header>
            <span className="who">failed in {failure.boundary}</span>
            <span className="faint">{failure.code}</span>
            {failure.isRetryable && <span className="faint">may be tried again</span>}
          </header>
          <Said text={failure.message} className="mono" at="failure/message" />
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
  readonly isAimed: boolean;
}

/** Remembered: a conversation of a thousand turns is not drawn again because another one of them was aimed at. */
const Turn = memo(({ node, index, call, isRoot, isFork, showAgent, isAimed }: TurnProps): ReactNode => {
  const { message, agent, sampled } = node;
  const names = ["turn", message.role, isAimed ? "aimed" : ""].filter(Boolean).join(" ");
  return (
    <>
      {isRoot && <p className="branch">a conversation of its own begins</p>}
      {isFork && <p className="branch">goes on after message {node.parent}</p>}
      <section id={`turn-${index}`} tabIndex={-1} className={names} aria-label={`${message.role}, message ${index}`}>
        <header>
          <span className="who">{sampled ? "model" : message.role}</span>
          {showAgent && <span className="faint">{agent}</span>}
          {message.role === "tool" && message.isError === true && <span className="bad">the tool failed</span>}
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
        <MessageBody message={message} at={`nodes/${index}/message`} />
      </section>
    </>
  );
});
