// Runs groups of collective operations on CPU ranks (routines/collective.h).
//
// An operation consists of a few phases, and a phase of a set of messages. Messages move whenever a
// connection is ready, in both directions and for all communicators of a group at once, so no call waits for
// a later call of the same group. After a failure each rank closes its side of the connections, so that the
// others fail too and do not wait.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // for POLLRDHUP
#endif
#include "cpu/comm/job.h"
#include "device/interrupt.h"
#include "host/sockets.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

typedef struct group {
  cp_tcp_job *jobs;
  int count, sockets;
  struct pollfd *polled; // as many entries as there are connections
  int *ranks, *owners;   // rank and communicator of each entry
  cp_context *ctx;       // its host may interrupt the wait
} group;

static int messages_of(const cp_tcp_comm *c, int count, const cp_collective *works) {
  int p2p = 0;
  for (int k = 0; k < count; k++) p2p += works[k].comm == &c->base && works[k].kind >= CP_SEND;
  return p2p > 2 * c->base.size ? p2p : 2 * c->base.size;
}

static cp_status add_job(group *g, cp_comm *comm, int count, const cp_collective *works) {
  for (int k = 0; k < g->count; k++)
    if (&g->jobs[k].comm->base == comm) return CP_OK;
  cp_tcp_job *j = &g->jobs[g->count];
  cp_tcp_comm *c = (cp_tcp_comm *)comm;
  *j = (cp_tcp_job){.comm = c, .works = works, .count = count};
  j->messages = calloc((size_t)messages_of(c, count, works), sizeof *j->messages);
  if (j->messages == NULL) return cp_no_memory(NULL);
  g->count++;
  g->sockets += comm->size;
  return CP_OK;
}

static cp_status open_group(group *g, int count, const cp_collective *works) {
  g->jobs = calloc((size_t)count, sizeof *g->jobs);
  if (g->jobs == NULL) return cp_no_memory(NULL);
  for (int k = 0; k < count; k++) CP_TRY(add_job(g, works[k].comm, count, works));
  g->polled = calloc((size_t)g->sockets, sizeof *g->polled);
  g->ranks = calloc((size_t)g->sockets, sizeof *g->ranks);
  g->owners = calloc((size_t)g->sockets, sizeof *g->owners);
  if (g->polled == NULL || g->ranks == NULL || g->owners == NULL) return cp_no_memory(NULL);
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

// Closes the connections; by this the other ranks notice the failure.
static void break_comm(cp_tcp_comm *c) {
  c->base.broken = true;
  for (int r = 0; r < c->base.size; r++) {
    cp_tcp_channel *ch = &c->channels[r];
    if (ch->fd >= 0) (void)shutdown(ch->fd, SHUT_WR);
    *ch = (cp_tcp_channel){.fd = ch->fd, .out_end = &ch->out, .in_end = &ch->in};
  }
}

// Lists the connections that messages wait for.
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

// Fails if a rank has closed its side. Only a rank with nothing left to send or receive closes without a
// failure, and it cannot receive what is still meant for it.
static cp_status check_ends(const group *g, int n) {
  for (int k = 0; k < n; k++) {
    const cp_tcp_channel *ch = &g->jobs[g->owners[k]].comm->channels[g->ranks[k]];
    bool ended = (g->polled[k].revents & (POLLRDHUP | POLLHUP)) != 0, takes = g->polled[k].revents & POLLOUT;
    if (ended && ch->in == NULL && !takes) return cp_tcp_fail_connection(g->ranks[k], 0);
  }
  return CP_OK;
}

// True if all ranks belong to one thread: if they wait for each other, they wait forever.
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
    return cp_fail(CP_EUSAGE,
                   "rank %d of this thread waits for rank %d, which does not take part: call the list's "
                   "method, or all ranks in one group",
                   g->jobs[g->owners[0]].comm->base.rank, g->ranks[0]);
  if (left <= 0)
    return cp_fail(CP_EIO, "rank %d did not %s within %.3g s", g->ranks[0],
                   (g->polled[0].events & POLLIN) != 0 ? "answer" : "listen", timeout);
  int ready = poll(g->polled, (nfds_t)n, cp_poll_time(g->ctx, left));
  return ready > 0 ? check_ends(g, n) : CP_OK;
}

static cp_status run_group(group *g) {
  double since = cp_clock();
  bool over = false;
  for (int k = 0; k < g->count; k++) CP_TRY(cp_tcp_begin(&g->jobs[k]));
  while (!over) {
    bool moved = false;
    over = true;
    CP_TRY(cp_poll(g->ctx));
    for (int k = 0; k < g->count; k++) {
      cp_tcp_job *j = &g->jobs[k];
      if (j->over) continue;
      CP_TRY(cp_tcp_pump(j, &moved));
      while (!j->over && j->open == 0) {
        CP_TRY(cp_tcp_advance(j));
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
  group g = {.ctx = works[0].stream->context};
  cp_status status = open_group(&g, count, works);
  if (status == CP_OK) status = run_group(&g);
  for (int k = 0; status != CP_OK && k < count; k++) break_comm((cp_tcp_comm *)works[k].comm);
  close_group(&g);
  return status;
}

static bool combines(cp_dtype t, cp_combination c) {
  (void)t, (void)c;
  return true; // for everything that cp_check_combination accepts
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
