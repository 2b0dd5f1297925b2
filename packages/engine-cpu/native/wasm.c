// The WASM side: the host sets arguments one by one, runs a kernel by its number and reads what came of it.
// One call at a time, in memory that all threads of the module share; other threads only ever enter through `work`.
#if defined(__wasm__)
#include "instruction-set.h"

#define EXPORT(name) __attribute__((export_name(name)))

static Pool *pool;
static Call call;

EXPORT("open") int open_kernels(int threads) {
  pool = pool_open(threads, 0);
  return pool != NULL;
}

EXPORT("stop") void stop_workers(void) { pool_stop(pool); }
EXPORT("work") void work(int thread) { pool_work(pool, thread); }

EXPORT("kernelName") const char *kernel_name(int kernel) { return kernels_baseline[kernel].name; }

EXPORT("setNumber") void set_number(int at, double number) { call.argument[at] = (Argument){ARGUMENT_NUMBER, NULL, number}; }
EXPORT("setArray") void set_array(int at, int kind, void *data, double length) {
  call.argument[at] = (Argument){(ArgumentKind)kind, data, length};
}

/** The problem, 0 where there was none. The host has set `count` arguments, at most CALL_MOST_ARGUMENTS. */
EXPORT("run") int run(int kernel, int count) {
  call.pool = pool;
  call.count = count;
  call.next = 0;
  call.result = 0;
  call.problem = PROBLEM_NONE;
  kernels_baseline[kernel].run(&call);
  return (int)call.problem;
}

EXPORT("result") double result(void) { return call.result; }
EXPORT("problemArgument") const char *problem_argument(void) { return call.name; }
EXPORT("problemNeeded") double problem_needed(void) { return call.needed; }
EXPORT("problemGiven") double problem_given(void) { return call.given; }
#endif
