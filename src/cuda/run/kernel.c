// Compiled kernels of plans and routines: found by key in memory, then on disk, else generated and compiled.
//
// The device's lock is held for look-ups only: the generator runs Lua, whose collector may call into this
// file again. So two threads may compile the same kernel; the first one stored is kept. An entry on disk is
// machine code after a short header. Its checksum was verified, but an NVRTC newer than this machine's driver
// may have made it: what the driver refuses is compiled again.
#include "cuda/driver/graph.h"

#include "cuda/run/nvrtc.h"
#include "cuda/run/precompile.h"
#include "device/budget.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 32, ENTRY_MAGIC = 0x314b5043, ROUTINE_KEY = 255 }; // "CPK1"

// Header of an entry on disk; 16 bytes, so that the code stays aligned.
typedef struct entry_header {
  uint32_t magic;
  uint32_t nvrtc_major, nvrtc_minor; // version of the compiler
  uint32_t ptx;                      // 1: PTX text, which the driver compiles
} entry_header;

// What a kernel is made for: a plan, or a routine's file and variables.
typedef struct subject {
  const cp_plan *plan; // NULL: a routine
  const char *file, *variables;
} subject;

// ---- names and keys ----

// "sum of float32", "elementwise kernel (square, add)", "reduction kernel (square, sum)": the first
// operations distinguish kernels.
static void name_plan(const cp_plan *p, char *name, size_t size) {
  size_t used = 0;
  if (p->user != NULL) {
    snprintf(name, size, "%.63s", p->user->name);
    return;
  }
  if (p->nred > 0 && p->nphased == 0) {
    snprintf(name, size, "%s of %s", cp_reds[p->red].name, cp_dtypes[p->acc].name);
    return;
  }
  snprintf(name, size, "%s kernel (%s", p->nphased > 0 ? "reduction" : "elementwise",
           p->ninstrs == 0 ? "copy" : "");
  for (int k = 0; k < p->ninstrs; k++) {
    used = strlen(name);
    const char *op = cp_instr_title(p, &p->instrs[k]);
    if (used + strlen(op) + sizeof ", ...)" > size) {
      snprintf(name + used, size - used, "...");
      break;
    }
    snprintf(name + used, size - used, "%s%s", op, k + 1 < p->ninstrs ? ", " : "");
  }
  used = strlen(name);
  snprintf(name + used, size - used, ")");
}

static void name_kernel(const subject *w, char *name, size_t size) {
  if (w->plan != NULL)
    name_plan(w->plan, name, size);
  else
    snprintf(name, size, "%s (%s)", w->file, w->variables);
}

// The key of entries that outlive the process: the version of the generator's texts, the plan's structure
// and, for a user's kernel or functions, everything that their text depends on. That replaces the kernel's
// number, which differs between processes. The key does not contain the architecture.
static cp_status lasting_key(cp_context *ctx, const subject *w, const cp_key *key, cp_strbuf *out) {
  const cp_user_kernel *user = w->plan != NULL ? w->plan->user : NULL;
  cp_strbuf_puts(out, "kernel 2"); // version of the key's format
  cp_strbuf_append(out, &ctx->generator.version, sizeof ctx->generator.version);
  if (user == NULL) {
    cp_strbuf_append(out, key->bytes, key->size);
    for (int k = 0; w->plan != NULL && k < w->plan->nfunctions; k++) {
      const cp_function *f = w->plan->functions[k].function;
      cp_strbuf_append(out, f->text, f->size);
    }
  } else {
    cp_user_kernel unnumbered = *user;
    cp_plan *copy;
    cp_key structure;
    CP_TRY(cp_plan_take(ctx, &copy));
    *copy = *w->plan;
    unnumbered.id = 0;
    copy->user = &unnumbered;
    cp_plan_key(copy, &structure);
    cp_plan_give(ctx, copy);
    cp_strbuf_append(out, structure.bytes, structure.size);
    cp_strbuf_append(out, &user->accumulator_size, sizeof user->accumulator_size);
    cp_strbuf_append(out, user->identity, user->identity_size);
  }
  return out->failed ? cp_no_memory("looking for a kernel") : CP_OK;
}

static cp_status disk_key(const cp_cuda_device *d, const cp_strbuf *lasting, cp_strbuf *out) {
  cp_strbuf_puts(out, "cubin");
  cp_strbuf_append(out, &d->arch, sizeof d->arch);
  cp_strbuf_append(out, lasting->text, lasting->size);
  return out->failed ? cp_no_memory("looking for a kernel") : CP_OK;
}

// ---- from machine code to a function ----

static void unload(cp_cuda_device *d, cp_cuda_function *f) {
  if (f->module != NULL && cp_cuda_enter(d) == CP_OK) {
    cp_cuda_alone_begin(d); // under NVIDIA's checkers, unloading invalidates captures too
    d->driver->cuModuleUnload(f->module);
    cp_cuda_alone_end(d);
  }
  free(f);
}

// Finds the entry point, whose name tells how it may be launched (launch.c).
static cpcu_result find_entry(cp_cuda_device *d, cp_cuda_function *f) {
  cpcu_result result = CPCU_ERROR_NOT_FOUND;
  if (d->arch >= CP_CUDA_AWAITING_ARCH)
    result = d->driver->cuModuleGetFunction(&f->function, f->module, "cupola_awaiting_kernel");
  f->awaits = result == CPCU_SUCCESS;
  if (result != CPCU_ERROR_NOT_FOUND) return result;
  return d->driver->cuModuleGetFunction(&f->function, f->module, "cupola_kernel");
}

static cpcu_result read_function(cp_cuda_device *d, cp_cuda_function *f) {
  const struct {
    int *value;
    cpcu_func_attribute attribute;
  } wanted[] = {
      {&f->registers, CPCU_FUNC_ATTRIBUTE_NUM_REGS},
      {&f->max_threads, CPCU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {&f->shared_bytes, CPCU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
      {&f->local_bytes, CPCU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
  };
  cpcu_result result = find_entry(d, f);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && result == CPCU_SUCCESS; i++)
    result = d->driver->cuFuncGetAttribute(wanted[i].value, wanted[i].attribute, f->function);
  return result;
}

// The function of an image; *result is the driver's answer when the status is CP_ECUDA.
static cp_status load_image(cp_cuda_device *d, const subject *w, const void *image, cp_cuda_function **out,
                            cpcu_result *result) {
  char call[sizeof((cp_cuda_function *)0)->name + 32];
  *result = CPCU_SUCCESS;
  CP_TRY(cp_cuda_enter(d));
  cp_cuda_function *f = calloc(1, sizeof *f);
  if (f == NULL) return cp_no_memory("loading a kernel");
  name_kernel(w, f->name, sizeof f->name);
  cp_cuda_pause();
  *result = d->driver->cuModuleLoadData(&f->module, image);
  if (*result != CPCU_SUCCESS)
    f->module = NULL;
  else
    *result = read_function(d, f);
  cp_cuda_resume();
  if (*result == CPCU_SUCCESS) {
    *out = f;
    return CP_OK;
  }
  snprintf(call, sizeof call, "%s: loading the kernel", f->name);
  cp_status status = cp_cuda_result(d, *result, call);
  char reason[sizeof d->fault];
  snprintf(reason, sizeof reason, "%.500s", cp_error_text()); // unload may overwrite the error record
  unload(d, f);
  return cp_fail(status, "%s", reason);
}

// *out stays NULL when no bundle has the kernel for this architecture, or the driver accepts none of its
// images.
static cp_status load_from_bundle(cp_cuda_device *d, const subject *w, const cp_strbuf *key,
                                  cp_cuda_function **out) {
  cp_image list[CP_MAX_IMAGES];
  cp_status status = CP_OK;
  int n = cp_bundle_find(CP_BUNDLE_KERNEL, key->text, key->size, list);
  n = cp_cuda_usable_images(d->arch, n, list);
  for (int k = 0; k < n && *out == NULL && status == CP_OK; k++) {
    cpcu_result result;
    status = load_image(d, w, list[k].data, out, &result);
    if (status == CP_ECUDA && result != CPCU_SUCCESS && !cp_cuda_is_sticky(result)) status = CP_OK;
  }
  return status;
}

// *out stays NULL when there is no entry, or none that the driver accepts.
static cp_status load_from_disk(cp_cuda_device *d, const subject *w, const cp_strbuf *key,
                                cp_cuda_function **out) {
  cp_bytes entry;
  entry_header header;
  cpcu_result result = CPCU_SUCCESS;
  if (!cp_disk_load(key->text, key->size, "cubin", &entry)) return CP_OK;
  cp_status status = CP_OK;
  if (entry.size > sizeof header) {
    memcpy(&header, entry.data, sizeof header);
    if (header.magic == ENTRY_MAGIC)
      status = load_image(d, w, (const char *)entry.data + sizeof header, out, &result);
    if (status == CP_ECUDA && result != CPCU_SUCCESS && !cp_cuda_is_sticky(result)) status = CP_OK;
  }
  free(entry.data);
  return status;
}

// ---- compiling ----

// Copies the lines `//nvrtc OPTION` at the start of a source into `text`, one string each. Returns their
// number, or -1 if they do not fit.
static int read_options(const char *source, char *text, size_t size, const char **options) {
  static const char mark[] = "//nvrtc ";
  int count = 0;
  size_t used = 0;
  while (strncmp(source, mark, sizeof mark - 1) == 0) {
    const char *option = source + sizeof mark - 1;
    size_t length = strcspn(option, "\n");
    if (count == MAX_OPTIONS || used + length + 1 > size) return -1;
    memcpy(text + used, option, length);
    text[used + length] = '\0';
    options[count++] = text + used;
    used += length + 1;
    source = option + length + (option[length] == '\n');
  }
  return count;
}

static cp_status compile_source(int arch, bool ptx, const subject *w, const char *source,
                                cp_nvrtc_output *image) {
  char name[sizeof((cp_cuda_function *)0)->name], text[2048];
  const char *options[MAX_OPTIONS];
  name_kernel(w, name, sizeof name);
  int count = read_options(source, text, sizeof text, options);
  if (count < 0) return cp_fail(CP_ECOMPILE, "%s: too many or too long compiler options", name);
  const cp_nvrtc_request request = {
      .source = source, .name = name, .arch = arch, .ptx = ptx, .options = options, .noptions = count};
  return cp_nvrtc_compile_request(&request, image);
}

// If the image cannot be copied it is not stored, and the next run compiles again.
static void store(cp_context *ctx, const cp_strbuf *key, const cp_nvrtc_output *image) {
  int major = 0, minor = 0;
  if (cp_nvrtc_version(&major, &minor) != CP_OK) return;
  const entry_header header = {ENTRY_MAGIC, (uint32_t)major, (uint32_t)minor, image->ptx};
  cp_strbuf entry = {0};
  cp_strbuf_append(&entry, &header, sizeof header);
  cp_strbuf_append(&entry, image->image, image->size);
  if (!entry.failed && cp_budget_store(ctx, key->size + entry.size))
    cp_disk_store(key->text, key->size, "cubin", entry.text, entry.size);
  cp_strbuf_free(&entry);
}

static cp_status generate(const cp_context *ctx, const subject *w, cp_strbuf *source) {
  const cp_generator *g = &ctx->generator;
  if (w->plan != NULL)
    CP_TRY(g->source(g->data, w->plan, "cuda", source));
  else
    CP_TRY(g->routine(g->data, w->file, w->variables, source));
  if (!source->failed && source->text != NULL) return CP_OK;
  return cp_no_memory("generating a kernel");
}

static cp_status compile(cp_context *ctx, cp_cuda_device *d, const subject *w, const cp_strbuf *key,
                         cp_cuda_function **out) {
  cp_strbuf source = {0};
  cp_nvrtc_output image = {0};
  cpcu_result result;
  cp_status status = generate(ctx, w, &source);
  if (status == CP_OK) {
    ctx->counters.compiles++;
    status = compile_source(d->arch, false, w, source.text, &image);
  }
  if (status == CP_OK) status = load_image(d, w, image.image, out, &result);
  if (status == CP_OK) store(ctx, key, &image);
  cp_nvrtc_output_free(&image);
  cp_strbuf_free(&source);
  return status;
}

// ---- recording ----

// Compiles the source for a target and adds the image to the recording.
static cp_status record_image(const subject *w, const cp_strbuf *key, const char *source,
                              const cp_record_target *t) {
  cp_nvrtc_output out = {0};
  if (cp_record_has(CP_BUNDLE_KERNEL, key->text, key->size, t->arch, t->ptx)) return CP_OK;
  cp_status status = compile_source(t->arch, t->ptx, w, source, &out);
  if (status == CP_OK) {
    const cp_image image = {t->arch, out.ptx, out.image, out.size};
    status = cp_record_add(CP_BUNDLE_KERNEL, key->text, key->size, &image);
  }
  cp_nvrtc_output_free(&out);
  return status;
}

// Adds the kernel to the bundle being recorded, unless it is there already.
static cp_status record(cp_context *ctx, int own_arch, const subject *w, const cp_key *key) {
  cp_record_target targets[CP_MAX_ARCHS + 1];
  cp_strbuf name = {0}, source = {0};
  int n = cp_cuda_record_targets(own_arch, targets), missing = 0;
  cp_status status = lasting_key(ctx, w, key, &name);
  for (int k = 0; k < n && status == CP_OK; k++)
    missing += !cp_record_has(CP_BUNDLE_KERNEL, name.text, name.size, targets[k].arch, targets[k].ptx);
  if (status == CP_OK && missing > 0) status = generate(ctx, w, &source);
  for (int k = 0; k < n && status == CP_OK && missing > 0; k++)
    status = record_image(w, &name, source.text, &targets[k]);
  cp_strbuf_free(&name);
  cp_strbuf_free(&source);
  return status;
}

cp_status cp_cuda_record_plan(cp_context *ctx, int own_arch, const cp_plan *plan, const cp_key *key) {
  return record(ctx, own_arch, &(subject){.plan = plan}, key);
}

// ---- the cache ----

static cp_cuda_function *find(cp_cuda_device *d, const cp_key *key) {
  pthread_mutex_lock(&d->lock);
  cp_cuda_function *f = cp_table_get(d->kernels, key->bytes, key->size);
  pthread_mutex_unlock(&d->lock);
  return f;
}

// Stores f, unless another thread stored its function first; then *out is that one.
static cp_status keep(cp_cuda_device *d, const cp_key *key, cp_cuda_function *f, cp_cuda_function **out) {
  cp_status status = CP_OK;
  pthread_mutex_lock(&d->lock);
  *out = cp_table_get(d->kernels, key->bytes, key->size);
  if (*out == NULL) {
    status = cp_table_set(d->kernels, key->bytes, key->size, f);
    if (status == CP_OK) *out = f;
  }
  pthread_mutex_unlock(&d->lock);
  if (*out != f) unload(d, f);
  return status;
}

// The kernel from a bundle, from disk or from the compiler.
static cp_status obtain(cp_context *ctx, cp_cuda_device *d, const subject *w, const cp_key *key,
                        cp_cuda_function **out) {
  cp_strbuf lasting = {0}, name = {0};
  cp_status status = lasting_key(ctx, w, key, &lasting);
  if (status == CP_OK) status = load_from_bundle(d, w, &lasting, out);
  if (status == CP_OK && *out == NULL) status = disk_key(d, &lasting, &name);
  if (status == CP_OK && *out == NULL) status = load_from_disk(d, w, &name, out);
  if (status == CP_OK && *out != NULL)
    ctx->counters.cache_hits++;
  else if (status == CP_OK)
    status = compile(ctx, d, w, &name, out);
  cp_strbuf_free(&lasting);
  cp_strbuf_free(&name);
  return status;
}

static cp_status find_or_make(cp_context *ctx, cp_cuda_device *d, const subject *w, const cp_key *key,
                              cp_cuda_function **out) {
  cp_cuda_function *f = NULL;
  if (cp_recording()) CP_TRY(record(ctx, d->arch, w, key));
  *out = find(d, key);
  if (*out != NULL) {
    ctx->counters.cache_hits++;
    return CP_OK;
  }
  CP_TRY(cp_budget_kernel(ctx));
  CP_TRY(obtain(ctx, d, w, key, &f));
  return keep(d, key, f, out);
}

cp_status cp_cuda_kernel(cp_context *ctx, cp_cuda_device *d, const cp_plan *plan, const cp_key *key,
                         cp_cuda_function **out) {
  return find_or_make(ctx, d, &(subject){.plan = plan}, key, out);
}

// Writes text at p as far as it fits before `end`; returns where it ends.
static char *put_text(char *p, const char *end, const char *text) {
  while (*text != '\0' && p < end) *p++ = *text++;
  return p;
}

static char *put_integer(char *p, const char *end, int v) {
  char digits[12], *first = digits + sizeof digits - 1;
  unsigned rest = v < 0 ? 0U - (unsigned)v : (unsigned)v;
  *first = '\0';
  do *--first = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (v < 0) *--first = '-';
  return put_text(p, end, first);
}

// printf with only %s and %d. Routines are looked up at each call, and printf would take as long as all the
// rest.
static char *put_format(char *p, const char *end, const char *format, va_list values) {
  while (*format != '\0' && p < end) {
    if (*format != '%')
      *p++ = *format;
    else if (*++format == 's')
      p = put_text(p, end, va_arg(values, const char *));
    else
      p = put_integer(p, end, va_arg(values, int));
    format++;
  }
  return p;
}

// The key of a routine starts with a byte that no plan's key starts with, as those start with the number of
// dimensions.
cp_status cp_cuda_routine(cp_context *ctx, cp_cuda_device *d, const char *file, cp_cuda_function **out,
                          const char *variables, ...) {
  va_list values;
  cp_key key; // 4 KB, most of which need not be initialised
  char *const bytes = (char *)key.bytes, *const end = bytes + sizeof key.bytes - 1;
  key.bytes[0] = ROUTINE_KEY;
  char *start = put_text(bytes + 1, end - 1, file);
  *start++ = '\0';
  va_start(values, variables);
  char *last = put_format(start, end, variables, values);
  va_end(values);
  if (last == end) return cp_fail(CP_ECOMPILE, "%s: too many variables", file);
  *last = '\0'; // terminates the text; not part of the key
  key.size = (size_t)(last - bytes);
  return find_or_make(ctx, d, &(subject){.file = file, .variables = start}, &key, out);
}
