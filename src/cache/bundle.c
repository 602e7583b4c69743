// Bundles of compiled kernels: the file format, and the two collections of a process: what was loaded, and
// what is being recorded.
//
// A file is a header and entries. An entry is {kind, number of images, size of the key}, the key, and for
// each image {architecture, PTX or not, size} and its bytes; keys and images are padded to multiples of 16.
// Numbers are little-endian. The checksum covers all that follows the header.
#include "cache/bundle.h"

#include "base/hash.h"
#include "cache/kernel_set.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#define PROCESSOR "x86_64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#else
#define PROCESSOR "other"
#endif
#if defined(__linux__)
#define SYSTEM "linux"
#else
#define SYSTEM "other"
#endif

enum { FILL = CP_IMAGE_ALIGN, LARGEST = 1 << 30 };

typedef struct file_header {
  char magic[8];
  uint64_t version, checksum, size; // of the generator's texts; of the bytes after the header; of the file
  uint32_t count, unused;
  char machine[24]; // the machine that shared objects are for
} file_header;

typedef struct entry_header {
  uint32_t kind, nimages;
  uint64_t key_size;
} entry_header;

typedef struct image_header {
  int32_t arch;
  uint32_t ptx;
  uint64_t size;
} image_header;

static const char magic[8] = "cpbndl1"; // with its NUL
static const char machine[24] = PROCESSOR " " SYSTEM;

// ---- what a process has -----------------------------------------------------------------------------------

typedef struct loaded_file {
  struct loaded_file *next;
  const char *bytes; // NULL: not used. Never freed, as images point into it
  char text[];       // a line for show_config
} loaded_file;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects all that follows
static cp_kernel_set bundles, recorded;
static loaded_file *files;
static char record_path[PATH_MAX];
static char *record_bytes; // the file that recording continues
static uint64_t record_version;
static int record_narchs, record_list[CP_MAX_ARCHS];
atomic_bool cp_record_on;

// ---- reading ----------------------------------------------------------------------------------------------

typedef void visit(void *data, cp_bundle_kind kind, const void *key, size_t size, const cp_image *image);

// Takes n bytes and the padding to a multiple of 16. NULL: there are not as many.
static const char *take(const char **at, const char *end, uint64_t n) {
  const char *p = *at;
  if (n > LARGEST || (uint64_t)(end - p) < (n + FILL - 1) / FILL * FILL) return NULL;
  *at = p + (n + FILL - 1) / FILL * FILL;
  return p;
}

static bool walk_entry(const char **at, const char *end, bool objects, visit *each, void *data) {
  entry_header e;
  const char *bytes = take(at, end, sizeof e);
  if (bytes == NULL) return false;
  memcpy(&e, bytes, sizeof e);
  const char *key = take(at, end, e.key_size);
  if (key == NULL || e.kind < CP_BUNDLE_KERNEL || e.kind > CP_BUNDLE_OBJECT) return false;
  for (uint32_t k = 0; k < e.nimages; k++) {
    image_header h;
    if ((bytes = take(at, end, sizeof h)) == NULL) return false;
    memcpy(&h, bytes, sizeof h);
    const char *image = take(at, end, h.size);
    if (image == NULL) return false;
    const cp_image i = {h.arch, h.ptx != 0, image, (size_t)h.size};
    if (each != NULL && (objects || e.kind != CP_BUNDLE_OBJECT))
      each(data, (cp_bundle_kind)e.kind, key, (size_t)e.key_size, &i);
  }
  return true;
}

// Calls `each` for the images of a bundle whose header was checked. False if the bundle is malformed.
static bool walk(const char *bytes, size_t size, visit *each, void *data) {
  file_header h;
  memcpy(&h, bytes, sizeof h);
  const char *at = bytes + sizeof h, *end = bytes + size;
  bool objects = memcmp(h.machine, machine, sizeof machine) == 0;
  for (uint32_t k = 0; k < h.count; k++)
    if (!walk_entry(&at, end, objects, each, data)) return false;
  return at == end;
}

static cp_status check_header(const char *name, const char *bytes, size_t size, uint64_t version) {
  file_header h;
  if (size < sizeof h || memcmp(bytes, magic, sizeof magic) != 0)
    return cp_fail(CP_EIO, "%s is not a bundle of kernels", name);
  memcpy(&h, bytes, sizeof h);
  if (h.version != version)
    return cp_fail(CP_EIO, "%s was recorded by another version of cupola; record it again", name);
  if (h.size != size || cp_hash(bytes + sizeof h, size - sizeof h, 0) != h.checksum ||
      !walk(bytes, size, NULL, NULL))
    return cp_fail(CP_EIO, "%s is damaged; record it again", name);
  return CP_OK;
}

static cp_status read_stream(FILE *f, const char *path, char **bytes, size_t *size) {
  struct stat st;
  if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST)
    return cp_fail(CP_EIO, "%s is not a bundle of kernels", path);
  *size = (size_t)st.st_size;
  *bytes = aligned_alloc(FILL, (*size / FILL + 1) * FILL);
  if (*bytes == NULL) return cp_no_memory("reading a bundle of kernels");
  if (fread(*bytes, 1, *size, f) == *size) return CP_OK;
  if (ferror(f)) return cp_fail(CP_EIO, "cannot read %s: %s", path, strerror(errno));
  return cp_fail(CP_EIO, "%s was truncated while it was being read", path);
}

// The bytes of a bundle, aligned, which the caller owns; NULL on failure. *there: whether the file exists.
static cp_status read_file(const char *path, uint64_t version, char **bytes, size_t *size, bool *there) {
  *bytes = NULL;
  FILE *f = fopen(path, "rbe");
  *there = f != NULL;
  if (f == NULL) return cp_fail(CP_EIO, "cannot read %s: %s", path, strerror(errno));
  cp_status status = read_stream(f, path, bytes, size);
  fclose(f);
  if (status == CP_OK) status = check_header(path, *bytes, *size, version);
  if (status == CP_OK) return CP_OK;
  free(*bytes);
  *bytes = NULL;
  return status;
}

typedef struct filling {
  cp_kernel_set *to;
  cp_status status;
} filling;

static void fill(void *data, cp_bundle_kind kind, const void *key, size_t size, const cp_image *image) {
  filling *f = data;
  if (f->status == CP_OK) f->status = cp_kernel_set_add(f->to, kind, key, size, image, false);
}

static uint32_t count_of(const char *bytes) {
  file_header h;
  memcpy(&h, bytes, sizeof h);
  return h.count;
}

// Keeps a line about a bundle for show_config. The caller holds the lock.
static void note_file(const char *name, const char *fact, const char *bytes) {
  size_t size = strlen(name) + strlen(fact) + 3;
  loaded_file *f = malloc(sizeof *f + size);
  if (f == NULL) return;
  snprintf(f->text, size, "%s: %s", name, fact);
  f->bytes = bytes;
  f->next = files;
  files = f;
}

// Takes over the bytes, which were checked, for the life of the process.
static cp_status adopt(const char *name, const char *bytes, size_t size, int *entries) {
  char fact[64];
  filling f = {&bundles, CP_OK};
  pthread_mutex_lock(&lock);
  walk(bytes, size, fill, &f);
  snprintf(fact, sizeof fact, "%u kernels", count_of(bytes));
  note_file(name, fact, bytes);
  pthread_mutex_unlock(&lock);
  if (entries != NULL) *entries = (int)count_of(bytes);
  return f.status;
}

cp_status cp_bundle_load(const char *path, uint64_t version, int *entries) {
  char *bytes;
  size_t size = 0;
  bool there;
  CP_TRY(read_file(path, version, &bytes, &size, &there));
  return adopt(path, bytes, size, entries);
}

cp_status cp_bundle_load_memory(const void *data, size_t size, uint64_t version, int *entries) {
  if (size > LARGEST) return cp_fail(CP_EIO, "the bundle is larger than %d bytes", (int)LARGEST);
  char *copy = aligned_alloc(FILL, (size / FILL + 1) * FILL);
  if (copy == NULL) return cp_no_memory("reading a bundle of kernels");
  memcpy(copy, data, size);
  cp_status status = check_header("the bundle", copy, size, version);
  if (status == CP_OK) return adopt("a bundle in memory", copy, size, entries);
  free(copy);
  return status;
}

int cp_bundle_find(cp_bundle_kind kind, const void *key, size_t size, cp_image list[CP_MAX_IMAGES]) {
  int n = 0;
  pthread_mutex_lock(&lock);
  const cp_kernel_entry *e = cp_kernel_set_entry(&bundles, kind, key, size, false);
  for (const cp_image_node *i = e != NULL ? e->images : NULL; i != NULL && n < CP_MAX_IMAGES; i = i->next)
    list[n++] = i->image;
  pthread_mutex_unlock(&lock);
  return n;
}

void cp_bundle_environment(uint64_t version) {
  static atomic_flag done = ATOMIC_FLAG_INIT;
  const char *list = getenv("CUPOLA_BUNDLE");
  char path[PATH_MAX];
  if (list == NULL || atomic_flag_test_and_set(&done)) return;
  while (*list != '\0') {
    size_t n = strcspn(list, ":");
    snprintf(path, sizeof path, "%.*s", (int)(n < sizeof path ? n : sizeof path - 1), list);
    list += n + (list[n] == ':');
    if (n == 0 || cp_bundle_load(path, version, NULL) == CP_OK) continue;
    fprintf(stderr, "cupola: CUPOLA_BUNDLE: %s; it is not used\n", cp_error_text());
    pthread_mutex_lock(&lock);
    note_file(path, "not used", NULL);
    pthread_mutex_unlock(&lock);
  }
}

void cp_bundle_describe(cp_strbuf *out) {
  pthread_mutex_lock(&lock);
  for (const loaded_file *f = files; f != NULL; f = f->next) cp_strbuf_printf(out, "bundle: %s\n", f->text);
  if (cp_recording()) cp_strbuf_printf(out, "recording: %s, %d kernels\n", record_path, recorded.count);
  pthread_mutex_unlock(&lock);
}

typedef struct listing {
  void (*each)(void *data, cp_bundle_kind kind, const cp_image *image);
  void *data;
} listing;

static void list_image(void *data, cp_bundle_kind kind, const void *key, size_t size, const cp_image *image) {
  const listing *l = data;
  (void)key, (void)size;
  l->each(l->data, kind, image);
}

cp_status cp_bundle_list(const char *path, uint64_t version,
                         void (*each)(void *data, cp_bundle_kind kind, const cp_image *image), void *data) {
  char *bytes;
  size_t size;
  bool there;
  listing l = {each, data};
  CP_TRY(read_file(path, version, &bytes, &size, &there));
  walk(bytes, size, list_image, &l);
  free(bytes);
  return CP_OK;
}

// ---- recording --------------------------------------------------------------------------------------------

static void append_filled(cp_strbuf *out, const void *bytes, size_t size) {
  static const char zeros[FILL];
  cp_strbuf_append(out, bytes, size);
  cp_strbuf_append(out, zeros, (FILL - size % FILL) % FILL);
}

static void append_entry(cp_strbuf *out, const cp_kernel_entry *e) {
  const entry_header h = {(uint32_t)e->kind, (uint32_t)e->nimages, e->key_size};
  append_filled(out, &h, sizeof h);
  append_filled(out, e->key + 1, e->key_size);
  for (const cp_image_node *n = e->images; n != NULL; n = n->next) {
    const image_header i = {n->image.arch, n->image.ptx, n->image.size};
    append_filled(out, &i, sizeof i);
    append_filled(out, n->image.data, n->image.size);
  }
}

static cp_status put_file(const char *path, const cp_strbuf *text) {
  char temporary[PATH_MAX + 16];
  snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
  FILE *f = fopen(temporary, "wbe");
  if (f == NULL) return cp_fail(CP_EIO, "cannot write %s: %s", temporary, strerror(errno));
  int why = fwrite(text->text, 1, text->size, f) == text->size ? 0 : errno;
  if (fclose(f) != 0 && why == 0) why = errno;
  if (why == 0 && rename(temporary, path) == 0) return CP_OK;
  if (why == 0) why = errno;
  (void)unlink(temporary);
  return cp_fail(CP_EIO, "cannot write %s: %s", path, strerror(why));
}

// The file is replaced by renaming, so readers never see a part of it. The caller holds the lock.
static cp_status write_recorded(void) {
  cp_strbuf text = {0};
  file_header h = {.version = record_version, .count = (uint32_t)recorded.count};
  memcpy(h.magic, magic, sizeof magic);
  memcpy(h.machine, machine, sizeof machine);
  cp_strbuf_append(&text, &h, sizeof h);
  for (const cp_kernel_entry *e = recorded.first; e != NULL; e = e->next) append_entry(&text, e);
  cp_status status = text.failed ? cp_no_memory("writing a bundle of kernels") : CP_OK;
  if (status == CP_OK) {
    h.size = text.size;
    h.checksum = cp_hash(text.text + sizeof h, text.size - sizeof h, 0);
    memcpy(text.text, &h, sizeof h);
    status = put_file(record_path, &text);
  }
  cp_strbuf_free(&text);
  return status;
}

static void write_at_exit(void) {
  if (cp_recording() && cp_record_stop(NULL) != CP_OK)
    fprintf(stderr, "cupola: CUPOLA_RECORD: %s\n", cp_error_text());
}

// Keeps the entries that the file already has. The caller holds the lock.
static cp_status continue_file(const char *path, uint64_t version) {
  char *bytes;
  size_t size;
  bool there;
  filling f = {&recorded, CP_OK};
  cp_status status = read_file(path, version, &bytes, &size, &there);
  if (!there) return CP_OK;
  CP_TRY(status);
  record_bytes = bytes; // its images point into them
  walk(bytes, size, fill, &f);
  return f.status;
}

static void free_recorded(void) {
  cp_kernel_set_free(&recorded);
  free(record_bytes);
  record_bytes = NULL;
}

static cp_status start(const char *path, uint64_t version, int narchs, const int *archs) {
  if (cp_recording()) return cp_fail(CP_EUSAGE, "kernels are recorded already, for %s", record_path);
  if (strlen(path) >= sizeof record_path) return cp_fail(CP_EIO, "the path is too long");
  cp_status status = continue_file(path, version);
  if (status != CP_OK) {
    free_recorded();
    return status;
  }
  strcpy(record_path, path);
  record_version = version;
  record_narchs = narchs;
  for (int k = 0; k < narchs; k++) record_list[k] = archs[k];
  atomic_store(&cp_record_on, true);
  return CP_OK;
}

cp_status cp_record_start(const char *path, uint64_t version, int narchs, const int *archs) {
  static atomic_flag registered = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&registered)) (void)atexit(write_at_exit);
  pthread_mutex_lock(&lock);
  cp_status status = start(path, version, narchs, archs);
  pthread_mutex_unlock(&lock);
  return status;
}

cp_status cp_record_stop(int *entries) {
  pthread_mutex_lock(&lock);
  bool on = cp_recording();
  cp_status status = on ? write_recorded() : cp_fail(CP_EUSAGE, "no kernels are recorded");
  if (on && entries != NULL) *entries = recorded.count;
  atomic_store(&cp_record_on, false);
  if (on) free_recorded();
  pthread_mutex_unlock(&lock);
  return status;
}

void cp_record_abandon(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&cp_record_on, false);
  free_recorded();
  pthread_mutex_unlock(&lock);
}

int cp_record_archs(int *archs) {
  pthread_mutex_lock(&lock);
  int n = record_narchs;
  for (int k = 0; k < n && archs != NULL; k++) archs[k] = record_list[k];
  pthread_mutex_unlock(&lock);
  return n;
}

bool cp_record_has(cp_bundle_kind kind, const void *key, size_t size, int arch, bool ptx) {
  const cp_image wanted = {.arch = arch, .ptx = ptx};
  pthread_mutex_lock(&lock);
  const cp_kernel_entry *e = cp_kernel_set_entry(&recorded, kind, key, size, false);
  bool has = e != NULL && cp_kernel_entry_has(e, &wanted);
  pthread_mutex_unlock(&lock);
  return has;
}

cp_status cp_record_add(cp_bundle_kind kind, const void *key, size_t size, const cp_image *image) {
  pthread_mutex_lock(&lock);
  cp_status status = cp_recording() ? cp_kernel_set_add(&recorded, kind, key, size, image, true) : CP_OK;
  pthread_mutex_unlock(&lock);
  return status;
}
