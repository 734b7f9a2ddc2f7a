// Calls of connect(2) by a program and its descendants, which the kernel tells us of before it makes them (seccomp_unotify(2)), and ends of
// TCP sockets (sock_diag(7)).
#define _GNU_SOURCE
#include "ctapeline.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Newer than the headers of some systems.
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

int tapeline_watch_connects(void) {
#ifdef ARCHITECTURE
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_connect, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
  // A signal must not interrupt a call that would not have waited without us; older kernels cannot promise that.
  unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  int fd = (int)syscall(
      __NR_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
  if (fd < 0 && errno == EINVAL) fd = (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (fd < 0) return -errno;
  // The two sides take turns: the answer comes sooner on the caller's processor. Older kernels do not know this.
  (void)ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  return fd;
#else
  return -ENOSYS;
#endif
}

int tapeline_renounce_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0; }

int tapeline_receive_connect(int fd, struct tapeline_connect_call *call) {
  struct seccomp_notif notification;
  memset(&notification, 0, sizeof notification);
  if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &notification) < 0) return -errno;
  call->id = notification.id;
  call->thread = (int)notification.pid;
  call->socket = (int)notification.data.args[0];
  call->address = notification.data.args[1];
  call->length = (unsigned)notification.data.args[2];
  return 0;
}

int tapeline_answer_connect(int fd, uint64_t id) {
  struct seccomp_notif_resp response = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  return ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &response) < 0 ? -errno : 0;
}

static void take(bool is_ipv6, const void *bytes, uint16_t port, struct tapeline_address *address) {
  memset(address, 0, sizeof *address);
  address->is_ipv6 = is_ipv6;
  address->port = ntohs(port);
  memcpy(address->bytes, bytes, is_ipv6 ? 16 : 4);
}

int tapeline_connect_destination(const struct tapeline_connect_call *call, struct tapeline_address *address) {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } found;
  memset(&found, 0, sizeof found);
  size_t length = call->length < sizeof found ? call->length : sizeof found;
  struct iovec here = {.iov_base = &found, .iov_len = length};
  struct iovec there = {.iov_base = (void *)(uintptr_t)call->address, .iov_len = length};
  if (process_vm_readv(call->thread, &here, 1, &there, 1, 0) < 0) return -errno;
  if (found.any.sa_family == AF_INET && length >= sizeof found.v4) {
    take(false, &found.v4.sin_addr, found.v4.sin_port, address);
  } else if (found.any.sa_family == AF_INET6 && length >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
    take(true, &found.v6.sin6_addr, found.v6.sin6_port, address);
  } else {
    return -EAFNOSUPPORT;
  }
  return 0;
}

long tapeline_socket_protocol(const char *path, char *buffer, size_t size) {
  long length = getxattr(path, "system.sockprotoname", buffer, size);
  return length < 0 ? -errno : length;
}

int tapeline_ended_sockets(void) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
  if (fd < 0) return -errno;
  struct sockaddr_nl address = {
      .nl_family = AF_NETLINK,
      .nl_groups = 1u << (SKNLGRP_INET_TCP_DESTROY - 1) | 1u << (SKNLGRP_INET6_TCP_DESTROY - 1),
  };
  // As much as is permitted: what has no room is lost.
  int room = 8 << 20;
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
  if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
  int code = errno;
  close(fd);
  return -code;
}

int tapeline_receive_ended(int fd, struct tapeline_ended_socket *ended) {
  union {
    struct nlmsghdr header;
    char bytes[4096];
  } message;
  ssize_t length = recv(fd, &message, sizeof message, 0);
  if (length < 0) return -errno;
  size_t start = NLMSG_LENGTH(sizeof(struct inet_diag_msg));
  if (!NLMSG_OK(&message.header, (size_t)length) || message.header.nlmsg_len < start) return -EBADMSG;
  const struct inet_diag_msg *found = NLMSG_DATA(&message.header);
  bool is_ipv6 = found->idiag_family == AF_INET6;
  take(is_ipv6, found->id.idiag_src, found->id.idiag_sport, &ended->local);
  take(is_ipv6, found->id.idiag_dst, found->id.idiag_dport, &ended->remote);
  ended->was_connected = false;
  for (size_t at = NLMSG_ALIGN(start); at + NLA_HDRLEN <= message.header.nlmsg_len;) {
    const struct nlattr *attribute = (const struct nlattr *)(message.bytes + at);
    if (attribute->nla_len < NLA_HDRLEN || at + attribute->nla_len > message.header.nlmsg_len) break;
    size_t size = attribute->nla_len - NLA_HDRLEN;
    if (attribute->nla_type == INET_DIAG_INFO) {
      struct tcp_info information;
      memset(&information, 0, sizeof information);
      memcpy(&information, message.bytes + at + NLA_HDRLEN, size < sizeof information ? size : sizeof information);
      // An acknowledged SYN counts as a byte.
      ended->was_connected = information.tcpi_bytes_acked > 0;
    }
    at += NLA_ALIGN(attribute->nla_len);
  }
  return 0;
}
