// What the functions of this target have in common that look at 32 bytes at a time.
#ifndef CVECTORS_AVX2_H
#define CVECTORS_AVX2_H

#if defined(__x86_64__)

// AVX2 is in nearly every processor since 2015, but not in the instructions that a compiler takes for granted.
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))

static inline int has_avx2(void) { return __builtin_cpu_supports("avx2"); }

#endif

#endif
