#define _GNU_SOURCE

#include "cprocessors.h"

#include <errno.h>

int tapeline_get_processors(cpu_set_t *set) { return sched_getaffinity(0, sizeof *set, set) < 0 ? -errno : 0; }

int tapeline_set_processors(const cpu_set_t *set) { return sched_setaffinity(0, sizeof *set, set) < 0 ? -errno : 0; }
