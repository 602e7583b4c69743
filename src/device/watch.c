// What is told of each plan before it runs.
#include "device/watch.h"

#include "cuda/cuda.h"

#include <string.h>

enum { USUAL_SM_COUNT = 132 }; // of the GPU that work on the CPU is recorded for

static cp_status note(cp_strbuf *to, const cp_key *key) {
  cp_strbuf_append(to, &key->size, sizeof key->size);
  cp_strbuf_append(to, key->bytes, key->size);
  return to->failed ? cp_fail(CP_EMEMORY, "out of host memory") : CP_OK;
}

cp_status cp_watch_plan(cp_context *ctx, const cp_device *device, const cp_plan *p) {
  cp_plan arranged = *p;
  cp_key key;
  bool on_gpu = strcmp(device->ops->kind, "cuda") == 0;
  int sm_count = on_gpu ? ((const cp_cuda_device *)(const void *)device)->sm_count : USUAL_SM_COUNT;
  cp_cuda_arrange(sm_count, &arranged, &key);
  if (ctx->kernels != NULL) CP_TRY(note(ctx->kernels, &key));
  if (on_gpu || !cp_recording() || cp_record_archs(NULL) == 0) return CP_OK; // GPUs record what they load
  return cp_cuda_record_plan(ctx, &arranged, &key);
}
