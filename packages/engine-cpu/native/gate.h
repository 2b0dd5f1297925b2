// A counter that threads can wait on: first a short bounded spin, because the next kernel call usually follows within
// microseconds, then asleep. Futex on Linux, atomic wait in WASM, mutex and condition elsewhere.
#pragma once
#include <stdatomic.h>
#include <stdint.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif !defined(__wasm__)
#include <pthread.h>
#define GATE_CONDITION
#endif

typedef struct {
  _Atomic int32_t word;
  _Atomic int32_t sleepers;
#if defined(GATE_CONDITION)
  pthread_mutex_t lock;
  pthread_cond_t changed;
#endif
} Gate;

static inline void gate_open(Gate *gate) {
  atomic_init(&gate->word, 0);
  atomic_init(&gate->sleepers, 0);
#if defined(GATE_CONDITION)
  pthread_mutex_init(&gate->lock, NULL);
  pthread_cond_init(&gate->changed, NULL);
#endif
}

static inline void gate_close(Gate *gate) {
  (void)gate;
#if defined(GATE_CONDITION)
  pthread_cond_destroy(&gate->changed);
  pthread_mutex_destroy(&gate->lock);
#endif
}

static inline void gate_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/** Returns once the counter is no longer `seen`. May also return early: look again. */
static inline void gate_wait(Gate *gate, int32_t seen) {
  enum { SPINS = 1500 }; // 15 to 60 microseconds
  for (int spin = 0; spin < SPINS; spin++) {
    if (atomic_load_explicit(&gate->word, memory_order_acquire) != seen) return;
    gate_pause();
  }
  // Counted before the last look at the word, as `gate_advance` counts before it looks here: one of the two sees the other.
  atomic_fetch_add(&gate->sleepers, 1);
#if defined(__linux__)
  syscall(SYS_futex, &gate->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
#elif defined(__wasm__)
  __builtin_wasm_memory_atomic_wait32((int *)&gate->word, seen, -1);
#else
  pthread_mutex_lock(&gate->lock);
  while (atomic_load(&gate->word) == seen) pthread_cond_wait(&gate->changed, &gate->lock);
  pthread_mutex_unlock(&gate->lock);
#endif
  atomic_fetch_sub(&gate->sleepers, 1);
}

/** Counts on and wakes everyone who waits. */
static inline void gate_advance(Gate *gate) {
  atomic_fetch_add(&gate->word, 1);
  if (atomic_load(&gate->sleepers) == 0) return;
#if defined(__linux__)
  syscall(SYS_futex, &gate->word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
#elif defined(__wasm__)
  __builtin_wasm_memory_atomic_notify((int *)&gate->word, UINT32_MAX);
#else
  pthread_mutex_lock(&gate->lock);
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->lock);
#endif
}
