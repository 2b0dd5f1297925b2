// Asks the processor, once per start. AVX-512 needs the operating system's consent too; the builtin knows.
#include "instruction-set.h"

void instruction_sets(InstructionSet *sets) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2 && __builtin_cpu_supports("avx512f")) *sets++ = (InstructionSet){"avx512", kernels_avx512};
  if (has_avx2) *sets++ = (InstructionSet){"avx2", kernels_avx2};
#elif defined(__aarch64__)
  *sets++ = (InstructionSet){"neon", kernels_neon};
#endif
  *sets++ = (InstructionSet){"baseline", kernels_baseline};
  *sets = (InstructionSet){0};
}
