// Modules of raw kernels on a GPU, compiled by NVRTC or given as an image: their functions and variables,
// launches and attributes.
//
// What NVRTC compiled is cached on disk: a header, the lowered name of each symbol of the source, and the
// machine code. An entry that the driver refuses is compiled again.
#include "cuda/driver/fault.h"
#include "cuda/driver/graph.h"

#include "cuda/run/nvrtc.h"
#include "cuda/run/precompile.h"
#include "device/budget.h"
#include "device/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ENTRY_MAGIC = 0x31525043, // "CPR1"
  LOG_SIZE = 4096,
  MAX_PARAMS = CP_MAX_RAW_PARAMS
};

typedef struct entry_header {
  uint32_t magic;
  uint32_t names; // bytes of the lowered names, each with its NUL, padded to a multiple of 16
  uint32_t nnames, unused;
} entry_header;

typedef struct raw_function {
  cp_raw_function base;
  struct raw_function *next;
  cpcu_function function;
  bool awaits; // as in its module
  size_t sizes[MAX_PARAMS];
  char *symbol; // its name in the module's source
} raw_function;

typedef struct raw_module {
  cp_raw_module base;
  cpcu_module module;
  bool awaits; // its kernels begin by waiting for those before them (launch.c)
  raw_function *functions;
  int nnames;
  char **symbols, **lowered; // C++ names in the source, and their names in the machine code
} raw_module;

static char *copy_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}

// ---- names ------------------------------------------------------------------------------------------------

static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static cp_table *names; // every name of a raw kernel in this process

// Returns the name as a string that is never freed, since a fault may be reported after its module was
// unloaded.
static const char *keep_name(const char *name) {
  pthread_mutex_lock(&names_lock);
  if (names == NULL) names = cp_table_new();
  char *kept = names != NULL ? cp_table_get(names, name, strlen(name)) : NULL;
  if (kept == NULL && names != NULL && (kept = copy_text(name)) != NULL &&
      cp_table_set(names, name, strlen(name), kept) != CP_OK) {
    free(kept);
    kept = NULL;
  }
  pthread_mutex_unlock(&names_lock);
  return kept;
}

// ---- modules ----------------------------------------------------------------------------------------------

static void free_names(raw_module *m) {
  for (int k = 0; k < m->nnames; k++) {
    free(m->symbols[k]);
    free(m->lowered[k]);
  }
  free(m->symbols);
  free(m->lowered);
}

static void unload(cp_raw_module *base) {
  raw_module *m = (raw_module *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  if (m->module != NULL && cp_cuda_enter(d) == CP_OK) {
    cp_cuda_alone_begin(d); // under NVIDIA's checkers, unloading invalidates captures too
    d->driver->cuModuleUnload(m->module);
    cp_cuda_alone_end(d);
  }
  while (m->functions != NULL) {
    raw_function *f = m->functions;
    m->functions = f->next;
    free(f->symbol);
    free(f);
  }
  free_names(m);
  free(m);
}

static cp_status new_module(cp_cuda_device *d, const cp_raw_source *s, raw_module **out) {
  raw_module *m = calloc(1, sizeof *m);
  *out = NULL;
  if (m == NULL) return cp_no_memory("loading a raw kernel");
  m->base.device = &d->base;
  m->symbols = calloc((size_t)s->nsymbols + 1, sizeof *m->symbols);
  m->lowered = calloc((size_t)s->nsymbols + 1, sizeof *m->lowered);
  bool ok = m->symbols != NULL && m->lowered != NULL;
  if (ok) m->nnames = s->nsymbols;
  for (int k = 0; ok && k < s->nsymbols; k++) ok = (m->symbols[k] = copy_text(s->symbols[k])) != NULL;
  if (ok) {
    *out = m;
    return CP_OK;
  }
  unload(&m->base);
  return cp_no_memory("loading a raw kernel");
}

// Loads an image; *result is the driver's answer when the status is CP_ECUDA.
static cp_status load_image(cp_cuda_device *d, const char *name, const void *image, cpcu_module *module,
                            cpcu_result *result) {
  char log[LOG_SIZE] = "", call[160];
  cpcu_jit_option options[2] = {CPCU_JIT_ERROR_LOG_BUFFER, CPCU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[2] = {log, (void *)(uintptr_t)sizeof log};
  *result = CPCU_SUCCESS;
  CP_TRY(cp_cuda_enter(d));
  cp_cuda_pause();
  *result = d->driver->cuModuleLoadDataEx(module, image, 2, options, values);
  cp_cuda_resume();
  if (*result == CPCU_SUCCESS) return CP_OK;
  *module = NULL;
  if (log[0] != '\0') return cp_fail(CP_ECOMPILE, "the driver cannot load %s:\n%.3000s", name, log);
  snprintf(call, sizeof call, "loading %.100s", name);
  return cp_cuda_result(d, *result, call);
}

static cp_status disk_key(const cp_cuda_device *d, const cp_raw_source *s, cp_strbuf *out) {
  cp_strbuf_puts(out, "raw cubin");
  cp_strbuf_append(out, &d->arch, sizeof d->arch);
  cp_strbuf_append(out, s->key, s->key_size);
  return out->failed ? cp_no_memory("loading a raw kernel") : CP_OK;
}

// Reads the lowered names and loads the code of an entry. *loaded: the entry was valid.
static cp_status load_entry(cp_cuda_device *d, const cp_raw_source *s, const cp_bytes *entry, raw_module *m,
                            bool *loaded) {
  entry_header h;
  cpcu_result result;
  const char *bytes = entry->data;
  *loaded = false;
  if (entry->size <= sizeof h) return CP_OK;
  memcpy(&h, bytes, sizeof h);
  if (h.magic != ENTRY_MAGIC || h.nnames != (uint32_t)m->nnames || h.names >= entry->size - sizeof h)
    return CP_OK;
  const char *at = bytes + sizeof h, *end = at + h.names;
  for (int k = 0; k < m->nnames; k++) {
    const char *stop = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
    if (stop == NULL) return CP_OK;
    free(m->lowered[k]);
    if ((m->lowered[k] = copy_text(at)) == NULL) return cp_no_memory("loading a raw kernel");
    at = stop + 1;
  }
  cp_status status = load_image(d, s->name, end, &m->module, &result);
  *loaded = status == CP_OK;
  return status != CP_OK && result != CPCU_SUCCESS && !cp_cuda_is_sticky(result) ? CP_OK : status;
}

static cp_status load_from_disk(cp_context *ctx, cp_cuda_device *d, const cp_raw_source *s,
                                const cp_strbuf *key, raw_module *m, bool *loaded) {
  cp_bytes entry;
  *loaded = false;
  if (!cp_disk_load(key->text, key->size, "cubin", &entry)) return CP_OK;
  cp_status status = load_entry(d, s, &entry, m, loaded);
  free(entry.data);
  ctx->counters.cache_hits += *loaded;
  return status;
}

// Builds the entry of a compiled module; see the top for the format.
static void pack(const cp_nvrtc_output *out, cp_strbuf *entry) {
  static const char fill[16];
  entry_header h = {ENTRY_MAGIC, 0, (uint32_t)out->nlowered, 0};
  cp_strbuf lowered = {0};
  for (int k = 0; k < out->nlowered; k++)
    cp_strbuf_append(&lowered, out->lowered[k], strlen(out->lowered[k]) + 1);
  cp_strbuf_append(&lowered, fill, (16 - lowered.size % 16) % 16);
  h.names = (uint32_t)lowered.size;
  cp_strbuf_append(entry, &h, sizeof h);
  cp_strbuf_append(entry, lowered.text, lowered.size);
  cp_strbuf_append(entry, out->image, out->size);
  entry->failed = entry->failed || lowered.failed;
  cp_strbuf_free(&lowered);
}

// If the entry cannot be stored, the next run compiles again.
static void store(cp_context *ctx, const cp_strbuf *key, const cp_nvrtc_output *out) {
  cp_strbuf entry = {0};
  pack(out, &entry);
  if (!entry.failed && cp_budget_store(ctx, key->size + entry.size))
    cp_disk_store(key->text, key->size, "cubin", entry.text, entry.size);
  cp_strbuf_free(&entry);
}

static cp_status compile(cp_context *ctx, cp_cuda_device *d, const cp_raw_source *s, const cp_strbuf *key,
                         raw_module *m) {
  cp_nvrtc_output out;
  cpcu_result result;
  ctx->counters.compiles++;
  cp_status status = cp_nvrtc_compile_raw(s, d->arch, false, &out);
  if (status == CP_OK) status = load_image(d, s->name, out.image, &m->module, &result);
  for (int k = 0; status == CP_OK && k < out.nlowered; k++) {
    free(m->lowered[k]);
    m->lowered[k] = out.lowered[k];
    out.lowered[k] = NULL;
    if (m->lowered[k] == NULL) status = cp_no_memory("loading a raw kernel");
  }
  if (status == CP_OK && out.nlowered < m->nnames)
    status = cp_fail(CP_ECOMPILE, "NVRTC named too few symbols");
  if (status == CP_OK) {
    for (int k = 0; k < out.nlowered; k++) out.lowered[k] = m->lowered[k]; // borrowed
    store(ctx, key, &out);
    for (int k = 0; k < out.nlowered; k++) out.lowered[k] = NULL;
  }
  cp_nvrtc_output_free(&out);
  return status;
}

// ---- bundles ----------------------------------------------------------------------------------------------

static cp_status record_for(const cp_raw_source *s, const cp_record_target *t) {
  cp_nvrtc_output out;
  cp_strbuf entry = {0};
  if (cp_record_has(CP_BUNDLE_MODULE, s->key, s->key_size, t->arch, t->ptx)) return CP_OK;
  cp_status status = cp_nvrtc_compile_raw(s, t->arch, t->ptx, &out);
  if (status == CP_OK) {
    pack(&out, &entry);
    const cp_image image = {t->arch, out.ptx, entry.text, entry.size};
    status = entry.failed ? cp_no_memory("loading a raw kernel")
                          : cp_record_add(CP_BUNDLE_MODULE, s->key, s->key_size, &image);
  }
  cp_strbuf_free(&entry);
  cp_nvrtc_output_free(&out);
  return status;
}

cp_status cp_cuda_record_raw(const cp_raw_source *s, int own_arch) {
  cp_record_target targets[CP_MAX_ARCHS + 1];
  int n = s->image ? 0 : cp_cuda_record_targets(own_arch, targets);
  for (int k = 0; k < n; k++) CP_TRY(record_for(s, &targets[k]));
  return CP_OK;
}

static cp_status load_from_bundle(cp_context *ctx, cp_cuda_device *d, const cp_raw_source *s, raw_module *m,
                                  bool *loaded) {
  cp_image list[CP_MAX_IMAGES];
  int n = cp_cuda_usable_images(d->arch, cp_bundle_find(CP_BUNDLE_MODULE, s->key, s->key_size, list), list);
  for (int k = 0; k < n && !*loaded; k++) {
    const cp_bytes entry = {(void *)(uintptr_t)list[k].data, list[k].size};
    CP_TRY(load_entry(d, s, &entry, m, loaded));
  }
  ctx->counters.cache_hits += *loaded;
  return CP_OK;
}

// A module of source text: from a bundle, from disk or from the compiler.
static cp_status obtain(cp_context *ctx, cp_cuda_device *d, const cp_raw_source *s, raw_module *m) {
  cp_strbuf key = {0};
  bool loaded = false;
  if (cp_recording()) CP_TRY(cp_cuda_record_raw(s, d->arch));
  CP_TRY(load_from_bundle(ctx, d, s, m, &loaded));
  if (loaded) return CP_OK;
  cp_status status = disk_key(d, s, &key);
  if (status == CP_OK) status = load_from_disk(ctx, d, s, &key, m, &loaded);
  if (status == CP_OK && !loaded) status = compile(ctx, d, s, &key, m);
  cp_strbuf_free(&key);
  return status;
}

// True if the module has the marker kernel that lua/cupola/kernels/raw.lua adds to its source.
static bool has_mark(const cp_cuda_device *d, const cp_raw_source *s, const raw_module *m) {
  static const char mark[] = "cupola_awaits";
  cpcu_function unused;
  return !s->image && d->arch >= CP_CUDA_AWAITING_ARCH && strstr(s->text, mark) != NULL &&
         d->driver->cuModuleGetFunction(&unused, m->module, mark) == CPCU_SUCCESS;
}

static cp_status load(cp_context *ctx, cp_device *base, const cp_raw_source *s, cp_raw_module **out) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  raw_module *m;
  cpcu_result result;
  CP_TRY(new_module(d, s, &m));
  cp_status status = s->image ? load_image(d, s->name, s->text, &m->module, &result) : obtain(ctx, d, s, m);
  if (status == CP_OK) {
    m->awaits = has_mark(d, s, m);
    *out = &m->base;
    return CP_OK;
  }
  char reason[CP_ERROR_SIZE];
  snprintf(reason, sizeof reason, "%s", cp_error_text()); // unloading may overwrite the error record
  unload(&m->base);
  return cp_fail(status, "%s", reason);
}

static const char *lowered_name(const raw_module *m, const char *name) {
  for (int k = 0; k < m->nnames; k++)
    if (m->lowered[k] != NULL && strcmp(m->symbols[k], name) == 0) return m->lowered[k];
  return name;
}

// ---- functions --------------------------------------------------------------------------------------------

static const cpcu_func_attribute attributes[CP_RAW_NATTRIBUTES] = { // ORDER cp_raw_attribute
    CPCU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CPCU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    CPCU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    CPCU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    CPCU_FUNC_ATTRIBUTE_NUM_REGS,
    CPCU_FUNC_ATTRIBUTE_PTX_VERSION,
    CPCU_FUNC_ATTRIBUTE_BINARY_VERSION,
    CPCU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
    CPCU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CPCU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT};

static void read_params(const cpcu_driver *driver, raw_function *f) {
  size_t offset;
  int n = 0;
  f->base.nparams = -1;
  f->base.sizes = f->sizes;
  if (driver->cuFuncGetParamInfo == NULL) return;
  while (n < MAX_PARAMS &&
         driver->cuFuncGetParamInfo(f->function, (size_t)n, &offset, &f->sizes[n]) == CPCU_SUCCESS)
    n++;
  f->base.nparams = n;
}

static cp_status read_limits(cp_cuda_device *d, raw_function *f) {
  int *values = f->base.attributes;
  for (int k = 0; k < CP_RAW_NATTRIBUTES; k++)
    CP_TRY(cp_cuda_result(d, d->driver->cuFuncGetAttribute(&values[k], attributes[k], f->function),
                          "cuFuncGetAttribute"));
  int most = d->max_shared_optin - values[CP_RAW_SHARED];
  f->base.max_dynamic_shared = most > 0 ? (size_t)most : 0;
  return CP_OK;
}

static cp_status make_function(cp_cuda_device *d, raw_module *m, const char *name, raw_function *f) {
  char call[160];
  f->symbol = copy_text(name);
  f->base.name = keep_name(name);
  if (f->symbol == NULL || f->base.name == NULL) return cp_no_memory("loading a raw kernel");
  CP_TRY(cp_cuda_enter(d));
  cpcu_result result = d->driver->cuModuleGetFunction(&f->function, m->module, lowered_name(m, name));
  if (result == CPCU_ERROR_NOT_FOUND) {
    f->function = NULL;
    return CP_OK;
  }
  snprintf(call, sizeof call, "cuModuleGetFunction (%.100s)", name);
  CP_TRY(cp_cuda_result(d, result, call));
  f->awaits = m->awaits;
  read_params(d->driver, f);
  return read_limits(d, f);
}

static cp_status get_function(cp_raw_module *base, const char *name, cp_raw_function **out) {
  raw_module *m = (raw_module *)base;
  *out = NULL;
  for (raw_function *f = m->functions; f != NULL; f = f->next) {
    if (strcmp(f->symbol, name) != 0) continue;
    *out = &f->base;
    return CP_OK;
  }
  raw_function *f = calloc(1, sizeof *f);
  if (f == NULL) return cp_no_memory("loading a raw kernel");
  cp_status status = make_function((cp_cuda_device *)base->device, m, name, f);
  if (status == CP_OK && f->function != NULL) {
    f->next = m->functions;
    m->functions = f;
    *out = &f->base;
    return CP_OK;
  }
  free(f->symbol);
  free(f);
  return status;
}

static cp_status global(cp_raw_module *base, const char *name, void **address, size_t *bytes) {
  raw_module *m = (raw_module *)base;
  cp_cuda_device *d = (cp_cuda_device *)base->device;
  cpcu_deviceptr pointer = 0;
  char symbol[256];
  *address = NULL;
  snprintf(symbol, sizeof symbol, "&%.250s", name);
  const char *lowered = lowered_name(m, symbol);
  CP_TRY(cp_cuda_enter(d));
  cpcu_result result =
      d->driver->cuModuleGetGlobal(&pointer, bytes, m->module, lowered == symbol ? name : lowered);
  if (result == CPCU_ERROR_NOT_FOUND) return CP_OK;
  CP_TRY(cp_cuda_result(d, result, "cuModuleGetGlobal"));
  *address = (void *)(uintptr_t)pointer;
  return CP_OK;
}

// ---- launching --------------------------------------------------------------------------------------------

static cp_status set_attribute(cp_device *base, cp_raw_function *function, cp_raw_attribute which,
                               int value) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  cpcu_function f = ((raw_function *)function)->function;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(cp_cuda_result(d, d->driver->cuFuncSetAttribute(f, attributes[which], value), "cuFuncSetAttribute"));
  function->attributes[which] = value;
  return CP_OK;
}

static cp_status fail_launch(cp_cuda_device *d, const cp_raw_function *f, cpcu_result result) {
  char call[160];
  snprintf(call, sizeof call, "%.100s: cuLaunchKernel", f->name);
  return cp_cuda_result(d, result, call);
}

static cp_status launch(cp_context *ctx, cp_stream *stream, cp_raw_function *function,
                        const cp_raw_launch *l) {
  cp_cuda_stream *s = (cp_cuda_stream *)stream;
  cp_cuda_device *d = (cp_cuda_device *)stream->device;
  raw_function *f = (raw_function *)function;
  const unsigned *g = l->grid, *b = l->block;
  const cp_cuda_shape shape = {{g[0], g[1], g[2]}, {b[0], b[1], b[2]}, (unsigned)l->shared};
  cpcu_result result;
  if (function->checks != NULL) {
    cpcu_deviceptr words;
    CP_TRY(cp_cuda_expect_checks(s, function->checks, &words));
    memcpy(l->arguments[l->count - 1], &words, sizeof words);
  }
  CP_TRY(cp_cuda_enter(d));
  if (l->shared > (size_t)function->attributes[CP_RAW_MAX_DYNAMIC])
    CP_TRY(set_attribute(stream->device, function, CP_RAW_MAX_DYNAMIC, (int)l->shared));
  if (l->cooperative)
    result = d->driver->cuLaunchCooperativeKernel(f->function, g[0], g[1], g[2], b[0], b[1], b[2],
                                                  (unsigned)l->shared, s->stream, l->arguments);
  else
    result = cp_cuda_launch_function(d, s->stream, f->function, f->awaits, &shape, l->arguments);
  if (result != CPCU_SUCCESS) return fail_launch(d, function, result);
  cp_cuda_add_unsynced(s, function->name);
  ctx->counters.launches++;
  return CP_OK;
}

static cp_status occupancy(cp_device *base, cp_raw_function *f, int block, size_t shared, int *blocks) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d,
                        d->driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                            blocks, ((raw_function *)f)->function, block, shared),
                        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

static cp_status best_block(cp_device *base, cp_raw_function *f, size_t shared, int limit, int *grid,
                            int *block) {
  cp_cuda_device *d = (cp_cuda_device *)base;
  CP_TRY(cp_cuda_enter(d));
  return cp_cuda_result(d,
                        d->driver->cuOccupancyMaxPotentialBlockSize(
                            grid, block, ((raw_function *)f)->function, NULL, shared, limit),
                        "cuOccupancyMaxPotentialBlockSize");
}

const cp_raw_ops cp_cuda_raw_ops = {
    .load = load,
    .unload = unload,
    .function = get_function,
    .global = global,
    .launch = launch,
    .set = set_attribute,
    .occupancy = occupancy,
    .best_block = best_block,
};
