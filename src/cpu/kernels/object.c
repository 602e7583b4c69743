// Loads the shared objects of users' kernels.
#include "cpu/kernels/object.h"

#include "cache/bundle.h"

#include <stdlib.h>

static cp_status record(const cp_strbuf *key, const void *data, size_t size) {
  const cp_image image = {.data = data, .size = size};
  return cp_recording() ? cp_record_add(CP_BUNDLE_OBJECT, key->text, key->size, &image) : CP_OK;
}

// *address stays NULL if no bundle has an object that this system can load.
static cp_status load_from_bundle(const cp_object_source *s, const cp_strbuf *key, void **address) {
  cp_image list[CP_MAX_IMAGES];
  int n = cp_bundle_find(CP_BUNDLE_OBJECT, key->text, key->size, list);
  for (int k = 0; k < n; k++) {
    const cp_bytes object = {(void *)(uintptr_t)list[k].data, list[k].size};
    if (cp_load_object(&object, s->symbol, address) == CP_OK) return record(key, list[k].data, list[k].size);
  }
  return CP_OK;
}

// From disk, where the key includes the compiler, or else from the compiler.
static cp_status load_or_compile(cp_context *ctx, const cp_object_source *s, const cp_strbuf *key,
                                 const cp_strbuf *name, void **address, bool *cached) {
  cp_bytes object = {NULL, 0};
  cp_status status = CP_OK;
  *cached = cp_disk_load(name->text, name->size, "so", &object) &&
            cp_load_object(&object, s->symbol, address) == CP_OK;
  if (!*cached) { // no entry, or one made by another system
    free(object.data);
    status = cp_compile(s->text, s->size, s->noptions, s->options, &object);
    if (status == CP_OK) status = cp_load_object(&object, s->symbol, address);
    if (status == CP_OK && cp_budget_store(ctx, name->size + object.size))
      cp_disk_store(name->text, name->size, "so", object.data, object.size);
  }
  if (status == CP_OK) status = record(key, object.data, object.size);
  free(object.data);
  return status;
}

cp_status cp_obtain_object(cp_context *ctx, const cp_object_source *s, const cp_strbuf *key, void **address,
                           bool *cached) {
  cp_strbuf name = {0};
  *address = NULL;
  *cached = true;
  CP_TRY(load_from_bundle(s, key, address));
  if (*address != NULL) return CP_OK;
  cp_strbuf_printf(&name, "%s\n", cp_compiler_path() != NULL ? cp_compiler_path() : "");
  cp_strbuf_append(&name, key->text, key->size);
  cp_status status =
      name.failed ? cp_no_memory("loading a kernel") : load_or_compile(ctx, s, key, &name, address, cached);
  cp_strbuf_free(&name);
  return status;
}
