// Rows by number: embeddings, and picking the positions of a batch that carry a loss.
// Adding back is cut by columns: a row that occurs twice gets its gradients in the order of the batch, on any number of threads.
#pragma once
#include "../call.h"
#include "matmul.h"

typedef struct {
  float *out;
  const float *from;
  const int32_t *index;
  int64_t rows, width;
} Rows;

enum { GATHER_ROWS = 64, SCATTER_COLUMNS = 64 };

static void gather_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Rows *r = context;
  for (int64_t row = index * GATHER_ROWS; row < smaller((index + 1) * GATHER_ROWS, r->rows); row++)
    __builtin_memcpy(r->out + row * r->width, r->from + r->index[row] * r->width, (size_t)r->width * sizeof(float));
}

/** out[i] = table[index[i]] */
static void gather_rows(Call *call) {
  Rows r;
  r.rows = take_size(call, "rows", 0, INT32_MAX);
  r.width = take_size(call, "width", 0, INT32_MAX);
  const int64_t limit = take_size(call, "tableRows", 0, INT32_MAX);
  r.out = take_floats(call, "out", call_product(r.rows, r.width));
  r.from = take_floats(call, "table", call_product(limit, r.width));
  r.index = take_indices(call, "index", r.rows, limit);
  if (call_ready(call, 0, 0)) pool_run(call->pool, gather_task, &r, parts_of(r.rows, GATHER_ROWS));
}

static void scatter_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Rows *r = context;
  const int64_t first = index * SCATTER_COLUMNS, end = smaller(first + SCATTER_COLUMNS, r->width);
  for (int64_t row = 0; row < r->rows; row++) {
    float *out = r->out + r->index[row] * r->width;
    const float *from = r->from + row * r->width;
    for (int64_t at = first; at < end; at++) out[at] += from[at];
  }
}

/** table[index[i]] += input[i] */
static void scatter_rows(Call *call) {
  Rows r;
  r.rows = take_size(call, "rows", 0, INT32_MAX);
  r.width = take_size(call, "width", 0, INT32_MAX);
  const int64_t limit = take_size(call, "tableRows", 0, INT32_MAX);
  r.out = take_floats(call, "table", call_product(limit, r.width));
  r.from = take_floats(call, "input", call_product(r.rows, r.width));
  r.index = take_indices(call, "index", r.rows, limit);
  if (call_ready(call, 0, 0)) pool_run(call->pool, scatter_task, &r, parts_of(r.width, SCATTER_COLUMNS));
}
