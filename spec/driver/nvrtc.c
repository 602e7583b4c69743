// Simulates NVRTC for driver.c: a kernel is "compiled" to its name, which tells kernels.c what to do. If
// DRIVER_KERNELS names a folder that build.sh made, it is compiled for the host (host/compile.c), to the path
// of a shared object.
#include "host/compile.h"

#include "cuda/driver/api.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *count) {
  *count = 1;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetSupportedArchs(int *archs) {
  archs[0] = 90;
  return CPCU_NVRTC_SUCCESS;
}

enum { MOST = 64 };

typedef struct program {
  char *source, *image;
  const char *expressions[MOST + 1];
  int count;
  char log[16384];
} program;

int nvrtcCreateProgram(void **out, const char *source, const char *name, int nheaders,
                       const char *const *headers, const char *const *names) {
  (void)nheaders, (void)headers, (void)names;
  program *p = calloc(1, sizeof *p);
  if (p == NULL) return CPCU_NVRTC_ERROR_OUT_OF_MEMORY;
  p->source = strdup(source);
  p->image = strdup(name);
  *out = p;
  return p->source != NULL && p->image != NULL ? CPCU_NVRTC_SUCCESS : CPCU_NVRTC_ERROR_OUT_OF_MEMORY;
}

int nvrtcDestroyProgram(void **of) {
  program *p = *of;
  for (int k = 0; k < p->count; k++) free((void *)(uintptr_t)p->expressions[k]);
  free(p->source);
  free(p->image);
  free(p);
  return CPCU_NVRTC_SUCCESS;
}

// Puts the macros that are given as options before the text. NULL: no memory.
static char *with_macros(const char *source, int count, const char *const *options) {
  size_t size = strlen(source) + 1;
  for (int k = 0; k < count; k++) size += strlen(options[k]) + 16;
  char *whole = malloc(size), *end = whole;
  for (int k = 0; k < count && whole != NULL; k++) {
    const char *macro = options[k];
    if (strncmp(macro, "-D", 2) != 0) continue;
    size_t name = strcspn(macro + 2, "=");
    const char *value = macro[2 + name] == '=' ? macro + 3 + name : "1";
    end += sprintf(end, "#define %.*s %s\n", (int)name, macro + 2, value);
  }
  if (whole != NULL) strcpy(end, source);
  return whole;
}

int nvrtcCompileProgram(void *of, int count, const char *const *options) {
  program *p = of;
  if (getenv("DRIVER_KERNELS") == NULL) return CPCU_NVRTC_SUCCESS;
  char *whole = with_macros(p->source, count, options);
  if (whole == NULL) return CPCU_NVRTC_ERROR_OUT_OF_MEMORY;
  free(p->image);
  p->image = driver_compile(whole, p->expressions, p->log, sizeof p->log);
  free(whole);
  return p->image != NULL ? CPCU_NVRTC_SUCCESS : CPCU_NVRTC_ERROR_COMPILATION;
}

int nvrtcGetCUBINSize(void *of, size_t *size) {
  *size = strlen(((const program *)of)->image) + 1;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetCUBIN(void *of, char *image) {
  strcpy(image, ((const program *)of)->image);
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetPTXSize(void *of, size_t *size) { return nvrtcGetCUBINSize(of, size); }

int nvrtcGetPTX(void *of, char *image) { return nvrtcGetCUBIN(of, image); }

int nvrtcGetProgramLogSize(void *of, size_t *size) {
  *size = strlen(((const program *)of)->log) + 1;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(void *of, char *log) {
  strcpy(log, ((const program *)of)->log);
  return CPCU_NVRTC_SUCCESS;
}

// Names of kernels stay as they are.
int nvrtcAddNameExpression(void *of, const char *expression) {
  program *p = of;
  if (getenv("DRIVER_KERNELS") == NULL || p->count == MOST) return CPCU_NVRTC_ERROR_INVALID_INPUT;
  p->expressions[p->count++] = strdup(expression);
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetLoweredName(void *of, const char *expression, const char **name) {
  const program *p = of;
  *name = NULL;
  for (int k = 0; k < p->count && *name == NULL; k++)
    if (strcmp(p->expressions[k], expression) == 0) *name = p->expressions[k];
  return *name != NULL ? CPCU_NVRTC_SUCCESS : CPCU_NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

const char *nvrtcGetErrorString(int result) { return result == 0 ? "success" : "simulated"; }
