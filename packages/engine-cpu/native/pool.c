// The pool. A posted job is open: whoever is awake enters, takes task numbers from one counter and leaves when none is left.
// The caller works too and waits only for workers that entered, so a worker that the system holds back delays nobody.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "pool.h"
#include "gate.h"
#include "memory.h"

#if !defined(__wasm__)
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#endif

enum { OPEN = 1 << 30 }; // in `inside`: workers may enter

struct Pool {
  int threads;
  int niceness;
  Gate posted;   // advances with each job, and to close
  Gate finished; // advances when the last worker leaves a job that is no longer open
  _Atomic int32_t inside;
  _Atomic int64_t next;
  _Atomic bool closing;
  PoolTask task;
  void *context;
  int64_t count;
  int64_t each, shared;
  float *scratch[POOL_MOST_THREADS];
  float *shared_scratch;
#if !defined(__wasm__)
  pthread_t handle[POOL_MOST_THREADS];
#endif
};

int pool_threads(const Pool *pool) { return pool->threads; }
float *pool_shared(const Pool *pool) { return pool->shared_scratch; }

static void run_tasks(Pool *pool, int thread) {
  for (;;) {
    const int64_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
    if (index >= pool->count) return;
    pool->task(pool->context, index, pool->scratch[thread]);
  }
}

static bool enter(Pool *pool) {
  int32_t inside = atomic_load_explicit(&pool->inside, memory_order_relaxed);
  while (inside & OPEN)
    if (atomic_compare_exchange_weak_explicit(&pool->inside, &inside, inside + 1, memory_order_acquire, memory_order_relaxed)) return true;
  return false;
}

/** What a worker does until the pool closes. Job fields are read only between entering and leaving: they hold still there. */
void pool_work(Pool *pool, int thread) {
  int32_t seen = 0;
  while (!atomic_load(&pool->closing)) {
    gate_wait(&pool->posted, seen);
    seen = atomic_load(&pool->posted.word);
    if (!enter(pool)) continue;
    run_tasks(pool, thread);
    if (atomic_fetch_sub_explicit(&pool->inside, 1, memory_order_acq_rel) == 1) gate_advance(&pool->finished);
  }
}

void pool_run(Pool *pool, PoolTask task, void *context, int64_t count) {
  if (pool->threads == 1 || count <= 1) {
    for (int64_t index = 0; index < count; index++) task(context, index, pool->scratch[0]);
    return;
  }
  pool->task = task;
  pool->context = context;
  pool->count = count;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->inside, OPEN, memory_order_release);
  gate_advance(&pool->posted);
  run_tasks(pool, 0);
  atomic_fetch_and_explicit(&pool->inside, ~OPEN, memory_order_acq_rel);
  for (;;) {
    const int32_t seen = atomic_load(&pool->finished.word);
    if (atomic_load_explicit(&pool->inside, memory_order_acquire) == 0) return;
    gate_wait(&pool->finished, seen);
  }
}

/** Grows one piece; its contents need not survive. */
static bool grow(float **piece, int64_t floats) {
  memory_release(*piece);
  *piece = memory_allocate((size_t)floats * sizeof(float));
  return *piece != NULL;
}

bool pool_reserve(Pool *pool, int64_t each, int64_t shared) {
  const int64_t most = INT32_MAX; // floats: what a 32-bit address space could not hold anyway, and no overflow in bytes
  if (each > most || shared > most) return false;
  if (each > pool->each) {
    pool->each = 0; // until all have grown
    for (int thread = 0; thread < pool->threads; thread++)
      if (!grow(&pool->scratch[thread], each)) return false;
    pool->each = each;
  }
  if (shared > pool->shared) {
    pool->shared = 0;
    if (!grow(&pool->shared_scratch, shared)) return false;
    pool->shared = shared;
  }
  return true;
}

#if defined(__wasm__)
/** The host starts the other threads; each calls `pool_work`. */
Pool *pool_open(int threads, int niceness) {
  Pool *pool = memory_allocate(sizeof(Pool));
  if (pool == NULL) return NULL;
  __builtin_memset(pool, 0, sizeof(Pool));
  pool->threads = threads;
  pool->niceness = niceness;
  gate_open(&pool->posted);
  gate_open(&pool->finished);
  return pool;
}
#else
typedef struct {
  Pool *pool;
  int thread;
} Start;

void pool_lower_priority(int niceness) {
#if defined(__linux__)
  const id_t thread = (id_t)syscall(SYS_gettid); // on Linux a priority belongs to a thread
  if (getpriority(PRIO_PROCESS, thread) < niceness) setpriority(PRIO_PROCESS, thread, niceness);
#elif defined(__APPLE__)
  if (niceness > 0) pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0);
#else
  (void)niceness;
#endif
}

static void *start_worker(void *argument) {
  const Start start = *(Start *)argument;
  memory_release(argument);
  if (start.pool->niceness > 0) pool_lower_priority(start.pool->niceness);
  pool_work(start.pool, start.thread);
  return NULL;
}

static bool start_thread(Pool *pool, int thread) {
  Start *start = memory_allocate(sizeof(Start));
  if (start == NULL) return false;
  *start = (Start){pool, thread};
  if (pthread_create(&pool->handle[thread], NULL, start_worker, start) == 0) return true;
  memory_release(start);
  return false;
}

Pool *pool_open(int threads, int niceness) {
  Pool *pool = memory_allocate(sizeof(Pool));
  if (pool == NULL) return NULL;
  __builtin_memset(pool, 0, sizeof(Pool));
  pool->niceness = niceness;
  pool->threads = 1;
  gate_open(&pool->posted);
  gate_open(&pool->finished);
  sigset_t all, before; // signals are for the program's own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool->threads < threads && start_thread(pool, pool->threads)) pool->threads++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return pool;
}
#endif

void pool_stop(Pool *pool) {
  atomic_store(&pool->closing, true);
  gate_advance(&pool->posted);
}

void pool_close(Pool *pool) {
  pool_stop(pool);
#if !defined(__wasm__)
  for (int thread = 1; thread < pool->threads; thread++) pthread_join(pool->handle[thread], NULL);
#endif
  for (int thread = 0; thread < pool->threads; thread++) memory_release(pool->scratch[thread]);
  memory_release(pool->shared_scratch);
  gate_close(&pool->posted);
  gate_close(&pool->finished);
  memory_release(pool);
}
