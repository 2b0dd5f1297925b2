// Copies blocks of matrices into the order in which tiles read them: the left side interleaved by TILE_ROWS rows, the right
// side by PANEL columns. A matrix may be stored by rows or by columns of the product. Columns beyond the matrix become zero; rows
// beyond it are left as they are, because a tile reads only the rows it has.
#pragma once
#include "matmul-tile.h"

/** Fewer than four vectors, one by one. */
INLINE void interleave_few(const float *from, int64_t stride, int64_t count, int64_t depth, float *out, const int width) {
  for (int64_t lane = 0; lane < count; lane++)
    for (int64_t at = 0; at < depth; at++) out[at * width + lane] = from[lane * stride + at];
}

/** Four vectors for each of `quads`, as many as lanes allow. */
INLINE void interleave_quads(const float *from, intptr_t stride, const int quads, int64_t depth, float *out, const int width) {
  const float *row[4] = {from, from + stride, from + 2 * stride, from + 3 * stride}, *const end = from + depth / 4 * 4;
  for (; row[0] != end; out += 4 * width) {
    Vector part[4];
    UNROLL for (int lane = 0; lane < 4; lane++) part[lane] = vector_of_quads(row[lane], 4 * stride, quads), row[lane] += 4;
    vector_transpose(part);
    UNROLL for (int step = 0; step < 4; step++) vector_store_quads(out, step * width, part[step], quads);
  }
  for (int64_t at = 0; at < depth % 4; at++)
    for (int lane = 0; lane < 4 * quads; lane++) out[at * width + lane] = end[lane * stride + at];
}

/** `count` vectors of `depth` floats, `stride` apart, interleaved: out[at * width + vector]. */
INLINE void interleave(const float *from, int64_t stride, int64_t count, int64_t depth, float *out, const int width) {
  int64_t first = 0;
#define INTERLEAVE_QUADS(quads)                                                                                        \
  for (; (quads) <= LANES / 4 && first + 4 * (quads) <= count; first += 4 * (quads))                                   \
    interleave_quads(from + first * stride, (intptr_t)stride, quads, depth, out + first, width);
  INTERLEAVE_QUADS(4) INTERLEAVE_QUADS(3) INTERLEAVE_QUADS(2) INTERLEAVE_QUADS(1)
#undef INTERLEAVE_QUADS
  interleave_few(from + first * stride, stride, count - first, depth, out + first, width);
}

/** A panel of `count` columns, each stored as a vector of `depth` floats. */
static void pack_panel(const float *from, int64_t stride, int64_t count, int64_t depth, float *out) {
  if (count < PANEL) __builtin_memset(out, 0, (size_t)(depth * PANEL) * sizeof(float));
  interleave(from, stride, count < PANEL ? count : PANEL, depth, out, PANEL);
}

/** A constant few floats. Not memcpy: in WASM that is a call, whatever the size. */
INLINE void copy_few(float *to, const float *from, const int count) {
  const int whole = count / LANES * LANES, quads = count / 4 * 4;
  UNROLL for (int at = 0; at < whole; at += LANES) vector_store_at(to, at, vector_load_at(from, at));
  UNROLL for (int at = whole; at < quads; at += 4) quad_store_at(to, at, quad_load_at(from, at));
  UNROLL for (int at = quads; at < count; at++) to[at] = from[at];
}

/** `depth` rows of `count` neighbouring floats, `stride` apart: out[at * width + column]. Columns up to `width` become zero. */
INLINE void narrow(const float *from, int64_t stride, int64_t count, int64_t depth, float *out, const int width) {
  if (count >= width) {
    for (const float *const end = out + depth * width; out != end; out += width, from += (intptr_t)stride) copy_few(out, from, width);
    return;
  }
  for (int64_t at = 0; at < depth; at++)
    for (int64_t column = 0; column < width; column++) out[at * width + column] = column < count ? from[at * stride + column] : 0;
}

/** Rows of the left side, stored row by row; group after group of TILE_ROWS. */
static void pack_left_rows(const float *from, int64_t stride, int64_t rows, int64_t depth, float *out) {
  for (int64_t row = 0; row < rows; row += TILE_ROWS)
    interleave(from + row * stride, stride, rows - row < TILE_ROWS ? rows - row : TILE_ROWS, depth, out + row * depth, TILE_ROWS);
}

/** Rows of the left side, stored as columns: from[at * stride + row]. Depth outermost: strides of a power of two evict each other. */
static void pack_left_columns(const float *from, int64_t stride, int64_t rows, int64_t depth, float *out) {
  const int64_t whole = rows - rows % TILE_ROWS;
  const intptr_t group = (intptr_t)depth * TILE_ROWS;
  for (int64_t at = 0; at < depth; at++) {
    const float *next = from + at * stride, *const end = next + whole;
    for (float *to = out + at * TILE_ROWS; next != end; next += TILE_ROWS, to += group) copy_few(to, next, TILE_ROWS);
  }
  if (whole < rows) narrow(from + whole, stride, rows - whole, depth, out + whole * depth, TILE_ROWS);
}
