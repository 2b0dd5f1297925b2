// A curve in one line of text: eight heights, the newest on the right.

const heights = [..."▁▂▃▄▅▆▇█"];

export interface SparklineOptions {
  /** Characters; a longer series is averaged into them. */
  readonly width: number;
}

/** From the smallest value to the largest; a curve without a slope lies at the bottom. */
export function sparkline(values: readonly number[], { width }: SparklineOptions): string {
  const points = thinned(
    values.filter((value) => Number.isFinite(value)),
    width,
  );
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const last = heights.length - 1;
  // Halves, because the distance of two numbers can be too large to be one.
  const share = (value: number): number => (high === low ? 0 : (value / 2 - low / 2) / (high / 2 - low / 2));
  return points.map((value) => heights[Math.round(share(value) * last)]).join("");
}

function thinned(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values;
  return Array.from({ length: width }, (_, at) => {
    const part = values.slice(Math.floor((at * values.length) / width), Math.floor(((at + 1) * values.length) / width));
    return part.reduce((sum, value) => sum + value / part.length, 0);
  });
}
