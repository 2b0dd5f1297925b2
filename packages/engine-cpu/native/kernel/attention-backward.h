// Gradients of attention_forward. One task owns a sequence and a key head: the gradients of its keys and values, and of the queries
// that share them. It recomputes the probabilities from logSum, a block of query tokens at a time, first block first.
#pragma once
#include "attention-forward.h"

typedef struct {
  Heads heads;
  const float *queries, *keys, *values, *out, *log_sum, *output_gradient;
  float *query_gradient, *key_gradient, *value_gradient;
  const int32_t *starts;
} AttentionBackward;

enum { BACKWARD_ROWS = 96 };

INLINE int64_t backward_tokens(const Heads *h) { return larger(1, BACKWARD_ROWS / h->group); }

INLINE int64_t attention_backward_scratch(const Heads *h, int64_t most_keys) {
  const int64_t rows = backward_tokens(h) * h->group;
  return MATMUL_SCRATCH + 3 * rows * h->width + 2 * rows * most_keys + rows;
}

/** The rows of a group's heads of some tokens, next to each other, and back. */
INLINE void gather_heads(const float *from, int64_t token_stride, int64_t tokens, const Heads *h, float *out) {
  const size_t bytes = (size_t)(h->group * h->width) * sizeof(float);
  for (int64_t token = 0; token < tokens; token++) __builtin_memcpy(out + token * h->group * h->width, from + token * token_stride, bytes);
}

/** scores become probabilities, products of gradients and values become gradients of scores. */
static void score_gradients(const Heads *h, int64_t first, int64_t rows, int64_t keys, const float *log_sum, const float *along,
                            float *scores, float *gradients) {
  for (int64_t row = 0; row < rows; row++) {
    const int64_t limit = first + row / h->group + 1;
    const Vector log_sum_of = vector_splat(log_sum[row / h->group * h->heads + row % h->group]), along_of = vector_splat(along[row]);
    float *score = scores + row * keys, *gradient = gradients + row * keys;
    for (int64_t key = 0; key < limit; key += LANES) {
      const int64_t count = smaller(LANES, limit - key);
      const Vector scaled = vector_load_part(score + key, count) * vector_splat(h->scale), probability = vector_exp(scaled - log_sum_of);
      const Vector slope = probability * (vector_load_part(gradient + key, count) - along_of) * vector_splat(h->scale);
      vector_store_part(score + key, probability, count);
      vector_store_part(gradient + key, slope, count);
    }
    for (int64_t key = limit; key < keys; key++) score[key] = gradient[key] = 0;
  }
}

static void attention_backward_task(void *context, int64_t index, float *scratch) {
  const AttentionBackward *a = context;
  const Heads *h = &a->heads;
  const int64_t sequence = index / h->key_heads, head = index % h->key_heads;
  const int64_t start = a->starts[sequence], length = a->starts[sequence + 1] - start, size = backward_tokens(h);
  const int64_t query_stride = h->heads * h->width, key_stride = h->key_heads * h->width;
  const int64_t from_key = start * key_stride + head * h->width;
  const float *keys_of = a->keys + from_key, *values_of = a->values + from_key;
  float *key_gradient = a->key_gradient + from_key, *value_gradient = a->value_gradient + from_key;
  float *queries = scratch + MATMUL_SCRATCH, *gradients = queries + size * h->group * h->width;
  float *query_gradients = gradients + size * h->group * h->width, *along = query_gradients + size * h->group * h->width;
  float *scores = along + size * h->group;

  for (int64_t token = 0; token < length; token++)
    for (int64_t at = 0; at < h->width; at++) key_gradient[token * key_stride + at] = value_gradient[token * key_stride + at] = 0;

  for (int64_t first = 0; first < length; first += size) {
    const int64_t tokens = smaller(size, length - first), rows = tokens * h->group, keys = first + tokens;
    const int64_t from_query = (start + first) * query_stride + head * h->group * h->width;
    float *slopes = scores + rows * keys;
    gather_heads(a->out + from_query, query_stride, tokens, h, queries); // only for `along`, then overwritten
    gather_heads(a->output_gradient + from_query, query_stride, tokens, h, gradients);
    for (int64_t row = 0; row < rows; row++) along[row] = row_dot(queries + row * h->width, gradients + row * h->width, h->width);
    gather_heads(a->queries + from_query, query_stride, tokens, h, queries);

    Matmul product = {.rows = rows, .columns = keys, .depth = h->width, .out_stride = keys, .left_stride = h->width,
                      .left_order = BY_ROWS, .right_stride = key_stride, .right_order = BY_COLUMNS};
    product.out = scores, product.left = queries, product.right = keys_of;
    matmul_part(&product, 0, rows, 0, keys, scratch);
    product.out = slopes, product.left = gradients, product.right = values_of;
    matmul_part(&product, 0, rows, 0, keys, scratch);

    score_gradients(h, first, rows, keys, a->log_sum + (start + first) * h->heads + head * h->group, along, scores, slopes);

    product = (Matmul){.out = query_gradients, .out_stride = h->width, .rows = rows, .columns = h->width, .depth = keys,
                       .left = slopes, .left_stride = keys, .left_order = BY_ROWS,
                       .right = keys_of, .right_stride = key_stride, .right_order = BY_ROWS};
    matmul_part(&product, 0, rows, 0, h->width, scratch);
    for (int64_t token = 0; token < tokens; token++)
      __builtin_memcpy(a->query_gradient + from_query + token * query_stride, query_gradients + token * h->group * h->width,
                       (size_t)(h->group * h->width) * sizeof(float));

    product = (Matmul){.out_stride = key_stride, .rows = keys, .columns = h->width, .depth = rows, .left_stride = keys,
                       .left_order = BY_COLUMNS, .right_stride = h->width, .right_order = BY_ROWS, .accumulate = true};
    product.out = key_gradient, product.left = slopes, product.right = queries;
    matmul_part(&product, 0, keys, 0, h->width, scratch);
    product.out = value_gradient, product.left = scores, product.right = gradients;
    matmul_part(&product, 0, keys, 0, h->width, scratch);
  }
}

/** The three gradients are set, not added to. */
static void attention_backward(Call *call) {
  AttentionBackward a = {.heads = take_heads(call)};
  const Heads *h = &a.heads;
  const int64_t tokens = take_size(call, "tokens", 0, INT32_MAX), sequences = take_size(call, "sequences", 0, INT32_MAX);
  const int64_t query_floats = call_product(tokens, h->heads * h->width), key_floats = call_product(tokens, h->key_heads * h->width);
  a.starts = take_starts(call, "starts", sequences, tokens);
  a.query_gradient = take_floats(call, "queryGradient", query_floats);
  a.key_gradient = take_floats(call, "keyGradient", key_floats);
  a.value_gradient = take_floats(call, "valueGradient", key_floats);
  a.output_gradient = take_floats(call, "outputGradient", query_floats);
  a.out = take_floats(call, "out", query_floats);
  a.log_sum = take_floats(call, "logSum", call_product(tokens, h->heads));
  a.queries = take_floats(call, "queries", query_floats);
  a.keys = take_floats(call, "keys", key_floats);
  a.values = take_floats(call, "values", key_floats);
  if (!call_ready(call, a.starts ? attention_backward_scratch(h, longest(a.starts, sequences)) : 0, 0)) return;
  pool_run(call->pool, attention_backward_task, &a, sequences * h->key_heads);
}
