// RMSNorm of rows: out = input / sqrt(mean(input^2) + epsilon) * weight. Per-head norms of queries and keys are the same kernel:
// rows = tokens x heads, width = the head's. Each row is one thread's, so a row has the same bits in any batch.
#pragma once
#include "../call.h"
#include "matmul.h"
#include "vector-math.h"

typedef struct {
  float *out, *inverse;
  const float *input, *weight;
  int64_t rows, width;
  float epsilon;
} NormForward;

enum { NORM_ROWS = 64 }; // of one task; also the rows whose weight gradients are summed before they are added up

static void norm_forward_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const NormForward *n = context;
  for (int64_t row = index * NORM_ROWS; row < smaller((index + 1) * NORM_ROWS, n->rows); row++) {
    const float *input = n->input + row * n->width;
    float *out = n->out + row * n->width;
    const float inverse = 1.0f / __builtin_sqrtf(row_dot(input, input, n->width) / (float)n->width + n->epsilon);
    if (n->inverse) n->inverse[row] = inverse;
    for (int64_t at = 0; at < n->width; at++) out[at] = input[at] * inverse * n->weight[at];
  }
}

/** `inverse` keeps 1 / sqrt(...) of each row for the backward pass; out may be the input. */
static void norm_forward(Call *call) {
  NormForward n;
  n.rows = take_size(call, "rows", 0, INT32_MAX);
  n.width = take_size(call, "width", 1, INT32_MAX);
  n.epsilon = take_number(call, "epsilon");
  n.out = take_floats(call, "out", call_product(n.rows, n.width));
  n.inverse = take_optional_floats(call, "inverse", n.rows);
  n.input = take_floats(call, "input", call_product(n.rows, n.width));
  n.weight = take_floats(call, "weight", n.width);
  if (call_ready(call, 0, 0)) pool_run(call->pool, norm_forward_task, &n, parts_of(n.rows, NORM_ROWS));
}

typedef struct {
  float *input_gradient, *partial; // partial: one row of weight gradients per task
  const float *output_gradient, *input, *inverse, *weight;
  int64_t rows, width;
  bool accumulate;
} NormBackward;

static void norm_backward_task(void *context, int64_t index, float *scratch) {
  const NormBackward *n = context;
  float *weighted = scratch;
  float *partial = n->partial ? n->partial + index * n->width : NULL;
  for (int64_t at = 0; partial && at < n->width; at++) partial[at] = 0;
  for (int64_t row = index * NORM_ROWS; row < smaller((index + 1) * NORM_ROWS, n->rows); row++) {
    const float *input = n->input + row * n->width, *output_gradient = n->output_gradient + row * n->width;
    float *input_gradient = n->input_gradient + row * n->width;
    const float inverse = n->inverse[row];
    for (int64_t at = 0; at < n->width; at++) weighted[at] = output_gradient[at] * n->weight[at];
    const float along = row_dot(weighted, input, n->width) * inverse * inverse * inverse / (float)n->width;
    for (int64_t at = 0; partial && at < n->width; at++) partial[at] += output_gradient[at] * (input[at] * inverse);
    if (n->accumulate)
      for (int64_t at = 0; at < n->width; at++) input_gradient[at] += weighted[at] * inverse - input[at] * along;
    else
      for (int64_t at = 0; at < n->width; at++) input_gradient[at] = weighted[at] * inverse - input[at] * along;
  }
}

/** weightGradient += ..., where it is wanted; inputGradient is set, or added to with `accumulate`. */
static void norm_backward(Call *call) {
  NormBackward n = {0};
  n.rows = take_size(call, "rows", 0, INT32_MAX);
  n.width = take_size(call, "width", 1, INT32_MAX);
  n.accumulate = take_flag(call, "accumulate");
  n.input_gradient = take_floats(call, "inputGradient", call_product(n.rows, n.width));
  float *weight_gradient = take_optional_floats(call, "weightGradient", n.width);
  n.output_gradient = take_floats(call, "outputGradient", call_product(n.rows, n.width));
  n.input = take_floats(call, "input", call_product(n.rows, n.width));
  n.inverse = take_floats(call, "inverse", n.rows);
  n.weight = take_floats(call, "weight", n.width);
  const int64_t tasks = parts_of(n.rows, NORM_ROWS);
  if (!call_ready(call, n.width, weight_gradient ? call_product(tasks, n.width) : 0)) return;
  if (weight_gradient) n.partial = pool_shared(call->pool);
  pool_run(call->pool, norm_backward_task, &n, tasks);
  for (int64_t task = 0; weight_gradient && task < tasks; task++)
    for (int64_t at = 0; at < n.width; at++) weight_gradient[at] += n.partial[task * n.width + at];
}
