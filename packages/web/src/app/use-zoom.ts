// Which steps are shown. One choice for all charts of a page, kept in the address, so that it can be sent to someone.
import { useMemo } from "react";
import { setQuery, useAddress } from "./router.tsx";

export interface Zoom {
  /** First and last step; undefined shows all. */
  readonly range: readonly [number, number] | undefined;
  readonly set: (from: number, to: number) => void;
  readonly reset: () => void;
}

export function useZoom(): Zoom {
  const { query } = useAddress();
  const [from, to] = [query.get("from"), query.get("to")];
  return useMemo(() => {
    const [first, last] = [Number(from ?? Number.NaN), Number(to ?? Number.NaN)];
    return {
      range: Number.isFinite(first) && last > first ? ([first, last] as const) : undefined,
      set: (least, greatest) => setQuery({ from: String(least), to: String(greatest) }),
      reset: () => setQuery({ from: "", to: "" }),
    };
  }, [from, to]);
}

/** As the server is asked for it. */
export function rangeQuery({ range }: Zoom): string {
  return range === undefined ? "" : `&from=${range[0]}&to=${range[1]}`;
}
