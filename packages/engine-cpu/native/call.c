// Checks of arguments. Only the first problem of a call is kept; after it every array is null and every size the least allowed,
// and `call_ready` is false.
#include "call.h"

enum { LARGEST_SIZE = INT32_MAX };
static const int64_t MORE_THAN_ANY_ARRAY = (int64_t)1 << 53;

int64_t call_product(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > MORE_THAN_ANY_ARRAY / b ? MORE_THAN_ANY_ARRAY : a * b;
}

static void report(Call *call, Problem problem, const char *name, double needed, double given) {
  if (call->problem != PROBLEM_NONE) return;
  call->problem = problem;
  call->name = name;
  call->needed = needed;
  call->given = given;
}

void call_refuse(Call *call, const char *name, double given) { report(call, PROBLEM_VALUE, name, 0, given); }

static const Argument *take(Call *call, const char *name, ArgumentKind kind) {
  if (call->next >= call->count) {
    report(call, PROBLEM_COUNT, name, call->next + 1, call->count);
    return NULL;
  }
  const Argument *argument = &call->argument[call->next++];
  if (argument->kind == kind) return argument;
  report(call, PROBLEM_KIND, name, kind, argument->kind);
  return NULL;
}

static double take_double(Call *call, const char *name) {
  const Argument *argument = take(call, name, ARGUMENT_NUMBER);
  return argument ? argument->number : 0;
}

float take_number(Call *call, const char *name) { return (float)take_double(call, name); }

int64_t take_size(Call *call, const char *name, int64_t least, int64_t most) {
  const double number = take_double(call, name);
  if (most > LARGEST_SIZE) most = LARGEST_SIZE;
  if (call->problem != PROBLEM_NONE) return least;
  if (number >= (double)least && number <= (double)most && number == (double)(int64_t)number) return (int64_t)number;
  call_refuse(call, name, number);
  return least;
}

bool take_flag(Call *call, const char *name) { return take_size(call, name, 0, 1) == 1; }

static void *take_array(Call *call, const char *name, ArgumentKind kind, int64_t length) {
  const Argument *argument = take(call, name, kind);
  if (argument == NULL) return NULL;
  if (argument->number < (double)length) report(call, PROBLEM_LENGTH, name, (double)length, argument->number);
  return call->problem == PROBLEM_NONE ? argument->data : NULL;
}

float *take_floats(Call *call, const char *name, int64_t length) { return take_array(call, name, ARGUMENT_FLOATS, length); }
uint16_t *take_halves(Call *call, const char *name, int64_t length) { return take_array(call, name, ARGUMENT_HALVES, length); }
int32_t *take_ints(Call *call, const char *name, int64_t length) { return take_array(call, name, ARGUMENT_INTS, length); }

float *take_optional_floats(Call *call, const char *name, int64_t length) {
  if (call->next < call->count && call->argument[call->next].kind == ARGUMENT_NONE) {
    call->next++;
    return NULL;
  }
  return take_floats(call, name, length);
}

const int32_t *take_indices(Call *call, const char *name, int64_t length, int64_t limit) {
  const int32_t *index = take_ints(call, name, length);
  if (index == NULL) return NULL;
  for (int64_t at = 0; at < length; at++)
    if (index[at] < 0 || index[at] >= limit) {
      call_refuse(call, name, index[at]);
      return NULL;
    }
  return index;
}

const int32_t *take_starts(Call *call, const char *name, int64_t sequences, int64_t total) {
  const int32_t *start = take_indices(call, name, sequences + 1, total + 1);
  if (start == NULL) return NULL;
  if (start[0] != 0) call_refuse(call, name, start[0]);
  for (int64_t at = 0; at < sequences; at++)
    if (start[at + 1] < start[at]) call_refuse(call, name, start[at + 1]);
  if (start[sequences] != total) call_refuse(call, name, start[sequences]);
  return call->problem == PROBLEM_NONE ? start : NULL;
}

const float *take_positive(Call *call, const char *name, int64_t length) {
  const float *number = take_floats(call, name, length);
  if (number == NULL) return NULL;
  for (int64_t at = 0; at < length; at++)
    if (!(number[at] > 0)) call_refuse(call, name, number[at]);
  return call->problem == PROBLEM_NONE ? number : NULL;
}

bool call_ready(Call *call, int64_t scratch_each, int64_t scratch_shared) {
  if (call->next != call->count) report(call, PROBLEM_COUNT, "arguments", call->next, call->count);
  if (call->problem != PROBLEM_NONE) return false;
  if (pool_reserve(call->pool, scratch_each, scratch_shared)) return true;
  report(call, PROBLEM_MEMORY, "scratch", (double)(scratch_each * pool_threads(call->pool) + scratch_shared), 0);
  return false;
}
