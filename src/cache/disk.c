// The folder of compiled kernels on disk, shared by processes.
//
// An entry is FOLDER/ab/cdef....EXTENSION, named by the hash of its key: a header, the whole key, the data.
// Entries appear by renaming, so readers see all of one or nothing. A reader trusts an entry only if its
// sizes, key and checksum are right, and its file belongs to this user and others cannot write it. Failures
// are silent: the caller compiles instead.
#include "cache/cache.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FOLDER_BYTES = 512 << 20, CHECK_EVERY = 64, TOUCH_AFTER = 3600, LARGEST_ENTRY = 256 << 20 };

typedef struct header {
  char magic[8];
  uint64_t key_size, data_size, checksum;
} header;

static const char magic[8] = "cupola1"; // with its NUL

const char *cp_disk_folder(void) {
  static _Thread_local char folder[PATH_MAX];
  const char *own = getenv("CUPOLA_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n = 0;
  folder[0] = '\0';
  if (own != NULL)
    n = snprintf(folder, sizeof folder, "%s", own);
  else if (cache != NULL && cache[0] == '/')
    n = snprintf(folder, sizeof folder, "%s/cupola", cache);
  else if (home != NULL && home[0] == '/')
    n = snprintf(folder, sizeof folder, "%s/.cache/cupola", home);
  if (n < 0 || n > PATH_MAX - 64) folder[0] = '\0'; // names of entries must fit after it
  return folder;
}

// The path of the key's entry; false when there is no folder.
static bool entry_path(const void *key, size_t size, const char *extension, char path[PATH_MAX]) {
  char name[33];
  const char *folder = cp_disk_folder();
  if (folder[0] == '\0') return false;
  cp_hash_name(key, size, name);
  int n = snprintf(path, PATH_MAX, "%s/%.2s/%s.%s", folder, name, name + 2, extension);
  return n > 0 && n < PATH_MAX;
}

static bool read_all(int fd, void *to, size_t n) {
  char *p = to;
  while (n > 0) {
    ssize_t got = read(fd, p, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    n -= (size_t)got;
  }
  return true;
}

static bool write_all(int fd, const void *from, size_t n) {
  const char *p = from;
  while (n > 0) {
    ssize_t put = write(fd, p, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    p += put;
    n -= (size_t)put;
  }
  return true;
}

static uint64_t checksum(const void *key, size_t size, const void *data, size_t data_size) {
  return cp_hash(data, data_size, cp_hash(key, size, 0));
}

// Reads the header of a file that may hold the key's entry.
static bool read_header(int fd, size_t size, header *h) {
  struct stat st;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022) != 0)
    return false;
  if (st.st_size < (off_t)sizeof *h || st.st_size > LARGEST_ENTRY) return false;
  if (!read_all(fd, h, sizeof *h) || memcmp(h->magic, magic, sizeof magic) != 0 || h->key_size != size)
    return false;
  uint64_t rest = (uint64_t)st.st_size - sizeof *h;
  return size <= rest && h->data_size == rest - size;
}

// Updates the file's time, so that the oldest entries are unused ones.
static void touch(int fd) {
  struct stat st;
  if (fstat(fd, &st) == 0 && st.st_mtime + TOUCH_AFTER < time(NULL)) (void)futimens(fd, NULL);
}

static bool load_from(int fd, const void *key, size_t size, cp_bytes *out) {
  header h;
  if (!read_header(fd, size, &h)) return false;
  size_t data_size = (size_t)h.data_size;
  char *bytes = malloc(size + data_size + 1);
  if (bytes == NULL) return false;
  if (!read_all(fd, bytes, size + data_size) || (size > 0 && memcmp(bytes, key, size) != 0) ||
      checksum(key, size, bytes + size, data_size) != h.checksum) {
    free(bytes);
    return false;
  }
  memmove(bytes, bytes + size, data_size);
  bytes[data_size] = '\0'; // not counted; lets data that are text be used as a string
  *out = (cp_bytes){.data = bytes, .size = data_size};
  touch(fd);
  return true;
}

bool cp_disk_load(const void *key, size_t size, const char *extension, cp_bytes *out) {
  char path[PATH_MAX];
  if (!entry_path(key, size, extension, path)) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return false;
  bool found = load_from(fd, key, size, out);
  close(fd);
  return found;
}

// Creates the folders of a file's path.
static void make_folders(char *path) {
  for (char *p = path + 1; *p != '\0'; p++) {
    if (*p != '/') continue;
    *p = '\0';
    (void)mkdir(path, 0700);
    *p = '/';
  }
}

static bool write_entry(int fd, const void *key, size_t size, const void *data, size_t data_size) {
  header h = {.key_size = size, .data_size = data_size, .checksum = checksum(key, size, data, data_size)};
  memcpy(h.magic, magic, sizeof magic);
  return write_all(fd, &h, sizeof h) && write_all(fd, key, size) && write_all(fd, data, data_size);
}

void cp_disk_store(const void *key, size_t size, const char *extension, const void *data, size_t data_size) {
  static atomic_uint stores;
  char path[PATH_MAX], temporary[PATH_MAX];
  if (!entry_path(key, size, extension, path) || sizeof(header) + size + data_size > LARGEST_ENTRY) return;
  make_folders(path);
  // Beside its entry, so that the rename stays within one file system; mkstemp gives mode 0600.
  int n = snprintf(temporary, sizeof temporary, "%.*s/.XXXXXX", (int)(strrchr(path, '/') - path), path);
  if (n < 0 || n >= PATH_MAX) return;
  int fd = mkstemp(temporary);
  if (fd < 0) return;
  bool written = write_entry(fd, key, size, data, data_size);
  if (close(fd) != 0) written = false;
  if (!written || rename(temporary, path) != 0) (void)unlink(temporary);
  if (atomic_fetch_add(&stores, 1) % CHECK_EVERY == 0) cp_disk_trim(cp_disk_folder(), FOLDER_BYTES);
}
