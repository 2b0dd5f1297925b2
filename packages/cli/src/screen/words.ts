// Numbers and times as people read them.

/** "12 s", "3 min", "2 h 5 min". */
export function seconds(value: number): string {
  if (value < 90) return `${Math.ceil(value)} s`;
  const minutes = Math.round(value / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago: "12 s", "3 min", "5 h", "2 days". */
export function age(milliseconds: number): string {
  const hours = milliseconds / 3_600_000;
  if (hours < 2) return seconds(Math.max(0, milliseconds / 1000));
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** 0.412; what is not a number is a dash. */
export function decimal(value: unknown, digits = 3): string {
  return typeof value === "number" && Number.isFinite(value) ? value.toFixed(digits) : "-";
}

/** "0.31 to 0.42"; "" where there is none. */
export function interval(value: unknown): string {
  if (!Array.isArray(value) || value.length !== 2) return "";
  return `${decimal(value[0], 2)} to ${decimal(value[1], 2)}`;
}

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let [value, unit] = [count, 0];
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit] ?? ""}`;
}
