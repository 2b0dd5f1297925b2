// A table that is sorted by clicking its heads. The order is in the address.
import type { ReactNode } from "react";
import { setQuery } from "./router.tsx";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** What it is sorted by; without it the column is not. */
  readonly of?: (row: Row) => string | number;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  readonly isHead?: boolean;
}
interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** A column's key, with "-" before it for descending. */
  readonly sort: string;
}

export function SortedTable<Row>({ label, rows, columns, rowKey, sort }: TableProps<Row>): ReactNode {
  const isDescending = sort.startsWith("-");
  const by = columns.find(({ key }) => key === sort.replace(/^-/, ""));
  const sorted = by?.of === undefined ? rows : [...rows].sort((a, b) => compare(by.of?.(a), by.of?.(b)));
  if (isDescending && sorted !== rows) (sorted as Row[]).reverse();
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ key, title, of, isNumber }) => {
              const isOn = by?.key === key;
              const order = isOn ? (isDescending ? "descending" : "ascending") : undefined;
              return (
                <th key={key} scope="col" aria-sort={order} className={classOf(key, isNumber)}>
                  {of === undefined ? (
                    title || <span className="unheard">Compare</span>
                  ) : (
                    <button type="button" onClick={() => setQuery({ sort: isOn && !isDescending ? `-${key}` : key })}>
                      {title}
                      <span aria-hidden="true" className="arrow">
                        {isOn ? (isDescending ? "↓" : "↑") : ""}
                      </span>
                    </button>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, cell, isNumber, isHead }) =>
                isHead === true ? (
                  <th key={key} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} className={classOf(key, isNumber)}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** By its name a narrow screen leaves a column out. */
function classOf(key: string, isNumber = false): string {
  return `${isNumber ? "number " : ""}of-${key.replaceAll(/[^a-z\d]/g, "-")}`;
}

function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === "number" && typeof b === "number") return a - b || 0;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
