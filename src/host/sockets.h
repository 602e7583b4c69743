// TCP between the ranks of a communicator: meeting at an address, and a short message for all. Everything ends by a deadline of cp_clock, with an
// error that says who did not come.
#ifndef CP_HOST_SOCKETS_H
#define CP_HOST_SOCKETS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_context;

// Until when somebody waits: cp_clock, and whose host may end it before (interrupt.h; NULL: nobody), which is CP_EINTERRUPTED.
typedef struct cp_deadline {
  double at;
  struct cp_context *ctx;
} cp_deadline;

// Listens at the address, a name or number of this host (NULL: the loopback address). *port: 0 asks for any, and gets the number.
cp_status cp_listen(const char *address, int *port, int *fd);
// Connects, again and again until somebody listens there.
cp_status cp_connect(const char *address, int port, cp_deadline deadline, int *fd);
// The next connection; CP_EIO at the deadline.
cp_status cp_accept(int listener, cp_deadline deadline, int *fd);
// Moves all of the bytes. what: who is at the other end, for messages.
cp_status cp_send_all(int fd, const void *data, size_t bytes, cp_deadline deadline, const char *what);
cp_status cp_recv_all(int fd, void *data, size_t bytes, cp_deadline deadline, const char *what);
// The numeric address of this end of a connection.
cp_status cp_own_address(int fd, char *text, size_t size);
// Later calls do not wait.
void cp_unblock(int fd);
void cp_close_socket(int fd); // -1: none

// Rank 0 listens there and gives the bytes to all others once they have come; they get them. Whoever has another size, or a rank that is there
// already, is refused.
cp_status cp_share_bytes(const char *address, int port, int rank, int size, cp_deadline deadline, void *data,
                         size_t bytes);
// How long poll may wait, in milliseconds, with so many seconds left: shorter where a host is to be asked meanwhile.
int cp_poll_time(const struct cp_context *ctx, double left);

// What is said first on a new connection of a communicator.
typedef struct cp_hello {
  uint64_t magic; // of what is met for: connections from elsewhere have another
  int32_t rank, size;
} cp_hello;
// Accepts connections until `expected` ranks from first on have come. Connections with another magic are dropped; fds[rank] is set for each, and must be
// -1 before. On failure those made stay the caller's.
cp_status cp_gather_ranks(int listener, uint64_t magic, int first, int size, cp_deadline deadline, int *fds);
// What rank 0 tells those who came (-1: none): that all did, or what the thread's error record says; and waiting for it.
void cp_answer_ranks(int size, const int *fds, bool welcome, cp_deadline deadline);
cp_status cp_await_answer(int fd, cp_deadline deadline);

#endif
