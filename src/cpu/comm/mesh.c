// How the ranks of the CPU device find and connect to each other.
//
// A unique id names the address where its maker listens, and a number that distinguishes its ranks from
// strangers. Rank 0, in the process that made the id, accepts all others there, learns where each of them
// listens, and tells all of them. Then each rank connects to those between 0 and itself. Ranks of one thread
// are connected by pairs of sockets.
#include "cpu/comm/mesh.h"

#include "device/context.h"
#include "host/sockets.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_RANKS = 512, ADDRESS = 64 };

// ---- ids ----

// An id that this process made and whose rank 0 has not joined yet.
typedef struct open_id {
  uint64_t magic;
  int listener;
  struct open_id *next;
} open_id;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static open_id *open_ids;

static int take_listener(uint64_t magic) {
  int listener = -1;
  pthread_mutex_lock(&lock);
  for (open_id **at = &open_ids; *at != NULL; at = &(*at)->next) {
    open_id *found = *at;
    if (found->magic != magic) continue;
    *at = found->next;
    listener = found->listener;
    free(found);
    break;
  }
  pthread_mutex_unlock(&lock);
  return listener;
}

static uint64_t random_magic(const void *salt) {
  uint64_t magic;
  if (getrandom(&magic, sizeof magic, GRND_NONBLOCK) != (ssize_t)sizeof magic)
    magic = (uint64_t)(cp_clock() * 1e9) * 0x9E3779B97F4A7C15U ^ (uint64_t)(uintptr_t)salt ^
            (uint64_t)getpid() << 40;
  return magic;
}

cp_status cp_tcp_unique_id(cp_device *d, const char *address, cp_unique_id *id) {
  int port = 0;
  (void)d;
  if (address == NULL) address = "127.0.0.1";
  if (strlen(address) >= ADDRESS)
    return cp_fail(CP_EUSAGE, "an address of %zu characters is too long", strlen(address));
  open_id *o = malloc(sizeof *o);
  if (o == NULL) return cp_no_memory(NULL);
  cp_status status = cp_listen(address, &port, &o->listener);
  if (status != CP_OK) {
    free(o);
    return status;
  }
  o->magic = random_magic(o);
  memset(id, 0, sizeof *id);
  snprintf(id->bytes, sizeof id->bytes, "cupola-tcp %016llx %d %s", (unsigned long long)o->magic, port,
           address);
  pthread_mutex_lock(&lock);
  o->next = open_ids;
  open_ids = o;
  pthread_mutex_unlock(&lock);
  return CP_OK;
}

static cp_status read_id(const cp_unique_id *id, uint64_t *magic, int *port, char *address) {
  unsigned long long m;
  char text[CP_ID_BYTES + 1] = {0};
  memcpy(text, id->bytes, CP_ID_BYTES);
  if (sscanf(text, "cupola-tcp %16llx %d %63s", &m, port, address) != 3)
    return cp_fail(CP_EUSAGE, "the id was not made by get_unique_id on the CPU device");
  *magic = m;
  return CP_OK;
}

// ---- communicators ----

static cp_status new_comm(cp_device *d, int rank, int size, double timeout, bool local, cp_tcp_comm **out) {
  *out = NULL;
  if (size > MOST_RANKS)
    return cp_fail(CP_EUSAGE, "%d ranks are too many; the CPU device allows at most %d", size, MOST_RANKS);
  cp_tcp_comm *c = calloc(1, sizeof *c + (size_t)size * sizeof c->channels[0]);
  if (c == NULL) return cp_no_memory(NULL);
  c->base = (cp_comm){&cp_cpu_collective_ops, d, rank, size, timeout, false, 0};
  c->local = local;
  for (int r = 0; r < size; r++) {
    c->channels[r].fd = -1;
    c->channels[r].out_end = &c->channels[r].out;
    c->channels[r].in_end = &c->channels[r].in;
  }
  *out = c;
  return CP_OK;
}

void cp_tcp_leave(cp_comm *base, bool collected) {
  cp_tcp_comm *c = (cp_tcp_comm *)base;
  (void)collected;
  for (int r = 0; r < base->size; r++) cp_close_socket(c->channels[r].fd);
  free(c);
}

// ---- several processes ----

// The address where a rank listens.
typedef struct place {
  int32_t port;
  char address[ADDRESS];
} place;

static cp_status connect_as_0(int listener, uint64_t magic, int size, cp_deadline deadline, int *fds,
                              place *places) {
  cp_status status = cp_gather_ranks(listener, magic, 1, size, deadline, fds);
  for (int r = 1; r < size && status == CP_OK; r++)
    status = cp_recv_all(fds[r], &places[r], sizeof places[r], deadline, "a rank");
  cp_answer_ranks(size, fds, status == CP_OK, deadline);
  for (int r = 1; r < size && status == CP_OK; r++)
    status = cp_send_all(fds[r], places, (size_t)size * sizeof *places, deadline, "a rank");
  return status;
}

// Tells rank 0 where this rank listens, and receives the other ranks' addresses.
static cp_status connect_to_0(const char *address, int port, const cp_hello *hello, cp_deadline deadline,
                              int *fds, place *places, int *listener) {
  place mine = {0};
  int own_port = 0;
  CP_TRY(cp_connect(address, port, deadline, &fds[0]));
  CP_TRY(cp_own_address(fds[0], mine.address, sizeof mine.address));
  CP_TRY(cp_listen(mine.address, &own_port, listener));
  mine.port = own_port;
  CP_TRY(cp_send_all(fds[0], hello, sizeof *hello, deadline, "rank 0"));
  CP_TRY(cp_send_all(fds[0], &mine, sizeof mine, deadline, "rank 0"));
  CP_TRY(cp_await_answer(fds[0], deadline));
  return cp_recv_all(fds[0], places, (size_t)hello->size * sizeof *places, deadline, "rank 0");
}

static cp_status connect_to_others(const cp_hello *hello, int listener, cp_deadline deadline, int *fds,
                                   const place *places) {
  for (int r = 1; r < hello->rank; r++) {
    char address[ADDRESS];
    snprintf(address, sizeof address, "%.*s", ADDRESS - 1, places[r].address);
    CP_TRY(cp_connect(address, places[r].port, deadline, &fds[r]));
    CP_TRY(cp_send_all(fds[r], hello, sizeof *hello, deadline, "a rank"));
  }
  return cp_gather_ranks(listener, hello->magic, hello->rank + 1, hello->size, deadline, fds);
}

static cp_status connect_all(const cp_unique_id *id, int rank, int size, cp_deadline deadline, int *fds,
                             place *places) {
  int port, listener = -1;
  char address[ADDRESS];
  cp_hello hello = {.rank = rank, .size = size};
  CP_TRY(read_id(id, &hello.magic, &port, address));
  cp_status status;
  if (rank == 0) {
    listener = take_listener(hello.magic);
    if (listener < 0) return cp_fail(CP_EUSAGE, "rank 0 must be made once, by the process that made the id");
    status = connect_as_0(listener, hello.magic, size, deadline, fds, places);
  } else {
    status = connect_to_0(address, port, &hello, deadline, fds, places, &listener);
    if (status == CP_OK) status = connect_to_others(&hello, listener, deadline, fds, places);
  }
  cp_close_socket(listener);
  return status;
}

cp_status cp_tcp_join(cp_context *ctx, cp_device *d, const cp_unique_id *id, int rank, int size,
                      double timeout, cp_comm **out) {
  cp_tcp_comm *c;
  CP_TRY(new_comm(d, rank, size, timeout, false, &c));
  int *fds = malloc((size_t)size * sizeof *fds);
  place *places = calloc((size_t)size, sizeof *places);
  cp_status status = CP_OK;
  for (int r = 0; r < size && fds != NULL; r++) fds[r] = -1;
  if (fds == NULL || places == NULL)
    status = cp_no_memory(NULL);
  else
    status = connect_all(id, rank, size, (cp_deadline){cp_clock() + timeout, ctx}, fds, places);
  for (int r = 0; r < size && fds != NULL; r++) c->channels[r].fd = fds[r];
  free(fds);
  free(places);
  if (status == CP_OK)
    *out = &c->base;
  else
    cp_tcp_leave(&c->base, false);
  return status;
}

// ---- one thread ----

static cp_status join_pair(cp_tcp_comm *a, cp_tcp_comm *b) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
    return cp_fail(CP_EIO, "too many files are open for a communicator of %d ranks", a->base.size);
  for (int k = 0; k < 2; k++) cp_unblock(fds[k]);
  a->channels[b->base.rank].fd = fds[0];
  b->channels[a->base.rank].fd = fds[1];
  return CP_OK;
}

cp_status cp_tcp_join_all(int size, cp_device *const *devices, double timeout, cp_comm **out) {
  int made = 0;
  cp_status status = CP_OK;
  for (; made < size && status == CP_OK; made++) {
    cp_tcp_comm *c;
    status = new_comm(devices[made], made, size, timeout, true, &c);
    if (status != CP_OK) break;
    out[made] = &c->base;
    for (int r = 0; r < made && status == CP_OK; r++) status = join_pair((cp_tcp_comm *)out[r], c);
  }
  for (int r = 0; status != CP_OK && r < made; r++) cp_tcp_leave(out[r], false);
  return status;
}
