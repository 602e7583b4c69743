// The log for memory hooks (allocator.h): allocations are reported at once, frees at the next occasion.
#include "memory/allocator.h"

#include <stdlib.h>

cp_status cp_memory_flush(cp_context *ctx) {
  cp_memory_log *log = ctx->memory.log;
  cp_status status = CP_OK;
  while (log != NULL && ctx->memory.log == log && log->count > 0 && status == CP_OK) {
    cp_memory_event *freed = log->freed;
    size_t count = log->count;
    log->freed = NULL; // hooks may free memory
    log->count = log->capacity = 0;
    for (size_t k = 0; k < count && status == CP_OK && ctx->memory.log == log; k++)
      status = log->note(log->data, &freed[k]);
    free(freed);
  }
  return status;
}

void cp_memory_forget(cp_context *ctx) {
  if (ctx->memory.log == NULL) return;
  free(ctx->memory.log->freed);
  ctx->memory.log->freed = NULL;
  ctx->memory.log = NULL;
}

cp_status cp_memory_log_allocation(cp_context *ctx, cp_block *b, size_t bytes) {
  cp_memory_event e = {'m', b->fresh, bytes, b->size, b->pointer, cp_pool_device(b->pool)};
  CP_TRY(cp_memory_flush(ctx));
  cp_memory_log *log = ctx->memory.log;
  if (log == NULL) return CP_OK;
  CP_TRY(log->note(log->data, &e));
  b->log_context = ctx->memory.log != NULL ? ctx : NULL;
  return CP_OK;
}

// A free is not reported when there is no host memory to record it.
void cp_memory_log_free(cp_block *b) {
  cp_memory_log *log = b->log_context->memory.log;
  b->log_context = NULL;
  if (log == NULL) return;
  if (log->count == log->capacity) {
    size_t capacity = 2 * log->capacity + 64;
    cp_memory_event *grown = realloc(log->freed, capacity * sizeof *grown);
    if (grown == NULL) return;
    log->freed = grown;
    log->capacity = capacity;
  }
  log->freed[log->count++] =
      (cp_memory_event){'f', false, b->size, b->size, b->pointer, cp_pool_device(b->pool)};
}
