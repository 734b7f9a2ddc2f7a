#define _GNU_SOURCE
#include "ctapeline.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/net_tstamp.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <limits.h>
#include <malloc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULT(call)                \
  do {                              \
    __typeof__(call) result = call; \
    return result < 0 ? -errno : result; \
  } while (0)

// Bytes in and out.

long tapeline_read(int fd, void *buffer, size_t count) { RESULT(read(fd, buffer, count)); }
long tapeline_write(int fd, const void *buffer, size_t count) { RESULT(write(fd, buffer, count)); }
long tapeline_writev(int fd, const struct iovec *vectors, int count) { RESULT(writev(fd, vectors, count)); }
long tapeline_pread(int fd, void *buffer, size_t count, long offset) { RESULT(pread(fd, buffer, count, offset)); }
long tapeline_pwrite(int fd, const void *buffer, size_t count, long offset) { RESULT(pwrite(fd, buffer, count, offset)); }
int tapeline_poll(struct pollfd *requests, unsigned long count, int milliseconds) { RESULT(poll(requests, count, milliseconds)); }

// Files.

int tapeline_open(const char *path, int flags, unsigned mode) { RESULT(open(path, flags | O_CLOEXEC, mode)); }
int tapeline_close(int fd) { RESULT(close(fd)); }
int tapeline_fsync(int fd) { RESULT(fsync(fd)); }
int tapeline_ftruncate(int fd, long length) { RESULT(ftruncate(fd, length)); }
int tapeline_flock(int fd, int operation) { RESULT(flock(fd, operation)); }
int tapeline_fdatasync(int fd) { RESULT(fdatasync(fd)); }
long tapeline_lseek(int fd, long offset, int origin) { RESULT(lseek(fd, offset, origin)); }
int tapeline_fchmod(int fd, unsigned mode) { RESULT(fchmod(fd, mode)); }
int tapeline_close_on_execute(int fd) { RESULT(fcntl(fd, F_SETFD, FD_CLOEXEC)); }
int tapeline_duplicate(int fd) { RESULT(fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

int tapeline_set_direct(int fd, bool on) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -errno;
  RESULT(fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT));
}

static void from_stat(const struct stat *in, struct tapeline_file_status *out) {
  out->device = in->st_dev;
  out->inode = in->st_ino;
  out->links = in->st_nlink;
  out->size = in->st_size;
  out->modified_seconds = in->st_mtim.tv_sec;
  out->modified_nanoseconds = (uint32_t)in->st_mtim.tv_nsec;
  out->mode = in->st_mode;
  out->owner = in->st_uid;
}

int tapeline_stat(const char *path, bool follows_links, struct tapeline_file_status *status) {
  struct stat found;
  if ((follows_links ? stat(path, &found) : lstat(path, &found)) < 0) return -errno;
  from_stat(&found, status);
  return 0;
}

int tapeline_fstat(int fd, struct tapeline_file_status *status) {
  struct stat found;
  if (fstat(fd, &found) < 0) return -errno;
  from_stat(&found, status);
  return 0;
}

// Names.

int tapeline_access(const char *path, int mode) { RESULT(access(path, mode)); }
int tapeline_chmod(const char *path, unsigned mode) { RESULT(chmod(path, mode)); }
int tapeline_link(const char *path, const char *other) { RESULT(link(path, other)); }
int tapeline_rename(const char *path, const char *other) { RESULT(rename(path, other)); }
int tapeline_unlink(const char *path) { RESULT(unlink(path)); }
int tapeline_mkdir(const char *path, unsigned mode) { RESULT(mkdir(path, mode)); }
int tapeline_rmdir(const char *path) { RESULT(rmdir(path)); }
int tapeline_mkdtemp(char *pattern) { return mkdtemp(pattern) ? 0 : -errno; }
long tapeline_readlink(const char *path, char *buffer, size_t size) { RESULT(readlink(path, buffer, size)); }
int tapeline_realpath(const char *path, char *buffer) { return realpath(path, buffer) ? 0 : -errno; }
int tapeline_getcwd(char *buffer, size_t size) { return getcwd(buffer, size) ? 0 : -errno; }

// Changes of files.

int tapeline_watch(void) { RESULT(inotify_init1(IN_CLOEXEC)); }
int tapeline_watch_add(int fd, const char *path, uint32_t events) { RESULT(inotify_add_watch(fd, path, events)); }
int tapeline_watch_remove(int fd, int watch) { RESULT(inotify_rm_watch(fd, watch)); }

// Ends of child processes.

int tapeline_await_end(int child) {
  siginfo_t information;
  RESULT(waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT));
}

int tapeline_collect(int child, int *status) { RESULT(waitpid(child, status, 0)); }

// Addresses.

union socket_address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_storage storage;
};

static socklen_t to_kernel(const struct tapeline_address *address, union socket_address *out) {
  memset(out, 0, sizeof *out);
  if (address->is_ipv6) {
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons(address->port);
    out->v6.sin6_scope_id = address->scope;
    memcpy(&out->v6.sin6_addr, address->bytes, 16);
    return sizeof out->v6;
  }
  out->v4.sin_family = AF_INET;
  out->v4.sin_port = htons(address->port);
  memcpy(&out->v4.sin_addr, address->bytes, 4);
  return sizeof out->v4;
}

// Another family (a Unix socket under test) becomes the unspecified IPv4 address.
static void from_kernel(const struct sockaddr *in, struct tapeline_address *address) {
  memset(address, 0, sizeof *address);
  if (in->sa_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)in;
    address->is_ipv6 = true;
    address->port = ntohs(v6->sin6_port);
    address->scope = v6->sin6_scope_id;
    memcpy(address->bytes, &v6->sin6_addr, 16);
  } else if (in->sa_family == AF_INET) {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)in;
    address->port = ntohs(v4->sin_port);
    memcpy(address->bytes, &v4->sin_addr, 4);
  }
}

bool tapeline_parse_address(const char *text, uint16_t port, struct tapeline_address *address) {
  memset(address, 0, sizeof *address);
  address->port = port;
  if (inet_pton(AF_INET, text, address->bytes) == 1) return true;

  char host[INET6_ADDRSTRLEN];
  const char *percent = strchr(text, '%');
  size_t length = percent ? (size_t)(percent - text) : strlen(text);
  if (length >= sizeof host) return false;
  memcpy(host, text, length);
  host[length] = 0;
  if (inet_pton(AF_INET6, host, address->bytes) != 1) return false;
  address->is_ipv6 = true;
  if (percent) {
    address->scope = if_nametoindex(percent + 1);
    return address->scope != 0;
  }
  return true;
}

int tapeline_format_address(const struct tapeline_address *address, char *buffer, size_t size) {
  if (!inet_ntop(address->is_ipv6 ? AF_INET6 : AF_INET, address->bytes, buffer, size)) return -errno;
  char name[IF_NAMESIZE];
  if (address->scope != 0 && if_indextoname(address->scope, name)) {
    size_t used = strlen(buffer);
    snprintf(buffer + used, size - used, "%%%s", name);
  }
  return 0;
}

int tapeline_resolve(
    const char *host, uint16_t port, bool only_configured_families, struct tapeline_address *addresses, int capacity,
    bool *is_resolver_code) {
  struct addrinfo hints = {
      .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = only_configured_families ? AI_ADDRCONFIG : 0};
  struct addrinfo *found = NULL;
  int code = getaddrinfo(host, NULL, &hints, &found);
  int system_code = errno;
  *is_resolver_code = code != 0 && code != EAI_SYSTEM;
  if (code == EAI_SYSTEM) return -system_code;
  if (code != 0) return code;  // EAI codes are negative already

  int count = 0;
  for (struct addrinfo *entry = found; entry && count < capacity; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    from_kernel(entry->ai_addr, &addresses[count]);
    addresses[count].port = port;
    count++;
  }
  freeaddrinfo(found);
  return count;
}

// Sockets.

int tapeline_socket(bool is_ipv6) {
  RESULT(socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
}

int tapeline_bind(int fd, const struct tapeline_address *address) {
  union socket_address name;
  socklen_t length = to_kernel(address, &name);
  RESULT(bind(fd, &name.any, length));
}

int tapeline_listen(int fd, int backlog) { RESULT(listen(fd, backlog)); }

int tapeline_connect(int fd, const struct tapeline_address *address) {
  union socket_address name;
  socklen_t length = to_kernel(address, &name);
  RESULT(connect(fd, &name.any, length));
}

int tapeline_accept(int fd, struct tapeline_address *peer) {
  union socket_address name;
  socklen_t length = sizeof name;
  int accepted = accept4(fd, &name.any, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (accepted < 0) return -errno;
  from_kernel(&name.any, peer);
  return accepted;
}

int tapeline_shutdown(int fd, int how) { RESULT(shutdown(fd, how)); }

int tapeline_local_address(int fd, struct tapeline_address *address) {
  union socket_address name;
  socklen_t length = sizeof name;
  if (getsockname(fd, &name.any, &length) < 0) return -errno;
  from_kernel(&name.any, address);
  return 0;
}

int tapeline_peer_address(int fd, struct tapeline_address *address) {
  union socket_address name;
  socklen_t length = sizeof name;
  if (getpeername(fd, &name.any, &length) < 0) return -errno;
  from_kernel(&name.any, address);
  return 0;
}

int tapeline_source_address(const struct tapeline_address *to, struct tapeline_address *source) {
  int fd = socket(to->is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  int result = tapeline_connect(fd, to);
  if (result == 0) result = tapeline_local_address(fd, source);
  close(fd);
  return result;
}

static void to_diag(const struct tapeline_address *address, __be16 *port, __be32 out[4]) {
  *port = htons(address->port);
  memcpy(out, address->bytes, address->is_ipv6 ? 16 : 4);
}

int tapeline_diagnostic_socket(void) { RESULT(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)); }

int tapeline_socket_owner(
    int fd, const struct tapeline_address *local, const struct tapeline_address *remote, uint64_t *inode, uint32_t *user) {
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 request;
  } question = {
      .header = {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
      .request = {.sdiag_family = local->is_ipv6 ? AF_INET6 : AF_INET, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0u},
  };
  to_diag(local, &question.request.id.idiag_sport, question.request.id.idiag_src);
  to_diag(remote, &question.request.id.idiag_dport, question.request.id.idiag_dst);
  question.request.id.idiag_cookie[0] = question.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  union {
    struct nlmsghdr header;
    char bytes[4096];
  } answer;
  ssize_t length = send(fd, &question, sizeof question, 0);
  // The kernel answers before send returns: there is nothing to wait for.
  if (length >= 0) length = recv(fd, &answer, sizeof answer, MSG_DONTWAIT);
  if (length < 0) return -errno;
  if (!NLMSG_OK(&answer.header, (size_t)length)) return -EBADMSG;
  if (answer.header.nlmsg_type == NLMSG_ERROR && answer.header.nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
    int code = ((const struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
    return code < 0 ? code : -EBADMSG;
  }
  if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
    return -EBADMSG;
  const struct inet_diag_msg *message = NLMSG_DATA(&answer.header);
  *inode = message->idiag_inode;
  *user = message->idiag_uid;
  return 0;
}

// Socket options.

static int set_flag(int fd, int level, int option, bool on) {
  int value = on;
  RESULT(setsockopt(fd, level, option, &value, sizeof value));
}

int tapeline_take_socket_error(int fd, int *code) {
  socklen_t length = sizeof *code;
  RESULT(getsockopt(fd, SOL_SOCKET, SO_ERROR, code, &length));
}

int tapeline_set_no_delay(int fd, bool on) { return set_flag(fd, IPPROTO_TCP, TCP_NODELAY, on); }

int tapeline_set_keep_alive(int fd, int idle, int interval, int count) {
  int on = 1;
  if (setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) < 0) return -errno;
  if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle) < 0) return -errno;
  if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval) < 0) return -errno;
  RESULT(setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count));
}

int tapeline_set_reuse_address(int fd, bool on) { return set_flag(fd, SOL_SOCKET, SO_REUSEADDR, on); }
int tapeline_set_reuse_port(int fd, bool on) { return set_flag(fd, SOL_SOCKET, SO_REUSEPORT, on); }
int tapeline_set_ipv6_only(int fd, bool on) { return set_flag(fd, IPPROTO_IPV6, IPV6_V6ONLY, on); }

int tapeline_distribute_by_processor(int fd, unsigned count) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_CPU)),
      BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, count),
      BPF_STMT(BPF_RET | BPF_A, 0),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  RESULT(setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program));
}

int tapeline_limit_receive_buffer(int fd, int size) {
  RESULT(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size));
}

int tapeline_limit_send_buffer(int fd, int size) {
  RESULT(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size));
}

int tapeline_set_reset_on_close(int fd, int resets) {
  struct linger linger = {.l_onoff = resets, .l_linger = 0};
  RESULT(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

int tapeline_stamp_arrivals(int fd) {
  int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  RESULT(setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags));
}

long tapeline_receive(int fd, void *buffer, size_t count, bool peek, int64_t *stamp) {
  // Three times: by software, unused, by hardware. Whatever else the kernel may add is cut off.
  union {
    char bytes[CMSG_SPACE(3 * sizeof(struct timespec))];
    struct cmsghdr aligned;
  } control;
  struct iovec vector = {.iov_base = buffer, .iov_len = count};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  *stamp = 0;
  ssize_t length = recvmsg(fd, &message, peek ? MSG_PEEK : 0);
  if (length < 0) return -errno;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SO_TIMESTAMPING) {
    struct timespec time;
    memcpy(&time, CMSG_DATA(header), sizeof time);
    *stamp = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  }
  return length;
}

int tapeline_bytes_waiting(int fd) {
  int count = 0;
  return ioctl(fd, FIONREAD, &count) < 0 ? -errno : count;
}

long tapeline_splice(int from, int to, size_t count) {
  RESULT(splice(from, NULL, to, NULL, count, SPLICE_F_MOVE | SPLICE_F_NONBLOCK));
}

int tapeline_tcp_info(int fd, struct tapeline_tcp_info *out) {
  struct tcp_info info;
  memset(&info, 0, sizeof info);  // an older kernel fills less
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return -errno;
  out->delivery_rate = info.tcpi_delivery_rate;
  out->bytes_acked = info.tcpi_bytes_acked;
  out->bytes_received = info.tcpi_bytes_received;
  out->busy_us = info.tcpi_busy_time;
  out->window_limited_us = info.tcpi_rwnd_limited;
  out->buffer_limited_us = info.tcpi_sndbuf_limited;
  out->out_of_order = info.tcpi_rcv_ooopack;
  out->in_flight = info.tcpi_unacked * info.tcpi_snd_mss;
  out->is_application_limited = info.tcpi_delivery_rate_app_limited;
  out->rtt_us = info.tcpi_rtt;
  out->rttvar_us = info.tcpi_rttvar;
  out->min_rtt_us = info.tcpi_min_rtt == UINT32_MAX ? 0 : info.tcpi_min_rtt;
  out->total_retransmits = info.tcpi_total_retrans;
  out->snd_cwnd = info.tcpi_snd_cwnd;
  return 0;
}

int tapeline_segments_received(int fd, uint32_t *segments, uint64_t *bytes) {
  struct tcp_info info;
  // The kernel copies no more than is wanted.
  const socklen_t wanted = offsetof(struct tcp_info, tcpi_data_segs_in) + sizeof info.tcpi_data_segs_in;
  socklen_t length = wanted;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) < 0) return -errno;
  if (length < wanted) return -ENOTSUP;
  *segments = info.tcpi_data_segs_in;
  *bytes = info.tcpi_bytes_received;
  return 0;
}

// Local sockets.

int tapeline_local_socket(void) { RESULT(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

static bool to_local(const char *path, struct sockaddr_un *out) {
  memset(out, 0, sizeof *out);
  out->sun_family = AF_UNIX;
  size_t length = strlen(path);
  if (length >= sizeof out->sun_path) return false;
  memcpy(out->sun_path, path, length);
  return true;
}

int tapeline_local_bind(int fd, const char *path) {
  struct sockaddr_un address;
  if (!to_local(path, &address)) return -ENAMETOOLONG;
  RESULT(bind(fd, (struct sockaddr *)&address, sizeof address));
}

int tapeline_local_connect(int fd, const char *path) {
  struct sockaddr_un address;
  if (!to_local(path, &address)) return -ENAMETOOLONG;
  RESULT(connect(fd, (struct sockaddr *)&address, sizeof address));
}

int tapeline_local_accept(int fd) { RESULT(accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)); }

long tapeline_send(int fd, const void *buffer, size_t count) { RESULT(send(fd, buffer, count, MSG_NOSIGNAL)); }

int tapeline_local_peer_user(int fd, unsigned *user) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
  *user = peer.uid;
  return 0;
}

int tapeline_is_local_socket(int fd) {
  struct sockaddr_storage name;
  socklen_t length = sizeof name;
  if (getsockname(fd, (struct sockaddr *)&name, &length) < 0) return -errno;
  return name.ss_family == AF_UNIX;
}

int tapeline_local_path(int fd, char path[128]) {
  struct sockaddr_un name;
  memset(&name, 0, sizeof name);
  socklen_t length = sizeof name;
  if (getsockname(fd, (struct sockaddr *)&name, &length) < 0) return -errno;
  size_t count = length > offsetof(struct sockaddr_un, sun_path) ? length - offsetof(struct sockaddr_un, sun_path) : 0;
  if (count > sizeof name.sun_path) count = sizeof name.sun_path;
  memcpy(path, name.sun_path, count);
  path[count] = 0;
  if (count > 0 && path[0] == 0) path[0] = '@';
  return 0;
}

bool tapeline_accepts_streams(int fd) {
  int type = 0, listens = 0;
  socklen_t length = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) < 0 || type != SOCK_STREAM) return false;
  length = sizeof listens;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0 && listens;
}

int tapeline_adopt_socket(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return -errno;
  RESULT(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
}

int tapeline_notify(const char *path, const char *message) {
  struct sockaddr_un address;
  if (!to_local(path, &address)) return -ENAMETOOLONG;
  if (path[0] == '@') address.sun_path[0] = 0;  // an abstract name, whose length counts
  socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(path);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  long sent = sendto(fd, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&address, length);
  int result = sent < 0 ? -errno : 0;
  close(fd);
  return result;
}

int tapeline_local_pair(int ends[2]) { RESULT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)); }

#define DESCRIPTORS_MAX 64

long tapeline_send_descriptors(int fd, const void *buffer, size_t size, const int *descriptors, int count) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
  } control;
  if (count < 1 || count > DESCRIPTORS_MAX) return -EINVAL;
  memset(&control, 0, sizeof control);
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
  memcpy(CMSG_DATA(&control.header), descriptors, sizeof(int) * (size_t)count);
  struct iovec piece = {.iov_base = (void *)buffer, .iov_len = size};
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count)};
  RESULT(sendmsg(fd, &message, MSG_NOSIGNAL));
}

long tapeline_receive_descriptors(int fd, void *buffer, size_t size, int *descriptors, int capacity, int *count) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
  } control;
  struct iovec piece = {.iov_base = buffer, .iov_len = size};
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  *count = 0;
  ssize_t length = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (length < 0) return -errno;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const int *found = (const int *)CMSG_DATA(part);
    for (size_t index = 0; index < (part->cmsg_len - CMSG_LEN(0)) / sizeof(int); index++) {
      if (*count < capacity) {
        descriptors[(*count)++] = found[index];
      } else {
        close(found[index]);
      }
    }
  }
  return length;
}

// Namespaces.

int tapeline_unshare_network(bool with_user) { RESULT(unshare(CLONE_NEWNET | (with_user ? CLONE_NEWUSER : 0))); }
int tapeline_netlink(bool is_netfilter) {
  RESULT(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, is_netfilter ? NETLINK_NETFILTER : NETLINK_ROUTE));
}
int tapeline_set_transparent(int fd, bool is_ipv6) {
  return is_ipv6 ? set_flag(fd, IPPROTO_IPV6, IPV6_TRANSPARENT, true) : set_flag(fd, IPPROTO_IP, IP_TRANSPARENT, true);
}
int tapeline_set_mark(int fd, unsigned mark) { RESULT(setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof mark)); }
int tapeline_wait_readable(int fd, long long nanoseconds) {
  struct pollfd request = {fd, POLLIN, 0};
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  RESULT(ppoll(&request, 1, &limit, NULL));
}
void tapeline_sharpen_timers(void) { prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); }
int tapeline_set_receive_buffer(int fd, int size) {
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) == 0) return 0;
  RESULT(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size));
}
int tapeline_drop_capability(int number) { RESULT(prctl(PR_CAPBSET_DROP, number, 0, 0, 0)); }
int tapeline_clear_ambient_capabilities(void) { RESULT(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)); }
int tapeline_is_network_socket(int fd) {
  int domain;
  socklen_t length = sizeof domain;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0) return -errno;
  return domain != AF_UNIX;
}
int tapeline_split_off(int kept, const char *name) {
  pid_t child = fork();
  if (child < 0) return -errno;
  if (child > 0) {
    int status;
    while (waitpid(child, &status, 0) < 0) {
      if (errno != EINTR) return -errno;
    }
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECANCELED;
  }
  setsid();
  // The parent of the second process ends at once: nobody waits for it, and it gets no terminal.
  child = fork();
  if (child != 0) _exit(child < 0 ? errno : 0);
  prctl(PR_SET_NAME, name, 0, 0, 0);
  if (kept > 0) close_range(0, (unsigned)kept - 1, 0);
  close_range((unsigned)kept + 1, ~0U, 0);
  return chdir("/") < 0 ? -errno : 1;
}
int tapeline_execute(const char *name, char *const arguments[], char *const environment[]) {
  return execvpe(name, arguments, environment) < 0 ? -errno : 0;
}

// Datagrams.

int tapeline_datagram_socket(bool is_ipv6) {
  RESULT(socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP));
}

int tapeline_tell_destinations(int fd, bool is_ipv6) {
  return is_ipv6 ? set_flag(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, true) : set_flag(fd, IPPROTO_IP, IP_PKTINFO, true);
}

union packet_control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(struct in_pktinfo))];
};

long tapeline_receive_datagram(
    int fd, void *buffer, size_t size, struct tapeline_address *from, struct tapeline_address *to) {
  union packet_control control;
  union socket_address name;
  struct iovec piece = {.iov_base = buffer, .iov_len = size};
  struct msghdr message = {
      .msg_name = &name, .msg_namelen = sizeof name, .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control,
      .msg_controllen = sizeof control};
  int local = tapeline_local_address(fd, to);
  if (local < 0) return local;
  ssize_t length = recvmsg(fd, &message, 0);
  if (length < 0) return -errno;
  from_kernel(&name.any, from);
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
      memcpy(to->bytes, &((const struct in_pktinfo *)CMSG_DATA(part))->ipi_addr, 4);
    } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
      memcpy(to->bytes, &((const struct in6_pktinfo *)CMSG_DATA(part))->ipi6_addr, 16);
    }
  }
  return length;
}

long tapeline_send_datagram(
    int fd, const void *buffer, size_t size, const struct tapeline_address *from, const struct tapeline_address *to) {
  union packet_control control;
  union socket_address name;
  memset(&control, 0, sizeof control);
  struct iovec piece = {.iov_base = (void *)buffer, .iov_len = size};
  struct msghdr message = {.msg_name = &name, .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control};
  message.msg_namelen = to_kernel(to, &name);
  if (to->is_ipv6) {
    control.header.cmsg_level = IPPROTO_IPV6;
    control.header.cmsg_type = IPV6_PKTINFO;
    control.header.cmsg_len = CMSG_LEN(sizeof(struct in6_pktinfo));
    message.msg_controllen = CMSG_SPACE(sizeof(struct in6_pktinfo));
    memcpy(&((struct in6_pktinfo *)CMSG_DATA(&control.header))->ipi6_addr, from->bytes, 16);
  } else {
    control.header.cmsg_level = IPPROTO_IP;
    control.header.cmsg_type = IP_PKTINFO;
    control.header.cmsg_len = CMSG_LEN(sizeof(struct in_pktinfo));
    message.msg_controllen = CMSG_SPACE(sizeof(struct in_pktinfo));
    memcpy(&((struct in_pktinfo *)CMSG_DATA(&control.header))->ipi_spec_dst, from->bytes, 4);
  }
  RESULT(sendmsg(fd, &message, MSG_NOSIGNAL));
}

// GNU-only.

int tapeline_eventfd(void) { RESULT(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)); }
int tapeline_pipe(int descriptors[2], bool is_non_blocking) {
  RESULT(pipe2(descriptors, is_non_blocking ? O_NONBLOCK | O_CLOEXEC : O_CLOEXEC));
}
int tapeline_size_pipe(int fd, int size) { RESULT(fcntl(fd, F_SETPIPE_SZ, size)); }
void tapeline_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

// Texts.

const char *tapeline_error_text(int code, char *buffer, size_t size) { return strerror_r(code, buffer, size); }
const char *tapeline_resolver_error_text(int code) { return gai_strerror(code); }
bool tapeline_is_name_not_found(int code) { return code == EAI_NONAME || code == EAI_NODATA || code == EAI_ADDRFAMILY; }

// Memory.

void tapeline_configure_allocator(void) {
  mallopt(M_ARENA_MAX, 2);
  // An exchange frees many small blocks, and then needs a large one. Fast bins would keep the pieces apart until that one puts
  // all of them together.
  mallopt(M_MXFAST, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

void tapeline_give_back_memory(void) { malloc_trim(0); }
