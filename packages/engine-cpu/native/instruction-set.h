// Which variants of the kernels this library holds and this processor can run.
#pragma once
#include "call.h"

typedef struct {
  const char *name;
  const Kernel *kernels; // ends with an empty entry
} InstructionSet;

extern const Kernel *const kernels_baseline;
#if defined(__x86_64__)
extern const Kernel *const kernels_avx2;
extern const Kernel *const kernels_avx512;
extern const Kernel *const kernels_avx512_pairs;
#elif defined(__aarch64__)
extern const Kernel *const kernels_neon;
#endif

/** Sets that this processor can run, the best first; ends with an empty entry. `sets` has room for MOST_INSTRUCTION_SETS. */
enum { MOST_INSTRUCTION_SETS = 5 };
void instruction_sets(InstructionSet *sets);
