// A communicator's share of a group, on its way.
#ifndef CP_CPU_COMM_JOB_H
#define CP_CPU_COMM_JOB_H

#include "cpu/comm/mesh.h"

typedef struct cp_tcp_job {
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
  int used;
  int open; // messages that are not done
} cp_tcp_job;

// ---- message.c ----

// A part of w goes to, or is expected from, a rank; what was posted before it comes first.
void cp_tcp_post_send(cp_tcp_job *j, const cp_collective *w, int rank, const void *data, size_t bytes);
void cp_tcp_post_recv(cp_tcp_job *j, const cp_collective *w, int rank, void *data, size_t bytes);
// Moves what the connections take; *moved tells that it was something. CP_EIO: a rank has closed its side; CP_EUSAGE: it does something else.
cp_status cp_tcp_pump(cp_tcp_job *j, bool *moved);
cp_status cp_tcp_fail_connection(int rank, int problem); // problem 0: the end

// ---- collective.c ----

// Posts the sends and receives of the group.
cp_status cp_tcp_begin(cp_tcp_job *j);
// All messages of the phase are done: begins the next one, or ends the job.
cp_status cp_tcp_advance(cp_tcp_job *j);

#endif
