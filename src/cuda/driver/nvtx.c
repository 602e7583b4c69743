// The application's side of the NVTX protocol, version 3: the table that a profiler asks for and fills with
// functions.
#include "cuda/driver/nvtx.h"

#include "host/library.h"

#include <stdint.h>

enum { VERSION = 3 };

typedef void (*function)(void);

static function functions[2][CP_NVTX_SIZE];      // of the two modules; NULL: no profiler is attached
static function *addresses[2][CP_NVTX_SIZE + 1]; // the form that the profiler gets, with NULL at the end
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int module_functions(int module, function ***table, unsigned *size) {
  int k = module == CP_NVTX_CORE2;
  if (module != CP_NVTX_CORE && module != CP_NVTX_CORE2) return 0;
  if (size != NULL) *size = CP_NVTX_SIZE;
  if (table != NULL) *table = addresses[k];
  return 1;
}

static void set_version(uint32_t version) { (void)version; }

static const void *export_table(uint32_t id) {
  static const struct {
    size_t size;
    int (*get)(int module, function ***table, unsigned *size);
  } callbacks = {sizeof callbacks, module_functions};
  static const struct {
    size_t size;
    uint32_t version, reserved;
    void (*set)(uint32_t version);
  } version = {sizeof version, VERSION, 0, set_version};
  if (id == CP_NVTX_CALLBACKS) return &callbacks;
  return id == CP_NVTX_VERSION ? (const void *)&version : NULL;
}

static struct { int (*initialize)(const void *(*table)(uint32_t id)); } table;

static const cp_symbol symbols[] = {{"InitializeInjectionNvtx2", 0, false}};

static cp_library library = {
    .title = "the profiler's library",
    .names = (const char *const[]){NULL},
    .variables = CP_LIST("NVTX_INJECTION64_PATH"),
    .hint = "nobody listens",
    .outdated = "nobody listens",
    CP_FILLS(&table, symbols),
};

static void attach(void) {
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < CP_NVTX_SIZE; k++) addresses[m][k] = &functions[m][k];
  if (!cp_try_library(&library) || table.initialize(export_table) != 0) return;
  for (int k = 0; k < CP_NVTX_SIZE; k++) functions[0][k] = NULL;
}

// True if a profiler is attached. The first call of the process opens its library.
static bool is_attached(void) {
  pthread_once(&once, attach);
  return functions[0][CP_NVTX_PUSH] != NULL;
}

void cp_nvtx_push(const char *message) {
  if (is_attached()) ((int (*)(const char *))functions[0][CP_NVTX_PUSH])(message);
}

void cp_nvtx_pop(void) {
  if (is_attached() && functions[0][CP_NVTX_POP] != NULL) ((int (*)(void))functions[0][CP_NVTX_POP])();
}

void cp_nvtx_mark(const char *message) {
  if (is_attached() && functions[0][CP_NVTX_MARK] != NULL)
    ((void (*)(const char *))functions[0][CP_NVTX_MARK])(message);
}
