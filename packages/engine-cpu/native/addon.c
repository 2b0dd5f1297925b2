// The Node-API side: turns JavaScript values into a Call and runs it on the calling thread and its pool. Knows no kernel.
// Arrays are read where they lie, with their offsets; a call that does not fit returns its problem as an object and touches nothing.
#if !defined(__wasm__)
#if defined(__linux__)
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#endif
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdatomic.h>
#include "instruction-set.h"
#include "memory.h"

#if !defined(KERNELS_DIGEST)
#define KERNELS_DIGEST ""
#endif

/** What the two functions of one `open` share; freed when both are gone. */
typedef struct {
  Pool *pool;
  const Kernel *kernels;
  int kernel_count, owners;
} Instance;

static napi_value fail(napi_env env, const char *message) {
  napi_throw_error(env, "ERR_KERNELS", message);
  return NULL;
}

static void close_pool(Instance *instance) {
  if (instance->pool) pool_close(instance->pool);
  instance->pool = NULL;
}

static void drop_owner(napi_env env, void *data, void *hint) {
  (void)env, (void)hint;
  Instance *instance = data;
  if (--instance->owners > 0) return;
  close_pool(instance);
  memory_release(instance);
}

static Argument read_argument(napi_env env, napi_value value) {
  Argument argument = {.kind = ARGUMENT_OTHER};
  napi_valuetype type;
  if (napi_typeof(env, value, &type) != napi_ok) return argument;
  if (type == napi_null || type == napi_undefined) argument.kind = ARGUMENT_NONE;
  if (type == napi_number && napi_get_value_double(env, value, &argument.number) == napi_ok) argument.kind = ARGUMENT_NUMBER;
  bool is_array = false;
  if (type != napi_object || napi_is_typedarray(env, value, &is_array) != napi_ok || !is_array) return argument;
  napi_typedarray_type element;
  size_t length = 0;
  if (napi_get_typedarray_info(env, value, &element, &length, &argument.data, NULL, NULL) != napi_ok) return argument;
  argument.number = (double)length;
  if (element == napi_float32_array) argument.kind = ARGUMENT_FLOATS;
  if (element == napi_int32_array) argument.kind = ARGUMENT_INTS;
  if (element == napi_uint16_array) argument.kind = ARGUMENT_HALVES;
  return argument;
}

static void set_number(napi_env env, napi_value object, const char *name, double number) {
  napi_value value;
  if (napi_create_double(env, number, &value) == napi_ok) napi_set_named_property(env, object, name, value);
}

static napi_value problem_of(napi_env env, const Call *call) {
  napi_value object, name;
  if (napi_create_object(env, &object) != napi_ok) return NULL;
  set_number(env, object, "problem", call->problem);
  set_number(env, object, "needed", call->needed);
  set_number(env, object, "given", call->given);
  if (napi_create_string_utf8(env, call->name, NAPI_AUTO_LENGTH, &name) == napi_ok) napi_set_named_property(env, object, "argument", name);
  return object;
}

/** call(kernel, ...arguments): the kernel's result, or an object that says what does not fit. */
static napi_value call_kernel(napi_env env, napi_callback_info info) {
  napi_value values[CALL_MOST_ARGUMENTS + 1];
  size_t count = CALL_MOST_ARGUMENTS + 1;
  Instance *instance;
  if (napi_get_cb_info(env, info, &count, values, NULL, (void **)&instance) != napi_ok) return NULL;
  if (instance->pool == NULL) return fail(env, "the kernels are closed");
  int32_t kernel = -1;
  if (count == 0 || count > CALL_MOST_ARGUMENTS + 1) return fail(env, "no such number of arguments");
  if (napi_get_value_int32(env, values[0], &kernel) != napi_ok) return fail(env, "no such kernel");
  if (kernel < 0 || kernel >= instance->kernel_count) return fail(env, "no such kernel");
  Call call = {.pool = instance->pool, .count = (int)count - 1};
  for (int at = 0; at < call.count; at++) call.argument[at] = read_argument(env, values[at + 1]);
  instance->kernels[kernel].run(&call);
  if (call.problem != PROBLEM_NONE) return problem_of(env, &call);
  napi_value result;
  return napi_create_double(env, call.result, &result) == napi_ok ? result : NULL;
}

static napi_value close_kernels(napi_env env, napi_callback_info info) {
  Instance *instance;
  if (napi_get_cb_info(env, info, NULL, NULL, NULL, (void **)&instance) == napi_ok) close_pool(instance);
  return NULL;
}

static bool add_function(napi_env env, napi_value object, const char *name, napi_callback callback, Instance *instance) {
  napi_value function;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, instance, &function) != napi_ok) return false;
  if (instance) {
    if (napi_add_finalizer(env, function, instance, drop_owner, NULL, NULL) != napi_ok) return false;
    instance->owners++;
  }
  return napi_set_named_property(env, object, name, function) == napi_ok;
}

static bool read_integer(napi_env env, napi_value value, int32_t least, int32_t most, int32_t *number) {
  return napi_get_value_int32(env, value, number) == napi_ok && *number >= least && *number <= most;
}

/** open(threads, niceness, instructionSet index): { call, close, threads } */
static napi_value open_kernels(napi_env env, napi_callback_info info) {
  napi_value values[3], object;
  size_t count = 3;
  int32_t threads, niceness, set, known = 0;
  InstructionSet sets[MOST_INSTRUCTION_SETS];
  instruction_sets(sets);
  while (sets[known].kernels) known++;
  if (napi_get_cb_info(env, info, &count, values, NULL, NULL) != napi_ok || count != 3) return fail(env, "open takes three numbers");
  if (!read_integer(env, values[0], 1, POOL_MOST_THREADS, &threads)) return fail(env, "threads must be from 1 to 64");
  if (!read_integer(env, values[1], 0, 19, &niceness)) return fail(env, "niceness must be from 0 to 19");
  if (!read_integer(env, values[2], 0, known - 1, &set)) return fail(env, "no such instruction set");

  Instance *instance = memory_allocate(sizeof(Instance));
  if (instance == NULL) return fail(env, "out of memory");
  *instance = (Instance){.pool = pool_open(threads, niceness), .kernels = sets[set].kernels, .owners = 1};
  while (instance->kernels[instance->kernel_count].name) instance->kernel_count++;
  bool is_done = instance->pool != NULL && napi_create_object(env, &object) == napi_ok;
  if (is_done) set_number(env, object, "threads", pool_threads(instance->pool));
  is_done = is_done && add_function(env, object, "call", call_kernel, instance);
  is_done = is_done && add_function(env, object, "close", close_kernels, instance);
  drop_owner(env, instance, NULL); // ours: from here on the functions own it
  return is_done ? object : fail(env, "the kernels could not be opened");
}

/** Asks for large pages: caches of keys and values are read in no order, and looking up pages took a tenth of the time. */
static void prefer_large_pages(void *start, double bytes) {
#if defined(__linux__)
  const double worth_it = 4 << 20;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)start + page - 1) / page * page;
  if (bytes >= worth_it) madvise((void *)from, ((uintptr_t)start + (size_t)bytes - from) / page * page, MADV_HUGEPAGE);
#else
  (void)start, (void)bytes;
#endif
}

/** Of a new array of bytes: how far it starts from a multiple of 64. */
static napi_value settle(napi_env env, napi_callback_info info) {
  napi_value value, result;
  size_t count = 1;
  if (napi_get_cb_info(env, info, &count, &value, NULL, NULL) != napi_ok || count != 1) return fail(env, "settle takes one array");
  const Argument argument = read_argument(env, value);
  prefer_large_pages(argument.data, argument.number);
  return napi_create_double(env, (double)((uintptr_t)argument.data % 64), &result) == napi_ok ? result : NULL;
}

static napi_value lower_priority(napi_env env, napi_callback_info info) {
  napi_value value;
  size_t count = 1;
  int32_t niceness;
  if (napi_get_cb_info(env, info, &count, &value, NULL, NULL) != napi_ok || count != 1) return fail(env, "lowerPriority takes one number");
  if (!read_integer(env, value, 0, 19, &niceness)) return fail(env, "niceness must be from 0 to 19");
  pool_lower_priority(niceness);
  return NULL;
}

static void add_strings(napi_env env, napi_value exports, const char *name, const char *const *strings) {
  napi_value array, string;
  if (napi_create_array(env, &array) != napi_ok) return;
  for (uint32_t at = 0; strings[at]; at++)
    if (napi_create_string_utf8(env, strings[at], NAPI_AUTO_LENGTH, &string) == napi_ok) napi_set_element(env, array, at, string);
  napi_set_named_property(env, exports, name, array);
}

NAPI_MODULE_INIT() {
  enum { MOST_KERNELS = 64 };
  const char *names[MOST_KERNELS + 1] = {0}, *set_names[MOST_INSTRUCTION_SETS] = {0}, *digest[2] = {KERNELS_DIGEST};
  InstructionSet sets[MOST_INSTRUCTION_SETS];
  instruction_sets(sets);
  for (int at = 0; sets[at].kernels; at++) set_names[at] = sets[at].name;
  for (int at = 0; at < MOST_KERNELS && sets[0].kernels[at].name; at++) names[at] = sets[0].kernels[at].name;
  add_strings(env, exports, "kernels", names);
  add_strings(env, exports, "instructionSets", set_names);
  add_strings(env, exports, "digest", digest);
  add_function(env, exports, "open", open_kernels, NULL);
  add_function(env, exports, "settle", settle, NULL);
  add_function(env, exports, "lowerPriority", lower_priority, NULL);
  return exports;
}
#endif
