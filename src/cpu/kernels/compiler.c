// Runs the system's C++ compiler. Each compilation has its own temporary folder, which is removed on every
// path. The compiler reads the text from a file, so that its messages can name it. The object is returned as
// bytes, so that the bytes that were checked are the ones loaded.
#define _GNU_SOURCE // for memfd_create
#include "cpu/kernels/compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS                                                                                              \
  "-O3", "-ffp-contract=off", "-fwrapv", "-fno-math-errno", "-shared", "-fPIC", "-w", "-x", "c++",           \
      "-std=c++17"

const char cp_compiler_options[] = "-O3 -ffp-contract=off -fwrapv -fno-math-errno -std=c++17";

extern char **environ;

enum { PATH_SIZE = 4096, MESSAGE_SIZE = 4096, MORE_OPTIONS = 64 };

// Finding the compiler -------------------------------------------------------------------------------------

static char compiler[PATH_SIZE];
static pthread_once_t compiler_once = PTHREAD_ONCE_INIT;

static bool executable(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

// Writes the path that PATH gives for `name` (or name itself, if it has a slash) into out. False: not found.
static bool find_program(const char *name, char *out) {
  const char *path = getenv("PATH");
  if (strchr(name, '/')) {
    snprintf(out, PATH_SIZE, "%s", name);
    return executable(out);
  }
  while (path && *path) {
    size_t n = strcspn(path, ":");
    int length = snprintf(out, PATH_SIZE, "%.*s/%s", (int)n, path, name);
    if (n > 0 && length < PATH_SIZE && executable(out)) return true;
    path += n + (path[n] == ':');
  }
  return false;
}

static void find_compiler(void) {
  const char *named = getenv("CUPOLA_CXX"), *candidates[] = {getenv("CXX"), "c++", "g++", "clang++"};
  bool found = named && *named && find_program(named, compiler);
  for (size_t k = 0; !(named && *named) && !found && k < sizeof candidates / sizeof *candidates; k++) {
    found = candidates[k] && *candidates[k] && find_program(candidates[k], compiler);
  }
  if (!found) compiler[0] = '\0';
}

const char *cp_compiler_path(void) {
  pthread_once(&compiler_once, find_compiler);
  return compiler[0] ? compiler : NULL;
}

// Files ----------------------------------------------------------------------------------------------------

static bool write_all(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= (size_t)n;
  }
  return true;
}

static bool write_file(const char *path, const char *data, size_t size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  bool ok = write_all(fd, data, size);
  return close(fd) == 0 && ok;
}

// The file's contents, up to `limit` bytes, followed by a NUL. data is NULL when the file cannot be read
// whole.
static cp_bytes read_file(const char *path, size_t limit) {
  cp_bytes b = {NULL, 0};
  struct stat s;
  FILE *f = fopen(path, "rbe");
  if (!f) return b;
  if (fstat(fileno(f), &s) == 0) {
    size_t size = (size_t)s.st_size < limit ? (size_t)s.st_size : limit;
    char *data = malloc(size + 1);
    if (data) {
      data[size] = '\0';
      if (fread(data, 1, size, f) == size)
        b = (cp_bytes){data, size};
      else
        free(data);
    }
  }
  fclose(f);
  return b;
}

// Compiling ------------------------------------------------------------------------------------------------

typedef struct workdir {
  char folder[PATH_SIZE];
  char source[PATH_SIZE + 16], object[PATH_SIZE + 16], messages[PATH_SIZE + 16];
  int noptions;
  const char *const *options;
} workdir;

static cp_status make_workdir(workdir *w) {
  const char *tmp = getenv("TMPDIR");
  int n = snprintf(w->folder, PATH_SIZE, "%s/cupola-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (n >= PATH_SIZE || !mkdtemp(w->folder)) {
    return cp_fail(CP_EIO, "cannot make a temporary folder %s: %s", w->folder, strerror(errno));
  }
  snprintf(w->source, sizeof w->source, "%s/kernel.cpp", w->folder);
  snprintf(w->object, sizeof w->object, "%s/kernel.so", w->folder);
  snprintf(w->messages, sizeof w->messages, "%s/messages", w->folder);
  return CP_OK;
}

static void remove_workdir(const workdir *w) {
  unlink(w->source);
  unlink(w->object);
  unlink(w->messages);
  rmdir(w->folder);
}

// Runs the compiler; *status is its exit status, or -1 when a signal ended it.
static cp_status run_compiler(workdir *w, int *status) {
  const char *path = cp_compiler_path();
  const char *argv[32 + MORE_OPTIONS] = {path, OPTIONS, "-o", w->object, w->source};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  pid_t pid;
  int count = 0;
  while (argv[count]) count++;
  for (int k = 0; k < w->noptions && k < MORE_OPTIONS; k++) argv[count++] = w->options[k];
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, w->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &none);
  int error = posix_spawn(&pid, path, &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error) return cp_fail(CP_ECOMPILE, "cannot run the C++ compiler %s: %s", path, strerror(error));
  int wait_status = 0;
  pid_t waited;
  do waited = waitpid(pid, &wait_status, 0);
  while (waited < 0 && errno == EINTR);
  // In a host that ignores SIGCHLD the exit status is lost; then the object shows whether compiling worked.
  *status = waited < 0 ? 0 : WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
  return CP_OK;
}

static cp_status compile_in(workdir *w, const char *source, size_t size, cp_bytes *object) {
  int status = -1;
  if (!write_file(w->source, source, size))
    return cp_fail(CP_EIO, "cannot write %s: %s", w->source, strerror(errno));
  CP_TRY(run_compiler(w, &status));
  if (status == 0) *object = read_file(w->object, SIZE_MAX - 1);
  if (object->data) return CP_OK;
  cp_bytes messages = read_file(w->messages, MESSAGE_SIZE);
  const char *text = messages.size ? messages.data : "the compiler gave no message";
  cp_fail(CP_ECOMPILE, "the C++ compiler %s failed:\n%s", cp_compiler_path(), text);
  free(messages.data);
  return CP_ECOMPILE;
}

cp_status cp_compile(const char *source, size_t size, int noptions, const char *const *options,
                     cp_bytes *object) {
  workdir w = {.noptions = noptions, .options = options};
  const char *named = getenv("CUPOLA_CXX");
  *object = (cp_bytes){NULL, 0};
  if (!cp_compiler_path()) {
    if (named && *named)
      return cp_fail(CP_ECOMPILE, "no C++ compiler for kernels on the CPU: CUPOLA_CXX is %s", named);
    return cp_fail(CP_ECOMPILE,
                   "no C++ compiler for kernels on the CPU: tried CXX, c++, g++ and clang++ (install one, or "
                   "set CUPOLA_CXX)");
  }
  CP_TRY(make_workdir(&w));
  cp_status status = compile_in(&w, source, size, object);
  remove_workdir(&w);
  return status;
}

// Loading --------------------------------------------------------------------------------------------------

// A private file with these bytes. *fd must stay open while the file is needed; path names it.
static bool private_file(const cp_bytes *object, int *fd, char *path, bool *named) {
  *named = false;
#if defined(__linux__) && defined(MFD_CLOEXEC)
  *fd = memfd_create("cupola-kernel", MFD_CLOEXEC);
  if (*fd >= 0) snprintf(path, PATH_SIZE, "/proc/self/fd/%d", *fd);
  if (*fd >= 0 && access(path, R_OK) == 0) return write_all(*fd, object->data, object->size);
  if (*fd >= 0) close(*fd);
#endif
  const char *tmp = getenv("TMPDIR");
  snprintf(path, PATH_SIZE, "%s/cupola-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  *fd = mkstemp(path);
  if (*fd < 0) return false;
  *named = true;
  return write_all(*fd, object->data, object->size);
}

cp_status cp_load_object(const cp_bytes *object, const char *symbol, void **address) {
  char path[PATH_SIZE];
  int fd = -1;
  bool named = false;
  void *library = NULL;
  *address = NULL;
  if (private_file(object, &fd, path, &named)) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library) *address = dlsym(library, symbol);
  const char *why = *address ? NULL : dlerror();
  cp_status status = CP_OK;
  if (!*address)
    status = cp_fail(CP_ECOMPILE, "cannot load the compiled kernel: %s", why ? why : strerror(errno));
  if (library && !*address) dlclose(library);
  if (fd >= 0) close(fd);
  if (named) unlink(path);
  return status;
}
