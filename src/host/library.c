// Finding and opening shared libraries (library.h).
//
// dlopen gets a full path only when the file exists, so its error (a wrong architecture, a missing
// dependency) is worth reporting. Names that were not found are listed in one sentence.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dlinfo
#endif
#include "host/library.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { UNTRIED, OPEN, FAILED };

// ---- one attempt ----

// Keeps the first dlopen error other than "no such file".
static void note_complaint(cp_library *library, const char *complaint) {
  if (complaint != NULL && library->reason[0] == '\0')
    snprintf(library->reason, sizeof library->reason, "%s", complaint);
}

// Whether the file name of `path` matches CUPOLA_HIDDEN_LIBRARIES, a list of patterns separated by spaces.
// Tests hide libraries this way.
static bool hidden(cp_library *library, const char *path) {
  const char *patterns = getenv("CUPOLA_HIDDEN_LIBRARIES"), *slash = strrchr(path, '/');
  char pattern[128];
  for (int length = 0; patterns != NULL && sscanf(patterns, " %127s%n", pattern, &length) == 1;
       patterns += length)
    if (fnmatch(pattern, slash != NULL ? slash + 1 : path, 0) == 0) {
      note_complaint(library, "CUPOLA_HIDDEN_LIBRARIES hides it");
      return true;
    }
  return false;
}

static bool is_file(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

static bool try_path(cp_library *library, const char *path) {
  if (access(path, F_OK) != 0 || hidden(library, path)) return false;
  library->handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library->handle == NULL) note_complaint(library, dlerror());
  return library->handle != NULL;
}

// Opens a library by its bare name: the loader searches LD_LIBRARY_PATH, the run path, ld.so.cache and the
// system's folders.
static bool try_loader(cp_library *library, const char *name) {
  if (hidden(library, name)) return false;
  library->handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library->handle != NULL) return true;
  const char *complaint = dlerror();
  size_t length = strlen(name);
  bool absent = complaint == NULL || (strncmp(complaint, name, length) == 0 &&
                                      strstr(complaint, "cannot open shared object file") != NULL);
  if (!absent) note_complaint(library, complaint);
  return false;
}

static bool try_folder(cp_library *library, const char *folder, const char *name) {
  char path[1024];
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  return n > 0 && (size_t)n < sizeof path && try_path(library, path);
}

// Tries a folder whose name may contain wildcards. Of several matches the last in sorted order comes first,
// as it is the newest version.
static bool try_pattern(cp_library *library, const char *pattern, const char *name) {
  if (strpbrk(pattern, "*[?") == NULL) return try_folder(library, pattern, name);
  glob_t found;
  bool done = false;
  if (glob(pattern, 0, NULL, &found) != 0) return false;
  for (size_t i = found.gl_pathc; i-- > 0 && !done;) done = try_folder(library, found.gl_pathv[i], name);
  globfree(&found);
  return done;
}

// ---- the places ----

// The k-th name of the library, best first; NULL after the last.
static const char *name_at(const cp_library *library, int k) {
  bool turned = k < 2 && library->second_first != NULL && library->second_first();
  return library->names[turned ? 1 - k : k];
}

// Tries an environment variable, whose value may be the library's file, a folder with libraries, or a
// toolkit's root. In each folder all names are tried before the next folder. For a library without names of
// its own, the value may also be a bare name.
static bool try_variable(cp_library *library, const char *variable) {
  static const char *const below[] = {"lib64", "lib", ".", "targets/" CP_CUDA_TARGET "/lib", NULL};
  const char *root = getenv(variable);
  if (root == NULL || root[0] == '\0') return false;
  if (is_file(root)) return try_path(library, root);
  for (size_t i = 0; below[i] != NULL; i++) {
    char folder[1024];
    int n = strcmp(below[i], ".") == 0 ? snprintf(folder, sizeof folder, "%s", root)
                                       : snprintf(folder, sizeof folder, "%s/%s", root, below[i]);
    if (n <= 0 || (size_t)n >= sizeof folder) continue;
    const char *name;
    for (int k = 0; (name = name_at(library, k)) != NULL; k++)
      if (try_folder(library, folder, name)) return true;
  }
  return library->names[0] == NULL && try_loader(library, root);
}

// Python's site-packages folders: below the value of a variable, or absolute where the variable is NULL.
static const struct {
  const char *variable, *pattern;
} site_packages[] = {
    {"VIRTUAL_ENV", "/lib/python3*/site-packages"},  {"CONDA_PREFIX", "/lib/python3*/site-packages"},
    {"HOME", "/.local/lib/python3*/site-packages"},  {NULL, "/usr/local/lib/python3*/dist-packages"},
    {NULL, "/usr/local/lib/python3*/site-packages"}, {NULL, "/usr/lib/python3*/dist-packages"},
    {NULL, "/usr/lib/python3*/site-packages"},       {NULL, "/usr/lib64/python3*/site-packages"},
};

static bool try_wheels(cp_library *library, const char *name) {
  for (size_t i = 0; i < sizeof site_packages / sizeof site_packages[0]; i++) {
    const char *variable = site_packages[i].variable;
    const char *root = variable == NULL ? "" : getenv(variable);
    if (root == NULL || (variable != NULL && root[0] == '\0')) continue;
    for (const char *const *wheel = library->wheels; *wheel != NULL; wheel++) {
      char pattern[1024];
      int n = snprintf(pattern, sizeof pattern, "%s%s/%s", root, site_packages[i].pattern, *wheel);
      if (n > 0 && (size_t)n < sizeof pattern && try_pattern(library, pattern, name)) return true;
    }
  }
  return false;
}

static bool search(cp_library *library) {
  for (const char *const *variable = library->variables; variable != NULL && *variable != NULL; variable++)
    if (try_variable(library, *variable)) return true;
  const char *name;
  for (int k = 0; (name = name_at(library, k)) != NULL; k++) {
    if (try_loader(library, name)) return true;
    for (const char *const *folder = library->folders; folder != NULL && *folder != NULL; folder++)
      if (try_pattern(library, *folder, name)) return true;
    if (library->wheels != NULL && try_wheels(library, name)) return true;
  }
  return false;
}

// ---- opening ----

static void append(char *text, size_t size, const char *separator, const char *word) {
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s", used > 0 ? separator : "", word);
}

static void explain_absence(cp_library *library) {
  char complaint[512], names[256] = "", places[256] = "";
  snprintf(complaint, sizeof complaint, "%.500s", library->reason);
  const char *name;
  for (int k = 0; (name = name_at(library, k)) != NULL; k++) append(names, sizeof names, ", ", name);
  for (const char *const *variable = library->variables; variable != NULL && *variable != NULL; variable++)
    append(places, sizeof places, ", ", *variable);
  append(places, sizeof places, ", ", "the loader's path");
  append(places, sizeof places, library->wheels != NULL ? ", " : " and ", "the usual folders");
  if (library->wheels != NULL) append(places, sizeof places, " and ", "the nvidia-* wheels");
  snprintf(library->reason, sizeof library->reason, "%s could not be opened (tried %s in %s)%s%s; %s",
           library->title, names, places, complaint[0] != '\0' ? "; " : "", complaint, library->hint);
}

static void remember_path(cp_library *library) {
  struct link_map *map = NULL;
  const char *path = library->title;
  if (dlinfo(library->handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL && map->l_name[0] != '\0')
    path = map->l_name;
  snprintf(library->path, sizeof library->path, "%s", path);
}

// Copies the symbols' addresses to the table, by memcpy because C has no cast from object to function
// pointers.
static bool resolve(cp_library *library) {
  for (size_t i = 0; i < library->nsymbols; i++) {
    void *address = dlsym(library->handle, library->symbols[i].name);
    if (address == NULL && !library->symbols[i].optional) {
      snprintf(library->reason, sizeof library->reason, "%s (%s) has no function %s: %s", library->title,
               library->path, library->symbols[i].name,
               library->outdated != NULL ? library->outdated : "it is too old, CUDA 12 or later is needed");
      return false;
    }
    memcpy((char *)library->table + library->symbols[i].offset, &address, sizeof address);
  }
  return true;
}

static int open_now(cp_library *library) {
  if (!search(library)) {
    explain_absence(library);
    return FAILED;
  }
  remember_path(library);
  if (!resolve(library)) {
    dlclose(library->handle);
    library->handle = NULL;
    return FAILED;
  }
  if (library->opened != NULL) library->opened(library->path);
  return OPEN;
}

// Opens the library once and returns OPEN or FAILED, without touching the error record.
static int open_once(cp_library *library) {
  int state = atomic_load_explicit(&library->state, memory_order_acquire);
  if (state != UNTRIED) return state;
  pthread_mutex_lock(&library->lock);
  state = atomic_load_explicit(&library->state, memory_order_relaxed);
  if (state == UNTRIED) {
    state = open_now(library);
    atomic_store_explicit(&library->state, state, memory_order_release);
  }
  pthread_mutex_unlock(&library->lock);
  return state;
}

cp_status cp_open_library(cp_library *library) {
  return open_once(library) == OPEN
             ? CP_OK
             : cp_fail(library->kind != CP_OK ? library->kind : CP_ECUDA, "%s", library->reason);
}

bool cp_try_library(cp_library *library) { return open_once(library) == OPEN; }

const char *cp_opened_path(cp_library *library) {
  return atomic_load_explicit(&library->state, memory_order_acquire) == OPEN ? library->path : NULL;
}
