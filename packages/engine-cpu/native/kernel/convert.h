// Halves and floats: bfloat16 and IEEE float16. Widening is exact; narrowing rounds to nearest, ties to even.
// On bits alone, so every build gives the same; compilers turn these loops into vector code.
#pragma once
#include "../call.h"
#include "elementwise.h"

typedef struct {
  int64_t length;
  float *floats;
  uint16_t *halves;
} Conversion;

INLINE uint32_t bits_of(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

INLINE float float_of(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

INLINE float widen_bfloat16(uint16_t half) { return float_of((uint32_t)half << 16); }

INLINE uint16_t narrow_bfloat16(float value) {
  const uint32_t bits = bits_of(value);
  const bool is_nan = (bits & 0x7fffffff) > 0x7f800000;
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16, quiet = (bits >> 16) | 0x40;
  return (uint16_t)(is_nan ? quiet : rounded);
}

/** Exponent and fraction move to their places; multiplying by 2^112 corrects the bias and makes subnormal numbers normal. */
INLINE float widen_float16(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
  const float scaled = float_of(magnitude << 13) * 0x1p112f;
  const uint32_t special = 0x7f800000 | (magnitude << 13);
  return float_of(sign | (magnitude >= 0x7c00 ? special : bits_of(scaled)));
}

/** A number added whose last place is the half's last place makes the addition round as it should. */
INLINE uint16_t narrow_float16(float value) {
  const uint32_t bits = bits_of(value), sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  const uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000; // 0.5 has its last place at 2^-24
  const uint32_t normal = (magnitude + 0xfff + ((magnitude >> 13) & 1) - 0x38000000) >> 13;
  uint32_t half = magnitude < 0x38800000 ? subnormal : normal;
  half = magnitude >= 0x477ff000 ? 0x7c00 : half; // 65520 and above round to infinity
  half = magnitude > 0x7f800000 ? 0x7e00 : half;
  return (uint16_t)(sign | half);
}

#define CONVERSION(name, statement)                                                                     \
  static void name##_task(void *context, int64_t index, float *scratch) {                               \
    (void)scratch;                                                                                      \
    const Conversion *c = context;                                                                      \
    const int64_t end = smaller((index + 1) * ELEMENT_TASK, c->length);                                 \
    for (int64_t at = index * ELEMENT_TASK; at < end; at++) statement;                                  \
  }                                                                                                     \
  static void name(Call *call) {                                                                        \
    Conversion c;                                                                                       \
    c.length = take_size(call, "length", 0, INT32_MAX);                                                 \
    c.floats = take_floats(call, "floats", c.length);                                                   \
    c.halves = take_halves(call, "halves", c.length);                                                   \
    if (call_ready(call, 0, 0)) pool_run(call->pool, name##_task, &c, element_tasks(c.length));         \
  }

CONVERSION(from_bfloat16, c->floats[at] = widen_bfloat16(c->halves[at]))
CONVERSION(to_bfloat16, c->halves[at] = narrow_bfloat16(c->floats[at]))
CONVERSION(from_float16, c->floats[at] = widen_float16(c->halves[at]))
CONVERSION(to_float16, c->halves[at] = narrow_float16(c->floats[at]))
