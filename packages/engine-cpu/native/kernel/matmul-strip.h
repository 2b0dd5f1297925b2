// For very few rows, as in decoding: one row times one panel is a single chain of additions that the processor waits for, so
// several panels go side by side. The chain of each output is the same as in multiply_tile.
#pragma once
#include "matmul-tile.h"

enum { PANEL_VECTORS = PANEL / LANES };

// Sums that are kept at once: enough chains to hide the latency of an addition, few enough for the registers.
#if defined(VECTOR_NEON) || defined(VECTOR_AVX512)
enum { STRIP_SUMS = 16 };
#else
enum { STRIP_SUMS = 8 };
#endif
enum { MOST_PANELS = 8, MOST_ROWS = 3 }; // of any instruction set
enum { STRIP_PANELS = STRIP_SUMS / PANEL_VECTORS > MOST_PANELS ? MOST_PANELS : STRIP_SUMS / PANEL_VECTORS };
enum { STRIP_ROWS = STRIP_SUMS / PANEL_VECTORS / 2 > MOST_ROWS ? MOST_ROWS : STRIP_SUMS / PANEL_VECTORS / 2 };

/** out[row][panel * PANEL + column]; left as for a tile; right[panel], each `right_stride` from one depth to the next. */
typedef struct {
  int64_t depth;
  const float *left;
  const float *const *right;
  int64_t right_stride;
  float *out;
  int64_t out_stride;
} Strip;

INLINE void strip_panels(const int rows, const int panels, const Strip *strip, const TileMode mode) {
  Vector sum[MOST_ROWS][MOST_PANELS][PANEL_VECTORS];
  const float *right[MOST_PANELS];
  UNROLL for (int panel = 0; panel < panels; panel++) right[panel] = strip->right[panel];
  UNROLL for (int row = 0; row < rows; row++)
    UNROLL for (int panel = 0; panel < panels; panel++)
      UNROLL for (int part = 0; part < PANEL_VECTORS; part++) {
        const float *from = strip->out + row * strip->out_stride + panel * PANEL + part * LANES;
        sum[row][panel][part] = mode == TILE_CONTINUE ? vector_load(from) : vector_splat(0);
      }

  const float *left = strip->left;
  for (int64_t at = 0; at < strip->depth; at++) {
    Vector value[MOST_ROWS];
    UNROLL for (int row = 0; row < rows; row++) value[row] = vector_splat(left[row]);
    UNROLL for (int panel = 0; panel < panels; panel++)
      UNROLL for (int part = 0; part < PANEL_VECTORS; part++) {
        const Vector factor = vector_load(right[panel] + at * strip->right_stride + part * LANES);
        UNROLL for (int row = 0; row < rows; row++)
          sum[row][panel][part] = vector_multiply_add(value[row], factor, sum[row][panel][part]);
      }
    left += TILE_ROWS;
  }

  UNROLL for (int row = 0; row < rows; row++)
    UNROLL for (int panel = 0; panel < panels; panel++)
      UNROLL for (int part = 0; part < PANEL_VECTORS; part++) {
        float *to = strip->out + row * strip->out_stride + panel * PANEL + part * LANES;
        vector_store(to, mode == TILE_ADD ? vector_load(to) + sum[row][panel][part] : sum[row][panel][part]);
      }
}

INLINE void strip_mode(const int rows, const int panels, const Strip *strip, TileMode mode) {
  if (mode == TILE_STORE) strip_panels(rows, panels, strip, TILE_STORE);
  else if (mode == TILE_ADD) strip_panels(rows, panels, strip, TILE_ADD);
  else strip_panels(rows, panels, strip, TILE_CONTINUE);
}

/** Panels that go side by side at most. */
INLINE int strip_most(int rows) {
  const int most = rows > STRIP_ROWS ? 1 : STRIP_SUMS / PANEL_VECTORS / rows;
  return most > STRIP_PANELS ? STRIP_PANELS : most;
}

/** 2 to strip_most(rows) panels of a constant number of rows. */
INLINE void strip_few(const int rows, int panels, const Strip *strip, TileMode mode) {
#define STRIP_CASE(count)                                                  \
  case count:                                                              \
    if (count <= strip_most(rows)) strip_mode(rows, count, strip, mode);   \
    return;
  switch (panels) { STRIP_CASE(2) STRIP_CASE(3) STRIP_CASE(4) STRIP_CASE(5) STRIP_CASE(6) STRIP_CASE(7) STRIP_CASE(8) }
#undef STRIP_CASE
}

/** Any number of whole panels and up to TILE_ROWS rows. */
static void multiply_strip(int rows, int64_t panels, const Strip *strip, TileMode mode) {
  Strip rest = *strip;
  while (panels > 0) {
    const int done = panels < strip_most(rows) ? (int)panels : strip_most(rows);
    if (done == 1) {
      const Tile tile = {.depth = rest.depth, .left = rest.left, .right = rest.right[0], .right_stride = rest.right_stride,
                         .out = rest.out, .out_stride = rest.out_stride};
      multiply_tile(rows, PANEL, &tile, mode);
    } else if (rows == 1) strip_few(1, done, &rest, mode);
    else if (rows == 2) strip_few(2, done, &rest, mode);
    else strip_few(3, done, &rest, mode);
    rest.right += done;
    rest.out += done * PANEL;
    panels -= done;
  }
}
