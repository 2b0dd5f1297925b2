// From a row of logits to one token and its logprobs. Noise comes from outside; everything runs in one order over the vocabulary,
// so a row's token does not depend on other rows or on threads. Logprobs are the loss's own, before any truncation.
#pragma once
#include "loss.h"

typedef struct {
  int64_t rows, vocabulary;
  const float *logits, *temperature, *truncation;
  const int32_t *noise;
  int32_t *tokens;
  float *logprob, *untempered;
} Sampling;

/** What remains of a distribution, in this order: the top_k likeliest, of these the fewest that reach top_p, of these those of at
    least min_p times the likeliest. */
typedef struct {
  int64_t top_k;
  float top_p, min_p;
} Truncation;

INLINE int64_t vocabulary_blocks(int64_t vocabulary) { return parts_of(vocabulary, VOCABULARY_BLOCK); }
INLINE int64_t block_count(int64_t vocabulary, int64_t first) { return smaller(VOCABULARY_BLOCK, vocabulary - first); }

/** The log softmax of a row without a target; with `seen` also the state after each block. */
INLINE LogSoftmax scan_row(const float *row, int64_t vocabulary, float inverse_temperature, LogSoftmax *seen) {
  LogSoftmax state = log_softmax_start;
  for (int64_t first = 0; first < vocabulary; first += VOCABULARY_BLOCK) {
    log_softmax_block(&state, row + first, first, block_count(vocabulary, first), -1, inverse_temperature);
    if (seen) seen[first / VOCABULARY_BLOCK] = state;
  }
  return state;
}

/** The first of the likeliest tokens; 0 in a row of which no logit is a number. */
static int64_t pick_likeliest(const float *row, int64_t vocabulary, const LogSoftmax *seen) {
  const float most = seen[vocabulary_blocks(vocabulary) - 1].most;
  int64_t token = 0;
  while (token + VOCABULARY_BLOCK < vocabulary && seen[token / VOCABULARY_BLOCK].most != most) token += VOCABULARY_BLOCK;
  for (; token < vocabulary; token++)
    if (row[token] == most) return token;
  return 0;
}

/** The weight of all tokens up to the end of a block; the likeliest of the whole row weighs 1. */
INLINE double weight_until(const LogSoftmax *seen, float most, float inverse_temperature) {
  return seen->most == most ? seen->sum : seen->sum * (double)scalar_exp((seen->most - most) * inverse_temperature);
}

/** The token at which the weights, summed from token 0, pass `part` of their sum. `weights` has room for a block. */
static int64_t pick_from_all(const float *row, int64_t vocabulary, const LogSoftmax *seen, float inverse_temperature, double part,
                             float *weights) {
  const int64_t last = vocabulary_blocks(vocabulary) - 1;
  const float most = seen[last].most;
  const double mark = part * seen[last].sum;
  int64_t block = 0, chosen = -1;
  double sum = 0;
  for (; block < last; block++) {
    const double until = weight_until(&seen[block], most, inverse_temperature);
    if (until > mark) break;
    sum = until;
  }
  const int64_t first = block * VOCABULARY_BLOCK, count = block_count(vocabulary, first);
  row_exp_sum(row + first, count, most, inverse_temperature, weights);
  for (int64_t at = 0; at < count; at++) {
    if (!(weights[at] > 0)) continue;
    chosen = first + at; // kept where rounding leaves the sum below the mark
    sum += (double)weights[at];
    if (sum > mark) break;
  }
  return chosen >= 0 ? chosen : pick_likeliest(row, vocabulary, seen);
}

INLINE bool is_likelier(const float *row, int32_t a, int32_t b) { return row[a] > row[b] || (row[a] == row[b] && a < b); }

/** order[0] to order[count - 1] are a heap, the likeliest first, but for `at`. */
static void heap_sink(const float *row, int32_t *order, int64_t count, int64_t at) {
  const int32_t token = order[at];
  for (int64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_likelier(row, order[child + 1], order[child])) child++;
    if (!is_likelier(row, order[child], token)) break;
    order[at] = order[child];
  }
  order[at] = token;
}

/** Moves the likeliest of the `count` in the heap behind the others and returns it. */
static int32_t heap_take(const float *row, int32_t *order, int64_t count) {
  const int32_t token = order[0];
  order[0] = order[count - 1];
  order[count - 1] = token;
  heap_sink(row, order, count - 1, 0);
  return token;
}

/** As pick_from_all over the tokens that remain, the likeliest first. `weights` and `order` have room for a row. */
static int64_t pick_from_top(const float *row, int64_t vocabulary, float most, float inverse_temperature, const Truncation *limits,
                             double part, float *weights, int32_t *order) {
  double total = 0;
  for (int64_t first = 0; first < vocabulary; first += VOCABULARY_BLOCK)
    total += (double)row_exp_sum(row + first, block_count(vocabulary, first), most, inverse_temperature, weights + first);
  for (int64_t at = 0; at < vocabulary; at++) order[at] = (int32_t)at;
  for (int64_t at = vocabulary / 2 - 1; at >= 0; at--) heap_sink(row, order, vocabulary, at);
  int64_t in_heap = vocabulary, kept = 0;
  if (limits->top_k < vocabulary)
    for (total = 0; vocabulary - in_heap < limits->top_k; in_heap--) total += (double)weights[heap_take(row, order, in_heap)];
  double mass = 0;
  for (; kept < limits->top_k; kept++) {
    if (kept > 0 && limits->top_p < 1 && mass >= (double)limits->top_p * total) break;
    if (vocabulary - in_heap == kept) heap_take(row, order, in_heap--);
    const float weight = weights[order[vocabulary - 1 - kept]];
    if (kept > 0 && weight < limits->min_p) break;
    mass += (double)weight;
  }
  int64_t chosen = order[vocabulary - 1];
  double sum = 0;
  for (int64_t at = 0; at < kept; at++) {
    const int32_t token = order[vocabulary - 1 - at];
    if (!(weights[token] > 0)) continue;
    chosen = token;
    sum += (double)weights[token];
    if (sum > part * mass) break;
  }
  return chosen;
}

INLINE Truncation truncation_of(const Sampling *s, int64_t row) {
  if (s->truncation == NULL) return (Truncation){s->vocabulary, 1, 0};
  const float *limits = s->truncation + row * 3;
  const bool is_all = limits[0] == 0 || limits[0] >= (float)s->vocabulary;
  return (Truncation){is_all ? s->vocabulary : (int64_t)limits[0], limits[1], limits[2]};
}

static void sample_task(void *context, int64_t index, float *scratch) {
  const Sampling *s = context;
  const float *row = s->logits + index * s->vocabulary, temperature = s->temperature[index];
  const float inverse_temperature = temperature > 0 ? 1.0f / temperature : 1.0f;
  LogSoftmax *seen = (LogSoftmax *)scratch;
  float *weights = scratch + round_up(vocabulary_blocks(s->vocabulary) * LOSS_STATE, CHAINS);
  LogSoftmax state = scan_row(row, s->vocabulary, inverse_temperature, seen);
  const double part = ((double)((uint32_t)s->noise[2 * index] >> 5) * 67108864.0 + (double)((uint32_t)s->noise[2 * index + 1] >> 6)) /
                      9007199254740992.0; // 27 and 26 bits of 2^53
  const Truncation limits = truncation_of(s, index);
  int64_t token;
  if (!(temperature > 0))
    token = pick_likeliest(row, s->vocabulary, seen);
  else if (limits.top_k < s->vocabulary || limits.top_p < 1 || limits.min_p > 0)
    token = pick_from_top(row, s->vocabulary, state.most, inverse_temperature, &limits, part, weights,
                          (int32_t *)(weights + round_up(s->vocabulary, CHAINS)));
  else
    token = pick_from_all(row, s->vocabulary, seen, inverse_temperature, part, weights);
  s->tokens[index] = (int32_t)token;
  state.target = row[token];
  s->logprob[index] = s->untempered[index] = log_softmax_logprob(&state, inverse_temperature);
  if (inverse_temperature == 1.0f) return;
  LogSoftmax plain = scan_row(row, s->vocabulary, 1.0f, NULL);
  plain.target = row[token];
  s->untempered[index] = log_softmax_logprob(&plain, 1.0f);
}

/** True where every row asks for something that there is. */
static bool check_sampling(Call *call, const Sampling *s) {
  for (int64_t row = 0; row < s->rows; row++) {
    if (!(s->temperature[row] >= 0)) call_refuse(call, "temperature", s->temperature[row]);
    if (s->truncation == NULL) continue;
    const float *limits = s->truncation + row * 3;
    if (!(limits[0] >= 0)) call_refuse(call, "truncation", limits[0]);
    if (limits[0] < (float)s->vocabulary && limits[0] != (float)(int64_t)limits[0]) call_refuse(call, "truncation", limits[0]);
    if (!(limits[1] > 0 && limits[1] <= 1)) call_refuse(call, "truncation", limits[1]);
    if (!(limits[2] >= 0 && limits[2] <= 1)) call_refuse(call, "truncation", limits[2]);
  }
  return call->problem == PROBLEM_NONE;
}

/** tokens[i] from softmax(logits[i] / temperature[i]) by noise[i], its logprob there and at temperature 1. Temperature 0 takes the
    likeliest, with the logprob of temperature 1. truncation[i] is top-k (0: all), top-p (1: all), min-p (0: all). */
static void sample_tokens(Call *call) {
  Sampling s = {.rows = take_size(call, "rows", 0, INT32_MAX)};
  s.vocabulary = take_size(call, "vocabulary", 1, INT32_MAX);
  s.logits = take_floats(call, "logits", call_product(s.rows, s.vocabulary));
  s.temperature = take_floats(call, "temperature", s.rows);
  s.noise = take_ints(call, "noise", s.rows * 2);
  s.truncation = take_optional_floats(call, "truncation", s.rows * 3);
  s.tokens = take_ints(call, "tokens", s.rows);
  s.logprob = take_floats(call, "logprob", s.rows);
  s.untempered = take_floats(call, "untempered", s.rows);
  if (call->problem != PROBLEM_NONE || !check_sampling(call, &s)) return;
  const int64_t weights = s.truncation == NULL ? VOCABULARY_BLOCK : 2 * round_up(s.vocabulary, CHAINS);
  const int64_t room = round_up(vocabulary_blocks(s.vocabulary) * LOSS_STATE, CHAINS) + larger(weights, VOCABULARY_BLOCK);
  if (call_ready(call, room, 0)) pool_run(call->pool, sample_task, &s, s.rows);
}
