// TCP connections between the ranks of a communicator: rendezvous at an address, and short messages. Every
// function ends by a deadline, with an error that names the ranks that did not come.
#ifndef CP_HOST_SOCKETS_H
#define CP_HOST_SOCKETS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cp_context;

// When a wait ends: at a time of cp_clock, or earlier with CP_EINTERRUPTED when the host of ctx interrupts it
// (interrupt.h). ctx NULL: no host is asked.
typedef struct cp_deadline {
  double at;
  struct cp_context *ctx;
} cp_deadline;

// Listens at a name or number of this host (NULL: the loopback address). *port 0 asks for any free port,
// whose number it receives.
cp_status cp_listen(const char *address, int *port, int *fd);
// Connects, and tries again until a process listens there.
cp_status cp_connect(const char *address, int port, cp_deadline deadline, int *fd);
// Accepts the next connection; CP_EIO at the deadline.
cp_status cp_accept(int listener, cp_deadline deadline, int *fd);
// Send or receive all of the bytes. what: a name for the peer, for messages.
cp_status cp_send_all(int fd, const void *data, size_t bytes, cp_deadline deadline, const char *what);
cp_status cp_recv_all(int fd, void *data, size_t bytes, cp_deadline deadline, const char *what);
// Writes the numeric address of this end of a connection to text.
cp_status cp_own_address(int fd, char *text, size_t size);
// Makes the socket non-blocking.
void cp_unblock(int fd);
void cp_close_socket(int fd); // ignores -1

// Broadcasts bytes: rank 0 listens at the address and sends them to the other ranks once all have connected.
// It refuses a connection that has another size, or a rank that is already connected.
cp_status cp_share_bytes(const char *address, int port, int rank, int size, cp_deadline deadline, void *data,
                         size_t bytes);
// The timeout for poll in milliseconds when `left` seconds remain: shorter when a host must be asked
// meanwhile.
int cp_poll_time(const struct cp_context *ctx, double left);

// The first message on a new connection of a communicator.
typedef struct cp_hello {
  uint64_t magic; // identifies the purpose: connections from elsewhere have another value
  int32_t rank, size;
} cp_hello;
// Accepts connections until the ranks first .. size - 1 have come, and sets fds[rank], which must be -1
// before, for each. Connections with another magic are dropped. On failure the caller closes those that were
// made.
cp_status cp_gather_ranks(int listener, uint64_t magic, int first, int size, cp_deadline deadline, int *fds);
// Rank 0 tells the connected ranks (fds; -1: none) that all have come, or else sends them the text of the
// thread's error record. The others wait for that answer.
void cp_answer_ranks(int size, const int *fds, bool welcome, cp_deadline deadline);
cp_status cp_await_answer(int fd, cp_deadline deadline);

#endif
