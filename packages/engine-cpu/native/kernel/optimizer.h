// AdamW with decoupled weight decay and bias correction, and what clipping needs: the sum of squares of a gradient.
// The sum runs over blocks of fixed size, added in double precision, first block first: the same on any number of threads.
#pragma once
#include "../call.h"
#include "elementwise.h"

typedef struct {
  int64_t length;
  float *weight, *first, *second;
  const float *gradient;
  float rate, beta1, beta2, epsilon, decay, correction1, correction2, gradient_scale;
} Adam;

static void adam_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Adam *a = context;
  const Vector kept = vector_splat(1.0f - a->rate * a->decay), rate = vector_splat(a->rate / a->correction1);
  const Vector root = vector_splat(__builtin_sqrtf(a->correction2));
  const Vector beta1 = vector_splat(a->beta1), new1 = vector_splat(1.0f - a->beta1);
  const Vector beta2 = vector_splat(a->beta2), new2 = vector_splat(1.0f - a->beta2);
  EACH_VECTOR(index, a->length, at, count) {
    const Vector gradient = vector_load_part(a->gradient + at, count) * vector_splat(a->gradient_scale);
    const Vector first = vector_multiply_add(vector_load_part(a->first + at, count), beta1, gradient * new1);
    const Vector second = vector_multiply_add(vector_load_part(a->second + at, count), beta2, gradient * gradient * new2);
    const Vector step = first / (vector_square_root(second) / root + vector_splat(a->epsilon));
    vector_store_part(a->first + at, first, count);
    vector_store_part(a->second + at, second, count);
    vector_store_part(a->weight + at, vector_load_part(a->weight + at, count) * kept - rate * step, count);
  }
}

/** correction1 = 1 - beta1^step, correction2 = 1 - beta2^step; the gradient is multiplied by gradientScale first. */
static void adamw(Call *call) {
  Adam a = {.length = take_size(call, "length", 0, INT32_MAX)};
  a.rate = take_number(call, "learningRate");
  a.beta1 = take_number(call, "beta1");
  a.beta2 = take_number(call, "beta2");
  a.epsilon = take_number(call, "epsilon");
  a.decay = take_number(call, "weightDecay");
  a.correction1 = take_number(call, "correction1");
  a.correction2 = take_number(call, "correction2");
  a.gradient_scale = take_number(call, "gradientScale");
  a.weight = take_floats(call, "weight", a.length);
  a.gradient = take_floats(call, "gradient", a.length);
  a.first = take_floats(call, "firstMoment", a.length);
  a.second = take_floats(call, "secondMoment", a.length);
  if (call_ready(call, 0, 0)) pool_run(call->pool, adam_task, &a, element_tasks(a.length));
}

typedef struct {
  const float *values;
  int64_t length;
  double *partial;
} Total;

static void square_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  enum { SHORT = 1024 }; // summed in single precision
  const Total *total = context;
  const int64_t first = index * ELEMENT_TASK, end = smaller(first + ELEMENT_TASK, total->length);
  double sum = 0;
  for (int64_t at = first; at < end; at += SHORT) sum += (double)row_dot(total->values + at, total->values + at, smaller(SHORT, end - at));
  total->partial[index] = sum;
}

/** Counts what is infinite or not a number: an exponent of all ones. */
static void finite_task(void *context, int64_t index, float *scratch) {
  (void)scratch;
  const Total *total = context;
  int64_t count = 0;
  for (int64_t at = index * ELEMENT_TASK; at < smaller((index + 1) * ELEMENT_TASK, total->length); at++) {
    int32_t bits;
    __builtin_memcpy(&bits, total->values + at, sizeof bits);
    count += (bits & 0x7f800000) == 0x7f800000;
  }
  total->partial[index] = (double)count;
}

static void run_total(Call *call, PoolTask task) {
  Total total;
  total.length = take_size(call, "length", 0, INT32_MAX);
  total.values = take_floats(call, "values", total.length);
  const int64_t tasks = element_tasks(total.length);
  if (!call_ready(call, 0, tasks * 2)) return;
  total.partial = (double *)(void *)pool_shared(call->pool);
  pool_run(call->pool, task, &total, tasks);
  for (int64_t at = 0; at < tasks; at++) call->result += total.partial[at];
}

static void sum_of_squares(Call *call) { run_total(call, square_task); }
static void count_non_finite(Call *call) { run_total(call, finite_task); }
