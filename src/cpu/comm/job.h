// The progress of one communicator's operations in a group.
#ifndef CP_CPU_COMM_JOB_H
#define CP_CPU_COMM_JOB_H

#include "cpu/comm/mesh.h"

typedef struct cp_tcp_job {
  cp_tcp_comm *comm;
  const cp_collective *works;
  // all operations of the group, and the index from which the next one is looked for
  int count, next;
  const cp_collective *now; // the collective in progress; NULL: sends and receives, or none
  int phase;
  size_t from, to; // elements of the slice of the whole array or of a part
  bool over;
  char *scratch;
  size_t scratch_bytes;
  cp_tcp_message *messages;
  int used;
  int open; // number of unfinished messages
} cp_tcp_job;

// ---- message.c ----

// Post a part of w to be sent to, or received from, a rank. Messages with one rank go in the order of
// posting.
void cp_tcp_post_send(cp_tcp_job *j, const cp_collective *w, int rank, const void *data, size_t bytes);
void cp_tcp_post_recv(cp_tcp_job *j, const cp_collective *w, int rank, void *data, size_t bytes);
// Moves what the connections accept; *moved is set if that was anything. CP_EIO: a rank has closed its side;
// CP_EUSAGE: it runs another operation.
cp_status cp_tcp_pump(cp_tcp_job *j, bool *moved);
cp_status cp_tcp_fail_connection(int rank, int problem); // problem 0: the connection was closed

// ---- collective.c ----

// Posts the sends and receives of the group.
cp_status cp_tcp_begin(cp_tcp_job *j);
// Called when all messages of the phase are done: begins the next phase or ends the job.
cp_status cp_tcp_advance(cp_tcp_job *j);

#endif
