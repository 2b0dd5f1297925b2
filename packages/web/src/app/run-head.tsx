// What a run is and what it does now: name, state, model, how far it is.
import { type ReactNode, useState } from "react";
import { post } from "./api.ts";
import type { RunDetail } from "./api-types.ts";
import { formatAge, formatCount, formatNumber, formatSpan } from "./format.ts";
import { Link } from "./router.tsx";
import { RunStatus } from "./run-status.tsx";
import type { LiveRun } from "./run-tabs.tsx";
import { isActive, StateMark } from "./state-mark.tsx";

interface HeadProps {
  readonly run: LiveRun;
  /** The server is not heard of. */
  readonly isLost: boolean;
}

export function RunHead({ run: { detail, path }, isLost }: HeadProps): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const { kind, name, state, model, environments, step, maxSteps, reward, isSft, loss, changedAtMs, pace } = detail;
  const canStop = state === "running" && kind === "runs";
  const heldOut = isSft ? heldOutLoss(detail) : undefined;
  return (
    <div className="run-head">
      <div className="head">
        <p className="crumbs">
          <Link to={`/${kind}`}>{kind === "runs" ? "Runs" : "Evals"}</Link>
        </p>
        <h1>{name}</h1>
        <StateMark state={isAsked && state === "running" ? "stopping" : state} />
        <span className="space" />
        <span role="status" className="faint">
          {isLost && isActive(state) ? "Connection lost, trying again" : ""}
        </span>
        {canStop && !isAsked && (
          <button
            type="button"
            onClick={() => {
              setAsked(true);
              post(`${path}/stop`).catch(() => setAsked(false));
            }}
            title="Writes the run's stop file; it stops after the present step and can be resumed"
          >
            Stop after this step
          </button>
        )}
      </div>
      <dl className="facts">
        <Fact name="model">{model ?? "–"}</Fact>
        {!isSft && (
          <Fact name={environments.length === 1 ? "environment" : "environments"}>
            {environments.join(", ") || "–"}
          </Fact>
        )}
        {kind === "runs" && (
          <Fact name="step">
            <span className="number" data-testid="step">
              {formatCount(step)}
            </span>
            {maxSteps !== null && <span className="faint"> / {formatCount(maxSteps)}</span>}
          </Fact>
        )}
        {isSft ? (
          <Fact name="loss">
            <span className="number">{formatNumber(loss)}</span>
          </Fact>
        ) : (
          <Fact name="reward">
            <span className="number">{formatNumber(reward)}</span>
          </Fact>
        )}
        {heldOut !== undefined && (
          <Fact name="held-out loss">
            <span className="number">{formatNumber(heldOut)}</span>
          </Fact>
        )}
        {!isActive(state) && pace.workedMs > 0 && <Fact name="took">{formatSpan(pace.workedMs)}</Fact>}
        <Fact name="changed">{formatAge(changedAtMs, Date.now())}</Fact>
      </dl>
      <RunStatus detail={detail} />
    </div>
  );
}

function heldOutLoss({ evals }: RunDetail): number | undefined {
  const value = evals.findLast((row) => typeof row["loss/mean"] === "number")?.["loss/mean"];
  return typeof value === "number" ? value : undefined;
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
