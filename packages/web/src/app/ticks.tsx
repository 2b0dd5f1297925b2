// Ticking rows of a list to compare them. What is ticked is in the address, in the order it was ticked.
import type { RunItem } from "./api-types.ts";
import { setQuery } from "./router.tsx";
import type { Column } from "./sorted-table.tsx";

/** No name of a run contains it. */
const separator = "/";

export function tickedIn(query: URLSearchParams, items: readonly RunItem[] | undefined): readonly string[] {
  const names = (query.get("compare") ?? "").split(separator);
  return names.filter((name) => items?.some((item) => item.name === name));
}

export function tickColumn(ticked: readonly string[]): Column<RunItem> {
  return {
    key: "tick",
    title: "",
    cell: ({ name }) => (
      <input
        type="checkbox"
        aria-label={`Compare ${name}`}
        checked={ticked.includes(name)}
        onChange={() => {
          const next = ticked.includes(name) ? ticked.filter((one) => one !== name) : [...ticked, name];
          setQuery({ compare: next.join(separator) });
        }}
      />
    ),
  };
}
