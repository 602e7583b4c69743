// Simulates libnccl.so.2 on the GPUs of driver.c. All ranks are in one thread, and a group runs as a whole
// when it ends. Calls of ranks that do not match end the process.
#include "cuda/libraries/api_nccl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { MOST = 8, CALLS = 256 };

typedef enum kind { ALL_REDUCE, BROADCAST, REDUCE, ALL_GATHER, REDUCE_SCATTER, SEND, RECV } kind;

typedef struct rank {
  int number, size, gpu;
  const void *clique; // the same for all ranks of a communicator
} rank;

typedef struct call {
  kind what;
  const rank *by;
  const char *in;
  char *out;
  size_t count;
  int type, op, root;
  cpcu_stream stream;
  int done;
} call;

static call calls[CALLS];
static int ncalls, depth;

static void fail(const char *what) {
  fprintf(stderr, "the simulated NCCL: %s\n", what);
  _Exit(9);
}

static size_t bytes_of(int type) {
  static const size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return bytes[type];
}

// ---- arithmetic ----

#define COMBINE(type)                                                                                        \
  do {                                                                                                       \
    type *a = (type *)acc;                                                                                   \
    const type *b = (const type *)x;                                                                         \
    for (size_t k = 0; k < n; k++) {                                                                         \
      if (op == CPCU_NCCL_Prod)                                                                              \
        a[k] = (type)(a[k] * b[k]);                                                                          \
      else if (op == CPCU_NCCL_Max)                                                                          \
        a[k] = a[k] > b[k] ? a[k] : b[k];                                                                    \
      else if (op == CPCU_NCCL_Min)                                                                          \
        a[k] = a[k] < b[k] ? a[k] : b[k];                                                                    \
      else                                                                                                   \
        a[k] = (type)(a[k] + b[k]);                                                                          \
      if (op == CPCU_NCCL_Avg && last) a[k] = (type)(a[k] / (type)size);                                     \
    }                                                                                                        \
  } while (0)

static void combine(int type, int op, void *acc, const void *x, size_t n, int size, int last) {
  switch (type) {
  case CPCU_NCCL_Int8: COMBINE(int8_t); break;
  case CPCU_NCCL_Uint8: COMBINE(uint8_t); break;
  case CPCU_NCCL_Int32: COMBINE(int32_t); break;
  case CPCU_NCCL_Uint32: COMBINE(uint32_t); break;
  case CPCU_NCCL_Int64: COMBINE(int64_t); break;
  case CPCU_NCCL_Uint64: COMBINE(uint64_t); break;
  case CPCU_NCCL_Float32: COMBINE(float); break;
  case CPCU_NCCL_Float64: COMBINE(double); break;
  default: fail("a type that it cannot combine");
  }
}

// ---- groups ----

// Waits for the streams of all calls before their data is moved. The driver lets a thread wait for a stream
// only in the stream's own context.
static void wait_for_streams(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  cpcu_result (*retain)(cpcu_context *, cpcu_device) =
      (cpcu_result(*)(cpcu_context *, cpcu_device))dlsym(driver, "cuDevicePrimaryCtxRetain");
  cpcu_result (*enter)(cpcu_context) = (cpcu_result(*)(cpcu_context))dlsym(driver, "cuCtxSetCurrent");
  cpcu_result (*current)(cpcu_context *) = (cpcu_result(*)(cpcu_context *))dlsym(driver, "cuCtxGetCurrent");
  cpcu_result (*wait)(cpcu_stream) = (cpcu_result(*)(cpcu_stream))dlsym(driver, "cuStreamSynchronize");
  cpcu_context before, its;
  current(&before);
  for (int k = 0; k < ncalls; k++) {
    retain(&its, calls[k].by->gpu);
    enter(its);
    wait(calls[k].stream);
  }
  enter(before);
}

static void send(call *c) {
  for (int k = 0; k < ncalls; k++) {
    call *r = &calls[k];
    if (r->done || r->what != RECV || r->by->clique != c->by->clique || r->by->number != c->root ||
        r->root != c->by->number)
      continue;
    if (r->count != c->count || r->type != c->type) fail("a receive of another size");
    memcpy(r->out, c->in, c->count * bytes_of(c->type));
    r->done = c->done = 1;
    return;
  }
  fail("a send that nobody receives");
}

// Finds each rank's first call that is not done; together they must be one collective operation.
static void find_all(const call *c, call **all) {
  for (int r = 0; r < c->by->size; r++) {
    all[r] = NULL;
    for (int k = ncalls - 1; k >= 0; k--)
      if (!calls[k].done && calls[k].what < SEND && calls[k].by->clique == c->by->clique &&
          calls[k].by->number == r)
        all[r] = &calls[k];
    if (all[r] == NULL || all[r]->what != c->what || all[r]->count != c->count || all[r]->type != c->type ||
        all[r]->op != c->op || all[r]->root != c->root)
      fail("ranks that disagree");
  }
}

static void collective(call *c) {
  call *all[MOST];
  int size = c->by->size;
  size_t item = bytes_of(c->type), n = c->what == REDUCE_SCATTER ? c->count * (size_t)size : c->count;
  char *acc = malloc(n * item * (size_t)size + 1);
  find_all(c, all);
  for (int r = 0; r < size; r++) {
    if (c->what == ALL_GATHER)
      memcpy(acc + (size_t)r * n * item, all[r]->in, n * item);
    else if (c->what == BROADCAST ? r == c->root : r == 0)
      memcpy(acc, all[r]->in, n * item);
    else if (c->what != BROADCAST)
      combine(c->type, c->op, acc, all[r]->in, n, size, r == size - 1);
  }
  for (int r = 0; r < size; r++) {
    if (c->what == REDUCE_SCATTER)
      memcpy(all[r]->out, acc + (size_t)r * c->count * item, c->count * item);
    else if (c->what != REDUCE || r == c->root)
      memcpy(all[r]->out, acc, n * item * (c->what == ALL_GATHER ? (size_t)size : 1));
    all[r]->done = 1;
  }
  free(acc);
}

static cpcu_nccl_result end(void) {
  wait_for_streams();
  for (int k = 0; k < ncalls; k++)
    if (!calls[k].done && calls[k].what == SEND) send(&calls[k]);
  for (int k = 0; k < ncalls; k++)
    if (!calls[k].done && calls[k].what < SEND) collective(&calls[k]);
  for (int k = 0; k < ncalls; k++)
    if (!calls[k].done) fail("a receive that nobody sends");
  ncalls = 0;
  return 0;
}

static cpcu_nccl_result add(call c) {
  calls[ncalls++] = c;
  return depth == 0 ? end() : 0;
}

EXPORT cpcu_nccl_result ncclGroupStart(void) {
  depth++;
  return 0;
}
EXPORT cpcu_nccl_result ncclGroupEnd(void) { return --depth == 0 ? end() : 0; }

// ---- calls ----

#define BY .by = (const rank *)comm, .count = count, .type = type, .stream = stream
EXPORT cpcu_nccl_result ncclAllReduce(const void *in, void *out, size_t count, cpcu_nccl_type type,
                                      cpcu_nccl_op op, cpcu_nccl_comm comm, cpcu_stream stream) {
  return add((call){ALL_REDUCE, BY, .in = in, .out = out, .op = op});
}
EXPORT cpcu_nccl_result ncclBroadcast(const void *in, void *out, size_t count, cpcu_nccl_type type, int root,
                                      cpcu_nccl_comm comm, cpcu_stream stream) {
  return add((call){BROADCAST, BY, .in = in, .out = out, .root = root});
}
EXPORT cpcu_nccl_result ncclReduce(const void *in, void *out, size_t count, cpcu_nccl_type type,
                                   cpcu_nccl_op op, int root, cpcu_nccl_comm comm, cpcu_stream stream) {
  return add((call){REDUCE, BY, .in = in, .out = out, .op = op, .root = root});
}
EXPORT cpcu_nccl_result ncclAllGather(const void *in, void *out, size_t count, cpcu_nccl_type type,
                                      cpcu_nccl_comm comm, cpcu_stream stream) {
  return add((call){ALL_GATHER, BY, .in = in, .out = out});
}
EXPORT cpcu_nccl_result ncclReduceScatter(const void *in, void *out, size_t count, cpcu_nccl_type type,
                                          cpcu_nccl_op op, cpcu_nccl_comm comm, cpcu_stream stream) {
  return add((call){REDUCE_SCATTER, BY, .in = in, .out = out, .op = op});
}
EXPORT cpcu_nccl_result ncclSend(const void *in, size_t count, cpcu_nccl_type type, int peer,
                                 cpcu_nccl_comm comm, cpcu_stream stream) {
  return add((call){SEND, BY, .in = in, .root = peer});
}
EXPORT cpcu_nccl_result ncclRecv(void *out, size_t count, cpcu_nccl_type type, int peer, cpcu_nccl_comm comm,
                                 cpcu_stream stream) {
  return add((call){RECV, BY, .out = out, .root = peer});
}

// ---- communicators ----

EXPORT cpcu_nccl_result ncclGetVersion(int *version) {
  *version = 22304;
  return 0;
}
EXPORT cpcu_nccl_result ncclGetUniqueId(cpcu_nccl_id *id) {
  memset(id, 7, sizeof *id);
  return 0;
}
EXPORT cpcu_nccl_result ncclCommInitRank(cpcu_nccl_comm *comm, int size, cpcu_nccl_id id, int number) {
  (void)comm, (void)id;
  return size > number ? 5 : 4; // fails: only ranks of one process are simulated
}
EXPORT cpcu_nccl_result ncclCommInitAll(cpcu_nccl_comm *comms, int size, const int *gpus) {
  rank *ranks = calloc((size_t)size, sizeof *ranks);
  for (int r = 0; r < size; r++) {
    ranks[r] = (rank){r, size, gpus[r], ranks};
    comms[r] = (cpcu_nccl_comm)&ranks[r];
  }
  return 0;
}
EXPORT cpcu_nccl_result ncclCommDestroy(cpcu_nccl_comm comm) { return comm == NULL; }
EXPORT cpcu_nccl_result ncclCommAbort(cpcu_nccl_comm comm) { return comm == NULL; }
EXPORT cpcu_nccl_result ncclCommGetAsyncError(cpcu_nccl_comm comm, cpcu_nccl_result *error) {
  *error = 0;
  return comm == NULL;
}
EXPORT const char *ncclGetErrorString(cpcu_nccl_result result) {
  return result == 5 ? "simulated: invalid usage" : "simulated: error";
}
