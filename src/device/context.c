// The streams of one lua_State, and its clock.
#include "device/device.h"
#include "device/pool.h"
#include "device/raw.h"

#include <stdlib.h>
#include <time.h>

cp_status cp_context_stream(cp_context *ctx, cp_device *device, cp_stream **out) {
  cp_stream **slot = &ctx->streams[device->id];
  if (*slot == NULL) CP_TRY(device->ops->stream_create(device, slot));
  *out = *slot;
  return CP_OK;
}

cp_status cp_context_synchronize(cp_context *ctx, cp_device *device) {
  cp_status first = CP_OK;
  for (int id = 0; id < CP_MAX_DEVICES; id++) {
    cp_stream *s = ctx->streams[id];
    if (s == NULL || (device != NULL && s->device != device)) continue;
    ctx->counters.synchronizations++;
    cp_status status = s->device->ops->stream_synchronize(s);
    if (first == CP_OK) first = status;
  }
  return first;
}

static void free_spare(cp_spare *spare) {
  while (spare->first != NULL) {
    void *next = *(void **)spare->first;
    free(spare->first);
    spare->first = next;
  }
  spare->count = 0;
}

void cp_context_close(cp_context *ctx) {
  ctx->closed = true;
  free_spare(&ctx->buffers);
  free_spare(&ctx->storages);
  free_spare(&ctx->nodes);
  for (int id = 0; id < CP_MAX_DEVICES; id++) {
    cp_stream *s = ctx->streams[id];
    if (s == NULL) continue;
    ctx->streams[id] = NULL;
    (void)s->device->ops->stream_synchronize(s); // nobody is left to hear of a failure
    cp_pool_forget_stream(s->device->pool, s);
    s->device->ops->stream_destroy(s);
  }
  cp_raw_close(ctx);
}

double cp_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
