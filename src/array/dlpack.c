// DLPack tensors (dlpack.h).
//
// An export holds a reference to its buffer, whose count only the state's own thread may change. A consumer
// may delete the tensor in any thread, so the deleter only marks the export, and the state drops the
// reference at its next occasion. If the state is closed first, the export takes ownership of the pool's
// block and the deleter frees it: pools live as long as the process.
#include "array/dlpack.h"
#include "array/borrowed.h"
#include "memory/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DL_BOOL = 6, DL_CUDA_MANAGED = 13 }; // constants that old versions of dlpack.h lack

// The memory of a buffer whose state was closed, shared by the exports of that buffer (its heirs).
typedef struct estate {
  int heirs;
  cp_block *block; // NULL: borrowed memory
  cp_borrowed *borrowed;
} estate;

typedef struct cp_export {
  // The consumer got one of the two.
  DLManagedTensor plain;
  cp_versioned_tensor versioned;
  cp_buffer *buffer; // NULL: the state was closed
  cp_context *context;
  estate *estate; // allocated with the export, used once the state is closed
  bool deleted;
  struct cp_export *next;
  int64_t dims[2 * CP_MAXDIM];
} cp_export;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects deleted, buffer, and contexts' returned

// ---- dtypes and devices ---------------------------------------------------------------------------------

static DLDataType to_dl(cp_dtype t) {
  int code;
  switch (cp_dtypes[t].kind) {
  case 'b': code = DL_BOOL; break;
  case 'i': code = kDLInt; break;
  case 'u': code = kDLUInt; break;
  case 'c': code = kDLComplex; break;
  default: code = t == CP_BFLOAT16 ? kDLBfloat : kDLFloat;
  }
  return (DLDataType){.code = (uint8_t)code, .bits = (uint8_t)(8 * cp_itemsize(t)), .lanes = 1};
}

static cp_status from_dl(DLDataType dl, cp_dtype *out) {
  for (int t = 0; t < CP_NDTYPES; t++) {
    DLDataType own = to_dl((cp_dtype)t);
    if (own.code != dl.code || own.bits != dl.bits || dl.lanes != 1) continue;
    *out = (cp_dtype)t;
    return CP_OK;
  }
  return cp_fail(CP_EDTYPE,
                 "the tensor's elements (DLPack code %d, %d bits, %d lanes) match no dtype of cupola",
                 dl.code, dl.bits, dl.lanes);
}

static DLDevice device_to_dl(const cp_device *d) {
  bool cpu = d == cp_device_cpu();
  return (DLDevice){.device_type = cpu ? kDLCPU : kDLCUDA, .device_id = cpu ? 0 : d->ordinal};
}

static cp_status device_from_dl(DLDevice dl, cp_device **out) {
  char name[32];
  int type = (int)dl.device_type;
  if (type == kDLCPU || type == kDLCUDAHost) {
    *out = cp_device_cpu();
    return *out != NULL ? CP_OK : cp_no_memory(NULL);
  }
  if (type != kDLCUDA && type != DL_CUDA_MANAGED)
    return cp_fail(CP_EUSAGE, "the tensor lies on a device of another kind (DLPack type %d)", type);
  snprintf(name, sizeof name, "cuda:%d", dl.device_id);
  return cp_device_find(name, out);
}

// ---- export ----------------------------------------------------------------------------------------------

// Frees an export whose state was closed; the last one of its buffer frees the memory.
static void free_heir(cp_export *e) {
  estate *left = e->estate;
  pthread_mutex_lock(&lock);
  bool last = --left->heirs == 0;
  pthread_mutex_unlock(&lock);
  free(e);
  if (!last) return;
  if (left->block != NULL) cp_pool_free(left->block);
  if (left->borrowed != NULL) cp_borrowed_release(left->borrowed);
  free(left);
}

static void delete_export(cp_export *e) {
  pthread_mutex_lock(&lock);
  bool orphan = e->buffer == NULL;
  e->deleted = true;
  if (!orphan) atomic_store(&e->context->arrays.returned, true);
  pthread_mutex_unlock(&lock);
  if (orphan) free_heir(e);
}

static void delete_plain(DLManagedTensor *t) { delete_export(t->manager_ctx); }
static void delete_versioned(cp_versioned_tensor *t) { delete_export(t->manager_ctx); }

static void describe(cp_export *e, DLTensor *t, const cp_array *a) {
  int64_t itemsize = (int64_t)cp_itemsize(a->dtype);
  *t = (DLTensor){.data = cp_address(a),
                  .device = device_to_dl(a->device),
                  .ndim = a->ndim,
                  .dtype = to_dl(a->dtype),
                  .shape = e->dims,
                  .strides = e->dims + CP_MAXDIM};
  for (int d = 0; d < a->ndim; d++) {
    t->shape[d] = a->shape[d];
    t->strides[d] = a->strides[d] / itemsize;
  }
}

// Describes the array as a tensor of either kind.
static cp_tensor fill_tensor(cp_export *e, const cp_array *a, bool versioned) {
  if (!versioned) {
    describe(e, &e->plain.dl_tensor, a);
    e->plain.manager_ctx = e;
    e->plain.deleter = delete_plain;
    return (cp_tensor){.plain = &e->plain};
  }
  describe(e, &e->versioned.dl_tensor, a);
  e->versioned.version.major = CP_DLPACK_MAJOR;
  e->versioned.manager_ctx = e;
  e->versioned.deleter = delete_versioned;
  e->versioned.flags = a->readonly ? CP_DLPACK_READONLY : 0;
  return (cp_tensor){.versioned = &e->versioned};
}

static cp_status check_strides(const cp_array *a) {
  for (int d = 0; d < a->ndim; d++)
    if (a->strides[d] % (int64_t)cp_itemsize(a->dtype) != 0)
      return cp_fail(CP_EUSAGE,
                     "DLPack counts strides in elements, and a stride of %lld bytes is not a whole number of "
                     "elements; copy the array first",
                     (long long)a->strides[d]);
  return CP_OK;
}

cp_status cp_to_dlpack(cp_context *ctx, const cp_array *a, bool versioned, cp_tensor *out) {
  CP_TRY(check_strides(a));
  cp_export *e = calloc(1, sizeof *e);
  estate *left = calloc(1, sizeof *left);
  if (e == NULL || left == NULL) {
    free(e);
    free(left);
    return cp_no_memory(NULL);
  }
  e->estate = left;
  e->context = ctx;
  e->buffer = a->storage->buffer;
  cp_buffer_retain(e->buffer);
  e->buffer->exposed |= CP_EXPOSED_EXPORT;
  e->next = ctx->arrays.exports;
  ctx->arrays.exports = e;
  *out = fill_tensor(e, a, versioned);
  return CP_OK;
}

// Whether another tensor of the buffer exists.
static bool still_exported(const cp_context *ctx, const cp_buffer *b) {
  for (const cp_export *e = ctx->arrays.exports; e != NULL; e = e->next)
    if (e->buffer == b) return true;
  return false;
}

// Removes the first deleted export from the list and returns it; NULL when there is none.
static cp_export *take_deleted(cp_context *ctx) {
  cp_export **link = &ctx->arrays.exports;
  pthread_mutex_lock(&lock);
  while (*link != NULL && !(*link)->deleted) link = &(*link)->next;
  cp_export *e = *link;
  if (e != NULL) *link = e->next;
  pthread_mutex_unlock(&lock);
  return e;
}

void cp_sweep_exports(cp_context *ctx) {
  cp_export *e;
  atomic_store(&ctx->arrays.returned, false);
  while ((e = take_deleted(ctx)) != NULL) {
    if (!still_exported(ctx, e->buffer)) e->buffer->exposed &= ~(unsigned)CP_EXPOSED_EXPORT;
    cp_buffer_release(e->buffer);
    free(e->estate);
    free(e);
  }
}

// Moves the memory of e's buffer to e and the other exports of that buffer. Handles that were not collected
// yet keep the buffer, which is empty now.
static void orphan(cp_export *e) {
  cp_buffer *b = e->buffer;
  estate *left = e->estate;
  *left = (estate){.block = b->block, .borrowed = b->borrowed};
  if (b->block != NULL) {
    cp_pool_discharge(b->context, b->block);
    b->block->log_context = NULL; // the context is being freed
  }
  b->block = NULL;
  b->borrowed = NULL;
  for (cp_export *heir = e; heir != NULL; heir = heir->next) {
    if (heir->buffer != b) continue;
    if (heir != e) free(heir->estate);
    heir->estate = left;
    heir->buffer = NULL;
    left->heirs++;
    cp_buffer_release(b);
  }
}

// Release callbacks are called without the lock: they may delete another tensor.
void cp_orphan_exports(cp_context *ctx) {
  cp_export *deleted = NULL;
  pthread_mutex_lock(&lock);
  while (ctx->arrays.exports != NULL) {
    cp_export *e = ctx->arrays.exports;
    if (e->buffer != NULL) orphan(e);
    ctx->arrays.exports = e->next;
    if (!e->deleted) continue;
    e->next = deleted;
    deleted = e;
  }
  pthread_mutex_unlock(&lock);
  while (deleted != NULL) {
    cp_export *e = deleted;
    deleted = e->next;
    free_heir(e);
  }
}

// ---- import ----------------------------------------------------------------------------------------------

void cp_delete_tensor(cp_tensor t) {
  if (t.plain != NULL && t.plain->deleter != NULL) t.plain->deleter(t.plain);
  if (t.versioned != NULL && t.versioned->deleter != NULL) t.versioned->deleter(t.versioned);
}

static void release_plain(void *owner) { cp_delete_tensor((cp_tensor){.plain = owner}); }
static void release_versioned(void *owner) { cp_delete_tensor((cp_tensor){.versioned = owner}); }

cp_status cp_read_dlpack(cp_tensor m, cp_dtype *dtype, cp_device **device) {
  int64_t size;
  // What follows the version is known only where the major number is.
  if (m.versioned != NULL && m.versioned->version.major != CP_DLPACK_MAJOR)
    return cp_fail(CP_EUSAGE, "the tensor is of DLPack %u.%u; only versions %d.x are supported",
                   (unsigned)m.versioned->version.major, (unsigned)m.versioned->version.minor,
                   CP_DLPACK_MAJOR);
  const DLTensor *t = cp_tensor_body(m);
  if (t->ndim < 0 || t->ndim > CP_MAXDIM)
    return cp_fail(CP_ESHAPE, "%d dimensions are too many; at most %d are possible", t->ndim, CP_MAXDIM);
  if (t->ndim > 0 && t->shape == NULL) return cp_fail(CP_ESHAPE, "the tensor has no shape");
  for (int d = 0; d < t->ndim; d++)
    if (t->shape[d] < 0) return cp_fail(CP_ESHAPE, "the tensor has a negative length along axis %d", d + 1);
  CP_TRY(from_dl(t->dtype, dtype));
  CP_TRY(cp_shape_size(t->ndim, t->shape, cp_itemsize(*dtype), &size));
  if (t->data == NULL && size > 0) return cp_fail(CP_EUSAGE, "the tensor has elements but no memory");
  return device_from_dl(t->device, device);
}

cp_status cp_from_dlpack(cp_context *ctx, cp_array *a, cp_tensor m) {
  cp_dtype dtype;
  CP_TRY(cp_read_dlpack(m, &dtype, &a->device));
  const DLTensor *t = cp_tensor_body(m);
  CP_TRY(cp_array_layout(a, dtype, t->ndim, t->shape, 'C'));
  for (int d = 0; d < t->ndim && t->strides != NULL; d++)
    a->strides[d] = t->strides[d] * (int64_t)cp_itemsize(dtype);
  void (*release)(void *) = m.plain != NULL ? release_plain : release_versioned;
  CP_TRY(cp_array_borrow(ctx, a, (char *)t->data + t->byte_offset, release, cp_tensor_address(m)));
  a->readonly = m.versioned != NULL && (m.versioned->flags & CP_DLPACK_READONLY) != 0;
  return CP_OK;
}
