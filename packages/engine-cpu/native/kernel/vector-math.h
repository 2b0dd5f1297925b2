// Functions of numbers and sums over rows, written once for all builds: no C library is used, so no library's rounding shows.
// exp is within 2 units in the last place (3e-7 relative without fused multiply-add); log is exact to the float.
// A sum over a row runs in 16 chains, element i in chain i mod 16, joined pairwise: the same on every width of vector.
#pragma once
#include "vector.h"

/** Below -87.33 it is 0, above 88.37 infinite: numbers without a normal float, or next to it. Not-a-number stays so. */
INLINE Vector vector_exp(Vector x) {
  const Vector shift = vector_splat(12582912.0f); // 1.5 * 2^23: adding it rounds to a whole number, left in the low bits
  const Vector shifted = vector_multiply_add(x, vector_splat(1.44269504f), shift);
  const Vector whole = shifted - shift;
  // ln 2 in two parts, the first of 9 bits: its product with `whole` is exact.
  Vector rest = vector_multiply_add(whole, vector_splat(-0.693359375f), x);
  rest = vector_multiply_add(whole, vector_splat(2.12194440e-4f), rest);
  // exp(r) = 1 + r + r^2 q(r) on |r| <= ln 2 / 2, q minimax: 3e-9 relative
  Vector q = vector_splat(0.00138143206f);
  q = vector_multiply_add(q, rest, vector_splat(0.00836885069f));
  q = vector_multiply_add(q, rest, vector_splat(0.0416684002f));
  q = vector_multiply_add(q, rest, vector_splat(0.166665196f));
  q = vector_multiply_add(q, rest, vector_splat(0.49999994f));
  const Vector fraction = vector_multiply_add(q, rest * rest, rest) + vector_splat(1.0f);
  const IntVector exponent = ((IntVector)shifted << 23) + (IntVector)vector_splat(1.0f);
  Vector result = fraction * (Vector)exponent;
  result = vector_select(x < vector_splat(-87.33f), vector_splat(0.0f), result);
  return vector_select(x > vector_splat(88.37f), vector_splat(__builtin_inff()), result);
}

INLINE float scalar_exp(float x) { return vector_exp(vector_splat(x))[0]; }

INLINE Vector vector_sigmoid(Vector x) { return vector_splat(1.0f) / (vector_splat(1.0f) + vector_exp(-x)); }

/** Of a normal positive number, to 1e-12; what no logarithm has becomes what IEEE says. */
INLINE double scalar_log(double x) {
  if (!(x > 0)) return x == 0 ? -__builtin_inf() : __builtin_nan("");
  if (x == __builtin_inf()) return x;
  union {
    double number;
    int64_t bits;
  } split = {x};
  int64_t exponent = ((split.bits >> 52) & 2047) - 1023;
  split.bits = (split.bits & 0xfffffffffffff) | ((int64_t)1023 << 52);
  if (split.number > 1.4142135623730951) {
    split.number *= 0.5;
    exponent++;
  }
  // log m = 2 artanh((m - 1) / (m + 1))
  const double t = (split.number - 1) / (split.number + 1), t2 = t * t;
  const double series = 1 + t2 * (1.0 / 3 + t2 * (1.0 / 5 + t2 * (1.0 / 7 + t2 * (1.0 / 9 + t2 * (1.0 / 11 + t2 / 13)))));
  return (double)exponent * 0.6931471805599453 + 2 * t * series;
}

enum { CHAINS = 16, CHAIN_VECTORS = CHAINS / LANES };

/** Sixteen sums side by side. */
typedef struct {
  Vector part[CHAIN_VECTORS];
} Chains;

INLINE Chains chains_splat(float value) {
  Chains chains;
  UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) chains.part[part] = vector_splat(value);
  return chains;
}

/** Sixteen floats; with fewer, `fill` after them. */
INLINE Chains chains_load(const float *from, int64_t count, float fill) {
  Chains chains;
  if (count >= CHAINS) {
    UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) chains.part[part] = vector_load(from + part * LANES);
    return chains;
  }
  float whole[CHAINS];
  for (int64_t at = 0; at < CHAINS; at++) whole[at] = at < count ? from[at] : fill;
  UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) chains.part[part] = vector_load(whole + part * LANES);
  return chains;
}

INLINE void chains_store(float *to, Chains chains, int64_t count) {
  if (count >= CHAINS) {
    UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) vector_store(to + part * LANES, chains.part[part]);
    return;
  }
  float whole[CHAINS];
  UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) vector_store(whole + part * LANES, chains.part[part]);
  for (int64_t at = 0; at < count; at++) to[at] = whole[at];
}

INLINE float chains_sum(Chains chains) {
  float sum[CHAINS];
  UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) vector_store(sum + part * LANES, chains.part[part]);
  for (int half = CHAINS / 2; half > 0; half /= 2)
    for (int at = 0; at < half; at++) sum[at] += sum[at + half];
  return sum[0];
}

INLINE float chains_max(Chains chains) {
  float most[CHAINS];
  UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) vector_store(most + part * LANES, chains.part[part]);
  for (int at = 1; at < CHAINS; at++) most[0] = most[at] > most[0] ? most[at] : most[0];
  return most[0];
}

/** sum of a[i] b[i] */
INLINE float row_dot(const float *a, const float *b, int64_t count) {
  Chains sum = chains_splat(0);
  for (int64_t at = 0; at < count; at += CHAINS) {
    const Chains x = chains_load(a + at, count - at, 0), y = chains_load(b + at, count - at, 0);
    UNROLL for (int part = 0; part < CHAIN_VECTORS; part++)
      sum.part[part] = vector_multiply_add(x.part[part], y.part[part], sum.part[part]);
  }
  return chains_sum(sum);
}

/** The largest; entries that are not numbers are passed over: what is computed from them shows them. */
INLINE float row_max(const float *row, int64_t count) {
  Chains most = chains_splat(-__builtin_inff());
  for (int64_t at = 0; at < count; at += CHAINS) {
    const Chains x = chains_load(row + at, count - at, -__builtin_inff());
    UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) most.part[part] = vector_max(x.part[part], most.part[part]);
  }
  return chains_max(most);
}

/** sum of exp((row[i] - most) scale); with `out` the terms are kept there, which may be the row itself. */
INLINE float row_exp_sum(const float *row, int64_t count, float most, float scale, float *out) {
  Chains sum = chains_splat(0);
  for (int64_t at = 0; at < count; at += CHAINS) {
    Chains x = chains_load(row + at, count - at, -__builtin_inff());
    UNROLL for (int part = 0; part < CHAIN_VECTORS; part++) {
      x.part[part] = vector_exp((x.part[part] - vector_splat(most)) * vector_splat(scale));
      sum.part[part] += x.part[part];
    }
    if (out) chains_store(out + at, x, count - at);
  }
  return chains_sum(sum);
}
