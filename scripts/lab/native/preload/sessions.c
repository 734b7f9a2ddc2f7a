// Loaded before a client that keeps one TLS object for all its connections, one after another (LD_PRELOAD): with FULL_HANDSHAKES set,
// the object forgets its session between them, so that each connection makes a full handshake.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

typedef int clear_function(void *);
typedef int set_session_function(void *, void *);

int SSL_clear(void *connection) {
  static clear_function *next;
  static set_session_function *set_session;
  if (!next) {
    set_session = (set_session_function *)dlsym(RTLD_NEXT, "SSL_set_session");
    next = (clear_function *)dlsym(RTLD_NEXT, "SSL_clear");
  }
  int status = next(connection);
  if (getenv("FULL_HANDSHAKES")) set_session(connection, NULL);
  return status;
}
