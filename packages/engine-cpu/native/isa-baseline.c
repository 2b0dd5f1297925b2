// The kernels for vectors of four without fused multiply-add: SSE2, WASM SIMD, and any processor as a last resort.
// This and the WASM build give the same bits.
#include "instruction-set.h"
#define VECTOR_BASELINE
#include "kernel/all.h"

const Kernel *const kernels_baseline = all_kernels;
