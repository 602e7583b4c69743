// Communicators of the CPU device: every rank has a connection to every other one.
#ifndef CP_CPU_COMM_MESH_H
#define CP_CPU_COMM_MESH_H

#include "routines/collective.h"

// Header that the sender puts before each part of an operation. The receiver compares it with what it
// expects, so ranks that run different operations notice it.
typedef struct cp_tcp_head {
  uint32_t magic;
  int32_t kind; // CP_SEND at both ends of a send
  int32_t dtype, combination, root;
  uint32_t unused;
  uint64_t count;
} cp_tcp_head;

// A message: the header, then the data.
typedef struct cp_tcp_message {
  struct cp_tcp_message *next; // next message of the channel
  cp_tcp_head head;            // as sent or as expected
  cp_tcp_head seen;            // as received
  char *data;
  size_t bytes;
  size_t done; // bytes of header and data that have moved
} cp_tcp_message;

// The connection with one rank. Messages are processed in order.
typedef struct cp_tcp_channel {
  int fd; // -1: the rank itself
  cp_tcp_message *out, *in, **out_end, **in_end;
} cp_tcp_channel;

typedef struct cp_tcp_comm {
  cp_comm base;
  bool local;                // all ranks belong to one thread
  cp_tcp_channel channels[]; // by rank
} cp_tcp_comm;

// cp_collective_ops
cp_status cp_tcp_unique_id(cp_device *d, const char *address, cp_unique_id *id);
cp_status cp_tcp_join(cp_context *ctx, cp_device *d, const cp_unique_id *id, int rank, int size,
                      double timeout, cp_comm **out);
cp_status cp_tcp_join_all(int size, cp_device *const *devices, double timeout, cp_comm **out);
void cp_tcp_leave(cp_comm *c, bool collected);

// ---- combine.c ----

// acc[k] = acc[k] combined with x[k], in memory of dtype t, aligned to the element. In min and max a number
// wins over nan, as in NCCL.
void cp_combine(cp_dtype t, cp_combination c, void *acc, const void *x, size_t n);
// Divides sums over `size` ranks into means; integers are truncated.
void cp_combine_mean(cp_dtype t, void *acc, size_t n, int size);

#endif
