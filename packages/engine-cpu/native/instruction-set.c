// Asks the processor, once per start. AVX-512 needs the operating system's consent too; the builtin knows.
#include "instruction-set.h"

#if defined(__x86_64__)
#include <cpuid.h>

/** Bytes of the first data cache; 0 where the processor does not say. Intel tells with one leaf, AMD with another, both in one format. */
static int64_t first_cache_bytes(void) {
  static const unsigned leaves[] = {4, 0x8000001d};
  for (int which = 0; which < 2; which++)
    for (unsigned index = 0; index < 8; index++) {
      unsigned a = 0, b = 0, c = 0, d = 0;
      if (!__get_cpuid_count(leaves[which], index, &a, &b, &c, &d) || (a & 31) == 0) break;
      const bool is_data = (a & 31) != 2, is_first = (a >> 5 & 7) == 1;
      if (is_data && is_first) return (int64_t)((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * ((int64_t)c + 1);
    }
  return 0;
}
#endif

void instruction_sets(InstructionSet *sets) {
#if defined(__x86_64__)
  enum { ROOM_FOR_PAIRS = 48 << 10 };
  const InstructionSet single = {"avx512", kernels_avx512}, pairs = {"avx512-pairs", kernels_avx512_pairs};
  const bool has_room = first_cache_bytes() >= ROOM_FOR_PAIRS;
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2 && __builtin_cpu_supports("avx512f")) *sets++ = has_room ? pairs : single, *sets++ = has_room ? single : pairs;
  if (has_avx2) *sets++ = (InstructionSet){"avx2", kernels_avx2};
#elif defined(__aarch64__)
  *sets++ = (InstructionSet){"neon", kernels_neon};
#endif
  *sets++ = (InstructionSet){"baseline", kernels_baseline};
  *sets = (InstructionSet){0};
}
