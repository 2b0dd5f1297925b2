// What a run leaves behind: its checkpoints, with the commands that take one of them along.
import { type ReactNode, useState } from "react";
import type { RunDetail } from "./api-types.ts";
import { Command } from "./copy-button.tsx";
import { exportCommand } from "./run-commands.ts";

export function Checkpoints({ run }: { readonly run: RunDetail }): ReactNode {
  const [chosen, setChosen] = useState<number>();
  const { checkpoints, name } = run;
  const step = checkpoints.find((one) => one === chosen) ?? checkpoints.at(-1);
  if (step === undefined) return null;
  return (
    <section className="checkpoints" aria-labelledby="checkpoints-title">
      <h2 id="checkpoints-title">
        Checkpoints <span className="faint">{checkpoints.length}</span>
      </h2>
      <div className="controls">
        <label className="choice">
          <span className="unheard">The checkpoint to take along</span>
          <select value={step} onChange={({ target }) => setChosen(Number(target.value))}>
            {checkpoints.toReversed().map((one) => (
              <option key={one} value={one}>
                step {one}
              </option>
            ))}
          </select>
        </label>
        <Command text={exportCommand(name, step)} label="as an adapter, or whole after full training" />
        <Command text={exportCommand(name, step, { isMerged: true })} label="merged, as a whole model" />
      </div>
    </section>
  );
}
