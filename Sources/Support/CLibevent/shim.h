#ifndef TAPELINE_CLIBEVENT_SHIM_H
#define TAPELINE_CLIBEVENT_SHIM_H

// First, and before any feature macro: libevent's headers define _GNU_SOURCE. If they were the first to pull in libc's
// headers, fd_set and friends would get other members here than in every other C module, and modules that disagree about a
// struct do not merge.
#include <features.h>

// The reactor alone. No evhttp, evdns, bufferevent: docs/c-interop.md says why.
#include <event2/event.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

// The interval is a struct of libc's, which stays on this side.
static inline int tapeline_event_add_timer(struct event *event, int64_t microseconds) {
  struct timeval interval = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000};
  return event_add(event, &interval);
}

// Where to go on if the base that this thread is making cannot be made.
static inline jmp_buf **tapeline_failed_base(void) {
  static _Thread_local jmp_buf *failed;
  return &failed;
}

// Called for every other internal error.
static inline void (**tapeline_fatal_callback(void))(int) {
  static void (*callback)(int);
  return &callback;
}

// libevent has no way to report that it found no descriptor for the pipe of a new base: it calls this, and would end the process
// if this returned. The jump leaves frames of libevent alone; what they had made so far (an epoll instance, some memory) is lost.
static inline void tapeline_libevent_failed(int code) {
  if (*tapeline_failed_base()) longjmp(**tapeline_failed_base(), 1);
  if (*tapeline_fatal_callback()) (*tapeline_fatal_callback())(code);
  abort();
}

static inline void tapeline_set_fatal_callback(void (*callback)(int)) {
  *tapeline_fatal_callback() = callback;
  event_set_fatal_callback(tapeline_libevent_failed);
}

// Null if there are not enough descriptors.
static inline struct event_base *tapeline_event_base_new(const struct event_config *configuration) {
  jmp_buf failed;
  struct event_base *volatile base = NULL;
  if (setjmp(failed) == 0) {
    *tapeline_failed_base() = &failed;
    base = event_base_new_with_config(configuration);
  }
  *tapeline_failed_base() = NULL;
  return base;
}

#endif
