// Causal attention of a few query rows over the keys and values of one key head, the only place where it is computed forward.
// Training, prefill and decoding all end here, with the same order per row, so they agree bit for bit:
// scores are one chain over the head's width; exp sums run in 16 chains over the keys; the output is one chain over the keys.
#pragma once
#include "matmul-strip.h"
#include "matmul.h"
#include "vector-math.h"

enum { ATTEND_ROWS = 48, WIDEST_HEAD = DEPTH_BLOCK };

typedef struct {
  int64_t heads, key_heads, width; // width of a head
  int64_t group;                   // query heads that share a key head
  int64_t value_width;             // width rounded up to whole panels: how values are stored
  float scale;
} Heads;

/** Keys of one head: panels of width x PANEL. Values: PANEL rows of value_width. Panels lie in pages; without a table page i is i. */
typedef struct {
  const float *keys, *values;
  const int32_t *pages;
  int64_t panels_per_page, key_page_stride, value_page_stride;
  int64_t next_keys; // from this head's keys to those of the head that comes next; 0 where none does
} Cache;

/** `tokens` consecutive queries of one sequence, each with the group's heads. Token t sees keys 0 to first_limit + t - 1. */
typedef struct {
  const float *queries; // tokens x token_stride, the group's heads next to each other
  float *out;           // the same layout
  float *log_sum;       // tokens x heads, from the group's first head; may be null
  int64_t token_stride, tokens, first_limit;
} QueryRows;

INLINE int64_t attend_scratch(const Heads *h, int64_t most_keys) {
  const int64_t rows = round_up(larger(ATTEND_ROWS, h->group), TILE_ROWS), stride = round_up(most_keys, PANEL);
  return 2 * rows * h->width + rows * stride + TILE_ROWS * (stride + h->value_width) + rows;
}

/** Tokens whose rows fit one block. */
INLINE int64_t attend_tokens(const Heads *h) { return larger(1, ATTEND_ROWS / h->group); }

INLINE int64_t page_of(const Cache *cache, int64_t panel) {
  const int64_t page = panel / cache->panels_per_page;
  return cache->pages ? cache->pages[page] : page;
}

INLINE const float *key_panel(const Cache *cache, const Heads *h, int64_t panel) {
  return cache->keys + page_of(cache, panel) * cache->key_page_stride + panel % cache->panels_per_page * h->width * PANEL;
}

INLINE const float *value_panel(const Cache *cache, const Heads *h, int64_t panel) {
  return cache->values + page_of(cache, panel) * cache->value_page_stride + panel % cache->panels_per_page * h->value_width * PANEL;
}

/** Scores of up to TILE_ROWS rows; `rows` interleaved, `panels` of keys. */
static void attend_keys(const Heads *h, const Cache *cache, const float *queries, int rows, int64_t panels, float *scores, int64_t stride) {
  const float *right[STRIP_PANELS];
  for (int64_t panel = 0; panel < panels; panel += STRIP_PANELS) {
    const int64_t count = smaller(STRIP_PANELS, panels - panel);
    for (int64_t at = 0; at < count; at++) right[at] = key_panel(cache, h, panel + at);
    const Strip strip = {h->width, queries, right, PANEL, scores + panel * PANEL, stride};
    multiply_strip(rows, count, &strip, TILE_STORE);
  }
}

/** out = weights values for up to TILE_ROWS rows; `weights` interleaved, `keys` of them. */
static void attend_values(const Heads *h, const Cache *cache, const float *weights, int rows, int64_t keys, float *out) {
  const float *right[WIDEST_HEAD / PANEL];
  const int64_t panels = h->value_width / PANEL;
  TileMode mode = TILE_STORE;
  for (int64_t key = 0; key < keys;) {
    const float *values = value_panel(cache, h, key / PANEL);
    int64_t run = PANEL; // neighbouring panels in memory are one run: the chain goes on either way
    while (run < DEPTH_BLOCK && key + run < keys && value_panel(cache, h, (key + run) / PANEL) == values + run * h->value_width)
      run += PANEL;
    for (int64_t panel = 0; panel < panels; panel++) right[panel] = values + panel * PANEL;
    const Strip strip = {smaller(run, keys - key), weights + key * TILE_ROWS, right, h->value_width, out, h->value_width};
    multiply_strip(rows, panels, &strip, mode);
    mode = TILE_CONTINUE;
    key += run;
  }
}

INLINE void fetch_floats(const float *from, int64_t count) {
  for (int64_t at = 0; at < count; at += LINE) fetch(from + at);
}

static void attend_rows(const Heads *h, const Cache *cache, const QueryRows *q, float *scratch) {
  const int64_t rows = q->tokens * h->group, padded_rows = round_up(rows, TILE_ROWS);
  const int64_t most_keys = q->first_limit + q->tokens - 1, stride = round_up(most_keys, PANEL);
  float *copied = scratch, *packed = copied + padded_rows * h->width, *scores = packed + padded_rows * h->width;
  float *weights = scores + rows * stride, *inverse = weights + TILE_ROWS * stride, *sums = inverse + padded_rows;

  for (int64_t row = 0; row < rows; row++)
    __builtin_memcpy(copied + row * h->width, q->queries + row / h->group * q->token_stride + row % h->group * h->width,
                     (size_t)h->width * sizeof(float));
  pack_left_rows(copied, h->width, rows, h->width, packed);

  // Decoding reads each key and value once, from far away: while one part is worked on, the next is on its way.
  const int64_t panels_ahead = cache->pages && q->tokens == 1 ? stride / PANEL : 0;
  for (int64_t panel = 0; panel < panels_ahead; panel++) fetch_floats(value_panel(cache, h, panel), h->value_width * PANEL);
  for (int64_t row = 0; row < rows; row += TILE_ROWS) {
    const int here = (int)smaller(TILE_ROWS, rows - row);
    const int64_t keys = q->first_limit + (row + here - 1) / h->group;
    attend_keys(h, cache, packed + row * h->width, here, parts_of(keys, PANEL), scores + row * stride, stride);
  }

  for (int64_t panel = 0; cache->next_keys > 0 && panel < panels_ahead; panel++)
    fetch_floats(key_panel(cache, h, panel) + cache->next_keys, h->width * PANEL);
  for (int64_t row = 0; row < rows; row++) {
    const int64_t limit = q->first_limit + row / h->group;
    float *score = scores + row * stride;
    const float most = row_max(score, limit), sum = row_exp_sum(score, limit, most, h->scale, score);
    for (int64_t key = limit; key < stride; key++) score[key] = 0;
    inverse[row] = 1.0f / sum;
    if (q->log_sum)
      q->log_sum[row / h->group * h->heads + row % h->group] = (float)((double)most * (double)h->scale + scalar_log((double)sum));
  }

  for (int64_t row = 0; row < rows; row += TILE_ROWS) {
    const int here = (int)smaller(TILE_ROWS, rows - row);
    const int64_t keys = q->first_limit + (row + here - 1) / h->group;
    pack_left_rows(scores + row * stride, stride, here, keys, weights);
    attend_values(h, cache, weights, here, keys, sums);
    for (int64_t one = 0; one < here; one++) {
      float *out = q->out + (row + one) / h->group * q->token_stride + (row + one) % h->group * h->width;
      for (int64_t at = 0; at < h->width; at++) out[at] = sums[one * h->value_width + at] * inverse[row + one];
    }
  }
}
