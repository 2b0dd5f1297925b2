// "Copy and change": a run's configuration in an editor, and what to type for a new run with it. Nothing is written anywhere: the file is downloaded.
import { type ReactNode, useState } from "react";
import type { RunDetail } from "./api-types.ts";
import { ConfigDiff } from "./config-text.tsx";
import { Command } from "./copy-button.tsx";
import { freshName, isRunName, startCommand } from "./run-commands.ts";

interface CopyProps {
  readonly run: RunDetail;
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

export function CopyRun({ run, taken, onClose }: CopyProps): ReactNode {
  const original = run.config;
  const [text, setText] = useState(original);
  const [name, setName] = useState(() => freshName(run.name, taken));
  const file = `${name}.toml`;
  const problem = !isRunName(name)
    ? "A name is letters, digits, dots, dashes and underscores."
    : taken.includes(name)
      ? "There is a run of this name already."
      : "";
  return (
    <section className="copy-run" aria-labelledby="copy-title">
      <h2 id="copy-title">
        Copy and change
        <button type="button" className="quiet" onClick={onClose}>
          Close
        </button>
      </h2>
      <div className="two">
        <textarea
          value={text}
          spellCheck={false}
          aria-label="The configuration of the new run"
          onChange={({ target }) => setText(target.value)}
        />
        <div>
          <ol className="todo">
            <li>
              <label>
                Name it
                <input value={name} aria-invalid={problem !== ""} onChange={({ target }) => setName(target.value)} />
              </label>
              <span className="bad" role="status">
                {problem}
              </span>
            </li>
            <li>
              Download
              <button type="button" disabled={problem !== ""} onClick={() => download(file, text)}>
                {file}
              </button>
            </li>
            <li>
              Start it where the file is
              {problem === "" && <Command text={startCommand(run, file, name)} label="start the new run" />}
            </li>
          </ol>
          <h3>What you changed</h3>
          {text === original ? <p className="faint">Nothing yet.</p> : <ConfigDiff before={original} after={text} />}
        </div>
      </div>
    </section>
  );
}

function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
