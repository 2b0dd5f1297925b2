// Numbers and times as people read them. Figures in a column keep their width.

export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 10 ** -digits || size >= 1e7)) return value.toExponential(2).replaceAll("-", "−");
  const text = size >= 1000 ? Math.round(value).toLocaleString("en-GB") : value.toFixed(decimals(size, digits));
  return text.replace("-", "−");
}

function decimals(size: number, digits: number): number {
  if (size >= 100) return 1;
  return size >= 10 ? 2 : digits;
}

/** Of a column that holds whole numbers only, whole; else with decimals. */
export function formatLike(value: number | null | undefined, column: readonly (number | null)[]): string {
  const isWhole = column.every((one) => one === null || Number.isInteger(one));
  return isWhole && value !== null && value !== undefined ? formatCount(value) : formatNumber(value);
}

/** Counts stay whole. */
export function formatCount(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en-GB") : formatNumber(value, 1);
}

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(milliseconds < 10 ? 1 : 0)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

/** A length of time that is glanced at: two units at most, and no fractions from ten seconds on. */
export function formatSpan(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1440)];
  if (days > 0) return `${days} d ${hours % 24} h`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

export function formatAge(atMs: number, nowMs: number): string {
  const seconds = Math.max(0, (nowMs - atMs) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export function formatTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}

export function formatBytes(characters: number): string {
  return characters < 1_000_000 ? `${(characters / 1000).toFixed(0)} k` : `${(characters / 1_000_000).toFixed(1)} M`;
}

export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}
