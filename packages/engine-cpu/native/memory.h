// Where scratch memory comes from: the C library, or in WASM the host, which owns the linear memory.
#pragma once
#include <stddef.h>
#include <stdint.h>

#if defined(__wasm__)
__attribute__((import_module("host"), import_name("allocate"))) uint32_t host_allocate(uint32_t bytes);
__attribute__((import_module("host"), import_name("release"))) void host_release(uint32_t address);

/** 64-byte aligned; null without memory. */
static inline void *memory_allocate(size_t bytes) { return (void *)host_allocate((uint32_t)bytes); }
static inline void memory_release(void *memory) {
  if (memory) host_release((uint32_t)memory);
}
#else
#include <stdlib.h>

static inline void *memory_allocate(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }
static inline void memory_release(void *memory) { free(memory); }
#endif
