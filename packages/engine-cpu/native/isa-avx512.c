// The kernels for AVX-512 (foundation only).
// Compiled for them whatever the compiler's own target is; instruction-set.c decides at run time.
#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include "instruction-set.h"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx2,fma")
#endif
#define VECTOR_AVX512
#ifndef KERNELS_AVX512
#define KERNELS_AVX512 kernels_avx512
#endif
#include "kernel/all.h"

const Kernel *const KERNELS_AVX512 = all_kernels;
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
