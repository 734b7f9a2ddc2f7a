#ifndef TAPELINE_CLIBEVENT_SHIM_H
#define TAPELINE_CLIBEVENT_SHIM_H

// First, and before any feature macro: libevent's headers define _GNU_SOURCE. If they were the first to pull in libc's
// headers, fd_set and friends would get other members here than in every other C module, and modules that disagree about a
// struct do not merge.
#include <features.h>

// The reactor alone. No evhttp, evdns, bufferevent: docs/c-interop.md says why.
#include <event2/event.h>

#endif
