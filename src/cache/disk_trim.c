// Limits the size of the folder of compiled kernels: lists the entries and removes the oldest.
#include "cache/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ABANDONED_AFTER = 3600 }; // seconds after which a temporary file counts as abandoned

typedef struct file {
  struct timespec time;
  size_t bytes;
  char name[64]; // "ab/cdef....cubin"
} file;

typedef struct list {
  file *files;
  size_t count, capacity, bytes;
} list;

static bool add(list *l, const file *f) {
  if (l->count == l->capacity) {
    size_t capacity = 2 * l->capacity + 256;
    file *files = realloc(l->files, capacity * sizeof *files);
    if (files == NULL) return false;
    l->files = files;
    l->capacity = capacity;
  }
  l->files[l->count++] = *f;
  l->bytes += f->bytes;
  return true;
}

// Our folders have names of two hexadecimal digits; nothing else is touched.
static bool is_fan(const char *name) { return strlen(name) == 2 && strspn(name, "0123456789abcdef") == 2; }

static bool is_entry(const char *name) { return strspn(name, "0123456789abcdef") == 30 && name[30] == '.'; }

static bool is_temporary(const char *name) { return name[0] == '.' && strlen(name) == 7; }

static void list_fan(const char *folder, const char *fan, list *l) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", folder, fan) >= PATH_MAX) return;
  DIR *d = opendir(path);
  if (d == NULL) return;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    struct stat st;
    file f;
    bool temporary = is_temporary(e->d_name);
    if (!temporary && !is_entry(e->d_name)) continue;
    if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode)) continue;
    if (temporary) {
      if (st.st_mtime + ABANDONED_AFTER < time(NULL)) (void)unlinkat(dirfd(d), e->d_name, 0);
      continue;
    }
    f.time = st.st_mtim;
    f.bytes = (size_t)st.st_size;
    int n = snprintf(f.name, sizeof f.name, "%s/%s", fan, e->d_name);
    if (n > 0 && (size_t)n < sizeof f.name && !add(l, &f)) break;
  }
  closedir(d);
}

static int older(const void *a, const void *b) {
  const struct timespec *s = &((const file *)a)->time, *t = &((const file *)b)->time;
  if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
  return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

void cp_disk_trim(const char *folder, size_t bytes) {
  list l = {0};
  char path[PATH_MAX];
  DIR *d = folder[0] == '\0' ? NULL : opendir(folder);
  if (d == NULL) return;
  for (struct dirent *e; (e = readdir(d)) != NULL;)
    if (is_fan(e->d_name)) list_fan(folder, e->d_name, &l);
  closedir(d);
  if (l.bytes > bytes) qsort(l.files, l.count, sizeof *l.files, older);
  for (size_t i = 0; i < l.count && l.bytes > bytes; i++) {
    int n = snprintf(path, sizeof path, "%s/%s", folder, l.files[i].name);
    if (n > 0 && n < PATH_MAX) (void)unlink(path);
    l.bytes -= l.files[i].bytes;
  }
  free(l.files);
}
