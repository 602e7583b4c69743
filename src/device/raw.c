// The list of raw-kernel modules that a state has loaded, found by key.
#include "device/raw.h"

#include "device/context.h"

#include <stdlib.h>
#include <string.h>

static cp_raw_module *find(const cp_context *ctx, const cp_device *d, const cp_raw_source *s) {
  for (cp_raw_module *m = ctx->modules; m != NULL; m = m->next)
    if (m->device == d && m->key_size == s->key_size && memcmp(m->key, s->key, s->key_size) == 0) return m;
  return NULL;
}

cp_status cp_raw_load(cp_context *ctx, cp_device *d, const cp_raw_source *s, cp_raw_module **out) {
  cp_raw_module *m = NULL;
  *out = find(ctx, d, s);
  if (*out != NULL) return CP_OK;
  CP_TRY(cp_budget_kernel(ctx));
  char *key = malloc(s->key_size + 1);
  if (key == NULL) return cp_fail(CP_EMEMORY, "out of host memory while loading %s", s->name);
  memcpy(key, s->key, s->key_size);
  cp_status status = d->ops->raw->load(ctx, d, s, &m);
  if (status != CP_OK) {
    free(key);
    return status;
  }
  m->device = d;
  m->key = key;
  m->key_size = s->key_size;
  m->next = ctx->modules;
  ctx->modules = m;
  *out = m;
  return CP_OK;
}

void cp_raw_close(cp_context *ctx) {
  while (ctx->modules != NULL) {
    cp_raw_module *m = ctx->modules;
    ctx->modules = m->next;
    free(m->key);
    m->device->ops->raw->unload(m);
  }
}
