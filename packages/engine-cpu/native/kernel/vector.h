// Vectors of LANES floats for the instruction set that is being compiled; the only file that knows intrinsics.
// Each isa-*.c defines one VECTOR_* and includes everything under kernel/, so one source gives every variant.
// Nothing here rounds differently with the width: what a kernel computes depends only on whether multiply-add is fused.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// A tile is TILE_ROWS rows, TILE_AT_ONCE of them at a time, by TILE_VECTORS vectors of TILE_PANELS panels: as many sums as the registers
// hold or the first cache feeds.
#if defined(VECTOR_AVX512)
#include <immintrin.h>
#define LANES 16
#define TILE_ROWS 12
#define TILE_VECTORS 1
#if defined(VECTOR_PAIRS)
#define TILE_PANELS 2
#endif
#elif defined(VECTOR_AVX2)
#include <immintrin.h>
#define LANES 8
#define TILE_ROWS 6
#define TILE_VECTORS 2
#elif defined(VECTOR_NEON)
#include <arm_neon.h>
#define LANES 4
#define TILE_ROWS 6
#define TILE_VECTORS 4
#else // VECTOR_BASELINE: SSE2, WASM SIMD or whatever the compiler makes of vectors of four
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#define LANES 4
#define TILE_ROWS 4 // five by two and what they are made of do not fit the fifteen registers that V8 has for WASM
#if defined(__wasm_simd128__)
#define TILE_AT_ONCE 2 // by four: a splat costs WASM as much as a multiplication, and this needs the fewest
#define TILE_VECTORS 4
#else
#define TILE_VECTORS 2
#endif
#endif
#ifndef TILE_AT_ONCE
#define TILE_AT_ONCE TILE_ROWS
#endif
#ifndef TILE_PANELS
#define TILE_PANELS 1
#endif

#define INLINE static inline __attribute__((always_inline, unused))

// Before a loop of a small constant count whose arrays must live in registers.
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

typedef float Vector __attribute__((vector_size(4 * LANES)));
typedef int32_t IntVector __attribute__((vector_size(4 * LANES)));
typedef Vector UnalignedVector __attribute__((aligned(4), may_alias));
typedef float Quad __attribute__((vector_size(16)));
typedef Quad UnalignedQuad __attribute__((aligned(4), may_alias));

// An operation of AVX-512 or AVX2, which differ in width and name alone here.
#if defined(VECTOR_AVX512)
typedef __m512 Wide;
typedef __m512d WideDouble;
#define WIDE(operation) _mm512_##operation
#elif defined(VECTOR_AVX2)
typedef __m256 Wide;
typedef __m256d WideDouble;
#define WIDE(operation) _mm256_##operation
#endif

INLINE Vector vector_load(const float *from) { return *(const UnalignedVector *)from; }
INLINE void vector_store(float *to, Vector value) { *(UnalignedVector *)to = value; }
INLINE Quad quad_load(const float *from) { return *(const UnalignedQuad *)from; }
INLINE void quad_store(float *to, Quad value) { *(UnalignedQuad *)to = value; }

INLINE Vector vector_splat(float value) {
#if defined(WIDE)
  return (Vector)WIDE(set1_ps)(value);
#else
  return (Vector){value, value, value, value};
#endif
}

enum { LINE = 16 }; // floats that come from memory at once

/** Asks for a line that is read soon, into the second cache: nothing where there is no such instruction. */
INLINE void fetch(const float *from) { __builtin_prefetch(from, 0, 2); }

// V8 keeps the order and the addresses that it is given, so on WASM innermost loops say both themselves: a constant offset, in floats,
// is part of the instruction, where clang would add it first.
#if defined(__wasm_simd128__)
INLINE Quad quad_load_at(const float *from, const int offset) {
  Quad value;
  __asm__ volatile("local.get %1\n\tv128.load %2:p2align=2\n\tlocal.set %0" : "=r"(value) : "r"(from), "i"(4 * offset) : "memory");
  return value;
}
INLINE void quad_store_at(float *to, const int offset, Quad value) {
  __asm__ volatile("local.get %0\n\tlocal.get %1\n\tv128.store %2:p2align=2" ::"r"(to), "r"(value), "i"(4 * offset) : "memory");
}
INLINE Vector vector_load_at(const float *from, const int offset) { return quad_load_at(from, offset); }
INLINE void vector_store_at(float *to, const int offset, Vector value) { quad_store_at(to, offset, value); }
INLINE Vector vector_splat_at(const float *from, const int offset) {
  Vector value;
  __asm__ volatile("local.get %1\n\tv128.load32_splat %2\n\tlocal.set %0" : "=r"(value) : "r"(from), "i"(4 * offset) : "memory");
  return value;
}
#else
INLINE Quad quad_load_at(const float *from, const int offset) { return quad_load(from + offset); }
INLINE void quad_store_at(float *to, const int offset, Quad value) { quad_store(to + offset, value); }
INLINE Vector vector_load_at(const float *from, const int offset) { return vector_load(from + offset); }
INLINE void vector_store_at(float *to, const int offset, Vector value) { vector_store(to + offset, value); }
INLINE Vector vector_splat_at(const float *from, const int offset) { return vector_splat(from[offset]); }
#endif

/** The first `count` floats, zero after them; all of them with LANES or more. */
INLINE Vector vector_load_part(const float *from, int64_t count) {
  if (count >= LANES) return vector_load(from);
  float whole[LANES] = {0};
  for (int64_t lane = 0; lane < count; lane++) whole[lane] = from[lane];
  return vector_load(whole);
}

INLINE void vector_store_part(float *to, Vector value, int64_t count) {
  if (count >= LANES) return vector_store(to, value);
  float whole[LANES];
  vector_store(whole, value);
  for (int64_t lane = 0; lane < count; lane++) to[lane] = whole[lane];
}

/** a * b + c: rounded once where the instruction set can, twice on the baseline (and then everywhere on it: -ffp-contract=off). */
INLINE Vector vector_multiply_add(Vector a, Vector b, Vector c) {
#if defined(WIDE)
  return (Vector)WIDE(fmadd_ps)((Wide)a, (Wide)b, (Wide)c);
#elif defined(VECTOR_NEON)
  return (Vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  return a * b + c;
#endif
}

/** Lanes of `yes` where the mask is all ones, of `no` where it is zero. */
INLINE Vector vector_select(IntVector mask, Vector yes, Vector no) {
  return (Vector)((mask & (IntVector)yes) | (~mask & (IntVector)no));
}

/** The larger; `b` where either is not a number. */
INLINE Vector vector_max(Vector a, Vector b) {
#if defined(WIDE)
  return (Vector)WIDE(max_ps)((Wide)a, (Wide)b);
#else
  return vector_select(a > b, a, b);
#endif
}

INLINE Vector vector_square_root(Vector value) {
#if defined(WIDE)
  return (Vector)WIDE(sqrt_ps)((Wide)value);
#elif defined(VECTOR_NEON)
  return (Vector)vsqrtq_f32((float32x4_t)value);
#elif defined(__SSE2__)
  return (Vector)_mm_sqrt_ps((__m128)value);
#elif defined(__wasm_simd128__)
  return (Vector)__builtin_wasm_sqrt_f32x4(value);
#else
  for (int lane = 0; lane < LANES; lane++) value[lane] = __builtin_sqrtf(value[lane]);
  return value;
#endif
}

/** `quads` times four neighbouring floats, `stride` from one to the next; what is beyond them is not said. */
INLINE Vector vector_of_quads(const float *from, intptr_t stride, const int quads) {
#if defined(VECTOR_AVX512)
  __m512 value = _mm512_castps128_ps512((__m128)quad_load(from));
  if (quads > 1) value = _mm512_insertf32x4(value, (__m128)quad_load(from + stride), 1);
  if (quads > 2) value = _mm512_insertf32x4(value, (__m128)quad_load(from + 2 * stride), 2);
  if (quads > 3) value = _mm512_insertf32x4(value, (__m128)quad_load(from + 3 * stride), 3);
  return (Vector)value;
#elif defined(VECTOR_AVX2)
  const __m256 value = _mm256_castps128_ps256((__m128)quad_load(from));
  return (Vector)(quads > 1 ? _mm256_insertf128_ps(value, (__m128)quad_load(from + stride), 1) : value);
#else
  (void)stride, (void)quads;
  return vector_load_at(from, 0);
#endif
}

/** The first `quads` times four. */
INLINE void vector_store_quads(float *to, const int offset, Vector value, const int quads) {
#if defined(VECTOR_AVX512)
  if (quads == 1) return _mm_storeu_ps(to + offset, _mm512_castps512_ps128((__m512)value));
  if (quads < 4) return _mm512_mask_storeu_ps(to + offset, (__mmask16)((1 << 4 * quads) - 1), (__m512)value);
#elif defined(VECTOR_AVX2)
  if (quads == 1) return _mm_storeu_ps(to + offset, _mm256_castps256_ps128((__m256)value));
#endif
  (void)quads;
  vector_store_at(to, offset, value);
}

/** Of each four lanes: four rows of four become four columns. */
INLINE void vector_transpose(Vector row[4]) {
#if defined(WIDE)
  const Wide a = (Wide)row[0], b = (Wide)row[1], c = (Wide)row[2], d = (Wide)row[3];
  const WideDouble low = (WideDouble)WIDE(unpacklo_ps)(a, b), high = (WideDouble)WIDE(unpackhi_ps)(a, b);
  const WideDouble low2 = (WideDouble)WIDE(unpacklo_ps)(c, d), high2 = (WideDouble)WIDE(unpackhi_ps)(c, d);
  row[0] = (Vector)WIDE(unpacklo_pd)(low, low2);
  row[1] = (Vector)WIDE(unpackhi_pd)(low, low2);
  row[2] = (Vector)WIDE(unpacklo_pd)(high, high2);
  row[3] = (Vector)WIDE(unpackhi_pd)(high, high2);
#elif defined(__SSE2__)
  const __m128 low = _mm_unpacklo_ps((__m128)row[0], (__m128)row[1]), high = _mm_unpackhi_ps((__m128)row[0], (__m128)row[1]);
  const __m128 low2 = _mm_unpacklo_ps((__m128)row[2], (__m128)row[3]), high2 = _mm_unpackhi_ps((__m128)row[2], (__m128)row[3]);
  row[0] = (Vector)_mm_movelh_ps(low, low2);
  row[1] = (Vector)_mm_movehl_ps(low2, low);
  row[2] = (Vector)_mm_movelh_ps(high, high2);
  row[3] = (Vector)_mm_movehl_ps(high2, high);
#elif defined(__clang__) // NEON and WASM; GCC knows the builtin from version 12
  const Quad low = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5), high = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Quad low2 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5), high2 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  row[0] = __builtin_shufflevector(low, low2, 0, 1, 4, 5);
  row[1] = __builtin_shufflevector(low, low2, 2, 3, 6, 7);
  row[2] = __builtin_shufflevector(high, high2, 0, 1, 4, 5);
  row[3] = __builtin_shufflevector(high, high2, 2, 3, 6, 7);
#else
  Quad copy[4] = {row[0], row[1], row[2], row[3]};
  for (int i = 0; i < 4; i++) row[i] = (Quad){copy[0][i], copy[1][i], copy[2][i], copy[3][i]};
#endif
}
