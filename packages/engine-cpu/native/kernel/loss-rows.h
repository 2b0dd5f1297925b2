// log softmax of rows of logits, in blocks of VOCABULARY_BLOCK columns from the first. The fused loss and the sampler's logits
// go through the same blocks in the same order, so a token has the same logprob, bit for bit, wherever it is computed.
#pragma once
#include "matmul.h"
#include "vector-math.h"

enum { VOCABULARY_BLOCK = 1024 }; // a multiple of DEPTH_BLOCK: gradients summed block by block are one matmul's

/** Of one row, over the columns seen so far: the largest logit, sum(exp((logit - most) / temperature)), the target's logit. */
typedef struct {
  float most, target;
  double sum;
} LogSoftmax;

static const LogSoftmax log_softmax_start = {-__builtin_inff(), 0, 0};

/** `count` more logits, which are columns first, first + 1, ... */
INLINE void log_softmax_block(LogSoftmax *s, const float *logits, int64_t first, int64_t count, int64_t target, float inverse_temperature) {
  const float most = row_max(logits, count), before = s->most;
  if (most > s->most) s->most = most;
  const double kept = before == s->most ? s->sum : s->sum * (double)scalar_exp((before - s->most) * inverse_temperature);
  s->sum = kept + (double)row_exp_sum(logits, count, s->most, inverse_temperature, NULL);
  if (target >= first && target < first + count) s->target = logits[target - first];
}

INLINE double log_softmax_sum(const LogSoftmax *s, float inverse_temperature) {
  return (double)s->most * (double)inverse_temperature + scalar_log(s->sum);
}

/** log(exp(z[target] / T) / sum(exp(z / T))) */
INLINE float log_softmax_logprob(const LogSoftmax *s, float inverse_temperature) {
  return (float)((double)s->target * (double)inverse_temperature - log_softmax_sum(s, inverse_temperature));
}

/** Logits become d loss / d logits = slope / T (1[target] - softmax(z / T)), slope = d loss / d logprob. May be part of a row. */
INLINE void logit_gradients(float *logits, int64_t first, int64_t count, int64_t target, float inverse_temperature, float log_sum,
                            float slope) {
  const Vector factor = vector_splat(-slope * inverse_temperature);
  for (int64_t at = 0; at < count; at += LANES) {
    const int64_t here = smaller(LANES, count - at);
    const Vector scaled = vector_load_part(logits + at, here) * vector_splat(inverse_temperature);
    vector_store_part(logits + at, factor * vector_exp(scaled - vector_splat(log_sum)), here);
  }
  if (target >= first && target < first + count) logits[target - first] += slope * inverse_temperature;
}
