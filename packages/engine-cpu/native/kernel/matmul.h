// out = left right, or out += left right, in the three layouts of a linear layer and its gradients.
// The depth is cut into blocks of DEPTH_BLOCK: each block is one chain (matmul-tile.h), blocks are added in ascending order.
// Rows and columns are cut however it suits caches and threads: that changes no bit of the result.
#pragma once
#include "../pool.h"
#include "matmul-pack.h"
#include "matmul-strip.h"

enum { DEPTH_BLOCK = 256, ROW_BLOCK = 384, COLUMN_BLOCK = 1024 };

typedef enum { BY_ROWS, BY_COLUMNS } Order;

typedef struct Matmul {
  float *out; // rows x columns
  const float *left, *right;
  int64_t rows, columns, depth;
  int64_t out_stride, left_stride, right_stride;
  Order left_order;  // BY_ROWS: rows x depth; BY_COLUMNS: depth x rows
  Order right_order; // BY_ROWS: depth x columns; BY_COLUMNS: columns x depth, as weights are stored
  bool accumulate;
  const struct Matmul *then; // another product of the same rows and columns, added to each block while it is near; may be null
} Matmul;

/** What one thread needs beside its arguments. */
enum { MATMUL_SCRATCH = ROW_BLOCK * DEPTH_BLOCK + DEPTH_BLOCK * TILE_PANELS * PANEL };

INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
/** How many parts of that size there are, the last one perhaps smaller. */
INLINE int64_t parts_of(int64_t value, int64_t part) { return (value + part - 1) / part; }
INLINE int64_t round_up(int64_t value, int64_t multiple) { return parts_of(value, multiple) * multiple; }

static void pack_left(const Matmul *m, int64_t row, int64_t rows, int64_t at, int64_t depth, float *out) {
  if (m->left_order == BY_ROWS) pack_left_rows(m->left + row * m->left_stride + at, m->left_stride, rows, depth, out);
  else pack_left_columns(m->left + at * m->left_stride + row, m->left_stride, rows, depth, out);
}

static void pack_right(const Matmul *m, int64_t column, int64_t columns, int64_t at, int64_t depth, float *out) {
  if (m->right_order == BY_COLUMNS) pack_panel(m->right + column * m->right_stride + at, m->right_stride, columns, depth, out);
  else narrow(m->right + at * m->right_stride + column, m->right_stride, columns, depth, out, PANEL);
}

/** One block of depth of up to STRIP_ROWS rows: several panels at a time, which fit where more rows would be packed. */
static void matmul_few_rows(const Matmul *m, int64_t row, int rows, int64_t at, int64_t depth, int64_t column_from,
                            int64_t column_to, float *scratch) {
  const TileMode mode = at > 0 || m->accumulate ? TILE_ADD : TILE_STORE;
  float *packed_left = scratch, *panels = scratch + TILE_ROWS * DEPTH_BLOCK;
  const float *right[STRIP_PANELS];
  for (int panel = 0; panel < STRIP_PANELS; panel++) right[panel] = panels + panel * depth * PANEL;
  pack_left(m, row, rows, at, depth, packed_left);
  for (int64_t column = column_from; column < column_to; column += STRIP_PANELS * PANEL) {
    const int64_t columns = smaller(STRIP_PANELS * PANEL, column_to - column), whole = columns / PANEL;
    for (int64_t first = 0; first < columns; first += PANEL)
      pack_right(m, column + first, smaller(PANEL, columns - first), at, depth, panels + first * depth);
    float *out = m->out + row * m->out_stride + column;
    const Strip strip = {depth, packed_left, right, PANEL, out, m->out_stride};
    multiply_strip(rows, whole, &strip, mode);
    const Tile tail = {.depth = depth, .left = packed_left, .right = panels + whole * depth * PANEL, .right_stride = PANEL,
                       .out = out + whole * PANEL, .out_stride = m->out_stride};
    if (columns % PANEL != 0) multiply_tile(rows, (int)(columns % PANEL), &tail, mode);
  }
}

/** Pieces `piece` to piece + count - 1 of a panel of the right side as it lies in memory: columns of `depth` floats, or rows of PANEL.
    Few lines at once, many spread over the tile: the processor has room for some twenty on their way. */
INLINE Ahead ahead_of(const Matmul *m, int64_t column, int64_t at, int64_t depth, int64_t piece, int64_t count) {
  enum { SEGMENT = 16 };
  if (count <= 0) return (Ahead){0};
  if (m->right_order == BY_COLUMNS) {
    const float *from = m->right + (column + piece) * m->right_stride + at;
    if (count == 1) return (Ahead){from, depth, parts_of(depth, LINE), LINE, 0};
    return (Ahead){from, LINE, count, m->right_stride, LINE};
  }
  const float *from = m->right + (at + piece) * m->right_stride + column;
  if (count <= SEGMENT) return (Ahead){from, depth, count, m->right_stride, 0};
  const int64_t lines = parts_of(count, parts_of(depth, SEGMENT));
  return (Ahead){from, SEGMENT, lines, m->right_stride, lines * m->right_stride};
}

/** The columns of the tiles that start at `column`. */
INLINE int64_t tile_columns(int64_t column, int64_t column_to) {
  return column_to - column >= TILE_PANELS * PANEL ? TILE_PANELS * PANEL : larger(0, smaller(PANEL, column_to - column));
}

/** One block of depth of up to ROW_BLOCK rows: packed rows stay in the second cache, the panels of a tile in the first. */
static void matmul_rows(const Matmul *m, int64_t first, int64_t rows, int64_t at, int64_t depth, int64_t column_from,
                        int64_t column_to, float *scratch) {
  const TileMode mode = at > 0 || m->accumulate ? TILE_ADD : TILE_STORE;
  float *packed_left = scratch, *panels = scratch + ROW_BLOCK * DEPTH_BLOCK;
  pack_left(m, first, rows, at, depth, packed_left);
  for (int64_t column = column_from, columns; column < column_to; column += columns) {
    columns = tile_columns(column, column_to);
    for (int64_t packed = 0; packed < columns; packed += PANEL)
      pack_right(m, column + packed, smaller(PANEL, columns - packed), at, depth, panels + packed * depth);
    // What comes next is on its way while tiles work on this, a part with each: with few rows, weights come from far.
    const int64_t next = column + columns, after = tile_columns(next, column_to);
    const int64_t pieces = m->right_order == BY_COLUMNS || after == 0 ? after : depth, share = parts_of(pieces * TILE_ROWS, rows);
    for (int64_t row = 0, piece = 0; row < rows; row += TILE_ROWS, piece += share) {
      const Tile tile = {.depth = depth, .left = packed_left + row * depth,
                         .right = panels, .right_stride = PANEL, .right_apart = depth * PANEL,
                         .out = m->out + (first + row) * m->out_stride + column, .out_stride = m->out_stride,
                         .ahead = ahead_of(m, next, at, depth, piece, smaller(share, pieces - piece))};
      multiply_tile((int)smaller(TILE_ROWS, rows - row), (int)columns, &tile, mode);
    }
  }
}

/** A block of rows and columns: all depths, while it is near. */
static void matmul_block(const Matmul *m, int64_t first, int64_t rows, int64_t column_from, int64_t column_to, float *scratch) {
  for (int64_t at = 0; at < m->depth; at += DEPTH_BLOCK) {
    const int64_t depth = smaller(DEPTH_BLOCK, m->depth - at);
    if (rows <= STRIP_ROWS) matmul_few_rows(m, first, (int)rows, at, depth, column_from, column_to, scratch);
    else matmul_rows(m, first, rows, at, depth, column_from, column_to, scratch);
  }
  if (m->then) matmul_block(m->then, first, rows, column_from, column_to, scratch);
}

/** Rows of a block: about the same for all, since a small one is hardly worth its packed panels. */
INLINE int64_t block_rows(int64_t rows) {
  return round_up(parts_of(rows, parts_of(rows, ROW_BLOCK)), TILE_ROWS);
}

/** A rectangle of the output on this thread. */
static void matmul_part(const Matmul *m, int64_t row_from, int64_t row_to, int64_t column_from, int64_t column_to, float *scratch) {
  if (m->depth == 0 && !m->accumulate)
    for (int64_t row = row_from; row < row_to; row++)
      for (int64_t column = column_from; column < column_to; column++) m->out[row * m->out_stride + column] = 0;
  const int64_t rows = block_rows(row_to - row_from);
  for (int64_t row = row_from; row < row_to; row += rows)
    for (int64_t column = column_from; column < column_to; column += COLUMN_BLOCK)
      matmul_block(m, row, smaller(rows, row_to - row), column, smaller(column + COLUMN_BLOCK, column_to), scratch);
}

typedef struct {
  const Matmul *matmul;
  int64_t rows, columns; // of one part
  int64_t across;        // parts beside each other
} MatmulParts;

static void matmul_task(void *context, int64_t index, float *scratch) {
  const MatmulParts *parts = context;
  const Matmul *m = parts->matmul;
  const int64_t row = index / parts->across * parts->rows, column = index % parts->across * parts->columns;
  matmul_part(m, row, smaller(row + parts->rows, m->rows), column, smaller(column + parts->columns, m->columns), scratch);
}

/** On all threads of the pool; each must have MATMUL_SCRATCH floats reserved. */
static void matmul(Pool *pool, const Matmul *m) {
  enum { WORTH_SHARING = 1 << 18, PARTS_PER_THREAD = 4, FEW_PARTS_PER_THREAD = 2, NARROWEST = 128, LOWEST = 24 };
  if (m->rows == 0 || m->columns == 0) return;
  const int64_t threads = (double)m->rows * (double)m->columns * (double)m->depth < WORTH_SHARING ? 1 : pool_threads(pool);
  MatmulParts parts = {m, m->rows, m->columns, 1};
  if (threads > 1) {
    parts.rows = block_rows(m->rows);
    const int64_t wanted = parts_of(threads * PARTS_PER_THREAD, parts_of(m->rows, parts.rows));
    parts.columns = larger(round_up(parts_of(m->columns, wanted), TILE_PANELS * PANEL), NARROWEST);
    parts.across = parts_of(m->columns, parts.columns);
    // Where there are hardly any columns, as with a low rank, rows are shared.
    const int64_t few = larger(round_up(parts_of(m->rows * parts.across, threads * FEW_PARTS_PER_THREAD), TILE_ROWS), LOWEST);
    parts.rows = smaller(parts.rows, few);
  }
  pool_run(pool, matmul_task, &parts, parts.across * parts_of(m->rows, parts.rows));
}
