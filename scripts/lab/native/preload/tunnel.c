// Loaded before a client that knows no proxy (LD_PRELOAD): its connections to TUNNEL_PORT on loopback go to the proxy on
// TUNNEL_PROXY_PORT, which is asked for them by CONNECT (RFC 9110, section 9.3.6). The same client then measures every proxy, and none.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int connect_function(int, const struct sockaddr *, socklen_t);

static unsigned variable(const char *name) {
  const char *text = getenv(name);
  return text ? (unsigned)atoi(text) : 0;
}

// Reads the response's head, and not a byte of what follows it. The head is short, and this is done once for a connection.
static int open_tunnel(int socket) {
  char request[128], head[4096];
  unsigned port = variable("TUNNEL_PORT");
  int length = snprintf(request, sizeof request, "CONNECT localhost:%u HTTP/1.1\r\nHost: localhost:%u\r\n\r\n", port, port);
  if (write(socket, request, (size_t)length) != length) return -1;
  for (size_t count = 0; count < sizeof head - 1; count++) {
    if (read(socket, head + count, 1) != 1) return -1;
    head[count + 1] = 0;
    if (count >= 3 && memcmp(head + count - 3, "\r\n\r\n", 4) == 0) return strncmp(head + 8, " 200", 4) == 0 ? 0 : -1;
  }
  return -1;
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
  static connect_function *next;
  if (!next) next = (connect_function *)dlsym(RTLD_NEXT, "connect");
  struct sockaddr_in target;
  if (address->sa_family != AF_INET || length < sizeof target) return next(socket, address, length);
  memcpy(&target, address, sizeof target);
  if (ntohs(target.sin_port) != variable("TUNNEL_PORT") || !variable("TUNNEL_PROXY_PORT")) return next(socket, address, length);

  target.sin_port = htons((in_port_t)variable("TUNNEL_PROXY_PORT"));
  int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  int status = next(socket, (const struct sockaddr *)&target, sizeof target);
  if (status == 0 && open_tunnel(socket) < 0) {
    errno = ECONNREFUSED;
    status = -1;
  }
  fcntl(socket, F_SETFL, flags);
  return status;
}
