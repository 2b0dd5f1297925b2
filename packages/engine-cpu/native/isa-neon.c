// The kernels for NEON, which every 64-bit ARM processor has, with fused multiply-add.
#if defined(__aarch64__)
#include "instruction-set.h"
#define VECTOR_NEON
#include "kernel/all.h"

const Kernel *const kernels_neon = all_kernels;
#endif
