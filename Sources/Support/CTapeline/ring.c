#define _GNU_SOURCE
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "ctapeline.h"

struct tapeline_ring {
  struct io_uring ring;
};

// Linux 5.1 has io_uring, and 5.6 sends by it.
static bool sends(struct io_uring *ring) {
  struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
  bool result = probe && io_uring_opcode_supported(probe, IORING_OP_SEND);
  io_uring_free_probe(probe);
  return result;
}

int tapeline_ring_make(unsigned capacity, struct tapeline_ring **result) {
  struct tapeline_ring *made = malloc(sizeof *made);
  if (!made) return -ENOMEM;
  int status = io_uring_queue_init(capacity, &made->ring, 0);
  if (status < 0) {
    free(made);
    return status;
  }
  if (!sends(&made->ring)) {
    tapeline_ring_free(made);
    return -ENOSYS;
  }
  *result = made;
  return 0;
}

void tapeline_ring_free(struct tapeline_ring *ring) {
  io_uring_queue_exit(&ring->ring);
  free(ring);
}

int tapeline_ring_send(struct tapeline_ring *ring, const uint8_t *bytes, struct tapeline_sending *sendings, unsigned count) {
  for (unsigned index = 0; index < count; index++) {
    struct tapeline_sending *sending = &sendings[index];
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring->ring);
    if (!entry) abort();  // more than the ring's capacity, or a ring that has failed
    sending->result = -EAGAIN;
    io_uring_prep_send(entry, sending->socket, bytes, sending->count, MSG_DONTWAIT | MSG_NOSIGNAL);
    io_uring_sqe_set_data(entry, sending);
    bytes += sending->count;
  }
  // The kernel carries out each entry as it takes it. A signal may end the call in between.
  unsigned done = 0;
  int status = 0;
  while (done < count && (status >= 0 || status == -EINTR)) {
    struct io_uring_cqe *entry;
    status = io_uring_submit_and_wait(&ring->ring, count - done);
    for (; io_uring_peek_cqe(&ring->ring, &entry) == 0; done++) {
      struct tapeline_sending *sending = io_uring_cqe_get_data(entry);
      sending->result = entry->res;
      io_uring_cqe_seen(&ring->ring, entry);
    }
  }
  return done == count ? 0 : status;
}
