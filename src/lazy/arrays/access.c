// Opens arrays for routines, library calls and users' kernels (access.h).
#include "lazy/arrays/access.h"

#include "device/interrupt.h"
#include "lazy/arrays/write.h"
#include "lazy/evaluation/force.h"

static cp_status fail_device(const cp_array *a, const cp_device *device) {
  return cp_fail(CP_EUSAGE, "an array on %s is used in work on %s; move it with :to(\"%s\")", a->device->name,
                 device->name, device->name);
}

// Forces all arrays first: forcing one may free another or exchange its buffer.
cp_status cp_open_arrays(cp_context *ctx, cp_device *device, int count, const cp_use *uses,
                         cp_stream **stream) {
  CP_TRY(cp_poll(ctx));
  for (int k = 0; k < count; k++) {
    if (uses[k].array->device != device) return fail_device(uses[k].array, device);
    if (ctx->capture.graph != NULL) CP_TRY(cp_capture_import(ctx, uses[k].array));
    if (uses[k].array->node != NULL) CP_TRY(cp_force(ctx, uses[k].array));
  }
  for (int k = 0; k < count; k++)
    if (uses[k].kind != CP_READ) CP_TRY(cp_begin_write(ctx, uses[k].array, uses[k].kind == CP_WRITE_WHOLE));
  return cp_order_arrays(ctx, device, count, uses, stream);
}
