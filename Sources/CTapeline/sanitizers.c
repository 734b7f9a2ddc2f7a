#include "ctapeline.h"

// Only in builds with the thread sanitizer.
//
// The slow path of Synchronization.Mutex lies in a library of the toolchain that is built without the sanitizer, so that it does not see
// who has the lock after contention. What a mutex protects can be reached through withLock alone, whose closures are left out: the text is
// the end of their mangled names (functions of one "inout sending" value with a "sending" result, the second kind with a typed throw).
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
__attribute__((no_sanitize("thread"))) const char *__tsan_default_suppressions(void) {
  return "race:zYuYTXEfU\nrace:YKYTXEfU\n";
}
#endif
#endif
