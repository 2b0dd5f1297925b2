// What judges were asked and what they said, each laid out as the conversation it was. Recorded by the environment under `info.judges`, by reward.
import type { ReactNode } from "react";
import type { Json, JsonObject } from "@hone/core";
import { formatCount, formatNumber } from "./format.ts";
import { Written } from "./markdown-view.tsx";

export function JudgeTranscripts({ info }: { readonly info: JsonObject }): ReactNode {
  const judges = objectOf(info["judges"]);
  return Object.entries(judges).map(([reward, value]) => {
    const { judge, prompt, verdict, value: score, attempts, usage } = objectOf(value);
    const tokens = objectOf(usage);
    const at = `info/judges/${reward.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return (
      <section key={reward} className="judge" aria-label={`Judge of ${reward}`}>
        <h3>
          Judge of <code>{reward}</code>
          <span className="reward-mark">{typeof score === "number" ? formatNumber(score) : ""}</span>
          <span className="faint">
            {typeof judge === "string" ? judge : ""}
            {typeof tokens["outputTokens"] === "number" ? `, ${formatCount(tokens["outputTokens"])} tokens` : ""}
            {typeof attempts === "number" && attempts > 1 ? `, asked ${attempts} times` : ""}
          </span>
        </h3>
        <div className="turn user">
          <header>
            <span className="who">asked</span>
          </header>
          <Written text={textOf(prompt)} at={`${at}/prompt`} />
        </div>
        <div className="turn assistant">
          <header>
            <span className="who">judge</span>
          </header>
          <Written text={textOf(verdict)} at={`${at}/verdict`} />
        </div>
      </section>
    );
  });
}

function objectOf(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}
function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
