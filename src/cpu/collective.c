// Collective operations of CPU ranks (device/collective.h), over connections of every rank with every other one.
//
// An operation is a few phases, and a phase is a set of messages, which move whenever a connection is ready, in both directions and for all
// communicators of a group at once: so nothing waits for something that a later call of the same group would do. Reductions are shared: each rank
// combines one part, always in the order of the ranks, so every rank gets the same bits and every run too. Large arrays go by slices, which bounds the memory
// for the parts of others.
//
// After a failure each rank closes its side of the connections, so others fail too rather than wait.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // POLLRDHUP
#endif
#include "cpu/mesh.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { MAGIC = 0x63706c31, SLICE_BYTES = 4 << 20, ALIGNMENT = 64 };

// A communicator's share of a group.
typedef struct job {
  cp_tcp_comm *comm;
  const cp_collective *works;
  int count, next;          // all works of the group; from where the next one is looked for
  const cp_collective *now; // the collective that is going on; NULL: sends and receives, or none
  int phase;
  size_t from, to; // elements of the slice, of the whole or of a part
  bool over;
  char *scratch;
  size_t scratch_bytes;
  cp_tcp_message *messages;
  int used, room;
  int open; // messages that are not done
} job;

// ---- messages -----------------------------------------------------------------------------------------------------

static cp_tcp_head head_of(const cp_collective *w) {
  bool p2p = w->kind >= CP_SEND;
  bool reduces = w->kind == CP_ALL_REDUCE || w->kind == CP_REDUCE || w->kind == CP_REDUCE_SCATTER;
  bool rooted = w->kind == CP_BROADCAST || w->kind == CP_REDUCE;
  return (cp_tcp_head){.magic = MAGIC,
                       .kind = p2p ? (int32_t)CP_SEND : (int32_t)w->kind,
                       .dtype = (int32_t)w->dtype,
                       .combination = reduces ? (int32_t)w->combination : 0,
                       .root = rooted ? w->root : 0,
                       .count = w->count};
}

static cp_tcp_message *add_message(job *j, const cp_collective *w, const void *data, size_t bytes) {
  cp_tcp_message *m = &j->messages[j->used++];
  *m = (cp_tcp_message){.head = head_of(w), .data = (char *)(uintptr_t)data, .bytes = bytes};
  j->open++;
  return m;
}

static void post_send(job *j, const cp_collective *w, int rank, const void *data, size_t bytes) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  *c->out_end = add_message(j, w, data, bytes);
  c->out_end = &(*c->out_end)->next;
}

static void post_recv(job *j, const cp_collective *w, int rank, void *data, size_t bytes) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  *c->in_end = add_message(j, w, data, bytes);
  c->in_end = &(*c->in_end)->next;
}

static bool is_waiting(int problem) {
  return problem == EAGAIN || problem == EWOULDBLOCK || problem == EINTR;
}

static cp_status fail_connection(int rank, int problem) {
  if (problem == 0 || problem == EPIPE || problem == ECONNRESET)
    return cp_fail(CP_EIO, "rank %d closed the connection: its process ended, or a call of it failed", rank);
  return cp_fail(CP_EIO, "the connection with rank %d: %s", rank, strerror(problem));
}

static void describe(const cp_tcp_head *h, char *text, size_t size) {
  bool known = h->kind >= 0 && h->kind <= (int32_t)CP_RECV && h->dtype >= 0 &&
               h->dtype < (int32_t)CP_NDTYPES && h->combination >= 0 && h->combination <= (int32_t)CP_AVG;
  const char *dtype = known ? cp_dtypes[h->dtype].name : "?";
  if (!known) {
    snprintf(text, size, "something unknown");
    return;
  }
  int n = snprintf(text, size, "%s of %llu %s", cp_collective_names[h->kind], (unsigned long long)h->count,
                   dtype);
  if (n < 0 || (size_t)n >= size) return;
  if (h->kind == (int32_t)CP_BROADCAST || h->kind == (int32_t)CP_REDUCE)
    n += snprintf(text + n, size - (size_t)n, " with root %d", (int)h->root);
  if ((size_t)n < size && (h->kind == CP_ALL_REDUCE || h->kind == CP_REDUCE || h->kind == CP_REDUCE_SCATTER))
    snprintf(text + n, size - (size_t)n, " by %s", cp_combination_names[h->combination]);
}

static cp_status check_head(int rank, const cp_tcp_message *m) {
  char theirs[96], ours[96];
  if (memcmp(&m->head, &m->seen, sizeof m->head) == 0) return CP_OK;
  describe(&m->seen, theirs, sizeof theirs);
  describe(&m->head, ours, sizeof ours);
  return cp_fail(CP_EUSAGE, "the ranks disagree: rank %d is in %s, this one expects %s", rank, theirs, ours);
}

// What is left of head and data, as two pieces.
static int pieces(cp_tcp_message *m, cp_tcp_head *head, struct iovec *v) {
  size_t n = 0, head_done = m->done < sizeof *head ? m->done : sizeof *head;
  if (head_done < sizeof *head) v[n++] = (struct iovec){(char *)head + head_done, sizeof *head - head_done};
  size_t data_done = m->done - head_done;
  if (m->bytes > data_done) v[n++] = (struct iovec){m->data + data_done, m->bytes - data_done};
  return (int)n;
}

// Moves what the connection takes; *moved tells that it was something.
static cp_status push_out(job *j, int rank, bool *moved) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  while (c->out != NULL) {
    struct iovec v[2];
    struct msghdr h = {.msg_iov = v};
    cp_tcp_message *m = c->out;
    h.msg_iovlen = (size_t)pieces(m, &m->head, v);
    ssize_t n = sendmsg(c->fd, &h, MSG_NOSIGNAL);
    if (n < 0) return is_waiting(errno) ? CP_OK : fail_connection(rank, errno);
    *moved = true;
    m->done += (size_t)n;
    if (m->done < sizeof m->head + m->bytes) continue;
    c->out = m->next;
    if (c->out == NULL) c->out_end = &c->out;
    j->open--;
  }
  return CP_OK;
}

// The head comes alone first: what follows it may be of another size than is expected.
static cp_status pull_in(job *j, int rank, bool *moved) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  while (c->in != NULL) {
    struct iovec v[2];
    cp_tcp_message *m = c->in;
    int n = pieces(m, &m->seen, v);
    if (n > 0) {
      ssize_t got = recv(c->fd, v[0].iov_base, v[0].iov_len, 0);
      if (got == 0) return fail_connection(rank, 0);
      if (got < 0) return is_waiting(errno) ? CP_OK : fail_connection(rank, errno);
      bool in_head = m->done < sizeof m->head;
      *moved = true;
      m->done += (size_t)got;
      if (in_head && m->done == sizeof m->head) CP_TRY(check_head(rank, m));
    }
    if (m->done < sizeof m->head + m->bytes) continue;
    c->in = m->next;
    if (c->in == NULL) c->in_end = &c->in;
    j->open--;
  }
  return CP_OK;
}

// A rank that failed has closed its side: what it said before comes first, as it tells more.
static cp_status pump(job *j, bool *moved) {
  for (int r = 0; r < j->comm->base.size; r++) {
    if (r == j->comm->base.rank) continue;
    CP_TRY(pull_in(j, r, moved));
    cp_status status = push_out(j, r, moved);
    if (status != CP_OK) {
      bool more = false;
      CP_TRY(pull_in(j, r, &more));
      return status;
    }
  }
  return CP_OK;
}

// ---- sends and receives -------------------------------------------------------------------------------------------

static const cp_collective *next_self(const job *j, int *at, cp_collective_kind kind) {
  for (; *at < j->count; ++*at) {
    const cp_collective *w = &j->works[*at];
    if (w->comm == &j->comm->base && w->kind == kind && w->root == j->comm->base.rank)
      return &j->works[(*at)++];
  }
  return NULL;
}

// What a rank sends to itself, in order.
static cp_status copy_to_self(const job *j) {
  int s = 0, r = 0;
  for (;;) {
    const cp_collective *from = next_self(j, &s, CP_SEND), *to = next_self(j, &r, CP_RECV);
    if (from == NULL && to == NULL) return CP_OK;
    if (from == NULL || to == NULL || from->count != to->count || from->dtype != to->dtype)
      return cp_fail(CP_EUSAGE, "what rank %d sends to itself it must receive in the same group",
                     j->comm->base.rank);
    if (from->count > 0) memmove(to->out, from->in, from->count * cp_itemsize(from->dtype));
  }
}

static cp_status begin_exchange(job *j) {
  CP_TRY(copy_to_self(j));
  for (int k = 0; k < j->count; k++) {
    const cp_collective *w = &j->works[k];
    if (w->comm != &j->comm->base || w->kind < CP_SEND || w->root == j->comm->base.rank) continue;
    size_t bytes = w->count * cp_itemsize(w->dtype);
    if (w->kind == CP_SEND)
      post_send(j, w, w->root, w->in, bytes);
    else
      post_recv(j, w, w->root, w->out, bytes);
  }
  return CP_OK;
}

// ---- collectives --------------------------------------------------------------------------------------------------

static size_t item(const job *j) { return cp_itemsize(j->now->dtype); }
static const char *in_at(const job *j, size_t element) {
  return (const char *)j->now->in + element * item(j);
}
static char *out_at(const job *j, size_t element) { return (char *)j->now->out + element * item(j); }

// Where the part of the slice that rank r combines begins.
static size_t part(const job *j, int r) {
  size_t n = j->to - j->from, size = (size_t)j->comm->base.size;
  return j->from + n / size * (size_t)r + n % size * (size_t)r / size;
}

static size_t part_size(const job *j, int r) { return part(j, r + 1) - part(j, r); }

static size_t pitch(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static bool combines_here(const job *j) {
  return j->now->kind != CP_REDUCE || j->now->root == j->comm->base.rank;
}

// The elements that this rank combines of a slice.
static size_t own_elements(const job *j) {
  return j->now->kind == CP_ALL_REDUCE ? part_size(j, j->comm->base.rank) : j->to - j->from;
}

// The slice from j->from on; of all_gather and broadcast, which need no memory, the whole.
static void set_slice(job *j) {
  size_t size = (size_t)j->comm->base.size, most = SLICE_BYTES / item(j), left = j->now->count - j->from;
  if (j->now->kind != CP_ALL_REDUCE) most /= size;
  if (most < size) most = size;
  bool whole = j->now->kind == CP_ALL_GATHER || j->now->kind == CP_BROADCAST;
  j->to = j->from + (whole || left < most ? left : most);
}

static cp_status reserve(job *j) {
  size_t bytes = pitch(own_elements(j) * item(j)) * (size_t)j->comm->base.size + ALIGNMENT;
  if (bytes <= j->scratch_bytes) return CP_OK;
  free(j->scratch);
  j->scratch_bytes = 0;
  j->scratch = aligned_alloc(ALIGNMENT, bytes);
  if (j->scratch == NULL) return cp_fail(CP_EMEMORY, "out of host memory");
  j->scratch_bytes = bytes;
  return CP_OK;
}

// Where the others' elements of what this rank combines arrive, and its own are put.
static char *place_of(const job *j, int r) {
  return j->scratch + (size_t)r * pitch(own_elements(j) * item(j));
}

// Every rank's elements of what this rank combines come here, and what others combine goes there.
static void post_parts(job *j) {
  const cp_collective *w = j->now;
  int rank = j->comm->base.rank;
  for (int r = 0; r < j->comm->base.size; r++) {
    if (r == rank) continue;
    if (combines_here(j)) post_recv(j, w, r, place_of(j, r), own_elements(j) * item(j));
    size_t begin = j->from, n = j->to - j->from;
    if (w->kind == CP_ALL_REDUCE) begin = part(j, r), n = part_size(j, r);
    if (w->kind == CP_REDUCE_SCATTER) begin = (size_t)r * w->count + j->from;
    if (w->kind != CP_REDUCE || r == w->root) post_send(j, w, r, in_at(j, begin), n * item(j));
  }
}

// In the order of the ranks.
static void combine_parts(job *j) {
  const cp_collective *w = j->now;
  int rank = j->comm->base.rank, size = j->comm->base.size;
  size_t n = own_elements(j), begin = j->from, target = j->from;
  if (!combines_here(j) || n == 0) return;
  if (w->kind == CP_ALL_REDUCE) begin = target = part(j, rank);
  if (w->kind == CP_REDUCE_SCATTER) begin = (size_t)rank * w->count + j->from;
  memcpy(place_of(j, rank), in_at(j, begin), n * item(j));
  for (int r = 1; r < size; r++) cp_combine(w->dtype, w->combination, place_of(j, 0), place_of(j, r), n);
  if (w->combination == CP_AVG) cp_combine_mean(w->dtype, place_of(j, 0), n, size);
  memcpy(out_at(j, target), place_of(j, 0), n * item(j));
}

// The combined parts of all_reduce go to everybody.
static void post_results(job *j) {
  int rank = j->comm->base.rank;
  for (int r = 0; r < j->comm->base.size; r++) {
    if (r == rank) continue;
    post_send(j, j->now, r, out_at(j, part(j, rank)), part_size(j, rank) * item(j));
    post_recv(j, j->now, r, out_at(j, part(j, r)), part_size(j, r) * item(j));
  }
}

static void post_whole(job *j) {
  const cp_collective *w = j->now;
  int rank = j->comm->base.rank;
  size_t bytes = w->count * item(j);
  bool gathers = w->kind == CP_ALL_GATHER, gives = gathers || w->root == rank;
  char *own = gathers ? out_at(j, (size_t)rank * w->count) : w->out;
  if (gives && bytes > 0 && own != w->in) memmove(own, w->in, bytes);
  for (int r = 0; r < j->comm->base.size; r++) {
    if (r == rank) continue;
    if (gives) post_send(j, w, r, w->in, bytes);
    if (gathers) post_recv(j, w, r, out_at(j, (size_t)r * w->count), bytes);
    if (!gathers && r == w->root) post_recv(j, w, r, w->out, bytes);
  }
}

// ---- one after the other ------------------------------------------------------------------------------------------

static cp_status begin_slice(job *j) {
  set_slice(j);
  j->phase = 0;
  if (j->now->kind == CP_ALL_GATHER || j->now->kind == CP_BROADCAST) {
    post_whole(j);
    return CP_OK;
  }
  if (combines_here(j)) CP_TRY(reserve(j));
  post_parts(j);
  return CP_OK;
}

static cp_status begin_next(job *j) {
  j->now = NULL;
  while (j->next < j->count && j->now == NULL) {
    const cp_collective *w = &j->works[j->next++];
    if (w->comm == &j->comm->base && w->kind < CP_SEND) j->now = w;
  }
  j->over = j->now == NULL;
  j->from = 0;
  return j->over ? CP_OK : begin_slice(j);
}

// All messages of the phase are done.
static cp_status advance(job *j) {
  j->used = 0;
  if (j->now == NULL) return begin_next(j);
  bool shared = j->now->kind != CP_ALL_GATHER && j->now->kind != CP_BROADCAST;
  if (shared && j->phase == 0) {
    combine_parts(j);
    if (j->now->kind == CP_ALL_REDUCE) {
      j->phase = 1;
      post_results(j);
      return CP_OK;
    }
  }
  j->from = j->to;
  return j->from < j->now->count ? begin_slice(j) : begin_next(j);
}

// ---- the group ----------------------------------------------------------------------------------------------------

typedef struct group {
  job *jobs;
  int count, sockets;
  struct pollfd *polled; // as many as there are connections
  int *ranks, *owners;   // of each polled
} group;

static int messages_of(const cp_tcp_comm *c, int count, const cp_collective *works) {
  int p2p = 0;
  for (int k = 0; k < count; k++) p2p += works[k].comm == &c->base && works[k].kind >= CP_SEND;
  return p2p > 2 * c->base.size ? p2p : 2 * c->base.size;
}

static cp_status add_job(group *g, cp_comm *comm, int count, const cp_collective *works) {
  for (int k = 0; k < g->count; k++)
    if (&g->jobs[k].comm->base == comm) return CP_OK;
  job *j = &g->jobs[g->count];
  cp_tcp_comm *c = (cp_tcp_comm *)comm;
  *j = (job){.comm = c, .works = works, .count = count, .room = messages_of(c, count, works)};
  j->messages = calloc((size_t)j->room, sizeof *j->messages);
  if (j->messages == NULL) return cp_fail(CP_EMEMORY, "out of host memory");
  g->count++;
  g->sockets += comm->size;
  return CP_OK;
}

static cp_status open_group(group *g, int count, const cp_collective *works) {
  g->jobs = calloc((size_t)count, sizeof *g->jobs);
  if (g->jobs == NULL) return cp_fail(CP_EMEMORY, "out of host memory");
  for (int k = 0; k < count; k++) CP_TRY(add_job(g, works[k].comm, count, works));
  g->polled = calloc((size_t)g->sockets, sizeof *g->polled);
  g->ranks = calloc((size_t)g->sockets, sizeof *g->ranks);
  g->owners = calloc((size_t)g->sockets, sizeof *g->owners);
  if (g->polled == NULL || g->ranks == NULL || g->owners == NULL)
    return cp_fail(CP_EMEMORY, "out of host memory");
  return CP_OK;
}

static void close_group(group *g) {
  for (int k = 0; k < g->count; k++) {
    free(g->jobs[k].scratch);
    free(g->jobs[k].messages);
  }
  free(g->jobs);
  free(g->polled);
  free(g->ranks);
  free(g->owners);
}

// The others hear of a failure by the end of the connection.
static void break_comm(cp_tcp_comm *c) {
  c->base.broken = true;
  for (int r = 0; r < c->base.size; r++) {
    cp_tcp_channel *ch = &c->channels[r];
    if (ch->fd >= 0) (void)shutdown(ch->fd, SHUT_WR);
    *ch = (cp_tcp_channel){.fd = ch->fd, .out_end = &ch->out, .in_end = &ch->in};
  }
}

// The connections that messages wait for.
static int list_polled(group *g) {
  int n = 0;
  for (int k = 0; k < g->count; k++) {
    const cp_tcp_comm *c = g->jobs[k].comm;
    for (int r = 0; r < c->base.size; r++) {
      const cp_tcp_channel *ch = &c->channels[r];
      if (ch->in == NULL && ch->out == NULL) continue;
      short events = POLLRDHUP;
      if (ch->in != NULL) events |= POLLIN;
      if (ch->out != NULL) events |= POLLOUT;
      g->polled[n] = (struct pollfd){.fd = ch->fd, .events = events};
      g->ranks[n] = r;
      g->owners[n++] = k;
    }
  }
  return n;
}

// Only a rank that sends and receives nothing more closes: it cannot take what is still for it.
static cp_status check_ends(const group *g, int n) {
  for (int k = 0; k < n; k++) {
    const cp_tcp_channel *ch = &g->jobs[g->owners[k]].comm->channels[g->ranks[k]];
    bool ended = (g->polled[k].revents & (POLLRDHUP | POLLHUP)) != 0, takes = g->polled[k].revents & POLLOUT;
    if (ended && ch->in == NULL && !takes) return fail_connection(g->ranks[k], 0);
  }
  return CP_OK;
}

// Ranks of one thread that wait for one another wait for ever.
static bool is_local(const group *g) {
  for (int k = 0; k < g->count; k++)
    if (!g->jobs[k].comm->local) return false;
  return true;
}

static double timeout_of(const group *g) {
  double least = g->jobs[0].comm->base.timeout;
  for (int k = 1; k < g->count; k++)
    if (g->jobs[k].comm->base.timeout < least) least = g->jobs[k].comm->base.timeout;
  return least;
}

static cp_status wait_for_any(group *g, double since) {
  int n = list_polled(g);
  double timeout = timeout_of(g), left = since + timeout - cp_clock();
  if (is_local(g))
    return cp_fail(
        CP_EUSAGE,
        "rank %d of this thread waits for rank %d, which takes no part: call the list's form, or all "
        "ranks in one group",
        g->jobs[g->owners[0]].comm->base.rank, g->ranks[0]);
  if (left <= 0)
    return cp_fail(CP_EIO, "rank %d did not %s within %.3g s", g->ranks[0],
                   (g->polled[0].events & POLLIN) != 0 ? "answer" : "listen", timeout);
  int ready = poll(g->polled, (nfds_t)n, left > 1000 ? 1000000 : (int)(left * 1000) + 1);
  return ready > 0 ? check_ends(g, n) : CP_OK;
}

static cp_status run_group(group *g) {
  double since = cp_clock();
  bool over = false;
  for (int k = 0; k < g->count; k++) CP_TRY(begin_exchange(&g->jobs[k]));
  while (!over) {
    bool moved = false;
    over = true;
    for (int k = 0; k < g->count; k++) {
      job *j = &g->jobs[k];
      if (j->over) continue;
      CP_TRY(pump(j, &moved));
      while (!j->over && j->open == 0) {
        CP_TRY(advance(j));
        moved = true;
      }
      over = over && j->over;
    }
    if (moved)
      since = cp_clock();
    else if (!over)
      CP_TRY(wait_for_any(g, since));
  }
  return CP_OK;
}

static cp_status run(int count, const cp_collective *works) {
  group g = {0};
  cp_status status = open_group(&g, count, works);
  if (status == CP_OK) status = run_group(&g);
  for (int k = 0; status != CP_OK && k < count; k++) break_comm((cp_tcp_comm *)works[k].comm);
  close_group(&g);
  return status;
}

static bool combines(cp_dtype t, cp_combination c) {
  (void)t, (void)c;
  return true; // all that cp_check_combination lets pass
}

const cp_collective_ops cp_cpu_collective_ops = {
    .name = "tcp",
    .unique_id = cp_tcp_unique_id,
    .join = cp_tcp_join,
    .join_all = cp_tcp_join_all,
    .combines = combines,
    .run = run,
    .leave = cp_tcp_leave,
};
