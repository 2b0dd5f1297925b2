// The sampler's side: keys and values live in pages that sequences share. A page holds, per key head, its keys as panels and its
// values as rows. Prefill, decoding and continuing after a prefix hit are one kernel: the newest tokens of each sequence attend.
#pragma once
#include "attention-forward.h"

typedef struct {
  int64_t count, tokens; // pages, tokens of each
} Pages;

static Pages take_pages(Call *call) {
  Pages pages;
  pages.count = take_size(call, "pages", 0, INT32_MAX);
  pages.tokens = take_size(call, "pageTokens", PANEL, INT32_MAX);
  if (pages.tokens % PANEL != 0) call_refuse(call, "pageTokens", (double)pages.tokens);
  return pages;
}

INLINE int64_t key_page_floats(const Heads *h, const Pages *p) { return call_product(p->tokens, h->key_heads * h->width); }
INLINE int64_t value_page_floats(const Heads *h, const Pages *p) { return call_product(p->tokens, h->key_heads * h->value_width); }

typedef struct {
  Heads heads;
  Pages pages;
  float *key_pages, *value_pages;
  const float *keys, *values;
  const int32_t *slots;
  int64_t tokens;
} AttentionStore;

enum { STORE_TOKENS = 16 };

/** Tokens of one task may share a page with another's: they write different places in it. */
static void attention_store_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const AttentionStore *a = context;
  const Heads *h = &a->heads;
  for (int64_t token = index * STORE_TOKENS; token < smaller((index + 1) * STORE_TOKENS, a->tokens); token++) {
    const int64_t page = a->slots[token] / a->pages.tokens, place = a->slots[token] % a->pages.tokens;
    float *key_page = a->key_pages + page * key_page_floats(h, &a->pages);
    float *value_page = a->value_pages + page * value_page_floats(h, &a->pages);
    for (int64_t head = 0; head < h->key_heads; head++) {
      const int64_t from = (token * h->key_heads + head) * h->width, at = head * a->pages.tokens;
      store_key(key_page + (at + place / PANEL * PANEL) * h->width, place % PANEL, a->keys + from, h->width);
      store_value(value_page + (at + place) * h->value_width, a->values + from, h);
    }
  }
}

/** Stores the keys and values of new tokens; slot = page * pageTokens + place in the page, each at most once. */
static void attention_store(Call *call) {
  AttentionStore a = {.heads = take_heads(call)};
  const Heads *h = &a.heads;
  a.pages = take_pages(call);
  a.tokens = take_size(call, "tokens", 0, INT32_MAX);
  a.key_pages = take_floats(call, "keyPages", call_product(a.pages.count, key_page_floats(h, &a.pages)));
  a.value_pages = take_floats(call, "valuePages", call_product(a.pages.count, value_page_floats(h, &a.pages)));
  a.keys = take_floats(call, "keys", call_product(a.tokens, h->key_heads * h->width));
  a.values = take_floats(call, "values", call_product(a.tokens, h->key_heads * h->width));
  a.slots = take_indices(call, "slots", a.tokens, call_product(a.pages.count, a.pages.tokens));
  if (call_ready(call, 0, 0)) pool_run(call->pool, attention_store_task, &a, parts_of(a.tokens, STORE_TOKENS));
}

typedef struct {
  Heads heads;
  Pages pages;
  const float *queries, *key_pages, *value_pages;
  float *out;
  const int32_t *starts, *lengths, *table;
  int64_t sequences, table_width;
  int64_t task_heads; // of one task
} AttentionPaged;

static void attend_pages(const AttentionPaged *a, int64_t unit, int64_t head, bool has_next, float *scratch) {
  const Heads *h = &a->heads;
  const int64_t size = attend_tokens(h), sequence = sequence_of(a->starts, a->sequences, size, unit);
  const int64_t start = a->starts[sequence], queries = a->starts[sequence + 1] - start;
  const int64_t first = (unit - first_unit(a->starts, sequence, size)) * size;
  if (first >= queries) return;
  const Cache cache = {
      .keys = a->key_pages + head * a->pages.tokens * h->width,
      .values = a->value_pages + head * a->pages.tokens * h->value_width,
      .pages = a->table + sequence * a->table_width,
      .panels_per_page = a->pages.tokens / PANEL,
      .key_page_stride = key_page_floats(h, &a->pages), .value_page_stride = value_page_floats(h, &a->pages),
      .next_keys = has_next ? a->pages.tokens * h->width : 0,
  };
  const int64_t stride = h->heads * h->width, from = (start + first) * stride + head * h->group * h->width;
  const QueryRows rows = {
      .queries = a->queries + from, .out = a->out + from, .token_stride = stride,
      .tokens = smaller(size, queries - first), .first_limit = a->lengths[sequence] - queries + first + 1,
  };
  attend_rows(h, &cache, &rows, scratch);
}

static void attention_paged_task(void *context, int64_t index, float *scratch) {
  const AttentionPaged *a = context;
  const int64_t across = a->heads.key_heads / a->task_heads, from = index % across * a->task_heads, to = from + a->task_heads;
  for (int64_t head = from; head < to; head++) attend_pages(a, index / across, head, head + 1 < to, scratch);
}

/** True where every sequence has its queries among its tokens and a page in its row of the table for each token. */
static bool check_pages(Call *call, const AttentionPaged *a) {
  for (int64_t sequence = 0; sequence < a->sequences; sequence++) {
    const int64_t length = a->lengths[sequence], used = parts_of(length, a->pages.tokens);
    if (length < a->starts[sequence + 1] - a->starts[sequence] || used > a->table_width) {
      call_refuse(call, "lengths", (double)length);
      return false;
    }
    for (int64_t at = 0; at < used; at++) {
      const int32_t page = a->table[sequence * a->table_width + at];
      if (page < 0 || page >= a->pages.count) {
        call_refuse(call, "table", page);
        return false;
      }
    }
  }
  return true;
}

/** queries starts[s] to starts[s + 1] - 1 are the last tokens of sequence s, which has lengths[s] tokens in the pages table[s][...]. */
static void attention_paged(Call *call) {
  AttentionPaged a = {.heads = take_heads(call)};
  const Heads *h = &a.heads;
  a.pages = take_pages(call);
  const int64_t tokens = take_size(call, "tokens", 0, INT32_MAX);
  a.sequences = take_size(call, "sequences", 0, INT32_MAX);
  a.table_width = take_size(call, "tableWidth", 0, INT32_MAX);
  a.starts = take_starts(call, "starts", a.sequences, tokens);
  a.lengths = take_indices(call, "lengths", a.sequences, INT32_MAX);
  a.table = take_ints(call, "table", call_product(a.sequences, a.table_width));
  a.out = take_floats(call, "out", call_product(tokens, h->heads * h->width));
  a.queries = take_floats(call, "queries", call_product(tokens, h->heads * h->width));
  a.key_pages = take_floats(call, "keyPages", call_product(a.pages.count, key_page_floats(h, &a.pages)));
  a.value_pages = take_floats(call, "valuePages", call_product(a.pages.count, value_page_floats(h, &a.pages)));
  if (call->problem != PROBLEM_NONE || !check_pages(call, &a)) return;
  int64_t most = 0;
  for (int64_t at = 0; at < a.sequences; at++) most = larger(most, a.lengths[at]);
  if (!call_ready(call, attend_scratch(h, most), 0) || a.sequences == 0) return;
  // All heads of a sequence on one thread, where there are sequences enough: the next head's keys can be asked for early.
  const int64_t units = first_unit(a.starts, a.sequences, attend_tokens(h));
  a.task_heads = units >= 8 * pool_threads(call->pool) ? h->key_heads : 1;
  pool_run(call->pool, attention_paged_task, &a, units * (h->key_heads / a.task_heads));
}
