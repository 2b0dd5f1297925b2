// One kernel call as it arrives from JavaScript: typed arrays and numbers in order. A kernel takes its arguments one by one, each
// with what it must hold; the first that does not fit is remembered and the kernel does nothing. Both builds share these checks.
#pragma once
#include "pool.h"

// TypeScript knows these numbers and those of Problem: src/kernel/calls.ts.
typedef enum { ARGUMENT_NONE, ARGUMENT_NUMBER, ARGUMENT_FLOATS, ARGUMENT_INTS, ARGUMENT_HALVES, ARGUMENT_OTHER } ArgumentKind;

typedef struct {
  ArgumentKind kind;
  void *data;
  double number; // the number, or how many the array holds
} Argument;

typedef enum {
  PROBLEM_NONE,
  PROBLEM_KIND,   // not the kind of argument that is needed: `needed` and `given` are kinds
  PROBLEM_LENGTH, // an array is too short: `needed` and `given` count numbers
  PROBLEM_VALUE,  // a number, or an entry of an array, is not allowed: `given` is it
  PROBLEM_COUNT,  // too few or too many arguments
  PROBLEM_MEMORY, // no scratch memory
} Problem;

enum { CALL_MOST_ARGUMENTS = 24 };

typedef struct {
  Pool *pool;
  int count, next;
  Argument argument[CALL_MOST_ARGUMENTS];
  double result;
  Problem problem;
  const char *name; // of the argument with the problem
  double needed, given;
} Call;

typedef struct {
  const char *name;
  void (*run)(Call *call);
} Kernel;

/** a * b, or a number larger than any array where that would overflow. */
int64_t call_product(int64_t a, int64_t b);

/** A whole number from `least` to `most`. */
int64_t take_size(Call *call, const char *name, int64_t least, int64_t most);
float take_number(Call *call, const char *name);
bool take_flag(Call *call, const char *name);
/** An array of at least `length`. */
float *take_floats(Call *call, const char *name, int64_t length);
/** Null where null was given. */
float *take_optional_floats(Call *call, const char *name, int64_t length);
uint16_t *take_halves(Call *call, const char *name, int64_t length);
int32_t *take_ints(Call *call, const char *name, int64_t length);
/** Whole numbers from 0 to limit - 1. */
const int32_t *take_indices(Call *call, const char *name, int64_t length, int64_t limit);
/** `sequences` + 1 numbers from 0 to `total`, never descending: where each sequence starts, and the end. */
const int32_t *take_starts(Call *call, const char *name, int64_t sequences, int64_t total);

/** Numbers above zero. */
const float *take_positive(Call *call, const char *name, int64_t length);

/** Reports an entry that is not allowed. */
void call_refuse(Call *call, const char *name, double given);

/** True when all arguments were taken without a problem and scratch memory is there; otherwise the kernel must return. */
bool call_ready(Call *call, int64_t scratch_each, int64_t scratch_shared);
