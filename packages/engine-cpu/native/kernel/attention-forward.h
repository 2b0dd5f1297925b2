// Who calls attend_rows: training on packed sequences, and the sampler on pages of cached keys and values.
// Training first lays its keys and values out as pages, exactly as the sampler stores them.
#pragma once
#include "../call.h"
#include "attention-rows.h"

static Heads take_heads(Call *call) {
  Heads h;
  h.heads = take_size(call, "heads", 1, INT32_MAX);
  h.key_heads = take_size(call, "keyHeads", 1, h.heads);
  if (h.heads % h.key_heads != 0) call_refuse(call, "keyHeads", (double)h.key_heads);
  h.width = take_size(call, "headWidth", 1, WIDEST_HEAD);
  h.scale = take_number(call, "scale");
  h.group = h.heads / h.key_heads;
  h.value_width = round_up(h.width, PANEL);
  return h;
}

INLINE void store_key(float *panel, int64_t lane, const float *key, int64_t width) {
  for (int64_t at = 0; at < width; at++) panel[at * PANEL + lane] = key[at];
}

INLINE void store_value(float *to, const float *value, const Heads *h) {
  __builtin_memcpy(to, value, (size_t)h->width * sizeof(float));
  for (int64_t at = h->width; at < h->value_width; at++) to[at] = 0;
}

/** Sequence s occupies units first_unit(s) to first_unit(s + 1) - 1, at least one for each `size` tokens; the last may be empty. */
INLINE int64_t first_unit(const int32_t *starts, int64_t sequence, int64_t size) { return starts[sequence] / size + sequence; }

INLINE int64_t sequence_of(const int32_t *starts, int64_t sequences, int64_t size, int64_t unit) {
  int64_t low = 0, high = sequences - 1;
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (first_unit(starts, middle, size) <= unit) low = middle;
    else high = middle - 1;
  }
  return low;
}

typedef struct {
  Heads heads;
  const float *queries, *keys, *values;
  float *out, *log_sum;
  const int32_t *starts;
  int64_t sequences, tokens;
  float *key_panels, *value_panels; // sequence by sequence, head by head
} AttentionForward;

/** The pages of a sequence begin at a whole panel; each sequence has room for its own, rounded up. */
INLINE int64_t panel_start(const int32_t *starts, int64_t sequence) { return round_up(starts[sequence], PANEL) + sequence * PANEL; }

INLINE Cache training_cache(const AttentionForward *a, int64_t sequence, int64_t head) {
  const Heads *h = &a->heads;
  const int64_t start = panel_start(a->starts, sequence), length = round_up(a->starts[sequence + 1] - a->starts[sequence], PANEL);
  return (Cache){
      .keys = a->key_panels + (start * h->key_heads + head * length) * h->width,
      .values = a->value_panels + (start * h->key_heads + head * length) * h->value_width,
      .panels_per_page = 1, .key_page_stride = h->width * PANEL, .value_page_stride = h->value_width * PANEL,
  };
}

static void lay_out_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const AttentionForward *a = context;
  const Heads *h = &a->heads;
  const int64_t sequence = index / h->key_heads, head = index % h->key_heads;
  const int64_t start = a->starts[sequence], length = a->starts[sequence + 1] - start, stride = h->key_heads * h->width;
  const Cache cache = training_cache(a, sequence, head);
  for (int64_t first = 0; first < length; first += PANEL)
    pack_panel(a->keys + (start + first) * stride + head * h->width, stride, length - first, h->width,
               (float *)cache.keys + first * h->width);
  for (int64_t token = 0; token < length; token++)
    store_value((float *)cache.values + token * h->value_width, a->values + (start + token) * stride + head * h->width, h);
}

static void attention_forward_task(void *context, int64_t index, float *scratch) {
  const AttentionForward *a = context;
  const Heads *h = &a->heads;
  const int64_t head = index % h->key_heads, unit = index / h->key_heads, size = attend_tokens(h);
  const int64_t sequence = sequence_of(a->starts, a->sequences, size, unit);
  const int64_t start = a->starts[sequence], length = a->starts[sequence + 1] - start;
  const int64_t first = (unit - first_unit(a->starts, sequence, size)) * size;
  if (first >= length) return;
  const Cache cache = training_cache(a, sequence, head);
  const int64_t stride = h->heads * h->width, from = (start + first) * stride + head * h->group * h->width;
  const QueryRows rows = {
      .queries = a->queries + from, .out = a->out + from, .token_stride = stride,
      .log_sum = a->log_sum ? a->log_sum + (start + first) * h->heads + head * h->group : NULL,
      .tokens = smaller(size, length - first), .first_limit = first + 1,
  };
  attend_rows(h, &cache, &rows, scratch);
}

INLINE int64_t longest(const int32_t *starts, int64_t sequences) {
  int64_t most = 0;
  for (int64_t at = 0; at < sequences; at++) most = larger(most, starts[at + 1] - starts[at]);
  return most;
}

/** Packed sequences, each causal on its own. logSum keeps log(sum(exp(scale q k))) per token and head for the backward pass. */
static void attention_forward(Call *call) {
  AttentionForward a = {.heads = take_heads(call)};
  const Heads *h = &a.heads;
  a.tokens = take_size(call, "tokens", 0, INT32_MAX);
  a.sequences = take_size(call, "sequences", 0, INT32_MAX);
  a.starts = take_starts(call, "starts", a.sequences, a.tokens);
  a.out = take_floats(call, "out", call_product(a.tokens, h->heads * h->width));
  a.log_sum = take_optional_floats(call, "logSum", call_product(a.tokens, h->heads));
  a.queries = take_floats(call, "queries", call_product(a.tokens, h->heads * h->width));
  a.keys = take_floats(call, "keys", call_product(a.tokens, h->key_heads * h->width));
  a.values = take_floats(call, "values", call_product(a.tokens, h->key_heads * h->width));
  const int64_t slots = a.starts && a.sequences > 0 ? panel_start(a.starts, a.sequences) : 0;
  const int64_t key_floats = slots * h->key_heads * h->width, value_floats = slots * h->key_heads * h->value_width;
  if (!call_ready(call, a.starts ? attend_scratch(h, longest(a.starts, a.sequences)) : 0, key_floats + value_floats)) return;
  if (a.sequences == 0) return;
  a.key_panels = pool_shared(call->pool);
  a.value_panels = a.key_panels + key_floats;
  pool_run(call->pool, lay_out_task, &a, a.sequences * h->key_heads);
  pool_run(call->pool, attention_forward_task, &a, first_unit(a.starts, a.sequences, attend_tokens(h)) * h->key_heads);
}
