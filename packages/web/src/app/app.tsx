// The frame around every page: where one is, how to get elsewhere, light or dark.
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { EvalsPage } from "./evals-page.tsx";
import { Keys } from "./keys-dialog.tsx";
import { Link, pathOf, useAddress } from "./router.tsx";
import { RolloutPage } from "./rollout-page.tsx";
import { RunPage } from "./run-page.tsx";
import { RunsPage } from "./runs-page.tsx";
import { applyTheme, savedTheme, type Theme } from "./theme.ts";
import { useKeys } from "./use-keys.ts";

const themes: readonly Theme[] = ["auto", "light", "dark"];

export function App(): ReactNode {
  const { parts } = useAddress();
  const [kind = "runs", name, section, step, id] = parts;
  const [theme, setTheme] = useState(savedTheme);
  const [isHelp, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useKeys(useMemo(() => ({ "?": () => setHelp(true) }), []));
  const title = [id, name, kind === "evals" ? "Evals" : "Runs", "Hone"].filter(Boolean).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <>
      <a className="skip" href="#main" onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/runs" className="brand" label="Hone, all runs">
          Hone
        </Link>
        <nav aria-label="Main">
          <Link to="/runs" isCurrent={kind === "runs" && name === undefined} className={kind === "runs" ? "on" : ""}>
            Runs
          </Link>
          <Link to="/evals" isCurrent={kind === "evals" && name === undefined} className={kind === "evals" ? "on" : ""}>
            Evals
          </Link>
        </nav>
        <span className="space" />
        <button type="button" className="quiet" onClick={() => setHelp(true)} title="Keys (?)">
          Keys
        </button>
        <button
          type="button"
          className="quiet"
          title={`Colours: ${theme}. Switch to ${next}.`}
          onClick={() => {
            applyTheme(next);
            setTheme(next);
          }}
        >
          <span className="unheard">Colours: </span>
          {theme === "auto" ? "Auto" : theme === "light" ? "Light" : "Dark"}
        </button>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Page kind={kind} name={name} section={section} step={step} id={id} />
      </main>
      {isHelp && <Keys onClose={() => setHelp(false)} />}
    </>
  );
}

interface Where {
  readonly kind: string;
  readonly name: string | undefined;
  readonly section: string | undefined;
  readonly step: string | undefined;
  readonly id: string | undefined;
}

function Page({ kind, name, section, step, id }: Where): ReactNode {
  if (kind !== "runs" && kind !== "evals") return <p className="notice">There is no such page.</p>;
  if (name === undefined) return kind === "runs" ? <RunsPage /> : <EvalsPage />;
  const base = pathOf(kind, name);
  if (section === "rollouts" && step !== undefined && id !== undefined) {
    return <RolloutPage key={base} kind={kind} name={name} step={Number(step)} id={id} />;
  }
  return <RunPage key={base} kind={kind} name={name} />;
}
