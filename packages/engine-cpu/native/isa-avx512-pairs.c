// The kernels for AVX-512, two panels to a tile: for processors that multiply two vectors at a time and have a first cache for both panels.
#define VECTOR_PAIRS
#define KERNELS_AVX512 kernels_avx512_pairs
#include "isa-avx512.c"
