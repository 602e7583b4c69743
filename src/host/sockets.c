// TCP connections (sockets.h). All sockets are non-blocking: waiting is done in poll, until the deadline.
#include "host/sockets.h"

#include "device/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void cp_close_socket(int fd) {
  if (fd >= 0) close(fd);
}

void cp_unblock(int fd) {
  int on = 1, flags = fcntl(fd, F_GETFL);
  (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // fails where fd is a pair of this process
}

int cp_poll_time(const cp_context *ctx, double left) {
  if (cp_may_end(ctx)) return 2;
  return left > 1000 ? 1000000 : (int)(left * 1000) + 1;
}

// Waits for the events on fd; CP_EIO at the deadline.
static cp_status wait_for(int fd, short events, cp_deadline deadline) {
  struct pollfd p = {.fd = fd, .events = events};
  for (;;) {
    double left = deadline.at - cp_clock();
    CP_TRY(cp_poll(deadline.ctx));
    int n = left > 0 ? poll(&p, 1, cp_poll_time(deadline.ctx, left)) : -1;
    if (n > 0) return CP_OK;
    if (left <= 0 || (n < 0 && errno != EINTR)) return cp_fail(CP_EIO, "%s", strerror(ETIMEDOUT));
  }
}

// ---- addresses ----

static cp_status resolve(const char *address, int port, bool listens, struct addrinfo **out) {
  char service[16];
  struct addrinfo hints = {
      .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = listens ? AI_PASSIVE : 0};
  snprintf(service, sizeof service, "%d", port);
  int code = getaddrinfo(address != NULL ? address : "127.0.0.1", service, &hints, out);
  if (code == 0) return CP_OK;
  return cp_fail(CP_EIO, "cannot find the address '%.200s': %s", address, gai_strerror(code));
}

static int port_of(int fd) {
  struct sockaddr_storage a = {0};
  socklen_t size = sizeof a;
  if (getsockname(fd, (struct sockaddr *)&a, &size) != 0) return 0;
  return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                       : ((struct sockaddr_in *)&a)->sin_port);
}

cp_status cp_own_address(int fd, char *text, size_t size) {
  struct sockaddr_storage a = {0};
  socklen_t length = sizeof a;
  if (getsockname(fd, (struct sockaddr *)&a, &length) != 0 ||
      getnameinfo((struct sockaddr *)&a, length, text, (socklen_t)size, NULL, 0, NI_NUMERICHOST) != 0)
    return cp_fail(CP_EIO, "this end of a connection has no address");
  return CP_OK;
}

// ---- connections ----

static int listen_at(const struct addrinfo *a) {
  int on = 1, fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
  if (fd < 0) return -1;
  (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, 128) == 0) return fd;
  int problem = errno;
  close(fd);
  errno = problem;
  return -1;
}

cp_status cp_listen(const char *address, int *port, int *fd) {
  struct addrinfo *list;
  CP_TRY(resolve(address, *port, true, &list));
  *fd = -1;
  for (const struct addrinfo *a = list; a != NULL && *fd < 0; a = a->ai_next) *fd = listen_at(a);
  int problem = errno;
  freeaddrinfo(list);
  if (*fd < 0)
    return cp_fail(CP_EIO, "cannot listen at %.200s port %d: %s", address != NULL ? address : "127.0.0.1",
                   *port, strerror(problem));
  cp_unblock(*fd);
  *port = port_of(*fd);
  return CP_OK;
}

// Whether a socket is connected to itself: that happens when nobody listens at a port of this host and the
// system picks that port for the connecting end (RFC 9293, 3.5: simultaneous open).
static bool met_itself(int fd) {
  struct sockaddr_storage own = {0}, peer = {0};
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  return getsockname(fd, (struct sockaddr *)&own, &own_size) == 0 &&
         getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0 && own_size == peer_size &&
         memcmp(&own, &peer, own_size) == 0;
}

// One attempt to connect. -1 when it fails (errno), ECANCELED when the host interrupts the wait.
static int connect_to(const struct addrinfo *a, cp_deadline deadline) {
  int on = 1, problem = 0, fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
  socklen_t size = sizeof problem;
  if (fd < 0) return -1;
  cp_unblock(fd);
  // Lets another process listen at the port that the system gives this end, even soon after it was closed.
  (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) problem = errno;
  if (problem == EINPROGRESS) {
    cp_status status = wait_for(fd, POLLOUT, deadline);
    problem = status == CP_EINTERRUPTED ? ECANCELED : ETIMEDOUT;
    if (status == CP_OK) (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size);
  }
  if (problem == 0 && met_itself(fd)) problem = ECONNREFUSED;
  if (problem == 0) return fd;
  close(fd);
  errno = problem;
  return -1;
}

// Sleeps for so many seconds, at most until the deadline.
static void sleep_until(cp_deadline deadline, double seconds) {
  double left = deadline.at - cp_clock();
  if (left <= 0) return;
  struct timespec t = {.tv_nsec = (long)(1e9 * (left < seconds ? left : seconds))};
  nanosleep(&t, NULL);
}

cp_status cp_connect(const char *address, int port, cp_deadline deadline, int *fd) {
  const double pause = 0.02; // s
  double begin = cp_clock();
  int problem = ETIMEDOUT;
  struct addrinfo *list;
  CP_TRY(resolve(address, port, false, &list));
  cp_status status = CP_OK;
  *fd = -1;
  while (*fd < 0 && status == CP_OK && cp_clock() < deadline.at) {
    for (const struct addrinfo *a = list; a != NULL && *fd < 0; a = a->ai_next) *fd = connect_to(a, deadline);
    if (*fd >= 0) break;
    problem = errno;
    if (problem == ECANCELED) status = CP_EINTERRUPTED;
    sleep_until(deadline, status == CP_OK ? pause : 0);
    if (status == CP_OK) status = cp_poll(deadline.ctx);
  }
  freeaddrinfo(list);
  if (*fd >= 0 || status != CP_OK) return status;
  return cp_fail(CP_EIO, "no answer from %.200s port %d within %.3g s: %s; is rank 0 running?", address, port,
                 deadline.at - begin, strerror(problem));
}

cp_status cp_accept(int listener, cp_deadline deadline, int *fd) {
  for (;;) {
    *fd = accept(listener, NULL, NULL);
    if (*fd >= 0) {
      cp_unblock(*fd);
      return CP_OK;
    }
    bool again = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNABORTED;
    if (!again) return cp_fail(CP_EIO, "cannot accept a connection: %s", strerror(errno));
    cp_status status = wait_for(listener, POLLIN, deadline);
    if (status != CP_OK)
      return status == CP_EINTERRUPTED ? status : cp_fail(CP_EIO, "no process connected in time");
  }
}

// ---- messages ----

static cp_status fail_transfer(int problem, const char *what) {
  if (problem == 0) return cp_fail(CP_EIO, "%s closed the connection", what);
  return cp_fail(CP_EIO, "%s: %s", what, strerror(problem));
}

cp_status cp_send_all(int fd, const void *data, size_t bytes, cp_deadline deadline, const char *what) {
  const char *p = data;
  while (bytes > 0) {
    ssize_t n = send(fd, p, bytes, MSG_NOSIGNAL);
    if (n > 0) {
      p += n;
      bytes -= (size_t)n;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return fail_transfer(errno, what);
    } else {
      cp_status status = wait_for(fd, POLLOUT, deadline);
      if (status != CP_OK) return status == CP_EINTERRUPTED ? status : fail_transfer(ETIMEDOUT, what);
    }
  }
  return CP_OK;
}

cp_status cp_recv_all(int fd, void *data, size_t bytes, cp_deadline deadline, const char *what) {
  char *p = data;
  while (bytes > 0) {
    ssize_t n = recv(fd, p, bytes, 0);
    if (n > 0) {
      p += n;
      bytes -= (size_t)n;
    } else if (n == 0) {
      return fail_transfer(0, what);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return fail_transfer(errno, what);
    } else {
      cp_status status = wait_for(fd, POLLIN, deadline);
      if (status != CP_OK) return status == CP_EINTERRUPTED ? status : fail_transfer(ETIMEDOUT, what);
    }
  }
  return CP_OK;
}

// ---- ranks ----

enum { REFUSAL = 240 };

// Rank 0's answer to a rank that has connected.
typedef struct answer {
  int32_t welcome; // 0: refused, text says why
  char text[REFUSAL];
} answer;

static void refuse(int fd, cp_deadline deadline) {
  answer a = {0};
  snprintf(a.text, sizeof a.text, "%.200s", cp_error_text());
  char kept[REFUSAL];
  memcpy(kept, a.text, sizeof kept);
  (void)cp_send_all(fd, &a, sizeof a, deadline, "a rank"); // it may be gone
  (void)cp_fail(CP_EIO, "%s", kept);
}

static cp_status check_hello(const cp_hello *h, int first, int size, const int *fds) {
  if (h->size != size)
    return cp_fail(CP_EIO, "rank %d expects %d ranks, but rank 0 expects %d", (int)h->rank, (int)h->size,
                   size);
  if (h->rank < first || h->rank >= size)
    return cp_fail(CP_EIO, "a process connected as rank %d of %d", (int)h->rank, size);
  if (fds[h->rank] >= 0) return cp_fail(CP_EIO, "two processes say that they are rank %d", (int)h->rank);
  return CP_OK;
}

static cp_status name_missing(int first, int size, const int *fds) {
  char list[128] = "";
  for (int r = first; r < size; r++) {
    size_t used = strlen(list);
    if (fds[r] < 0) snprintf(list + used, sizeof list - used, "%s%d", used > 0 ? ", " : "", r);
  }
  return cp_fail(CP_EIO, "these ranks did not connect in time: %s", list);
}

cp_status cp_gather_ranks(int listener, uint64_t magic, int first, int size, cp_deadline deadline, int *fds) {
  const double patience = 5; // seconds for a peer that connects and sends nothing
  for (int have = first; have < size;) {
    cp_hello h;
    int fd;
    cp_status status = cp_accept(listener, deadline, &fd);
    if (status != CP_OK) return status == CP_EINTERRUPTED ? status : name_missing(first, size, fds);
    cp_deadline soon = {cp_clock() + patience, deadline.ctx};
    status = cp_recv_all(fd, &h, sizeof h, soon.at < deadline.at ? soon : deadline, "a visitor");
    if (status != CP_OK || h.magic != magic) {
      close(fd);
      if (status == CP_EINTERRUPTED) return status;
      continue;
    }
    status = check_hello(&h, first, size, fds);
    if (status != CP_OK) {
      refuse(fd, deadline);
      close(fd);
      return status;
    }
    fds[h.rank] = fd;
    have++;
  }
  return CP_OK;
}

void cp_answer_ranks(int size, const int *fds, bool welcome, cp_deadline deadline) {
  answer yes = {.welcome = 1};
  for (int r = 0; r < size; r++) {
    if (fds[r] < 0) continue;
    if (welcome)
      (void)cp_send_all(fds[r], &yes, sizeof yes, deadline, "a rank"); // a failure shows in the next call
    else
      refuse(fds[r], deadline);
  }
}

cp_status cp_await_answer(int fd, cp_deadline deadline) {
  answer a;
  CP_TRY(cp_recv_all(fd, &a, sizeof a, deadline, "rank 0"));
  a.text[sizeof a.text - 1] = '\0';
  return a.welcome ? CP_OK : cp_fail(CP_EIO, "rank 0 refuses: %s", a.text);
}

// ---- broadcast ----

static const uint64_t share_magic = 0x6375706f6c613031; // "cupola01"

static cp_status share_from_0(const char *address, int port, int size, cp_deadline deadline, const void *data,
                              size_t bytes, int *fds) {
  int listener;
  CP_TRY(cp_listen(address, &port, &listener));
  cp_status status = cp_gather_ranks(listener, share_magic, 1, size, deadline, fds);
  cp_close_socket(listener);
  cp_answer_ranks(size, fds, status == CP_OK, deadline);
  for (int r = 1; r < size && status == CP_OK; r++)
    status = cp_send_all(fds[r], data, bytes, deadline, "a rank");
  return status;
}

static cp_status receive_from_0(const char *address, int port, const cp_hello *hello, cp_deadline deadline,
                                void *data, size_t bytes, int *fd) {
  CP_TRY(cp_connect(address, port, deadline, fd));
  CP_TRY(cp_send_all(*fd, hello, sizeof *hello, deadline, "rank 0"));
  CP_TRY(cp_await_answer(*fd, deadline));
  return cp_recv_all(*fd, data, bytes, deadline, "rank 0");
}

cp_status cp_share_bytes(const char *address, int port, int rank, int size, cp_deadline deadline, void *data,
                         size_t bytes) {
  const cp_hello hello = {share_magic, rank, size};
  int *fds = malloc((size_t)size * sizeof *fds);
  if (fds == NULL) return cp_no_memory(NULL);
  for (int r = 0; r < size; r++) fds[r] = -1;
  cp_status status = rank == 0 ? share_from_0(address, port, size, deadline, data, bytes, fds)
                               : receive_from_0(address, port, &hello, deadline, data, bytes, &fds[0]);
  for (int r = 0; r < size; r++) cp_close_socket(fds[r]);
  free(fds);
  return status;
}
