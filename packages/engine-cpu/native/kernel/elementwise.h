// What works on each number alone, and rotary positions. Cut into tasks of fixed size; nothing is summed, so nothing depends on it.
#pragma once
#include "../call.h"
#include "matmul.h"
#include "vector-math.h"

enum { ELEMENT_TASK = 16384 };

/** Over the numbers of a task, a vector of `count` at a time; only the last of all may be short. */
#define EACH_VECTOR(index, total, at, count)                                                                  \
  for (int64_t at = (index) * ELEMENT_TASK, end_ = smaller(at + ELEMENT_TASK, total), count;                  \
       count = smaller(LANES, end_ - at), at < end_; at += LANES)

INLINE int64_t element_tasks(int64_t total) { return parts_of(total, ELEMENT_TASK); }

typedef struct {
  int64_t length;
  float *out, *out2;
  const float *a, *b, *c;
  float factor;
} Elements;

static void swiglu_forward_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Elements *e = context;
  EACH_VECTOR(index, e->length, at, count) {
    const Vector gate = vector_load_part(e->a + at, count), up = vector_load_part(e->b + at, count);
    vector_store_part(e->out + at, gate * vector_sigmoid(gate) * up, count);
  }
}

/** out = gate sigmoid(gate) up */
static void swiglu_forward(Call *call) {
  Elements e = {.length = take_size(call, "length", 0, INT32_MAX)};
  e.out = take_floats(call, "out", e.length);
  e.a = take_floats(call, "gate", e.length);
  e.b = take_floats(call, "up", e.length);
  if (call_ready(call, 0, 0)) pool_run(call->pool, swiglu_forward_task, &e, element_tasks(e.length));
}

static void swiglu_backward_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Elements *e = context;
  EACH_VECTOR(index, e->length, at, count) {
    const Vector gradient = vector_load_part(e->c + at, count);
    const Vector gate = vector_load_part(e->a + at, count), up = vector_load_part(e->b + at, count);
    const Vector sigmoid = vector_sigmoid(gate), silu = gate * sigmoid;
    vector_store_part(e->out + at, gradient * up * (sigmoid + silu * (vector_splat(1) - sigmoid)), count);
    vector_store_part(e->out2 + at, gradient * silu, count);
  }
}

/** Each gradient may be stored where its value was. */
static void swiglu_backward(Call *call) {
  Elements e = {.length = take_size(call, "length", 0, INT32_MAX)};
  e.out = take_floats(call, "gateGradient", e.length);
  e.out2 = take_floats(call, "upGradient", e.length);
  e.c = take_floats(call, "outputGradient", e.length);
  e.a = take_floats(call, "gate", e.length);
  e.b = take_floats(call, "up", e.length);
  if (call_ready(call, 0, 0)) pool_run(call->pool, swiglu_backward_task, &e, element_tasks(e.length));
}

static void add_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Elements *e = context;
  const Vector factor = vector_splat(e->factor);
  EACH_VECTOR(index, e->length, at, count) {
    const Vector sum = vector_multiply_add(vector_load_part(e->a + at, count), factor, vector_load_part(e->out + at, count));
    vector_store_part(e->out + at, sum, count);
  }
}

/** out += factor input */
static void add_scaled(Call *call) {
  Elements e = {.length = take_size(call, "length", 0, INT32_MAX)};
  e.factor = take_number(call, "factor");
  e.out = take_floats(call, "out", e.length);
  e.a = take_floats(call, "input", e.length);
  if (call_ready(call, 0, 0)) pool_run(call->pool, add_task, &e, element_tasks(e.length));
}

static void scale_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Elements *e = context;
  EACH_VECTOR(index, e->length, at, count) {
    vector_store_part(e->out + at, vector_load_part(e->out + at, count) * vector_splat(e->factor), count);
  }
}

/** values *= factor */
static void scale(Call *call) {
  Elements e = {.length = take_size(call, "length", 0, INT32_MAX)};
  e.factor = take_number(call, "factor");
  e.out = take_floats(call, "values", e.length);
  if (call_ready(call, 0, 0)) pool_run(call->pool, scale_task, &e, element_tasks(e.length));
}

typedef struct {
  float *values;
  const float *cosine, *sine;
  const int32_t *positions;
  int64_t rows, heads, width;
  float direction;
} Rotate;

enum { ROTATE_ROWS = 16 };

static void rotate_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Rotate *r = context;
  const int64_t half = r->width / 2;
  for (int64_t row = index * ROTATE_ROWS; row < smaller((index + 1) * ROTATE_ROWS, r->rows); row++) {
    const float *cosine = r->cosine + r->positions[row] * half, *sine = r->sine + r->positions[row] * half;
    for (int64_t head = 0; head < r->heads; head++) {
      float *low = r->values + (row * r->heads + head) * r->width, *high = low + half;
      for (int64_t at = 0; at < half; at++) {
        const float x = low[at], y = high[at], turn = sine[at] * r->direction;
        low[at] = x * cosine[at] - y * turn;
        high[at] = y * cosine[at] + x * turn;
      }
    }
  }
}

/** Rotary positions in place: component i turns with component i + width / 2. Direction 1 is forward, -1 takes gradients back. */
static void rotate(Call *call) {
  Rotate r;
  r.rows = take_size(call, "rows", 0, INT32_MAX);
  r.heads = take_size(call, "heads", 0, INT32_MAX);
  r.width = take_size(call, "headWidth", 2, INT32_MAX);
  if (r.width % 2 != 0) call_refuse(call, "headWidth", (double)r.width);
  const int64_t limit = take_size(call, "contextTokens", 0, INT32_MAX);
  r.direction = take_number(call, "direction");
  r.values = take_floats(call, "values", call_product(call_product(r.rows, r.heads), r.width));
  r.cosine = take_floats(call, "cosine", call_product(limit, r.width / 2));
  r.sine = take_floats(call, "sine", call_product(limit, r.width / 2));
  r.positions = take_indices(call, "positions", r.rows, limit);
  if (call_ready(call, 0, 0)) pool_run(call->pool, rotate_task, &r, parts_of(r.rows, ROTATE_ROWS));
}
