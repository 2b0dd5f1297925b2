// From hidden states to logprobs of given tokens and back, without ever holding all logits: a block of rows times a block of the
// vocabulary at a time. Backward computes the logits again; that costs one more matmul and saves rows x vocabulary floats.
#pragma once
#include "../call.h"
#include "elementwise.h"
#include "linear.h"
#include "loss-rows.h"

enum { LOSS_ROWS = 1024 }; // of one block; a multiple of DEPTH_BLOCK, as VOCABULARY_BLOCK is

typedef struct {
  int64_t rows, width, vocabulary;
  const float *hidden, *weight, *temperature;
  LowRank low; // an adapter of the output layer
  const int32_t *targets;
  float *logprob, *log_sum;
  const float *slope;
  // The block at work:
  float *logits;
  LogSoftmax *state;
  int64_t first_row, block_rows, first_column, block_columns;
} Loss;

enum { LOSS_SCAN_ROWS = 8, LOSS_STATE = sizeof(LogSoftmax) / sizeof(float) };

static Loss take_loss(Call *call) {
  Loss loss = {0};
  loss.rows = take_size(call, "rows", 0, INT32_MAX);
  loss.width = take_size(call, "width", 0, INT32_MAX);
  loss.vocabulary = take_size(call, "vocabulary", 1, INT32_MAX);
  loss.hidden = take_floats(call, "hidden", call_product(loss.rows, loss.width));
  loss.weight = take_floats(call, "weight", call_product(loss.vocabulary, loss.width));
  loss.targets = take_indices(call, "targets", loss.rows, loss.vocabulary);
  loss.temperature = take_positive(call, "temperature", loss.rows);
  loss.low = take_low_rank(call, loss.rows, loss.vocabulary);
  return loss;
}

static bool loss_ready(Call *call, Loss *loss) {
  const int64_t logits = smaller(loss->rows, LOSS_ROWS) * smaller(loss->vocabulary, VOCABULARY_BLOCK);
  if (!call_ready(call, MATMUL_SCRATCH, round_up(logits, CHAINS) + smaller(loss->rows, LOSS_ROWS) * LOSS_STATE)) return false;
  loss->logits = pool_shared(call->pool);
  loss->state = (LogSoftmax *)(loss->logits + round_up(logits, CHAINS));
  return true;
}

static void loss_logits(Pool *pool, const Loss *loss) {
  const Matmul product = {
      .out = loss->logits, .out_stride = loss->block_columns,
      .rows = loss->block_rows, .columns = loss->block_columns, .depth = loss->width,
      .left = loss->hidden + loss->first_row * loss->width, .left_stride = loss->width, .left_order = BY_ROWS,
      .right = loss->weight + loss->first_column * loss->width, .right_stride = loss->width, .right_order = BY_COLUMNS,
  };
  LowRank low = loss->low;
  if (low.rank > 0) low.narrow += loss->first_row * low.rank, low.weight += loss->first_column * low.rank;
  matmul_with(pool, product, &low);
}

INLINE int64_t scan_tasks(const Loss *loss) { return parts_of(loss->block_rows, LOSS_SCAN_ROWS); }

static void loss_forward_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Loss *loss = context;
  for (int64_t at = index * LOSS_SCAN_ROWS; at < smaller((index + 1) * LOSS_SCAN_ROWS, loss->block_rows); at++) {
    const int64_t row = loss->first_row + at;
    const float inverse_temperature = 1.0f / loss->temperature[row];
    if (loss->first_column == 0) loss->state[at] = log_softmax_start;
    log_softmax_block(&loss->state[at], loss->logits + at * loss->block_columns, loss->first_column, loss->block_columns,
                      loss->targets[row], inverse_temperature);
    if (loss->first_column + loss->block_columns < loss->vocabulary) continue;
    loss->logprob[row] = log_softmax_logprob(&loss->state[at], inverse_temperature);
    if (loss->log_sum) loss->log_sum[row] = (float)log_softmax_sum(&loss->state[at], inverse_temperature);
  }
}

/** logprob[i] = log softmax((hidden[i] weight^T + narrow[i] narrowWeight^T) / temperature[i])[targets[i]]; logSum keeps what the backward pass needs. */
static void loss_forward(Call *call) {
  Loss loss = take_loss(call);
  loss.logprob = take_floats(call, "logprob", loss.rows);
  loss.log_sum = take_optional_floats(call, "logSum", loss.rows);
  if (!loss_ready(call, &loss)) return;
  for (loss.first_row = 0; loss.first_row < loss.rows; loss.first_row += LOSS_ROWS) {
    loss.block_rows = smaller(LOSS_ROWS, loss.rows - loss.first_row);
    for (loss.first_column = 0; loss.first_column < loss.vocabulary; loss.first_column += VOCABULARY_BLOCK) {
      loss.block_columns = smaller(VOCABULARY_BLOCK, loss.vocabulary - loss.first_column);
      loss_logits(call->pool, &loss);
      pool_run(call->pool, loss_forward_task, &loss, scan_tasks(&loss));
    }
  }
}

static void loss_backward_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Loss *loss = context;
  for (int64_t at = index * LOSS_SCAN_ROWS; at < smaller((index + 1) * LOSS_SCAN_ROWS, loss->block_rows); at++) {
    const int64_t row = loss->first_row + at;
    logit_gradients(loss->logits + at * loss->block_columns, loss->first_column, loss->block_columns, loss->targets[row],
                    1.0f / loss->temperature[row], loss->log_sum[row], loss->slope[row]);
  }
}

/** The gradients of the output layer's block at work: of `wide` columns of input, which are set at the first block of the vocabulary and
    added to after it, and of its weights, where they are wanted. */
static void loss_layer_gradients(Pool *pool, const Loss *loss, int64_t wide, const float *input, const float *weight, float *input_gradient,
                                 float *weight_gradient) {
  const Matmul to_input = {
      .out = input_gradient + loss->first_row * wide, .out_stride = wide,
      .rows = loss->block_rows, .columns = wide, .depth = loss->block_columns,
      .left = loss->logits, .left_stride = loss->block_columns, .left_order = BY_ROWS,
      .right = weight + loss->first_column * wide, .right_stride = wide, .right_order = BY_ROWS,
      .accumulate = loss->first_column > 0,
  };
  matmul(pool, &to_input);
  if (weight_gradient == NULL) return;
  const Matmul to_weight = {
      .out = weight_gradient + loss->first_column * wide, .out_stride = wide,
      .rows = loss->block_columns, .columns = wide, .depth = loss->block_rows,
      .left = loss->logits, .left_stride = loss->block_columns, .left_order = BY_COLUMNS,
      .right = input + loss->first_row * wide, .right_stride = wide, .right_order = BY_ROWS,
      .accumulate = true,
  };
  matmul(pool, &to_weight);
}

/** hiddenGradient and narrowGradient are set; weightGradient and narrowWeightGradient, where they are wanted, are added to.
    slope[i] = d loss / d logprob[i]. What narrow was made from hidden by is the caller's. */
static void loss_backward(Call *call) {
  Loss loss = take_loss(call);
  const int64_t rank = loss.low.rank;
  loss.log_sum = take_floats(call, "logSum", loss.rows);
  loss.slope = take_floats(call, "slope", loss.rows);
  float *hidden_gradient = take_floats(call, "hiddenGradient", call_product(loss.rows, loss.width));
  float *weight_gradient = take_optional_floats(call, "weightGradient", call_product(loss.vocabulary, loss.width));
  const int64_t narrow = call_product(loss.rows, rank);
  float *narrow_gradient = rank > 0 ? take_floats(call, "narrowGradient", narrow) : take_optional_floats(call, "narrowGradient", narrow);
  float *narrow_weight_gradient = take_optional_floats(call, "narrowWeightGradient", call_product(loss.vocabulary, rank));
  if (!loss_ready(call, &loss)) return;
  for (loss.first_row = 0; loss.first_row < loss.rows; loss.first_row += LOSS_ROWS) {
    loss.block_rows = smaller(LOSS_ROWS, loss.rows - loss.first_row);
    for (loss.first_column = 0; loss.first_column < loss.vocabulary; loss.first_column += VOCABULARY_BLOCK) {
      loss.block_columns = smaller(VOCABULARY_BLOCK, loss.vocabulary - loss.first_column);
      loss_logits(call->pool, &loss);
      pool_run(call->pool, loss_backward_task, &loss, scan_tasks(&loss));
      loss_layer_gradients(call->pool, &loss, loss.width, loss.hidden, loss.weight, hidden_gradient, weight_gradient);
      if (rank > 0)
        loss_layer_gradients(call->pool, &loss, rank, loss.low.narrow, loss.low.weight, narrow_gradient, narrow_weight_gradient);
    }
  }
}

typedef struct {
  int64_t rows, vocabulary;
  float *logits, *logprob, *log_sum;
  const float *temperature, *slope;
  const int32_t *targets;
} LogitRows;

static void logits_logprob_task(void *context, int64_t row, float *scratch) {
  (void)scratch;
  const LogitRows *l = context;
  const float inverse_temperature = 1.0f / l->temperature[row];
  LogSoftmax state = log_softmax_start;
  for (int64_t first = 0; first < l->vocabulary; first += VOCABULARY_BLOCK) {
    const int64_t count = smaller(VOCABULARY_BLOCK, l->vocabulary - first);
    log_softmax_block(&state, l->logits + row * l->vocabulary + first, first, count, l->targets[row], inverse_temperature);
  }
  l->logprob[row] = log_softmax_logprob(&state, inverse_temperature);
  if (l->log_sum) l->log_sum[row] = (float)log_softmax_sum(&state, inverse_temperature);
}

static LogitRows take_logit_rows(Call *call) {
  LogitRows l = {0};
  l.rows = take_size(call, "rows", 0, INT32_MAX);
  l.vocabulary = take_size(call, "vocabulary", 1, INT32_MAX);
  l.logits = take_floats(call, "logits", call_product(l.rows, l.vocabulary));
  l.targets = take_indices(call, "targets", l.rows, l.vocabulary);
  l.temperature = take_positive(call, "temperature", l.rows);
  return l;
}

/** The same logprobs from logits that are there already: the sampler's path. */
static void logits_logprob(Call *call) {
  LogitRows l = take_logit_rows(call);
  l.logprob = take_floats(call, "logprob", l.rows);
  l.log_sum = take_optional_floats(call, "logSum", l.rows);
  if (call_ready(call, 0, 0)) pool_run(call->pool, logits_logprob_task, &l, l.rows);
}

static void logits_backward_task(void *context, int64_t row, float *scratch) {
  (void)scratch;
  const LogitRows *l = context;
  logit_gradients(l->logits + row * l->vocabulary, 0, l->vocabulary, l->targets[row], 1.0f / l->temperature[row], l->log_sum[row],
                  l->slope[row]);
}

/** Logits become their gradients, in place: the backward pass for whoever has room for the logits of its rows. */
static void logits_backward(Call *call) {
  LogitRows l = take_logit_rows(call);
  l.log_sum = take_floats(call, "logSum", l.rows);
  l.slope = take_floats(call, "slope", l.rows);
  if (call_ready(call, 0, 0)) pool_run(call->pool, logits_backward_task, &l, l.rows);
}
