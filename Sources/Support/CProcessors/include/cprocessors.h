// On which processors the calling thread may run. For tests only: Swift sees glibc without its GNU extensions.
#ifndef CPROCESSORS_H
#define CPROCESSORS_H

#include <sched.h>

// 0, or -errno.
int tapeline_get_processors(cpu_set_t *set);
int tapeline_set_processors(const cpu_set_t *set);

#endif
