// The linear layer: weights are outputs x inputs, as checkpoints store them. Forward and backward are one matmul each.
// Decoding a few rows and a training batch give a row the same bits: matmul.h says why.
// LoRA is two of these: into a narrow matrix, and back from it, which the call of the layer itself does on top of its own product.
#pragma once
#include "../call.h"
#include "matmul.h"
#include "vector-math.h"

typedef struct {
  int64_t rows, inputs, outputs;
} LinearShape;

static LinearShape take_linear_shape(Call *call) {
  LinearShape shape;
  shape.rows = take_size(call, "rows", 0, INT32_MAX);
  shape.inputs = take_size(call, "inputs", 0, INT32_MAX);
  shape.outputs = take_size(call, "outputs", 0, INT32_MAX);
  return shape;
}

/** A product through `rank` columns that is added to a layer's own: narrow is rows x rank. Rank 0 where there is none. */
typedef struct {
  int64_t rank;
  const float *narrow, *weight;
} LowRank;

static LowRank take_low_rank(Call *call, int64_t rows, int64_t columns) {
  LowRank low = {.rank = take_size(call, "rank", 0, INT32_MAX)};
  const int64_t narrow = call_product(rows, low.rank), weight = call_product(columns, low.rank);
  low.narrow = low.rank > 0 ? take_floats(call, "narrow", narrow) : take_optional_floats(call, "narrow", narrow);
  low.weight = low.rank > 0 ? take_floats(call, "narrowWeight", weight) : take_optional_floats(call, "narrowWeight", weight);
  return low;
}

/** The product and, on top of it, the one of low rank; its weights lie as those of `product` do. */
static void matmul_with(Pool *pool, Matmul product, const LowRank *low) {
  Matmul then = product;
  then.depth = low->rank;
  then.left = low->narrow, then.left_stride = low->rank;
  then.right = low->weight, then.right_stride = product.right_order == BY_COLUMNS ? low->rank : product.columns;
  then.accumulate = true;
  if (low->rank > 0) product.then = &then;
  matmul(pool, &product);
}

typedef struct {
  float *out; // rows x width, or width
  const float *from;
  int64_t rows, width;
  bool accumulate;
} Bias;

enum { BIAS_ROWS = 64, BIAS_COLUMNS = 64 };

static void bias_forward_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Bias *b = context;
  for (int64_t row = index * BIAS_ROWS; row < smaller((index + 1) * BIAS_ROWS, b->rows); row++) {
    float *out = b->out + row * b->width;
    for (int64_t at = 0; at < b->width; at++) out[at] = (b->accumulate ? out[at] : 0) + b->from[at];
  }
}

static void bias_backward_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Bias *b = context;
  const int64_t first = index * BIAS_COLUMNS, end = smaller(first + BIAS_COLUMNS, b->width);
  for (int64_t row = 0; row < b->rows; row++)
    for (int64_t at = first; at < end; at++) b->out[at] += b->from[row * b->width + at];
}

/** out = input weight^T + narrow narrowWeight^T, on top of the bias where there is one, on top of what is there with `accumulate`. */
static void linear_forward(Call *call) {
  const LinearShape s = take_linear_shape(call);
  const bool accumulate = take_flag(call, "accumulate");
  float *out = take_floats(call, "out", call_product(s.rows, s.outputs));
  const float *input = take_floats(call, "input", call_product(s.rows, s.inputs));
  const float *weight = take_floats(call, "weight", call_product(s.outputs, s.inputs));
  const float *bias = take_optional_floats(call, "bias", s.outputs);
  const LowRank low = take_low_rank(call, s.rows, s.outputs);
  if (!call_ready(call, MATMUL_SCRATCH, 0)) return;
  Bias b = {out, bias, s.rows, s.outputs, accumulate};
  if (bias) pool_run(call->pool, bias_forward_task, &b, parts_of(s.rows, BIAS_ROWS));
  const Matmul product = {
      .out = out, .out_stride = s.outputs, .rows = s.rows, .columns = s.outputs, .depth = s.inputs,
      .left = input, .left_stride = s.inputs, .left_order = BY_ROWS,
      .right = weight, .right_stride = s.inputs, .right_order = BY_COLUMNS,
      .accumulate = accumulate || bias,
  };
  matmul_with(call->pool, product, &low);
}

/** inputGradient = outputGradient weight + narrow narrowWeight, or added to it. */
static void linear_backward_input(Call *call) {
  const LinearShape s = take_linear_shape(call);
  const bool accumulate = take_flag(call, "accumulate");
  float *input_gradient = take_floats(call, "inputGradient", call_product(s.rows, s.inputs));
  const float *output_gradient = take_floats(call, "outputGradient", call_product(s.rows, s.outputs));
  const float *weight = take_floats(call, "weight", call_product(s.outputs, s.inputs));
  const LowRank low = take_low_rank(call, s.rows, s.inputs);
  if (!call_ready(call, MATMUL_SCRATCH, 0)) return;
  const Matmul product = {
      .out = input_gradient, .out_stride = s.inputs, .rows = s.rows, .columns = s.inputs, .depth = s.outputs,
      .left = output_gradient, .left_stride = s.outputs, .left_order = BY_ROWS,
      .right = weight, .right_stride = s.inputs, .right_order = BY_ROWS,
      .accumulate = accumulate,
  };
  matmul_with(call->pool, product, &low);
}

/** weightGradient += outputGradient^T input. */
static void linear_backward_weight(Call *call) {
  const LinearShape s = take_linear_shape(call);
  float *weight_gradient = take_floats(call, "weightGradient", call_product(s.outputs, s.inputs));
  const float *output_gradient = take_floats(call, "outputGradient", call_product(s.rows, s.outputs));
  const float *input = take_floats(call, "input", call_product(s.rows, s.inputs));
  if (!call_ready(call, MATMUL_SCRATCH, 0)) return;
  const Matmul product = {
      .out = weight_gradient, .out_stride = s.inputs, .rows = s.outputs, .columns = s.inputs, .depth = s.rows,
      .left = output_gradient, .left_stride = s.outputs, .left_order = BY_COLUMNS,
      .right = input, .right_stride = s.inputs, .right_order = BY_ROWS,
      .accumulate = true,
  };
  matmul(call->pool, &product);
}

/** biasGradient += the sum of the rows of outputGradient, first row first. */
static void linear_backward_bias(Call *call) {
  Bias b = {0};
  b.rows = take_size(call, "rows", 0, INT32_MAX);
  b.width = take_size(call, "outputs", 0, INT32_MAX);
  b.out = take_floats(call, "biasGradient", b.width);
  b.from = take_floats(call, "outputGradient", call_product(b.rows, b.width));
  if (call_ready(call, 0, 0)) pool_run(call->pool, bias_backward_task, &b, parts_of(b.width, BIAS_COLUMNS));
}
