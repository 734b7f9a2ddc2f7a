#include "ctapeline.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define TAPELINE_THREAD_SANITIZER
#endif
#endif

// What the sanitizers have to be told, in builds with them only.
#if defined(__has_feature)

#ifdef TAPELINE_THREAD_SANITIZER
// The slow path of Synchronization.Mutex lies in a library of the toolchain that is built without the sanitizer, so that it does not see
// who has the lock after contention. What a mutex protects can be reached through withLock alone, whose closures are left out: the text is
// the end of their mangled names (functions of one "inout sending" value with a "sending" result, the second kind with a typed throw).
__attribute__((no_sanitize("thread"))) const char *__tsan_default_suppressions(void) {
  return "race:zYuYTXEfU\nrace:YKYTXEfU\n";
}
#endif

#if __has_feature(address_sanitizer)
// Swift keeps pointers where the leak sanitizer does not look for them: shifted in the reference count of an object with weak references, and
// with other bits beside them in enums. What it then calls leaked is in use.
__attribute__((no_sanitize("address"))) const char *__asan_default_options(void) {
  return "detect_leaks=0";
}
#endif

#endif

// The same blind spot hides that what is put into a queue under contention was written before it is taken out.
#ifdef TAPELINE_THREAD_SANITIZER
static char lock;
void tapeline_lock_taken(void) { __tsan_acquire(&lock); }
void tapeline_lock_released(void) { __tsan_release(&lock); }
#else
void tapeline_lock_taken(void) {}
void tapeline_lock_released(void) {}
#endif
