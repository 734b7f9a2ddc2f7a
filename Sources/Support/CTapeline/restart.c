#define _GNU_SOURCE
#include "ctapeline.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// After a crash the program is executed again in place (docs/adr/0059): the process, its children and the descriptors that are kept stay,
// everything else ends. What the next image has to know lies in a memfd, which is written while all is well: the handler itself only does
// what signal-safety(7) allows, and relies on nothing that the crash may have broken but this page and the mapping.

#define FLIGHTS 2048
#define KEPT 160
#define FACTS_SIZE (256 << 10)
#define MANY_CRASHES 5
#define MANY_CRASHES_NS (10 * 1000000000LL)
#define STACK_SIZE (64 << 10)
#define VARIABLE "TAPELINE_RESTART="
#define SOFTWARE_STATUS 70  // EX_SOFTWARE of sysexits.h

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

enum { FREE, IN_FLIGHT, ENDED, LOST_IN_FLIGHT, LOST_ENDED };

struct flight {
  _Atomic uint32_t state;
  uint8_t is_cut;
  uint8_t scheme;
  _Atomic uint8_t method_length;
  uint8_t authority_length;
  uint64_t id;
  int64_t started;
  uint16_t target_length;
  uint8_t is_suspect;
  uint8_t text[TAPELINE_FLIGHT_TEXT];
};

struct kept {
  char name[44];  // empty: free
  _Atomic int descriptor;  // -1: none
};

// Facts are records of key, length and bytes, of which the last of a key holds. The one half is written anew when the other is full.
struct facts {
  _Atomic uint32_t used;
  uint8_t bytes[FACTS_SIZE];
};

struct state {
  char magic[16];
  size_t size;
  int process;
  _Atomic int crashes;
  _Atomic bool serves;
  int64_t times[MANY_CRASHES];  // of crashes, on the monotonic clock
  struct tapeline_crash crash;
  uint64_t counters[TAPELINE_COUNTERS];
  _Atomic int64_t words[TAPELINE_WORDS];
  _Atomic int half;  // of facts
  uint64_t scratch[2];
  struct kept kept[KEPT];
  struct flight flights[FLIGHTS];
  struct facts facts[2];
};

static const char magic[16] = "tapeline-state1";

uint64_t tapeline_counters[TAPELINE_COUNTERS];

static struct state *state;
static int state_descriptor = -1;
static int program = -1;
static char **arguments;
static char **environment;
static char **next_environment;
static char variable[sizeof VARIABLE + 12];
static bool is_resumed;
static atomic_flag is_crashing = ATOMIC_FLAG_INIT;
static uintptr_t text_begin, text_end, text_base;
static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t facts_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned flight_threads;
static _Thread_local unsigned flight_cursor;

static const int faults[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
// They wait until the next image can handle them.
static const int held_back[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// In the handler.

static void say(const char *text) {
  ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
}

static const char *name_of(int signal) {
  switch (signal) {
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    default: return "SIGABRT";
  }
}

static void note_frame(uintptr_t address) {
  if (address < text_begin || address >= text_end || state->crash.frame_count == TAPELINE_FRAMES) return;
  state->crash.frames[state->crash.frame_count++] = address - text_base;
}

// Two words, if they can be read: the kernel refuses to write what it cannot read.
static bool read_words(uintptr_t address) {
  size_t size = sizeof state->scratch;
  return pwrite(state_descriptor, (const void *)address, size, offsetof(struct state, scratch)) == (ssize_t)size;
}

static void note_frames(const ucontext_t *context) {
  uintptr_t frame;
  state->crash.frame_count = 0;
#if defined(__x86_64__)
  note_frame((uintptr_t)context->uc_mcontext.gregs[REG_RIP]);
  frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
#elif defined(__aarch64__)
  note_frame(context->uc_mcontext.pc);
  note_frame(context->uc_mcontext.regs[30]);
  frame = context->uc_mcontext.regs[29];
#else
  frame = 0;
  (void)context;
#endif
  for (int depth = 0; depth < 64 && frame != 0 && frame % sizeof frame == 0 && read_words(frame); depth++) {
    note_frame(state->scratch[1]);
    if (state->scratch[0] <= frame) return;
    frame = state->scratch[0];
  }
}

static void act_by_default(int signal) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(signal, &action, NULL);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, signal);
  sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

static _Noreturn void give_up(const char *why) {
  say("tapeline: crashed (");
  say(name_of(state->crash.signal));
  say(") ");
  say(why);
  say("; the log is valid; TAPELINE_NO_RESTART=1 leaves the crash to the system, with a core dump\n");
  int child = (int)atomic_load(&state->words[TAPELINE_WORD_CHILD]);
  if (child > 0) kill(child, SIGTERM);
  _exit(SOFTWARE_STATUS);
}

static bool is_frequent(void) {
  // The oldest of those that are kept makes way.
  int64_t oldest = state->times[0];
  memmove(state->times, state->times + 1, sizeof state->times - sizeof *state->times);
  state->times[MANY_CRASHES - 1] = state->crash.monotonic;
  return oldest != 0 && state->crash.monotonic - oldest < MANY_CRASHES_NS;
}

static void crash(int signal, siginfo_t *information, void *context) {
  // Another program sends it, or this is a child that shares our memory: as without a handler.
  bool is_sent = information->si_code <= 0 && information->si_pid != state->process;
  if (is_sent || getpid() != state->process) {
    act_by_default(signal);
    raise(signal);
    return;
  }
  if (atomic_flag_test_and_set(&is_crashing)) {
    // A second thread. The first one's execve ends it.
    while (true) pause();
  }
  struct tapeline_crash *found = &state->crash;
  found->signal = signal;
  found->monotonic = now(CLOCK_MONOTONIC);
  found->address = (uint64_t)(uintptr_t)information->si_addr;
  prctl(PR_GET_NAME, found->thread);
  memcpy(state->counters, tapeline_counters, sizeof state->counters);
  note_frames(context);
  found->number = atomic_fetch_add(&state->crashes, 1) + 1;
  if (!atomic_load(&state->serves)) give_up("before it served anybody: giving up");
  if (is_frequent()) give_up("for the sixth time within 10 s: giving up");
  atomic_store(&state->serves, false);

  sigset_t mask;
  sigemptyset(&mask);
  for (size_t index = 0; index < sizeof held_back / sizeof *held_back; index++) sigaddset(&mask, held_back[index]);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  for (size_t index = 0; index < KEPT; index++) {
    int descriptor = atomic_load(&state->kept[index].descriptor);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, 0);
  }
  fcntl(state_descriptor, F_SETFD, 0);
  syscall(SYS_execveat, program, "", arguments, next_environment, AT_EMPTY_PATH);
  execve("/proc/self/exe", arguments, next_environment);
  give_up("and cannot be executed again: giving up");
}

// Keeping.

static void handle_faults(void) {
  struct sigaction action = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  // The second thread that crashes waits in its handler, and this one is not interrupted.
  sigfillset(&action.sa_mask);
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigaction(faults[index], &action, NULL);
}

static void free_stack(void *stack) {
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  munmap(stack, STACK_SIZE);
}

static void make_stack_key(void) { pthread_key_create(&stack_key, free_stack); }

void tapeline_guard_thread(void) {
  if (state == NULL) return;
  pthread_once(&stack_once, make_stack_key);
  if (pthread_getspecific(stack_key) != NULL) return;
  void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return;
  stack_t description = {.ss_sp = stack, .ss_size = STACK_SIZE};
  sigaltstack(&description, NULL);
  pthread_setspecific(stack_key, stack);
}

static int find_text(struct dl_phdr_info *information, size_t size, void *context) {
  (void)size;
  (void)context;
  text_base = information->dlpi_addr;
  for (int index = 0; index < information->dlpi_phnum; index++) {
    const ElfW(Phdr) *header = &information->dlpi_phdr[index];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    text_begin = text_base + header->p_vaddr;
    text_end = text_begin + header->p_memsz;
  }
  return 1;  // the program is the first
}

static bool map_state(int descriptor) {
  void *mapping = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapping == MAP_FAILED) return false;
  state = mapping;
  state_descriptor = descriptor;
  return true;
}

static bool prepare(void) {
  if (arguments == NULL) return false;
  size_t count = 0;
  while (environment[count] != NULL) count++;
  next_environment = calloc(count + 2, sizeof *next_environment);
  if (next_environment == NULL) return false;
  snprintf(variable, sizeof variable, VARIABLE "%d", state_descriptor);
  next_environment[0] = variable;
  memcpy(next_environment + 1, environment, count * sizeof *environment);
  program = open("/proc/self/exe", O_PATH | O_CLOEXEC);
  dl_iterate_phdr(find_text, NULL);
  tapeline_guard_thread();
  handle_faults();
  return true;
}

bool tapeline_arm_restart(void) {
  if (state != NULL) return true;
  // A limit on files holds for a memfd, too, and beyond it there is SIGXFSZ.
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur < sizeof *state) return false;
  int descriptor = memfd_create("tapeline-state", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
  // A kernel before 6.3 does not know the seal, and later ones may demand it.
  if (descriptor < 0) descriptor = memfd_create("tapeline-state", MFD_CLOEXEC);
  if (descriptor < 0) return false;
  if (ftruncate(descriptor, sizeof *state) < 0 || !map_state(descriptor)) {
    close(descriptor);
    return false;
  }
  memcpy(state->magic, magic, sizeof magic);
  state->size = sizeof *state;
  state->process = getpid();
  for (size_t index = 0; index < KEPT; index++) state->kept[index].descriptor = -1;
  return prepare();
}

// Before main: the arguments are here, and nobody else reads the environment yet.
__attribute__((constructor)) static void begin(int count, char **argument_list, char **environment_list) {
  (void)count;
  arguments = argument_list;
  environment = environment_list;
  if (environment == NULL) return;
  int descriptor = -1;
  char **kept = environment;
  for (char **entry = environment; *entry != NULL; entry++) {
    if (strncmp(*entry, VARIABLE, sizeof VARIABLE - 1) == 0) {
      descriptor = atoi(*entry + sizeof VARIABLE - 1);
    } else {
      *kept++ = *entry;
    }
  }
  *kept = NULL;
  struct stat status;
  if (descriptor < 3 || fstat(descriptor, &status) < 0 || status.st_size != sizeof *state || status.st_uid != geteuid()) return;
  if (!map_state(descriptor)) return;
  bool is_ours = memcmp(state->magic, magic, sizeof magic) == 0 && state->size == sizeof *state && state->process == getpid();
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  if (!is_ours) {
    munmap(state, sizeof *state);
    state = NULL;
    return;
  }
  for (size_t index = 0; index < KEPT; index++) {
    int number = atomic_load(&state->kept[index].descriptor);
    if (number >= 0) fcntl(number, F_SETFD, FD_CLOEXEC);
  }
  for (size_t index = 0; index < FLIGHTS; index++) {
    struct flight *flight = &state->flights[index];
    uint32_t stage = atomic_load(&flight->state);
    if (stage == IN_FLIGHT || stage == ENDED) atomic_store(&flight->state, stage + LOST_IN_FLIGHT - IN_FLIGHT);
  }
  memcpy(tapeline_counters, state->counters, sizeof state->counters);
  is_resumed = true;
  // execveat(2) names the process after the descriptor.
  const char *name = strrchr(arguments[0], '/');
  prctl(PR_SET_NAME, name ? name + 1 : arguments[0]);
  prepare();
}

const struct tapeline_crash *tapeline_last_crash(void) { return is_resumed ? &state->crash : NULL; }

void tapeline_note_serving(void) {
  if (state == NULL) return;
  atomic_store(&state->serves, true);
  sigset_t mask;
  sigemptyset(&mask);
  for (size_t index = 0; index < sizeof held_back / sizeof *held_back; index++) sigaddset(&mask, held_back[index]);
  if (is_resumed) pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

bool tapeline_is_serving(void) { return state != NULL && atomic_load(&state->serves); }

int tapeline_keep_descriptor(const char *name, int descriptor) {
  if (state == NULL || strlen(name) >= sizeof state->kept->name) return -ENOENT;
  struct kept *place = NULL;
  pthread_mutex_lock(&facts_lock);
  for (size_t index = 0; index < KEPT; index++) {
    struct kept *kept = &state->kept[index];
    if (strcmp(kept->name, name) == 0) {
      place = kept;
      break;
    }
    if (place == NULL && kept->name[0] == 0) place = kept;
  }
  if (place != NULL && (descriptor >= 0 || place->name[0] != 0)) {
    if (place->name[0] == 0) strcpy(place->name, name);
    atomic_store(&place->descriptor, descriptor);
    if (descriptor < 0) place->name[0] = 0;
  }
  pthread_mutex_unlock(&facts_lock);
  return place == NULL ? -ENOSPC : 0;
}

int tapeline_kept_descriptor(const char *name) {
  if (state == NULL) return -1;
  for (size_t index = 0; index < KEPT; index++)
    if (strcmp(state->kept[index].name, name) == 0) return atomic_load(&state->kept[index].descriptor);
  return -1;
}

void tapeline_keep_word(int index, int64_t value) {
  if (state != NULL) atomic_store_explicit(&state->words[index], value, memory_order_relaxed);
}

int64_t tapeline_kept_word(int index) { return state == NULL ? 0 : atomic_load(&state->words[index]); }

struct fact {
  uint32_t key;
  uint32_t length;
};

static const uint8_t *last_fact(const struct facts *facts, uint32_t key, uint32_t *length) {
  const uint8_t *found = NULL;
  uint32_t used = atomic_load(&facts->used);
  struct fact fact;
  for (uint32_t offset = 0; offset + sizeof fact <= used; offset += sizeof fact + fact.length) {
    memcpy(&fact, facts->bytes + offset, sizeof fact);
    if (fact.key != key) continue;
    found = facts->bytes + offset + sizeof fact;
    *length = fact.length;
  }
  return found;
}

static bool append(struct facts *facts, uint32_t key, const void *bytes, uint32_t length) {
  uint32_t used = atomic_load(&facts->used);
  struct fact fact = {.key = key, .length = length};
  if (used + sizeof fact + length > FACTS_SIZE) return false;
  memcpy(facts->bytes + used, &fact, sizeof fact);
  if (length > 0) memcpy(facts->bytes + used + sizeof fact, bytes, length);
  atomic_store(&facts->used, used + (uint32_t)sizeof fact + length);
  return true;
}

bool tapeline_keep_fact(uint32_t key, const void *bytes, size_t length) {
  if (state == NULL || length > FACTS_SIZE) return false;
  pthread_mutex_lock(&facts_lock);
  struct facts *current = &state->facts[atomic_load(&state->half)];
  bool is_kept = append(current, key, bytes, (uint32_t)length);
  if (!is_kept) {
    struct facts *other = &state->facts[1 - atomic_load(&state->half)];
    atomic_store(&other->used, 0);
    for (uint32_t other_key = 0; other_key < TAPELINE_FACTS; other_key++) {
      uint32_t kept_length;
      const uint8_t *kept = other_key == key ? NULL : last_fact(current, other_key, &kept_length);
      if (kept != NULL) append(other, other_key, kept, kept_length);
    }
    is_kept = append(other, key, bytes, (uint32_t)length);
    if (is_kept) atomic_store(&state->half, 1 - atomic_load(&state->half));
  }
  pthread_mutex_unlock(&facts_lock);
  return is_kept;
}

const uint8_t *tapeline_kept_fact(uint32_t key, size_t *length) {
  if (!is_resumed) return NULL;
  uint32_t found = 0;
  const uint8_t *bytes = last_fact(&state->facts[atomic_load(&state->half)], key, &found);
  *length = found;
  return bytes;
}

// Exchanges.

static void fill(struct flight *flight, const struct tapeline_flight_head *head) {
  size_t method = head->method_length < 32 ? head->method_length : 32;
  size_t authority = head->authority_length;
  bool is_cut = authority > 255 || method + authority > sizeof flight->text;
  if (is_cut) authority = 0;
  size_t room = sizeof flight->text - method - authority;
  size_t target = head->target_length <= room ? head->target_length : room;
  memcpy(flight->text, head->method, method);
  memcpy(flight->text + method, head->authority, authority);
  memcpy(flight->text + method + authority, head->target, target);
  flight->authority_length = (uint8_t)authority;
  flight->target_length = (uint16_t)target;
  flight->scheme = head->scheme;
  flight->is_suspect = 0;
  flight->is_cut = is_cut || target < head->target_length;
  flight->id = head->id;
  flight->started = head->started;
  // At last: without a method there is nothing to tell.
  atomic_store_explicit(&flight->method_length, (uint8_t)method, memory_order_release);
}

uint32_t tapeline_begin_flight(const struct tapeline_flight_head *head) {
  if (state == NULL) return 0;
  // Each thread goes round by itself: in most cases the next place has been free for long.
  if (flight_cursor == 0) flight_cursor = 1 + atomic_fetch_add(&flight_threads, 1) * (FLIGHTS / 8);
  for (int attempt = 0; attempt < 64; attempt++) {
    unsigned number = flight_cursor++ % FLIGHTS;
    struct flight *flight = &state->flights[number];
    uint32_t expected = FREE;
    if (atomic_load_explicit(&flight->state, memory_order_relaxed) != FREE) continue;
    if (!atomic_compare_exchange_strong(&flight->state, &expected, IN_FLIGHT)) continue;
    fill(flight, head);
    return number + 1;
  }
  return 0;
}

void tapeline_end_flight(uint32_t flight) {
  if (flight > 0) atomic_store_explicit(&state->flights[flight - 1].state, ENDED, memory_order_relaxed);
}

void tapeline_free_flight(uint32_t flight) {
  if (flight == 0) return;
  atomic_store_explicit(&state->flights[flight - 1].method_length, 0, memory_order_relaxed);
  atomic_store_explicit(&state->flights[flight - 1].state, FREE, memory_order_release);
}

bool tapeline_lost_flight(uint32_t index, struct tapeline_lost_flight *lost) {
  if (!is_resumed) return false;
  for (; index < FLIGHTS; index++) {
    struct flight *flight = &state->flights[index];
    uint32_t stage = atomic_load(&flight->state);
    if ((stage != LOST_IN_FLIGHT && stage != LOST_ENDED) || flight->method_length == 0) continue;
    lost->next = index + 1;
    lost->has_ended = stage == LOST_ENDED;
    lost->is_cut = flight->is_cut;
    lost->is_suspect = flight->is_suspect;
    lost->head = (struct tapeline_flight_head){
        .id = flight->id,
        .started = flight->started,
        .scheme = flight->scheme,
        .method = flight->text,
        .method_length = flight->method_length,
        .authority = flight->text + flight->method_length,
        .authority_length = flight->authority_length,
        .target = flight->text + flight->method_length + flight->authority_length,
        .target_length = flight->target_length,
    };
    return true;
  }
  return false;
}

static bool is_lost(const struct flight *flight) {
  uint32_t stage = atomic_load(&flight->state);
  return stage == LOST_IN_FLIGHT || stage == LOST_ENDED;
}

void tapeline_suspect_lost_flights(void) {
  if (!is_resumed) return;
  for (size_t index = 0; index < FLIGHTS; index++)
    if (is_lost(&state->flights[index])) state->flights[index].is_suspect = 1;
}

void tapeline_forget_lost_flights(void) {
  if (!is_resumed) return;
  for (size_t index = 0; index < FLIGHTS; index++)
    if (is_lost(&state->flights[index])) atomic_store(&state->flights[index].state, FREE);
}

// Traps.

int tapeline_traps;
static _Atomic int trap_passes;
static int trap_point, trap_count;
static char trap_kind;
static volatile int *volatile no_place;

static int overflow(volatile char *above) {
  volatile char room[4096];
  room[0] = *above;
  return *above == 0 ? 0 : overflow(room) + room[0];
}

void tapeline_pass_trap(int point) {
  if (point != trap_point || atomic_fetch_add(&trap_passes, 1) + 1 != trap_count) return;
  switch (trap_kind) {
    case 'a': abort();
    case 's': *no_place = 0; break;
    case 'o': overflow(&(volatile char){1}); break;
    default: __builtin_trap();
  }
}

// PLACE:COUNT[:KIND[:LIVES]], as docs/testing.md has it.
void tapeline_set_trap(const char *text) {
  static const char *const points[] = {"redaction", "tls", "loop"};
  for (int point = 0; point < 3; point++) {
    size_t length = strlen(points[point]);
    if (strncmp(text, points[point], length) != 0 || text[length] != ':') continue;
    char *rest;
    trap_count = (int)strtol(text + length + 1, &rest, 10);
    trap_point = point;
    trap_kind = *rest == ':' ? rest[1] : 't';
    const char *lives = *rest == ':' ? strchr(rest + 1, ':') : NULL;
    int crashes = is_resumed ? atomic_load(&state->crashes) : 0;
    tapeline_traps = crashes < (lives ? atoi(lives + 1) : 1);
  }
}

const char *tapeline_stall;

void tapeline_set_stall(const char *path) { tapeline_stall = strdup(path); }

void tapeline_await_disk(void) {
  while (access(tapeline_stall, F_OK) == 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}
