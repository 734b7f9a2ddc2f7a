// What Swift cannot import or must not call as it is: variadic and GNU-only calls, macros, and every system call whose errno we
// need. errno does not survive ARC (a release between the call and the read may run anything), so each shim returns the
// result, or the *negative* code. No retries and no logic: SystemCalls in TapelineSystem decides what a code means.
#ifndef CTAPELINE_H
#define CTAPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libc's. Whatever of its headers this one included would belong to this module, or to Swift's Glibc, as imports are ordered: so
// it includes none, and sizes, offsets and ids have the types that they have on every 64-bit Linux.
struct iovec;
struct pollfd;

// An internet socket address without the kernel's layout: no unions, no flexible members, nothing Swift must rebind.
struct tapeline_address {
  // The bytes as they lie on the wire; IPv4 uses the first four, the rest are zero.
  uint64_t bytes[2];
  // IPv6 scope (link-local interface), else 0.
  uint32_t scope;
  // In host order.
  uint16_t port;
  bool is_ipv6;
};

// What the kernel knows of a connection, from TCP_INFO. Which of its many versions of struct tcp_info fills it stays in C.
struct tapeline_tcp_info {
  uint64_t delivery_rate;  // bytes per second
  // Over the connection's life.
  uint64_t bytes_acked;
  uint64_t bytes_received;
  uint64_t busy_us;  // data was in flight
  uint64_t window_limited_us;  // of that: the peer's window was closed
  uint64_t buffer_limited_us;  // of that: our send buffer was too small
  uint32_t out_of_order;  // segments received
  uint32_t in_flight;  // bytes, now
  bool is_application_limited;  // nothing to send when the newest delivery rate was measured
  uint32_t rtt_us;  // 0: the SYN waits for its answer
  uint32_t rttvar_us;
  uint32_t min_rtt_us;  // 0: unknown
  uint32_t total_retransmits;
  uint32_t snd_cwnd;  // segments
};

// Bytes in and out.
long tapeline_read(int fd, void *buffer, size_t count);
long tapeline_write(int fd, const void *buffer, size_t count);
long tapeline_writev(int fd, const struct iovec *vectors, int count);
long tapeline_pread(int fd, void *buffer, size_t count, long offset);
long tapeline_pwrite(int fd, const void *buffer, size_t count, long offset);
int tapeline_poll(struct pollfd *requests, unsigned long count, int milliseconds);

// Files. `open` is variadic.
int tapeline_open(const char *path, int flags, unsigned mode);
int tapeline_close(int fd);
int tapeline_fsync(int fd);
int tapeline_ftruncate(int fd, long length);
int tapeline_flock(int fd, int operation);
int tapeline_fdatasync(int fd);
long tapeline_lseek(int fd, long offset, int origin);
int tapeline_fchmod(int fd, unsigned mode);
int tapeline_close_on_execute(int fd);
int tapeline_duplicate(int fd);  // close-on-exec
int tapeline_set_direct(int fd, bool on);  // O_DIRECT

// A file as stat(2) shows it. Which members struct stat has stays in C.
struct tapeline_file_status {
  uint64_t device;
  uint64_t inode;
  uint64_t links;
  int64_t size;
  int64_t modified_seconds;  // since 1970
  uint32_t modified_nanoseconds;
  uint32_t mode;
  uint32_t owner;
};

int tapeline_stat(const char *path, bool follows_links, struct tapeline_file_status *status);
int tapeline_fstat(int fd, struct tapeline_file_status *status);

// Names.
int tapeline_access(const char *path, int mode);
int tapeline_chmod(const char *path, unsigned mode);
int tapeline_link(const char *path, const char *other);
int tapeline_rename(const char *path, const char *other);
int tapeline_unlink(const char *path);
int tapeline_mkdir(const char *path, unsigned mode);
int tapeline_rmdir(const char *path);
int tapeline_mkdtemp(char *pattern);
long tapeline_readlink(const char *path, char *buffer, size_t size);
int tapeline_realpath(const char *path, char *buffer);  // of at least PATH_MAX bytes
int tapeline_getcwd(char *buffer, size_t size);

// Changes of files: inotify(7).
int tapeline_watch(void);
int tapeline_watch_add(int fd, const char *path, uint32_t events);
int tapeline_watch_remove(int fd, int watch);

// Ends of child processes. The first leaves the process to be collected by the second.
int tapeline_await_end(int child);
int tapeline_collect(int child, int *status);

// Sockets: TCP, non-blocking, close-on-exec.
int tapeline_socket(bool is_ipv6);
int tapeline_bind(int fd, const struct tapeline_address *address);
int tapeline_listen(int fd, int backlog);
int tapeline_connect(int fd, const struct tapeline_address *address);
int tapeline_accept(int fd, struct tapeline_address *peer);
int tapeline_shutdown(int fd, int how);
int tapeline_local_address(int fd, struct tapeline_address *address);
int tapeline_peer_address(int fd, struct tapeline_address *address);
// The address that packets to `to` would leave from. Asked by connecting a datagram socket: nothing is sent.
int tapeline_source_address(const struct tapeline_address *to, struct tapeline_address *source);
// The inode and the user of the TCP socket with these ends in the network in which the diagnostic socket was made, asked of the
// kernel by netlink (sock_diag(7)): -ENOENT when there is none. One question at a time.
int tapeline_diagnostic_socket(void);
int tapeline_socket_owner(
    int fd, const struct tapeline_address *local, const struct tapeline_address *remote, uint64_t *inode, uint32_t *user);

// Reads from a socket, or with `peek` leaves the bytes there. `*stamp`: when the kernel got the last segment of these bytes, in
// nanoseconds since 1970 on the clock of the time of day; 0 where the kernel does not say.
long tapeline_receive(int fd, void *buffer, size_t count, bool peek, int64_t *stamp);
int tapeline_bytes_waiting(int fd);  // as many as a read would bring
long tapeline_splice(int from, int to, size_t count);  // does not wait; one of the two is a pipe

// Local (Unix) sockets: streams, non-blocking, close-on-exec. A path of more than 107 bytes is -ENAMETOOLONG.
int tapeline_local_socket(void);
int tapeline_local_bind(int fd, const char *path);
int tapeline_local_connect(int fd, const char *path);
// The path of a local socket, with a NUL; "" for one without. An abstract name begins with @, as in the kernel's tables.
int tapeline_local_path(int fd, char path[128]);
bool tapeline_accepts_streams(int fd);
int tapeline_local_accept(int fd);
int tapeline_is_local_socket(int fd);
int tapeline_adopt_socket(int fd);                               // of another program: non-blocking, close-on-exec
int tapeline_notify(const char *path, const char *message);      // one datagram to a service manager
long tapeline_send(int fd, const void *buffer, size_t count);  // without SIGPIPE

// Many sends by one call of the kernel (io_uring), none of which waits or raises SIGPIPE. A ring is used by one thread at a time.
struct tapeline_ring;
struct tapeline_sending {
  int socket;
  unsigned count;  // bytes to send
  int result;  // bytes that were taken, or a negative code
};
int tapeline_ring_make(unsigned capacity, struct tapeline_ring **ring);
void tapeline_ring_free(struct tapeline_ring *ring);
// `bytes` are those of all, one after the other, and `count` is at most the ring's capacity. After a failure the ring is of no
// more use, and what was not sent has the result of a full socket.
int tapeline_ring_send(
    struct tapeline_ring *ring, const uint8_t *bytes, struct tapeline_sending *sendings, unsigned count);
int tapeline_local_peer_user(int fd, unsigned *user);  // SO_PEERCRED: who connected, or who listens
int tapeline_local_pair(int ends[2]);  // of messages, blocking
// One message with descriptors of this process (SCM_RIGHTS), at most 64. Those that arrive are close-on-exec and the receiver's.
long tapeline_send_descriptors(int fd, const void *buffer, size_t size, const int *descriptors, int count);
long tapeline_receive_descriptors(int fd, void *buffer, size_t size, int *descriptors, int capacity, int *count);

// Namespaces (namespaces(7)).
int tapeline_unshare_network(bool with_user);
int tapeline_netlink(bool is_netfilter);  // to rtnetlink, or to netfilter
int tapeline_set_transparent(int fd, bool is_ipv6);  // may have addresses that are not this machine's (IP_TRANSPARENT)
int tapeline_set_mark(int fd, unsigned mark);  // of all packets that it sends, and of the sockets that it accepts (SO_MARK)
int tapeline_wait_readable(int fd, long long nanoseconds);  // 1: readable; 0: the time is up
void tapeline_sharpen_timers(void);  // of this thread: waits end at their time, not up to 50 us later
int tapeline_set_receive_buffer(int fd, int size);  // as far as the system permits
int tapeline_drop_capability(int number);  // for programs that this process executes
int tapeline_clear_ambient_capabilities(void);
int tapeline_is_network_socket(int fd);  // 0: a local one; -ENOTSOCK: none
// Splits a process off this one, which must have one thread: nobody's child, in a session of its own, in "/", with no descriptor
// but
// `kept`. 1 in that process, 0 in this one.
int tapeline_split_off(int kept, const char *name);
int tapeline_execute(const char *name, char *const arguments[], char *const environment[]);  // returns only a failure

// Calls of connect(2) (connects.c, seccomp_unotify(2)): by programs that this thread starts from now on, and by what they start.
// They wait for an answer; the result is the descriptor that tells of them. -EACCES: the thread has neither CAP_SYS_ADMIN nor
// no_new_privs.
int tapeline_watch_connects(void);
int tapeline_renounce_privileges(void);  // no_new_privs, of this thread and what it starts
struct tapeline_connect_call {
  uint64_t id;
  uint64_t address;  // in the caller's memory
  unsigned length;
  int thread;
  int socket;
};
int tapeline_receive_connect(int fd, struct tapeline_connect_call *call);
int tapeline_answer_connect(int fd, uint64_t id);  // the kernel makes the call as it was
int tapeline_connect_destination(
    const struct tapeline_connect_call *call, struct tapeline_address *address);  // -EAFNOSUPPORT: not of the internet
long tapeline_socket_protocol(const char *path, char *buffer, size_t size);  // of a descriptor under /proc: "TCP", "UDPv6"
// The TCP sockets of this process's network that end from now on, whosever they are. Not blocking; -ENOBUFS: some were lost.
int tapeline_ended_sockets(void);
struct tapeline_ended_socket {
  struct tapeline_address local;
  struct tapeline_address remote;
  bool was_connected;
};
int tapeline_receive_ended(int fd, struct tapeline_ended_socket *ended);

// Datagrams over UDP: non-blocking and close-on-exec.
int tapeline_datagram_socket(bool is_ipv6);
int tapeline_tell_destinations(int fd, bool is_ipv6);  // for `to` below: the address that a datagram was sent to
long tapeline_receive_datagram(
    int fd, void *buffer, size_t size, struct tapeline_address *from, struct tapeline_address *to);
long tapeline_send_datagram(
    int fd, const void *buffer, size_t size, const struct tapeline_address *from, const struct tapeline_address *to);

// Socket options.
int tapeline_take_socket_error(int fd, int *code);  // SO_ERROR, which reading clears
int tapeline_set_no_delay(int fd, bool on);
int tapeline_set_keep_alive(int fd, int idle_seconds, int interval_seconds, int count);
int tapeline_set_reuse_address(int fd, bool on);
int tapeline_set_reuse_port(int fd, bool on);
int tapeline_set_ipv6_only(int fd, bool on);
// Of the sockets that share this one's port, the one whose place in the order of their listening is the processor's number modulo
// `count` gets a connection; while there is none, the kernel chooses by a hash of the addresses.
int tapeline_distribute_by_processor(int fd, unsigned count);
int tapeline_limit_receive_buffer(int fd, int size);
int tapeline_limit_send_buffer(int fd, int size);
int tapeline_set_reset_on_close(int fd, int resets);  // SO_LINGER, zero seconds
int tapeline_stamp_arrivals(int fd);  // SO_TIMESTAMPING, receive stamps by software
int tapeline_tcp_info(int fd, struct tapeline_tcp_info *info);
// How many segments with data have come, modulo 2^32 (tcpi_data_segs_in), and how many bytes in order, with a FIN as one of them
// (tcpi_bytes_received). ENOTSUP: the kernel does not count them.
int tapeline_segments_received(int fd, uint32_t *segments, uint64_t *bytes);

// Text to address (inet_pton; IPv6 may carry a %scope) and back. False when the text is no literal.
bool tapeline_parse_address(const char *text, uint16_t port, struct tapeline_address *address);
int tapeline_format_address(const struct tapeline_address *address, char *buffer, size_t size);

// Name resolution: getaddrinfo for TCP, copied out of its linked list. Returns how many addresses were found (at most
// `capacity`), or a negative code: an EAI code where `*is_resolver_code`, else of errno.
int tapeline_resolve(
    const char *host, uint16_t port, bool only_configured_families, struct tapeline_address *addresses, int capacity,
    bool *is_resolver_code);

// GNU-only.
int tapeline_eventfd(void);  // non-blocking, close-on-exec
int tapeline_pipe(int descriptors[2], bool is_non_blocking);  // close-on-exec
int tapeline_size_pipe(int fd, int size);  // returns how many bytes it holds now
void tapeline_name_thread(const char *name);  // at most 15 bytes

// Texts for codes, into the caller's buffer (strerror itself is not thread-safe, and strerror_r exists in two versions).
const char *tapeline_error_text(int code, char *buffer, size_t size);
const char *tapeline_resolver_error_text(int code);
// Whether an EAI code says that there is no such name or address, rather than that nobody could be asked.
bool tapeline_is_name_not_found(int code);

// Two malloc arenas for all threads, and freed memory goes back to the system: a proxy's memory must stay flat.
void tapeline_configure_allocator(void);
void tapeline_give_back_memory(void);  // that is free

// For the thread sanitizer, which cannot see every lock change hands (sanitizers.c): called first and last under a lock by which
// threads hand each other what they have written. Nothing in other builds.
void tapeline_lock_taken(void);
void tapeline_lock_released(void);

// A crash of this program, and a new start in its place (restart.c). Before `tapeline_arm_restart` has returned true in this image or in one
// before it, everything but the counters does nothing.

enum { TAPELINE_FRAMES = 24, TAPELINE_FLIGHT_TEXT = 229, TAPELINE_WORDS = 48, TAPELINE_FACTS = 32 };
enum { TAPELINE_WORD_CHILD = 0 };  // a process that is of no use without this one; the others are the caller's

struct tapeline_crash {
  int signal;
  int number;  // of the crashes of this process, from 1
  int frame_count;
  char thread[16];  // its name
  int64_t monotonic;  // nanoseconds
  uint64_t address;  // that was used, where the signal tells
  uint64_t frames[TAPELINE_FRAMES];  // instructions within the program, from its first byte; callees first
};

// Unless it is too late for that, makes crashes start the program anew from now on. For one program, once.
bool tapeline_arm_restart(void);
void tapeline_guard_thread(void);  // an overflow of the calling thread's stack is a crash like others
const struct tapeline_crash *tapeline_last_crash(void);  // after which this image goes on; NULL: it is the first
// A crash before this gives up. In an image that goes on, signals to end are held back until then.
void tapeline_note_serving(void);
bool tapeline_is_serving(void);

// What the next image gets. A descriptor of -1 takes the name out. Names are shorter than 44 bytes.
int tapeline_keep_descriptor(const char *name, int descriptor);
int tapeline_kept_descriptor(const char *name);  // by this image, or by one before and close-on-exec; -1: none
void tapeline_keep_word(int index, int64_t value);  // one store
int64_t tapeline_kept_word(int index);
bool tapeline_keep_fact(uint32_t key, const void *bytes, size_t length);  // false: there is no room
const uint8_t *tapeline_kept_fact(uint32_t key, size_t *length);  // by an image before; NULL: none

// Exchanges that are on their way to the log. 0 is none: all places are taken.
struct tapeline_flight_head {
  uint64_t id;
  int64_t started;
  const uint8_t *method;
  const uint8_t *authority;
  const uint8_t *target;
  size_t method_length;
  size_t authority_length;
  size_t target_length;
  uint8_t scheme;
};
uint32_t tapeline_begin_flight(const struct tapeline_flight_head *head);
void tapeline_end_flight(uint32_t flight);  // its entry is missing still
void tapeline_free_flight(uint32_t flight);
struct tapeline_lost_flight {
  uint32_t next;
  bool has_ended;
  bool is_cut;  // a part of the target is missing
  bool is_suspect;  // an image that told of it has crashed
  struct tapeline_flight_head head;  // of the table, until the lost ones are forgotten
};
bool tapeline_lost_flight(uint32_t index, struct tapeline_lost_flight *lost);  // the first from there on
void tapeline_suspect_lost_flights(void);  // this image is about to tell of them
void tapeline_forget_lost_flights(void);

// Numbers that go on after a crash.
enum { TAPELINE_COUNTER_EXCHANGE, TAPELINE_COUNTER_CONNECTION, TAPELINE_COUNTERS };
extern uint64_t tapeline_counters[TAPELINE_COUNTERS];
static inline uint64_t tapeline_count_exchange(void) {
  return __atomic_add_fetch(&tapeline_counters[TAPELINE_COUNTER_EXCHANGE], 1, __ATOMIC_RELAXED);
}
static inline uint64_t tapeline_count_connection(void) {
  return __atomic_add_fetch(&tapeline_counters[TAPELINE_COUNTER_CONNECTION], 1, __ATOMIC_RELAXED);
}

// Places where a test can have the program crash (docs/testing.md).
enum { TAPELINE_TRAP_REDACTION, TAPELINE_TRAP_TLS, TAPELINE_TRAP_LOOP };
extern int tapeline_traps;
void tapeline_set_trap(const char *text);
void tapeline_pass_trap(int point);
static inline void tapeline_trap_in_redaction(void) {
  if (__builtin_expect(tapeline_traps, 0)) tapeline_pass_trap(TAPELINE_TRAP_REDACTION);
}
static inline void tapeline_trap_in_tls(void) {
  if (__builtin_expect(tapeline_traps, 0)) tapeline_pass_trap(TAPELINE_TRAP_TLS);
}
static inline void tapeline_trap_in_loop(void) {
  if (__builtin_expect(tapeline_traps, 0)) tapeline_pass_trap(TAPELINE_TRAP_LOOP);
}

// A disk that stops, for tests (docs/testing.md): a write of the log waits as long as there is a file at this path.
extern const char *tapeline_stall;
void tapeline_set_stall(const char *path);
void tapeline_await_disk(void);
static inline void tapeline_will_write(void) {
  if (__builtin_expect(tapeline_stall != NULL, 0)) tapeline_await_disk();
}

#endif
