// Borrowed memory: arrays on it, and its release (borrowed.h).
#include "array/borrowed.h"
#include "array/dlpack.h"
#include "array/freed_structs.h"

#include <stdlib.h>

static void give_back_all(cp_context *ctx) {
  while (ctx->arrays.borrowed != NULL) {
    cp_borrowed *borrowed = ctx->arrays.borrowed;
    ctx->arrays.borrowed = borrowed->next;
    // Streams of another device may have copied from it. A failure is reported again by the stream's next
    // call, as for positions out of range.
    if (!ctx->closed) (void)cp_context_finish(ctx, cp_has_peers(borrowed->device) ? NULL : borrowed->device);
    cp_borrowed_release(borrowed);
  }
}

// A released owner may itself be an export of this state, whose memory may again be borrowed.
void cp_release_borrowed(cp_context *ctx) {
  do {
    give_back_all(ctx);
    cp_sweep_exports(ctx);
  } while (ctx->arrays.borrowed != NULL);
}

// Makes a storage and a buffer on nbytes of borrowed memory at pointer.
static cp_status borrow(cp_context *ctx, cp_device *device, char *pointer, cp_borrowed *borrowed,
                        cp_storage **out, size_t nbytes) {
  cp_combined *p = cp_struct_take(&ctx->arrays.combined, sizeof *p);
  if (p == NULL) return cp_no_memory(NULL);
  p->storage.refs = 0;
  p->earlier = 0;
  p->buffer = (cp_buffer){.refs = 1,
                          .exposed = CP_EXPOSED_POINTER,
                          .borrowed = borrowed,
                          .pointer = pointer,
                          .device = device,
                          .context = ctx};
  *out = cp_storage_on(ctx, &p->buffer, nbytes); // in the same allocation, so this cannot fail
  return CP_OK;
}

// Checks the alignment: devices read numbers at multiples of their size, complex values in two parts. On a
// GPU, a misaligned access destroys the context.
static cp_status check_places(const cp_array *a, const void *pointer) {
  const int64_t unit = (int64_t)cp_itemsize(a->dtype) / (cp_is_complex(a->dtype) ? 2 : 1);
  if (a->size == 0) return CP_OK;
  if ((intptr_t)pointer % unit != 0)
    return cp_fail(CP_EUSAGE, "elements of %s must lie at an address that is a multiple of %d",
                   cp_dtypes[a->dtype].name, (int)unit);
  for (int d = 0; d < a->ndim; d++)
    if (a->shape[d] > 1 && a->strides[d] % unit != 0)
      return cp_fail(CP_EUSAGE, "elements of %s cannot lie %lld bytes apart", cp_dtypes[a->dtype].name,
                     (long long)a->strides[d]);
  return CP_OK;
}

cp_status cp_array_borrow(cp_context *ctx, cp_array *a, void *pointer, cp_release release, void *owner) {
  CP_TRY(check_places(a, pointer));
  int64_t from = 0, to = 0;
  if (a->size > 0) cp_extent(a->ndim, a->shape, a->strides, cp_itemsize(a->dtype), &from, &to);
  cp_borrowed *borrowed = malloc(sizeof *borrowed);
  if (borrowed == NULL) return cp_no_memory(NULL);
  *borrowed = (cp_borrowed){release, owner, a->device, NULL};
  cp_storage *s = NULL;
  cp_status status = borrow(ctx, a->device, (char *)pointer + from, borrowed, &s, (size_t)(to - from));
  if (status != CP_OK) {
    free(borrowed);
    return status;
  }
  a->storage = s;
  a->offset = -from;
  a->owner = true;
  return CP_OK;
}
