// Counts the calling thread's allocations: linking this target replaces the C library's allocator by itself with a counter before it.
// For benchmarks only. It leans on glibc, whose allocator is also there under names of its own.
#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

// Allocations and reallocations of the calling thread so far.
uint64_t tapeline_allocations(void);

#endif
