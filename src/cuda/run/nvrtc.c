// Calls NVRTC: options, architectures, the log (nvrtc.h).
//
// -fmad=false makes generated kernels bit-equal to the CPU device's loops. -minimal leaves out the
// declarations of textures and of the CUDA runtime, whose parsing takes most of a short kernel's compile
// time.
#include "cuda/run/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/driver/library.h"

enum { LOG_IN_MESSAGE = 4096, OUR_OPTIONS = 4, ROOT_SIZE = 1024, FOLDER_SIZE = 1200 };

// The value of -arch, and whether the result is machine code.
typedef struct target {
  char option[32];
  bool ptx;
} target;

static cp_status fail_nvrtc(const cpcu_nvrtc *nvrtc, cpcu_nvrtc_result result, const char *call) {
  cp_status kind = result == CPCU_NVRTC_ERROR_OUT_OF_MEMORY ? CP_EMEMORY : CP_ECOMPILE;
  return cp_fail(kind, "%s: %s", call, nvrtc->nvrtcGetErrorString(result));
}

cp_status cp_nvrtc_version(int *major, int *minor) {
  const cpcu_nvrtc *nvrtc;
  CP_TRY(cp_nvrtc_library(&nvrtc));
  cpcu_nvrtc_result result = nvrtc->nvrtcVersion(major, minor);
  return result == CPCU_NVRTC_SUCCESS ? CP_OK : fail_nvrtc(nvrtc, result, "nvrtcVersion");
}

// ---- the architecture ----

// The architectures that NVRTC compiles for, such as 75, 80, 90, in a malloc'ed array.
static cp_status supported_archs(const cpcu_nvrtc *nvrtc, int **archs, int *count) {
  *archs = NULL;
  cpcu_nvrtc_result result = nvrtc->nvrtcGetNumSupportedArchs(count);
  if (result != CPCU_NVRTC_SUCCESS) return fail_nvrtc(nvrtc, result, "nvrtcGetNumSupportedArchs");
  *archs = malloc(sizeof(int) * (size_t)(*count + 1));
  if (*archs == NULL) return cp_no_memory("compiling a kernel");
  result = nvrtc->nvrtcGetSupportedArchs(*archs);
  if (result == CPCU_NVRTC_SUCCESS) return CP_OK;
  free(*archs);
  *archs = NULL;
  return fail_nvrtc(nvrtc, result, "nvrtcGetSupportedArchs");
}

// Machine code runs on later devices of its major version; across major versions only PTX does.
static cp_status choose_target(const cpcu_nvrtc *nvrtc, int arch, bool ptx, target *out) {
  int *archs, count, best = 0;
  CP_TRY(supported_archs(nvrtc, &archs, &count));
  for (int i = 0; i < count; i++)
    if (archs[i] <= arch && archs[i] > best) best = archs[i];
  free(archs);
  if (best == 0) {
    int major = 0, minor = 0;
    nvrtc->nvrtcVersion(&major, &minor);
    return cp_fail(CP_ECOMPILE,
                   "NVRTC %d.%d does not compile for compute capability %d.%d; use an older CUDA toolkit",
                   major, minor, arch / 10, arch % 10);
  }
  out->ptx = ptx || best / 10 != arch / 10;
  snprintf(out->option, sizeof out->option, "-arch=%s_%d", out->ptx ? "compute" : "sm", best);
  return CP_OK;
}

// ---- options ----

// True if an option of the request starts with `name` after one or two dashes.
static bool has_option(const cp_nvrtc_request *request, const char *name) {
  for (int i = 0; i < request->noptions; i++) {
    const char *option = request->options[i];
    option += strncmp(option, "--", 2) == 0 ? 2 : option[0] == '-';
    if (strncmp(option, name, strlen(name)) == 0) return true;
  }
  return false;
}

static bool knows_minimal(const cpcu_nvrtc *nvrtc) {
  int major = 0, minor = 0;
  return nvrtc->nvrtcVersion(&major, &minor) == CPCU_NVRTC_SUCCESS &&
         (major > 12 || (major == 12 && minor >= 4));
}

// Fills `list`, which has room for OUR_OPTIONS more than the request has, and returns the number of options.
static int collect_options(const cpcu_nvrtc *nvrtc, const cp_nvrtc_request *request, const target *to,
                           const char **list) {
  int n = 0;
  list[n++] = to->option;
  if (!request->whole_language && !has_option(request, "minimal") && knows_minimal(nvrtc))
    list[n++] = "-minimal";
  if (!has_option(request, "fmad") && !has_option(request, "use_fast_math"))
    list[n++] = request->fmad ? "-fmad=true" : "-fmad=false";
  if (!has_option(request, "std")) list[n++] = "--std=c++17";
  for (int i = 0; i < request->noptions; i++) list[n++] = request->options[i];
  return n;
}

// ---- results ----

// The log as malloc'ed text, or NULL when it is empty. An error of this call is ignored, as the compiler's
// status matters more.
static char *read_log(const cpcu_nvrtc *nvrtc, cpcu_nvrtc_program program) {
  size_t size = 0;
  if (nvrtc->nvrtcGetProgramLogSize(program, &size) != CPCU_NVRTC_SUCCESS || size <= 1) return NULL;
  char *log = calloc(size + 1, 1);
  if (log == NULL || nvrtc->nvrtcGetProgramLog(program, log) == CPCU_NVRTC_SUCCESS) return log;
  free(log);
  return NULL;
}

// Cuts the log in the message at the end of a line. The log has the user's own file names and line numbers.
static cp_status fail_compile(const cpcu_nvrtc *nvrtc, cpcu_nvrtc_result result,
                              const cp_nvrtc_request *request, const char *log) {
  cp_status kind = result == CPCU_NVRTC_ERROR_OUT_OF_MEMORY ? CP_EMEMORY : CP_ECOMPILE;
  const char *reason = nvrtc->nvrtcGetErrorString(result);
  if (log == NULL) return cp_fail(kind, "%s: %s", request->name, reason);
  size_t length = strlen(log), shown = length;
  if (length > LOG_IN_MESSAGE) {
    shown = LOG_IN_MESSAGE;
    while (shown > 1 && log[shown - 1] != '\n') shown--;
    if (shown == 1) shown = LOG_IN_MESSAGE;
  }
  while (shown > 0 && log[shown - 1] == '\n') shown--;
  return cp_fail(kind, "%s: %s\n%.*s%s", request->name, reason, (int)shown, log,
                 length > LOG_IN_MESSAGE ? "\n(the log goes on)" : "");
}

static cp_status read_image(const cpcu_nvrtc *nvrtc, cpcu_nvrtc_program program, bool ptx,
                            cp_nvrtc_output *out) {
  size_t size = 0;
  cpcu_nvrtc_result result =
      ptx ? nvrtc->nvrtcGetPTXSize(program, &size) : nvrtc->nvrtcGetCUBINSize(program, &size);
  if (result != CPCU_NVRTC_SUCCESS) return fail_nvrtc(nvrtc, result, "reading NVRTC's result");
  if (size == 0) return cp_fail(CP_ECOMPILE, "NVRTC returned no code");
  out->image = malloc(size);
  if (out->image == NULL) return cp_no_memory("compiling a kernel");
  result = ptx ? nvrtc->nvrtcGetPTX(program, out->image) : nvrtc->nvrtcGetCUBIN(program, out->image);
  if (result != CPCU_NVRTC_SUCCESS) return fail_nvrtc(nvrtc, result, "reading NVRTC's result");
  out->size = size;
  out->ptx = ptx;
  return CP_OK;
}

static cp_status read_lowered(const cpcu_nvrtc *nvrtc, cpcu_nvrtc_program program,
                              const cp_nvrtc_request *request, cp_nvrtc_output *out) {
  if (request->nexpressions == 0) return CP_OK;
  out->lowered = calloc((size_t)request->nexpressions, sizeof *out->lowered);
  if (out->lowered == NULL) return cp_no_memory("compiling a kernel");
  for (int i = 0; i < request->nexpressions; i++) {
    const char *lowered = NULL;
    cpcu_nvrtc_result result = nvrtc->nvrtcGetLoweredName(program, request->expressions[i], &lowered);
    if (result != CPCU_NVRTC_SUCCESS) return fail_nvrtc(nvrtc, result, request->expressions[i]);
    size_t size = strlen(lowered) + 1;
    out->lowered[i] = malloc(size);
    if (out->lowered[i] == NULL) return cp_no_memory("compiling a kernel");
    memcpy(out->lowered[i], lowered, size);
    out->nlowered = i + 1;
  }
  return CP_OK;
}

// ---- compiling ----

static cp_status add_expressions(const cpcu_nvrtc *nvrtc, cpcu_nvrtc_program program,
                                 const cp_nvrtc_request *request) {
  for (int i = 0; i < request->nexpressions; i++) {
    cpcu_nvrtc_result result = nvrtc->nvrtcAddNameExpression(program, request->expressions[i]);
    if (result != CPCU_NVRTC_SUCCESS) return fail_nvrtc(nvrtc, result, request->expressions[i]);
  }
  return CP_OK;
}

static cp_status compile_program(const cpcu_nvrtc *nvrtc, cpcu_nvrtc_program program,
                                 const cp_nvrtc_request *request, cp_nvrtc_output *out) {
  target to;
  CP_TRY(choose_target(nvrtc, request->arch, request->ptx, &to));
  CP_TRY(add_expressions(nvrtc, program, request));
  const char **list = malloc(sizeof *list * (size_t)(request->noptions + OUR_OPTIONS));
  if (list == NULL) return cp_no_memory("compiling a kernel");
  int count = collect_options(nvrtc, request, &to, list);
  cpcu_nvrtc_result result = nvrtc->nvrtcCompileProgram(program, count, list);
  free(list);
  out->log = read_log(nvrtc, program);
  if (result != CPCU_NVRTC_SUCCESS) return fail_compile(nvrtc, result, request, out->log);
  CP_TRY(read_image(nvrtc, program, to.ptx, out));
  return read_lowered(nvrtc, program, request, out);
}

cp_status cp_nvrtc_compile_request(const cp_nvrtc_request *request, cp_nvrtc_output *out) {
  const cpcu_nvrtc *nvrtc;
  cpcu_nvrtc_program program = NULL;
  memset(out, 0, sizeof *out);
  CP_TRY(cp_nvrtc_library(&nvrtc));
  cpcu_nvrtc_result result = nvrtc->nvrtcCreateProgram(
      &program, request->source, request->name, request->nheaders, request->headers, request->header_names);
  if (result != CPCU_NVRTC_SUCCESS) return fail_nvrtc(nvrtc, result, "nvrtcCreateProgram");
  cp_status status = compile_program(nvrtc, program, request, out);
  nvrtc->nvrtcDestroyProgram(&program);
  return status;
}

void cp_nvrtc_output_free(cp_nvrtc_output *out) {
  for (int i = 0; i < out->nlowered; i++) free(out->lowered[i]);
  free(out->lowered);
  free(out->image);
  free(out->log);
  memset(out, 0, sizeof *out);
}

// ---- modules of raw kernels ----

// "-I" with the toolkit's header folder, beside NVRTC or where toolkits are usually installed. Two options;
// the second one is for CCCL.
static int toolkit_options(char options[2][FOLDER_SIZE]) {
  char roots[4][ROOT_SIZE] = {"", "", "", "/usr/local/cuda"};
  const char *given[2] = {getenv("CUPOLA_CUDA_PATH"), getenv("CUDA_PATH")};
  const char *nvrtc = cp_library_path(CP_LIBRARY_NVRTC);
  for (int k = 0; k < 2; k++)
    if (given[k] != NULL) snprintf(roots[k], ROOT_SIZE, "%s", given[k]);
  for (int cut = 0; nvrtc != NULL && cut < 2; cut++) { // .../lib64/libnvrtc.so
    if (cut == 0) snprintf(roots[2], ROOT_SIZE, "%s", nvrtc);
    char *slash = strrchr(roots[2], '/');
    if (slash != NULL) *slash = '\0';
  }
  for (int k = 0; k < 4; k++) {
    char probe[FOLDER_SIZE];
    const char *root = roots[k];
    if (root[0] == '\0') continue;
    snprintf(probe, FOLDER_SIZE, "%.1023s/include/cuda_fp16.h", root);
    if (access(probe, R_OK) != 0) continue;
    snprintf(options[0], FOLDER_SIZE, "-I%.1023s/include", root);
    snprintf(options[1], FOLDER_SIZE, "-I%.1023s/include/cccl", root);
    return access(options[1] + 2, R_OK) == 0 ? 2 : 1;
  }
  return 0;
}

cp_status cp_nvrtc_compile_raw(const cp_raw_source *s, int arch, bool ptx, cp_nvrtc_output *out) {
  const char *options[CP_MAX_RAW_OPTIONS + 2];
  char folders[2][FOLDER_SIZE];
  int count = 0, major, minor;
  memset(out, 0, sizeof *out);
  CP_TRY(cp_nvrtc_version(&major, &minor)); // opens the library, whose folder leads to the toolkit's
  for (; count < s->noptions; count++) options[count] = s->options[count];
  int nfolders = s->cuda_headers ? toolkit_options(folders) : 0;
  for (int k = 0; k < nfolders; k++) options[count++] = folders[k];
  const cp_nvrtc_request request = {.source = s->text,
                                    .name = s->name,
                                    .arch = arch,
                                    .options = options,
                                    .noptions = count,
                                    .expressions = s->symbols,
                                    .nexpressions = s->nsymbols,
                                    .whole_language = s->whole_language,
                                    .ptx = ptx,
                                    .fmad = true};
  return cp_nvrtc_compile_request(&request, out);
}
