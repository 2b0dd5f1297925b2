// Texts of a rollout of which only the beginning was sent, and how to get the rest. Whoever shows a text says where in the rollout it stands.
import { createContext, type ReactNode, useContext, useMemo } from "react";

export interface LongTexts {
  /** The whole length of what was cut, by place. */
  readonly cuts: Readonly<Record<string, number>>;
  readonly load: (place: string) => Promise<string>;
}

const none: LongTexts = { cuts: {}, load: () => Promise.resolve("") };
const Context = createContext(none);

export function useLongTexts(): LongTexts {
  return useContext(Context);
}

interface ProviderProps {
  /** Of the rollout, in the API. */
  readonly path: string;
  readonly cuts: Readonly<Record<string, number>>;
  readonly children: ReactNode;
}

export function LongTextsOf({ path, cuts, children }: ProviderProps): ReactNode {
  const value = useMemo(
    () => ({
      cuts,
      load: async (place: string): Promise<string> => {
        const response = await fetch(`/api${path}/text?at=${encodeURIComponent(place)}`);
        if (!response.ok) throw new Error(`The server answered ${response.status}.`);
        return response.text();
      },
    }),
    [path, cuts],
  );
  return <Context value={value}>{children}</Context>;
}
