// What a run was given: its configuration as resolved, beside that of another run, or as the start of a new one.
import { type ReactNode, useState } from "react";
import { useAnswer } from "./api.ts";
import type { RunDetail, RunItem } from "./api-types.ts";
import { ConfigDiff, ConfigText } from "./config-text.tsx";
import { CopyRun } from "./copy-run.tsx";
import { pathOf, setQuery, useAddress } from "./router.tsx";

export function ConfigSection({ run }: { readonly run: RunDetail }): ReactNode {
  const { query } = useAddress();
  const [isCopied, setCopied] = useState(false);
  const { kind, name, config } = run;
  const { value: runs } = useAnswer<readonly RunItem[]>(`/list/${kind}`);
  const others = (runs ?? []).filter((one) => one.name !== name).map((one) => one.name);
  const against = others.find((one) => one === query.get("against"));
  if (isCopied)
    return <CopyRun run={run} taken={(runs ?? []).map((one) => one.name)} onClose={() => setCopied(false)} />;
  return (
    <section aria-labelledby="config-title">
      <h2 id="config-title">Configuration</h2>
      <div className="controls">
        {others.length > 0 && (
          <label className="choice">
            <span className="unheard">Compare with another {kind === "runs" ? "run" : "evaluation"}</span>
            <select value={against ?? ""} onChange={({ target }) => setQuery({ against: target.value })}>
              <option value="">Compare with …</option>
              {others.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        {kind === "runs" && (
          <button type="button" onClick={() => setCopied(true)}>
            Copy and change
          </button>
        )}
      </div>
      {against === undefined ? <ConfigText text={config} /> : <Against kind={kind} name={against} config={config} />}
    </section>
  );
}

function Against({ kind, name, config }: Pick<RunDetail, "kind" | "name" | "config">): ReactNode {
  const { value, error } = useAnswer<RunDetail>(pathOf(kind, name));
  if (value === undefined) return <p className={`notice ${error === undefined ? "" : "bad"}`}>{error ?? "Loading"}</p>;
  return (
    <>
      <p className="legend">
        <del>only in {name}</del> <ins>only here</ins>
      </p>
      <ConfigDiff before={value.config} after={config} />
    </>
  );
}
