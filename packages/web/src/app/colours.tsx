// The colours of the style sheet as a canvas needs them: it cannot read custom properties. Read once for all charts, and again when the theme changes.
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";

export interface Colours {
  readonly paper: string;
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  readonly accent: string;
  /** Lines; they repeat after the last. */
  readonly series: readonly string[];
  /** The same, mixed with the paper: areas under lines. */
  readonly areas: readonly string[];
  /** The same, and what lies below shines through: bands around lines. */
  readonly bands: readonly string[];
}

export const palette = 6;

const Shared = createContext<Colours | undefined>(undefined);

export function ChartColours({ children }: { readonly children: ReactNode }): ReactNode {
  const [colours, setColours] = useState(readColours);
  useEffect(() => {
    const read = (): void => setColours(readColours());
    const system = matchMedia("(prefers-color-scheme: dark)");
    document.addEventListener("hone-theme", read);
    system.addEventListener("change", read);
    return () => {
      document.removeEventListener("hone-theme", read);
      system.removeEventListener("change", read);
    };
  }, []);
  return <Shared value={colours}>{children}</Shared>;
}

export function useColours(): Colours {
  const colours = useContext(Shared);
  if (colours === undefined) throw new Error("A chart is drawn inside ChartColours.");
  return colours;
}

export function colourAt(colours: readonly string[], index: number): string {
  return colours[index % palette] ?? "";
}

function readColours(): Colours {
  const probe = document.createElement("span");
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const read = (colour: string): string => {
    probe.style.color = colour;
    return style.color;
  };
  const mixed = (share: number, ground = "var(--paper)"): string[] =>
    Array.from({ length: palette }, (_, index) =>
      read(`color-mix(in srgb, var(--series-${index}) ${share}%, ${ground})`),
    );
  const colours = {
    paper: read("var(--paper)"),
    text: read("var(--text)"),
    faint: read("var(--text-soft)"),
    grid: read("var(--line-soft)"),
    accent: read("var(--accent)"),
    series: mixed(100),
    areas: mixed(42),
    bands: mixed(18, "transparent"),
  };
  probe.remove();
  return colours;
}
