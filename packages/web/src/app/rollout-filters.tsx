// What is shown of a run's rollouts and in which order: search, filters, and how many pass. All of it is in the address.
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { formatCount } from "./format.ts";
import { setQuery, useAddress } from "./router.tsx";
import type { RolloutPages } from "./use-rollouts.ts";

interface FiltersProps {
  readonly list: RolloutPages;
  readonly input: RefObject<HTMLInputElement | null>;
}

export const filterKeys = ["search", "env", "stop", "kind", "task", "step"] as const;

export function RolloutFilters({ list, input }: FiltersProps): ReactNode {
  const { query } = useAddress();
  return (
    <div className="controls">
      <SearchBox input={input} initial={query.get("search") ?? ""} />
      <Choice name="env" label="Environment" options={list.environments} value={query.get("env")} />
      <Choice name="stop" label="Stopped by" options={list.stops} value={query.get("stop")} />
      <Choice
        name="kind"
        label="Kind"
        options={["failed", "truncated", "rewarded", "unrewarded"]}
        value={query.get("kind")}
      />
      <Choice name="sort" label="Order" options={sorts} titles={sortTitles} value={query.get("sort") ?? "newest"} />
      {(["task", "step"] as const).map((key) =>
        query.get(key) ? (
          <button key={key} type="button" className="chip" onClick={() => setQuery({ [key]: "" })}>
            {key} {query.get(key)} <span aria-hidden="true">×</span>
            <span className="unheard">, remove this filter</span>
          </button>
        ) : null,
      )}
    </div>
  );
}

const sorts = ["newest", "oldest", "-reward", "reward", "-tokens", "-duration"];
const sortTitles: Readonly<Record<string, string>> = {
  newest: "newest first",
  oldest: "oldest first",
  "-reward": "highest reward",
  reward: "lowest reward",
  "-tokens": "most tokens",
  "-duration": "longest",
};

/** How many there are; of a search, how far it is, with a way to end it. */
export function RolloutCount({ list }: { readonly list: RolloutPages }): ReactNode {
  const { search, total } = list;
  return (
    <div className="count faint">
      <span role="status">{list.error ?? countText(list)}</span>
      {search?.state === "searching" && (
        <>
          <progress max={Math.max(1, total)} value={search.searched} aria-label="Searched" />
          <button type="button" className="plain-link" onClick={search.stop}>
            Stop
          </button>
        </>
      )}
      {search?.state === "paused" && (
        <button type="button" className="plain-link" onClick={search.goOn}>
          Search on
        </button>
      )}
    </div>
  );
}

function countText({ search, count, total, all, isLoading, isIndexed }: RolloutPages): string {
  if (isLoading && count === 0) return search === undefined ? "Loading" : "Searching";
  const reading = isIndexed ? "" : ", older ones are still being read";
  if (search !== undefined) {
    const found = `${formatCount(count)} found`;
    return search.state === "over"
      ? found + reading
      : `${found}, searched ${formatCount(search.searched)} of ${formatCount(total)}`;
  }
  const of = total === all ? "" : ` of ${formatCount(all)}`;
  return `${formatCount(total)}${of} rollouts${reading}`;
}

/** Why a list is empty, and what next. */
export function NoRollouts({ list }: { readonly list: RolloutPages }): ReactNode {
  if (list.isLoading || list.error !== undefined || list.search?.state === "searching") return null;
  if (list.all === 0) return <p className="notice">{list.isIndexed ? "No rollout is written yet." : "Loading"}</p>;
  const none = list.search === undefined ? "No rollout passes these filters." : "Nobody said this.";
  return (
    <p className="notice">
      {list.search?.state === "paused" ? "Nothing found so far." : none}{" "}
      <button
        type="button"
        className="plain-link"
        onClick={() => setQuery(Object.fromEntries(filterKeys.map((key) => [key, ""])))}
      >
        Show all {formatCount(list.all)} rollouts
      </button>
    </p>
  );
}

interface SearchProps {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly initial: string;
}

/** Typing is searched for after a short rest. */
function SearchBox({ input, initial }: SearchProps): ReactNode {
  const [typed, setTyped] = useState(initial);
  const [asked, setAsked] = useState(initial);
  // The address was changed by something else: a link, or all filters taken away.
  if (asked !== initial) {
    setAsked(initial);
    setTyped(initial);
  }
  useEffect(() => {
    if (typed === initial) return undefined;
    const timer = setTimeout(() => {
      setAsked(typed);
      setQuery({ search: typed });
    }, 250);
    return () => clearTimeout(timer);
  }, [typed, initial]);
  return (
    <input
      ref={input}
      type="search"
      value={typed}
      placeholder="Search what was said"
      aria-label="Search what was said"
      aria-keyshortcuts="/"
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly string[];
  readonly titles?: Readonly<Record<string, string>>;
  readonly value: string | null;
}

function Choice({ name, label, options, titles = {}, value }: ChoiceProps): ReactNode {
  return (
    <label className="choice">
      <span className="unheard">{label}</span>
      <select
        value={value ?? ""}
        onChange={({ target }) => setQuery({ [name]: target.value === "newest" ? "" : target.value })}
      >
        {name !== "sort" && <option value="">{label}: any</option>}
        {options.map((option) => (
          <option key={option} value={option}>
            {titles[option] ?? option}
          </option>
        ))}
      </select>
    </label>
  );
}
