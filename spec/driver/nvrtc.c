// Simulates NVRTC for driver.c: a kernel is "compiled" to its name, which tells kernels.c what to do.
#include "cuda/driver/api.h"

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

int nvrtcCreateProgram(void **program, const char *source, const char *name, int nheaders,
                       const char *const *headers, const char *const *names) {
  (void)source, (void)nheaders, (void)headers, (void)names;
  *program = strdup(name);
  return *program != NULL ? CPCU_NVRTC_SUCCESS : CPCU_NVRTC_ERROR_OUT_OF_MEMORY;
}

int nvrtcDestroyProgram(void **program) {
  free(*program);
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  (void)program, (void)count, (void)options;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetCUBINSize(void *program, size_t *size) {
  *size = strlen(program) + 1;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetCUBIN(void *program, char *image) {
  strcpy(image, program);
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetPTXSize(void *program, size_t *size) { return nvrtcGetCUBINSize(program, size); }

int nvrtcGetPTX(void *program, char *image) { return nvrtcGetCUBIN(program, image); }

int nvrtcGetProgramLogSize(void *program, size_t *size) {
  (void)program;
  *size = 0;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcGetProgramLog(void *program, char *log) {
  (void)program, (void)log;
  return CPCU_NVRTC_SUCCESS;
}

int nvrtcAddNameExpression(void *program, const char *expression) {
  (void)program, (void)expression;
  return CPCU_NVRTC_ERROR_INVALID_INPUT;
}

int nvrtcGetLoweredName(void *program, const char *expression, const char **name) {
  (void)program, (void)expression, (void)name;
  return CPCU_NVRTC_ERROR_INVALID_INPUT;
}

const char *nvrtcGetErrorString(int result) { return result == 0 ? "success" : "simulated"; }
