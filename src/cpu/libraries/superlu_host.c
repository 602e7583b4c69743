// What SuperLU calls of the host (superlu.h): memory, the end of the process, and messages, which only
// somebody else's calls print.
#include "cpu/libraries/superlu.h"
#include "device/budget.h"
#include "device/interrupt.h"
#include "memory/pool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cp_superlu_block {
  void *memory;
  size_t bytes;
  cp_block *lent; // the pool's block in which it lies; NULL: it comes from the C library
} cp_superlu_block;

static _Thread_local cp_superlu_call *now; // NULL: somebody else in the process uses the library

void cp_superlu_enter(cp_superlu_call *call, cp_context *ctx, cp_stream *s) {
  memset(call, 0, sizeof *call);
  call->ctx = ctx;
  call->stream = s;
  now = call;
}

void cp_superlu_suspend(void) { now = NULL; }

const cp_superlu_call *cp_superlu_now(void) { return now; }

static bool make_room(cp_superlu_call *call) {
  if (call->count < call->room) return true;
  int room = call->room == 0 ? 64 : 2 * call->room;
  cp_superlu_block *blocks = realloc(call->blocks, (size_t)room * sizeof *blocks);
  if (blocks == NULL) return false;
  call->blocks = blocks;
  call->room = room;
  return true;
}

// The C library would return large blocks to the system after each factorisation, and the next one would
// touch all their pages for the first time. So they are the pool's, which keeps them for later arrays, too.
// Where it has a limit, they come from the C library.
static void *take_memory(const cp_superlu_call *call, size_t bytes, cp_block **lent) {
  enum { LARGE = 32 << 10 };
  *lent = NULL;
  if (bytes >= LARGE && call->stream != NULL)
    *lent = cp_pool_lend(call->ctx, call->stream->device->pool, call->stream, bytes);
  return *lent != NULL ? (*lent)->pointer : malloc(bytes);
}

void *cp_superlu_allocate(cp_superlu_call *call, size_t bytes) {
  if (bytes == 0) bytes = 1;
  void *memory = NULL;
  cp_block *lent;
  if (make_room(call) && cp_context_hold(call->ctx, bytes) == CP_OK) {
    memory = take_memory(call, bytes, &lent);
    if (memory == NULL) cp_context_drop(call->ctx, bytes);
  }
  if (memory == NULL)
    call->out_of_memory = true;
  else
    call->blocks[call->count++] = (cp_superlu_block){memory, bytes, lent};
  return memory;
}

// Frees block k, whose place another one takes.
static void end_block(cp_superlu_call *call, int k) {
  if (call->blocks[k].lent != NULL)
    cp_pool_free(call->blocks[k].lent);
  else
    free(call->blocks[k].memory);
  cp_context_drop(call->ctx, call->blocks[k].bytes);
  call->blocks[k] = call->blocks[--call->count];
}

void cp_superlu_leave(cp_superlu_call *call) {
  now = NULL;
  while (call->count > 0) end_block(call, call->count - 1);
  free(call->blocks);
  call->blocks = NULL;
  call->room = 0;
}

// ---- what the library's calls are bound to ----------------------------------------------------------------

static void *allocate(size_t bytes) { return now != NULL ? cp_superlu_allocate(now, bytes) : malloc(bytes); }

static void release(void *memory) {
  if (now != NULL && memory != NULL)
    for (int k = now->count - 1; k >= 0; k--)
      if (now->blocks[k].memory == memory) {
        end_block(now, k);
        return;
      }
  free(memory);
}

static _Noreturn void leave(int code) {
  if (now == NULL) exit(code);
  longjmp(now->leave, 1);
}

static _Noreturn void end(void) {
  if (now == NULL) abort();
  longjmp(now->leave, 1);
}

static _Noreturn void fail_assertion(const char *fact, const char *file, unsigned line,
                                     const char *function) {
  if (now == NULL) {
    fprintf(stderr, "%s:%u: %s: %s\n", file, line, function, fact);
    abort();
  }
  longjmp(now->leave, 1);
}

static void end_column(int count, const int *segments, int *marks) {
  cp_superlu_opened()->end_column(count, segments, marks);
  if (now == NULL || cp_poll(now->ctx) == CP_OK) return;
  now->interrupted = true;
  longjmp(now->leave, 1);
}

static int print_text(const char *text, FILE *file) { return now != NULL ? 0 : fputs(text, file); }
static int print_line(const char *text) { return now != NULL ? 0 : puts(text); }
static int print_letter(int letter) { return now != NULL ? 0 : putchar(letter); }

static size_t print_bytes(const void *bytes, size_t size, size_t count, FILE *file) {
  return now != NULL ? count : fwrite(bytes, size, count, file);
}

#define PRINT(file)                                                                                          \
  va_list values;                                                                                            \
  if (now != NULL) return 0;                                                                                 \
  va_start(values, format);                                                                                  \
  const int count = vfprintf(file, format, values);                                                          \
  va_end(values);                                                                                            \
  return count

static int print(const char *format, ...) { PRINT(stdout); }
static int print_checked(int flag, const char *format, ...) {
  (void)flag;
  PRINT(stdout);
}
static int print_to(FILE *file, const char *format, ...) { PRINT(file); }
static int print_to_checked(FILE *file, int flag, const char *format, ...) {
  (void)flag;
  PRINT(file);
}

const cp_superlu_binding cp_superlu_bindings[] = {
    CP_SLU_BOUND("malloc", allocate, true),
    CP_SLU_BOUND("free", release, true),
    CP_SLU_BOUND("exit", leave, true),
    CP_SLU_BOUND("abort", end, false),
    CP_SLU_BOUND("resetrep_col", end_column, false),
    CP_SLU_BOUND("__assert_fail", fail_assertion, false),
    CP_SLU_BOUND("printf", print, false),
    CP_SLU_BOUND("__printf_chk", print_checked, false),
    CP_SLU_BOUND("fprintf", print_to, false),
    CP_SLU_BOUND("__fprintf_chk", print_to_checked, false),
    CP_SLU_BOUND("fputs", print_text, false),
    CP_SLU_BOUND("puts", print_line, false),
    CP_SLU_BOUND("putchar", print_letter, false),
    CP_SLU_BOUND("fwrite", print_bytes, false),
    {NULL, NULL, false},
};
