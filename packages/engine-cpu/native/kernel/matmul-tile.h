// The heart: a few rows times one panel of columns, or two, sums kept in registers.
// Invariant that everything rests on: each output is one chain of multiply-adds over the depth, ascending. Neither the number
// of rows computed together nor the place of a column in its vector changes a bit of it.
#pragma once
#include "vector.h"

/** Columns of a panel: depth x PANEL floats, the columns of one depth next to each other. The same on every instruction set. */
enum { PANEL = 16 };

typedef enum {
  TILE_STORE,    // out = sum
  TILE_ADD,      // out = out + sum
  TILE_CONTINUE, // out = the chain that starts at out
} TileMode;

/** What is asked for while a tile is computed, because it is needed next: with each `segment` of the depth `lines`, `stride` apart. */
typedef struct {
  const float *from;
  int64_t segment, lines, stride;
  int64_t step; // from the lines of one segment to those of the next
} Ahead;

typedef struct {
  int64_t depth;     // at least 1
  const float *left; // depth x TILE_ROWS, the rows of one depth next to each other
  const float *right;
  int64_t right_stride; // floats from one depth to the next; PANEL when packed
  int64_t right_apart;  // floats from a panel to the second one, where there are two
  float *out;
  int64_t out_stride;
  Ahead ahead; // no lines unless given
} Tile;

enum { TILE_SUMS = TILE_VECTORS * TILE_PANELS }; // of one row

/** One depth: rows of `left` times the vectors at `right` and a constant offset, added to their sums. */
INLINE void tile_depth(const int rows, const int panels, Vector sum[TILE_AT_ONCE][TILE_SUMS], const float *left, const float *right,
                       const int offset, intptr_t apart) {
  Vector factor[TILE_SUMS];
  UNROLL for (int part = 0; part < TILE_VECTORS; part++) factor[part] = vector_load_at(right, offset + part * LANES);
  UNROLL for (int part = TILE_VECTORS; part < TILE_VECTORS * panels; part++)
    factor[part] = vector_load_at(right + apart, offset + (part - TILE_VECTORS) * LANES);
  UNROLL for (int row = 0; row < rows; row++) {
    const Vector value = vector_splat_at(left, row);
#if defined(__wasm_simd128__)
    UNROLL for (int part = 0; part < TILE_VECTORS; part += 2) {
      Vector first = value * factor[part], second = value * factor[part + 1];
      __asm__ volatile("" : "+r"(first), "+r"(second)); // no sum between them
      sum[row][part] += first;
      sum[row][part + 1] += second;
    }
#else
    UNROLL for (int part = 0; part < TILE_VECTORS * panels; part++) sum[row][part] = vector_multiply_add(value, factor[part], sum[row][part]);
#endif
  }
}

/** `rows` of a tile from `first` on, a constant number of both, at most TILE_AT_ONCE. */
INLINE void tile_rows(const int first, const int rows, const int panels, const int column, const Tile *tile, const TileMode mode) {
  Vector sum[TILE_AT_ONCE][TILE_SUMS];
  float *out = tile->out + first * tile->out_stride + column;
  UNROLL for (int row = 0; row < rows; row++)
    UNROLL for (int part = 0; part < TILE_VECTORS * panels; part++)
      sum[row][part] = mode == TILE_CONTINUE ? vector_load(out + row * tile->out_stride + part * LANES) : vector_splat(0);

  // Ends by address: a counter beside the two pointers costs WASM a twentieth of its speed.
  const float *left = tile->left + first, *right = tile->right + column;
  const intptr_t stride = (intptr_t)tile->right_stride, apart = (intptr_t)tile->right_apart;
#if defined(__wasm_simd128__)
  // V8 looks for interrupts at each turn of a loop: four depths for one look. There is no asking for lines. A packed panel is read at
  // constant offsets; the left side is not, as V8 keeps a register for each offset of a splat.
  const float *const end = left + tile->depth * TILE_ROWS;
#define NEXT_DEPTH(offset, step)                             \
  tile_depth(rows, panels, sum, left, right, offset, apart); \
  left += TILE_ROWS;                                         \
  right += step;                                             \
  if (left == end) break;
  for (; stride == PANEL; right += 4 * PANEL) {
    NEXT_DEPTH(0, 0) NEXT_DEPTH(PANEL, 0) NEXT_DEPTH(2 * PANEL, 0) NEXT_DEPTH(3 * PANEL, 0)
  }
  while (left != end) {
    NEXT_DEPTH(0, stride) NEXT_DEPTH(0, stride) NEXT_DEPTH(0, stride) NEXT_DEPTH(0, stride)
  }
#undef NEXT_DEPTH
#else
  const float *from = tile->ahead.from;
  const int64_t segment = tile->ahead.lines > 0 ? tile->ahead.segment : tile->depth;
  for (int64_t rest = tile->depth; rest > 0; rest -= segment, from += tile->ahead.step) {
    const float *const end = left + (rest < segment ? rest : segment) * TILE_ROWS;
    for (int64_t line = 0; line < tile->ahead.lines; line++) fetch(from + line * tile->ahead.stride);
    for (; left != end; left += TILE_ROWS, right += stride) tile_depth(rows, panels, sum, left, right, 0, apart);
  }
#endif

  UNROLL for (int row = 0; row < rows; row++)
    UNROLL for (int part = 0; part < TILE_VECTORS * panels; part++) {
      float *to = out + row * tile->out_stride + part * LANES;
      vector_store(to, mode == TILE_ADD ? vector_load(to) + sum[row][part] : sum[row][part]);
    }
}

/** All columns of a constant number of rows and panels. */
INLINE void tile_panels(const int rows, const int panels, const Tile *tile, TileMode mode) {
  for (int column = 0; column < PANEL; column += TILE_VECTORS * LANES)
    UNROLL for (int first = 0; first < rows; first += TILE_AT_ONCE) {
      const int here = rows - first < TILE_AT_ONCE ? rows - first : TILE_AT_ONCE;
      if (mode == TILE_STORE) tile_rows(first, here, panels, column, tile, TILE_STORE);
      else if (mode == TILE_ADD) tile_rows(first, here, panels, column, tile, TILE_ADD);
      else tile_rows(first, here, panels, column, tile, TILE_CONTINUE);
    }
}

/** Any number of rows, a constant number of whole panels. */
INLINE void tile_whole(int rows, const int panels, const Tile *tile, TileMode mode) {
  switch (rows) {
    case 1: return tile_panels(1, panels, tile, mode);
    case 2: return tile_panels(2, panels, tile, mode);
    case 3: return tile_panels(3, panels, tile, mode);
    case 4: return tile_panels(4, panels, tile, mode);
#if TILE_ROWS > 4
    case 5: return tile_panels(5, panels, tile, mode);
    case 6: return tile_panels(6, panels, tile, mode);
#endif
#if TILE_ROWS > 6
    case 7: return tile_panels(7, panels, tile, mode);
    case 8: return tile_panels(8, panels, tile, mode);
    case 9: return tile_panels(9, panels, tile, mode);
    case 10: return tile_panels(10, panels, tile, mode);
    case 11: return tile_panels(11, panels, tile, mode);
    case 12: return tile_panels(12, panels, tile, mode);
#endif
  }
}

static void tile_whole_panel(int rows, const Tile *tile, TileMode mode) { tile_whole(rows, 1, tile, mode); }

/** At most TILE_ROWS rows and PANEL columns, or TILE_PANELS whole panels. The right side must be readable for a whole panel, the output
    only for its columns. */
static void multiply_tile(int rows, int columns, const Tile *tile, TileMode mode) {
  if (TILE_PANELS > 1 && columns == TILE_PANELS * PANEL) return tile_whole(rows, TILE_PANELS, tile, mode);
  if (columns == PANEL) return tile_whole_panel(rows, tile, mode);
  float whole[TILE_ROWS * PANEL] = {0};
  Tile aside = *tile;
  aside.out = whole;
  aside.out_stride = PANEL;
  if (mode != TILE_STORE)
    for (int row = 0; row < rows; row++)
      for (int column = 0; column < columns; column++) whole[row * PANEL + column] = tile->out[row * tile->out_stride + column];
  tile_whole_panel(rows, &aside, mode);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) tile->out[row * tile->out_stride + column] = whole[row * PANEL + column];
}
