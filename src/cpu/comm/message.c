// Sends and receives messages over the connections of a communicator.
#include "cpu/comm/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { MAGIC = 0x63706c31 };

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

static cp_tcp_message *add_message(cp_tcp_job *j, const cp_collective *w, const void *data, size_t bytes) {
  cp_tcp_message *m = &j->messages[j->used++];
  *m = (cp_tcp_message){.head = head_of(w), .data = (char *)(uintptr_t)data, .bytes = bytes};
  j->open++;
  return m;
}

void cp_tcp_post_send(cp_tcp_job *j, const cp_collective *w, int rank, const void *data, size_t bytes) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  *c->out_end = add_message(j, w, data, bytes);
  c->out_end = &(*c->out_end)->next;
}

void cp_tcp_post_recv(cp_tcp_job *j, const cp_collective *w, int rank, void *data, size_t bytes) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  *c->in_end = add_message(j, w, data, bytes);
  c->in_end = &(*c->in_end)->next;
}

static bool is_waiting(int problem) {
  return problem == EAGAIN || problem == EWOULDBLOCK || problem == EINTR;
}

cp_status cp_tcp_fail_connection(int rank, int problem) {
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

// The parts of header and data that have not moved, as up to two iovecs.
static int pieces(cp_tcp_message *m, cp_tcp_head *head, struct iovec *v) {
  size_t n = 0, head_done = m->done < sizeof *head ? m->done : sizeof *head;
  if (head_done < sizeof *head) v[n++] = (struct iovec){(char *)head + head_done, sizeof *head - head_done};
  size_t data_done = m->done - head_done;
  if (m->bytes > data_done) v[n++] = (struct iovec){m->data + data_done, m->bytes - data_done};
  return (int)n;
}

// Sends what the connection accepts; *moved is set if that was anything.
static cp_status push_out(cp_tcp_job *j, int rank, bool *moved) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  while (c->out != NULL) {
    struct iovec v[2];
    struct msghdr h = {.msg_iov = v};
    cp_tcp_message *m = c->out;
    h.msg_iovlen = (size_t)pieces(m, &m->head, v);
    ssize_t n = sendmsg(c->fd, &h, MSG_NOSIGNAL);
    if (n < 0) return is_waiting(errno) ? CP_OK : cp_tcp_fail_connection(rank, errno);
    *moved = true;
    m->done += (size_t)n;
    if (m->done < sizeof m->head + m->bytes) continue;
    c->out = m->next;
    if (c->out == NULL) c->out_end = &c->out;
    j->open--;
  }
  return CP_OK;
}

// Receives the header alone first, since the data that follow may have another size than expected.
static cp_status pull_in(cp_tcp_job *j, int rank, bool *moved) {
  cp_tcp_channel *c = &j->comm->channels[rank];
  while (c->in != NULL) {
    struct iovec v[2];
    cp_tcp_message *m = c->in;
    int n = pieces(m, &m->seen, v);
    if (n > 0) {
      ssize_t got = recv(c->fd, v[0].iov_base, v[0].iov_len, 0);
      if (got == 0) return cp_tcp_fail_connection(rank, 0);
      if (got < 0) return is_waiting(errno) ? CP_OK : cp_tcp_fail_connection(rank, errno);
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

// A rank that failed has closed its side. What it sent before is read first, as that says more than the
// closed connection.
cp_status cp_tcp_pump(cp_tcp_job *j, bool *moved) {
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
