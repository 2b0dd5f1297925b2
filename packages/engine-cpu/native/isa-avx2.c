// The kernels for AVX2 with fused multiply-add: most x86-64 processors since 2013.
// Compiled for them whatever the compiler's own target is; instruction-set.c decides at run time.
#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include "instruction-set.h"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define VECTOR_AVX2
#include "kernel/all.h"

const Kernel *const kernels_avx2 = all_kernels;
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
