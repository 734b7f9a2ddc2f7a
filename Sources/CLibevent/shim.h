#ifndef TAPELINE_CLIBEVENT_SHIM_H
#define TAPELINE_CLIBEVENT_SHIM_H

// First, and before any feature macro: libevent's headers define _GNU_SOURCE. If they were the first to pull in libc's
// headers, fd_set and friends would get other members here than in every other C module, and modules that disagree about a
// struct do not merge.
#include <features.h>

// The reactor alone. No evhttp, evdns, bufferevent: docs/c-interop.md says why.
#include <event2/event.h>
#include <stdint.h>
#include <sys/time.h>

// The interval is a struct of libc's, which stays on this side.
static inline int tapeline_event_add_timer(struct event *event, int64_t microseconds) {
  struct timeval interval = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000};
  return event_add(event, &interval);
}

#endif
