// Collective operations on GPUs by NVIDIA's NCCL, which is opened at first use.
//
// NCCL remembers a communicator's device, but creates the communicator on the thread's current device. A
// group of calls is a group of NCCL, so calls on several communicators of one thread never wait for each
// other. The queued work runs on streams; errors that occur later are reported by the next call.
#include "cuda/driver/cuda.h"
#include "cuda/libraries/api_nccl.h"
#include "routines/collective.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- the library ------------------------------------------------------------------------------------------

static cpcu_nccl nccl;

static const cp_symbol symbols[] = {
#define SYMBOL(field, symbol, arguments) {#symbol, offsetof(cpcu_nccl, field), false},
    CPCU_NCCL_FUNCTIONS(SYMBOL)
#undef SYMBOL
        {"ncclGetErrorString", offsetof(cpcu_nccl, ncclGetErrorString), false},
    {"ncclGetLastError", offsetof(cpcu_nccl, ncclGetLastError), true},
};

static cp_library library = {
    .title = "NCCL",
    .names = CP_LIST("libnccl.so.2", "libnccl.so"),
    .folders = cp_toolkit_folders,
    .wheels = CP_LIST("nvidia/nccl/lib"),
    .variables = CP_LIST("CUPOLA_NCCL_PATH", "NCCL_HOME", "CUPOLA_CUDA_PATH", "CUDA_PATH"),
    .hint = "install libnccl2, or the Python wheel nvidia-nccl-cu12 or -cu13, or set CUPOLA_NCCL_PATH",
    .outdated = "it is too old, NCCL 2.10 or later is needed",
    CP_FILLS(&nccl, symbols),
};

const char *cp_nccl_path(void) { return cp_opened_path(&library); }

static cp_status check(cpcu_nccl_result result, const char *call) {
  if (result == CPCU_NCCL_Success || result == CPCU_NCCL_InProgress) return CP_OK;
  const char *more = nccl.ncclGetLastError != NULL ? nccl.ncclGetLastError(NULL) : NULL;
  bool has_more = more != NULL && more[0] != '\0';
  return cp_fail(CP_ECUDA, "%s: %s (%d)%s%.500s", call, nccl.ncclGetErrorString(result), (int)result,
                 has_more ? "; " : "", has_more ? more : "");
}

// The mean came with version 2.10. All other functions are older.
static cp_status open_library(void) {
  enum { OLDEST = 21000 };
  int version = 0;
  CP_TRY(cp_open_library(&library));
  CP_TRY(check(nccl.ncclGetVersion(&version), "ncclGetVersion"));
  if (version >= OLDEST) return CP_OK;
  return cp_fail(CP_ECUDA, "NCCL (%s) has version %d, but 2.10 is needed", cp_nccl_path(), version);
}

cp_status cp_nccl_version(int *out) {
  CP_TRY(open_library());
  return check(nccl.ncclGetVersion(out), "ncclGetVersion");
}

// ---- communicators ----------------------------------------------------------------------------------------

typedef struct nccl_comm {
  cp_comm base;
  cpcu_nccl_comm handle;
  struct nccl_comm *next; // in the list of those that finalizers released
} nccl_comm;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static nccl_comm *left;

static cp_cuda_device *device_of(const cp_comm *c) { return (cp_cuda_device *)c->device; }

// A broken communicator is aborted, as its operations may wait for ranks that are gone.
static void destroy(nccl_comm *c) {
  if (c->handle != NULL && cp_cuda_enter(device_of(&c->base)) == CP_OK)
    (void)(c->base.broken ? nccl.ncclCommAbort : nccl.ncclCommDestroy)(c->handle);
  free(c);
}

static void destroy_left(void) {
  pthread_mutex_lock(&lock);
  nccl_comm *list = left;
  left = NULL;
  pthread_mutex_unlock(&lock);
  while (list != NULL) {
    nccl_comm *next = list->next;
    destroy(list);
    list = next;
  }
}

// Finalizers may call neither NCCL nor the driver, so the communicator is destroyed when the next one is
// made.
static void leave(cp_comm *base, bool collected) {
  nccl_comm *c = (nccl_comm *)base;
  if (!collected) {
    destroy(c);
    return;
  }
  pthread_mutex_lock(&lock);
  c->next = left;
  left = c;
  pthread_mutex_unlock(&lock);
}

static cp_status unique_id(cp_device *d, const char *address, cp_unique_id *id) {
  cpcu_nccl_id own;
  (void)address; // NCCL uses the addresses of all interfaces
  CP_TRY(open_library());
  CP_TRY(cp_cuda_enter((cp_cuda_device *)d));
  CP_TRY(check(nccl.ncclGetUniqueId(&own), "ncclGetUniqueId"));
  memcpy(id->bytes, own.internal, sizeof id->bytes);
  return CP_OK;
}

static cp_status new_comm(cp_device *d, int rank, int size, double timeout, nccl_comm **out) {
  *out = calloc(1, sizeof **out);
  if (*out == NULL) return cp_no_memory(NULL);
  (*out)->base = (cp_comm){&cp_cuda_collective_ops, d, rank, size, timeout, false, 0};
  return CP_OK;
}

static cp_status join(cp_context *ctx, cp_device *d, const cp_unique_id *id, int rank, int size,
                      double timeout, cp_comm **out) {
  nccl_comm *c;
  cpcu_nccl_id own;
  (void)ctx; // NCCL cannot be interrupted until all ranks have joined
  CP_TRY(open_library());
  destroy_left();
  CP_TRY(new_comm(d, rank, size, timeout, &c));
  memcpy(own.internal, id->bytes, sizeof own.internal);
  cp_status status = cp_cuda_enter((cp_cuda_device *)d);
  if (status == CP_OK) status = check(nccl.ncclCommInitRank(&c->handle, size, own, rank), "ncclCommInitRank");
  if (status != CP_OK) {
    free(c);
    return status;
  }
  *out = &c->base;
  return CP_OK;
}

static cp_status join_all(int size, cp_device *const *devices, double timeout, cp_comm **out) {
  cpcu_nccl_comm handles[CP_MAX_DEVICES] = {NULL};
  int ordinals[CP_MAX_DEVICES], made = 0;
  CP_TRY(open_library());
  destroy_left();
  cp_status status = CP_OK;
  for (; made < size && status == CP_OK; made++) {
    nccl_comm *c = NULL;
    status = new_comm(devices[made], made, size, timeout, &c);
    if (status != CP_OK) break;
    out[made] = &c->base;
    ordinals[made] = devices[made]->ordinal;
    status = cp_cuda_enter((cp_cuda_device *)devices[made]); // none is lost on failure
  }
  if (status == CP_OK) status = check(nccl.ncclCommInitAll(handles, size, ordinals), "ncclCommInitAll");
  for (int r = 0; r < made; r++) {
    nccl_comm *c = (nccl_comm *)out[r];
    c->handle = handles[r];
    if (status != CP_OK) free(c);
  }
  return status;
}

// ---- operations -------------------------------------------------------------------------------------------

// How elements of a dtype are passed to NCCL: `count` of them are count * times elements of `type`.
typedef struct element {
  cpcu_nccl_type type;
  size_t times;
} element;

// For combinations. A complex number is a pair of real ones, which is right for sums and means.
static element number_of(cp_dtype t) {
  switch (t) {
  case CP_INT8: return (element){CPCU_NCCL_Int8, 1};
  case CP_INT32: return (element){CPCU_NCCL_Int32, 1};
  case CP_INT64: return (element){CPCU_NCCL_Int64, 1};
  case CP_UINT32: return (element){CPCU_NCCL_Uint32, 1};
  case CP_UINT64: return (element){CPCU_NCCL_Uint64, 1};
  case CP_FLOAT16: return (element){CPCU_NCCL_Float16, 1};
  case CP_BFLOAT16: return (element){CPCU_NCCL_Bfloat16, 1};
  case CP_FLOAT32: return (element){CPCU_NCCL_Float32, 1};
  case CP_FLOAT64: return (element){CPCU_NCCL_Float64, 1};
  case CP_COMPLEX64: return (element){CPCU_NCCL_Float32, 2};
  case CP_COMPLEX128: return (element){CPCU_NCCL_Float64, 2};
  default: return (element){CPCU_NCCL_Uint8, 1}; // bool, uint8
  }
}

// For copies: as bytes.
static element bytes_of(cp_dtype t) { return (element){CPCU_NCCL_Uint8, cp_itemsize(t)}; }

// For bool, sum and maximum both mean "or".
static cpcu_nccl_op op_of(cp_dtype t, cp_combination c) {
  switch (c) {
  case CP_PROD: return t == CP_BOOL ? CPCU_NCCL_Min : CPCU_NCCL_Prod;
  case CP_MIN: return CPCU_NCCL_Min;
  case CP_MAX: return CPCU_NCCL_Max;
  case CP_AVG: return CPCU_NCCL_Avg;
  default: return t == CP_BOOL ? CPCU_NCCL_Max : CPCU_NCCL_Sum;
  }
}

// NCCL has no 16-bit integers.
static bool combines(cp_dtype t, cp_combination c) {
  (void)c;
  return t != CP_INT16 && t != CP_UINT16;
}

static cp_status call(const cp_collective *w) {
  cpcu_nccl_comm comm = ((nccl_comm *)w->comm)->handle;
  cpcu_stream s = ((cp_cuda_stream *)w->stream)->stream;
  element number = number_of(w->dtype), bytes = bytes_of(w->dtype);
  cpcu_nccl_op op = op_of(w->dtype, w->combination);
  size_t n = w->count * number.times, b = w->count * bytes.times;
  CP_TRY(cp_cuda_enter(device_of(w->comm)));
  switch (w->kind) {
  case CP_ALL_REDUCE:
    return check(nccl.ncclAllReduce(w->in, w->out, n, number.type, op, comm, s), "ncclAllReduce");
  case CP_BROADCAST:
    return check(nccl.ncclBroadcast(w->in, w->out, b, bytes.type, w->root, comm, s), "ncclBroadcast");
  case CP_REDUCE:
    return check(nccl.ncclReduce(w->in, w->out, n, number.type, op, w->root, comm, s), "ncclReduce");
  case CP_ALL_GATHER:
    return check(nccl.ncclAllGather(w->in, w->out, b, bytes.type, comm, s), "ncclAllGather");
  case CP_REDUCE_SCATTER:
    return check(nccl.ncclReduceScatter(w->in, w->out, n, number.type, op, comm, s), "ncclReduceScatter");
  case CP_SEND: return check(nccl.ncclSend(w->in, b, bytes.type, w->root, comm, s), "ncclSend");
  default: return check(nccl.ncclRecv(w->out, b, bytes.type, w->root, comm, s), "ncclRecv");
  }
}

// Reports an error of the communicator's earlier operations.
static cp_status check_earlier(const cp_comm *c) {
  cpcu_nccl_result earlier = CPCU_NCCL_Success;
  CP_TRY(
      check(nccl.ncclCommGetAsyncError(((const nccl_comm *)c)->handle, &earlier), "ncclCommGetAsyncError"));
  return check(earlier, "NCCL, in an earlier operation");
}

static cp_status call_all(int count, const cp_collective *works) {
  cp_status status = CP_OK;
  for (int k = 0; k < count && status == CP_OK; k++) status = check_earlier(works[k].comm);
  if (status != CP_OK || count == 1) return status == CP_OK ? call(&works[0]) : status;
  CP_TRY(check(nccl.ncclGroupStart(), "ncclGroupStart"));
  for (int k = 0; k < count && status == CP_OK; k++) status = call(&works[k]);
  cpcu_nccl_result ended = nccl.ncclGroupEnd(); // also after a failure, whose message it must not replace
  return status != CP_OK ? status : check(ended, "ncclGroupEnd");
}

static cp_status run(int count, const cp_collective *works) {
  cp_status status = call_all(count, works);
  for (int k = 0; status != CP_OK && k < count; k++) works[k].comm->broken = true;
  return status;
}

const cp_collective_ops cp_cuda_collective_ops = {
    .name = "nccl",
    .unique_id = unique_id,
    .join = join,
    .join_all = join_all,
    .combines = combines,
    .run = run,
    .leave = leave,
};
