// Means and their uncertainty. Rollouts of one task resemble each other, so an interval counts tasks, not rollouts: the cluster-robust standard error
// of the mean, with Student's t for few tasks. On equal groups that is the interval of the task means. One task alone says nothing about others: no interval.

export interface Estimate {
  readonly mean: number;
  /** Null with fewer than two tasks. */
  readonly ci95: readonly [low: number, high: number] | null;
  /** Of single values; null with fewer than two. */
  readonly standardDeviation: number | null;
  readonly n: number;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function standardDeviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/** The values of each task are one cluster. Undefined when there is no value at all. */
export function estimate(clusters: readonly (readonly number[])[]): Estimate | undefined {
  const values = clusters.flat();
  if (values.length === 0) return undefined;
  const centre = mean(values);
  const filled = clusters.filter((cluster) => cluster.length > 0);
  const squares = filled.reduce(
    (sum, cluster) => sum + cluster.reduce((own, value) => own + value - centre, 0) ** 2,
    0,
  );
  const quantile = filled.length < 2 ? null : tQuantile(0.975, filled.length - 1);
  const half = quantile === null ? null : halfWidth(squares, filled.length, values.length, quantile);
  return {
    mean: centre,
    ci95: half === null ? null : [centre - half, centre + half],
    standardDeviation: standardDeviation(values),
    n: values.length,
  };
}

/** Half of the interval, from the sum over clusters of (sum of residuals)^2. The factor G / (G - 1) corrects for few clusters. */
function halfWidth(squares: number, clusters: number, n: number, quantile: number): number {
  return (quantile * Math.sqrt((clusters / (clusters - 1)) * Math.max(0, squares))) / n;
}

/** The same mean and interval while values still come in: a value costs the same however many came before it. */
export class RunningEstimate {
  readonly #clusters = new Map<string, { sum: number; count: number }>();
  #sum = 0;
  #count = 0;
  #sumSquares = 0;
  #sumTimesCount = 0;
  #countSquares = 0;
  /** A quantile costs more than all the rest, and hardly moves once there are many tasks: it is taken anew when they grow by one in a hundred. */
  #quantile = { degrees: 0, value: 0 };

  add(cluster: string, value: number): void {
    this.#change(cluster, value, 1);
  }

  /** Takes back a value that was added. */
  remove(cluster: string, value: number): void {
    this.#change(cluster, -value, -1);
  }

  /** Undefined before the first value; `half` is half of the 95 % interval. */
  get current(): { readonly mean: number; readonly half: number | null } | undefined {
    if (this.#count === 0) return undefined;
    const centre = this.#sum / this.#count;
    const squares = this.#sumSquares - 2 * centre * this.#sumTimesCount + centre ** 2 * this.#countSquares;
    const degrees = this.#clusters.size - 1;
    if (degrees < 1) return { mean: centre, half: null };
    if (Math.abs(degrees - this.#quantile.degrees) > degrees / 100) {
      this.#quantile = { degrees, value: tQuantile(0.975, degrees) };
    }
    return { mean: centre, half: halfWidth(squares, degrees + 1, this.#count, this.#quantile.value) };
  }

  #change(name: string, value: number, count: number): void {
    const cluster = this.#clusters.get(name) ?? { sum: 0, count: 0 };
    this.#tally(cluster, -1);
    cluster.sum += value;
    cluster.count += count;
    this.#tally(cluster, 1);
    this.#sum += value;
    this.#count += count;
    if (cluster.count === 0) this.#clusters.delete(name);
    else this.#clusters.set(name, cluster);
  }

  #tally({ sum, count }: { readonly sum: number; readonly count: number }, sign: number): void {
    this.#sumSquares += sign * sum ** 2;
    this.#sumTimesCount += sign * sum * count;
    this.#countSquares += sign * count ** 2;
  }
}

export interface PairedDifference {
  readonly a: number;
  readonly b: number;
  /** b - a. Its interval is of the difference: what both share cancels. */
  readonly difference: Estimate;
}

/** Values measured on the same things twice, by task. Undefined when there is no pair. */
export function pairedDifference(
  clusters: readonly (readonly (readonly [a: number, b: number])[])[],
): PairedDifference | undefined {
  const difference = estimate(clusters.map((pairs) => pairs.map(([a, b]) => b - a)));
  if (difference === undefined) return undefined;
  const pairs = clusters.flat();
  return { a: mean(pairs.map(([a]) => a)), b: mean(pairs.map(([, b]) => b)), difference };
}

/** Between the two nearest values where it falls between them. `sorted` is ascending and not empty. */
export function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? 0;
  return below + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] ?? below) - below);
}

/** Student's t: the value that a share `probability` of the distribution lies below. By bisection, to the last digits. */
export function tQuantile(probability: number, degrees: number): number {
  if (!(probability > 0 && probability < 1) || !(degrees > 0)) {
    throw new RangeError(`no t quantile for probability ${probability} and ${degrees} degrees of freedom`);
  }
  if (probability === 0.5) return 0;
  if (probability < 0.5) return -tQuantile(1 - probability, degrees);
  let low = 0;
  let high = 1;
  while (tailOf(high, degrees) > 1 - probability && high < 1e300) high *= 2;
  for (let step = 0; step < 100 && high - low > 1e-13 * high; step++) {
    const middle = (low + high) / 2;
    if (tailOf(middle, degrees) > 1 - probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(T > t) for t >= 0: half the regularised incomplete beta function at v / (v + t^2). */
function tailOf(t: number, degrees: number): number {
  return incompleteBeta(degrees / (degrees + t ** 2), degrees / 2, 0.5) / 2;
}

/** Regularised I_x(a, b), by its continued fraction; the symmetry keeps it where the fraction converges fast. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b));
  // Modified Lentz: c and d are ratios of successive numerators and denominators, kept away from 0.
  const away = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 300; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return (front * fraction) / a;
}

/** Stirling's series, raised to where it is exact to double precision by the recurrence. */
function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 15; z++) shift -= Math.log(z);
  const series = 1 / (12 * z) - 1 / (360 * z ** 3) + 1 / (1260 * z ** 5) - 1 / (1680 * z ** 7);
  return shift + (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series;
}
