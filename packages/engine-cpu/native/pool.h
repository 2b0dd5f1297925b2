// Threads that share the work of one kernel call, and the scratch memory of each. A call cuts its work into numbered tasks whose
// results do not depend on who runs them, so any number of threads gives the same bits.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Pool Pool;

/** `scratch` belongs to the thread that runs the task: as many floats as were reserved, 64-byte aligned, contents undefined. */
typedef void (*PoolTask)(void *context, int64_t index, float *scratch);

enum { POOL_MOST_THREADS = 64 };

/** `threads` counts the caller. Fewer are started where the system gives no more; null without memory. */
Pool *pool_open(int threads, int niceness);
void pool_close(Pool *pool);

/** What a worker does until the pool stops. In WASM the host starts workers, and waits for their end between stop and close. */
void pool_work(Pool *pool, int thread);
void pool_stop(Pool *pool);

/** The calling thread gives way to others, at least this much: 0 is normal, 19 the least. */
void pool_lower_priority(int niceness);

int pool_threads(const Pool *pool);

/** Scratch of at least `each` floats per thread and `shared` floats for the call; false without memory. Kept until closed. */
bool pool_reserve(Pool *pool, int64_t each, int64_t shared);
float *pool_shared(const Pool *pool);

/** Runs tasks 0 to count - 1 and returns when all are done. One caller at a time; tasks must not call it. */
void pool_run(Pool *pool, PoolTask task, void *context, int64_t count);
