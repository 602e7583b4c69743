// Fibers. A switch pushes the callee-saved registers on the stack, exchanges the stack pointers and pops the
// other fiber's registers. Below each stack lies a guard page, so that a kernel that overruns its stack
// faults and does not overwrite its neighbour's.
#include "cpu/kernels/fiber.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define CP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CP_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define CP_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CP_TSAN 1
#endif
#endif

#ifdef CP_ASAN
void __sanitizer_start_switch_fiber(void **fake_stack_save, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack_save, const void **bottom_old, size_t *size_old);
void __asan_unpoison_memory_region(void const volatile *start, size_t size);
#endif
#ifdef CP_TSAN
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif

enum { STACK = 128 << 10, PAGE = 64 << 10 }; // PAGE: at least the page size of any system

#if defined(__x86_64__) || defined(__aarch64__)
#define CP_OWN_SWITCH 1
#else
#include <ucontext.h>
#endif

typedef struct fiber {
#ifdef CP_OWN_SWITCH
  void *sp; // NULL: not started
#else
  ucontext_t context;
  bool started;
#endif
  bool ended;
  void *fake; // AddressSanitizer's fake stack
  void *tsan;
} fiber;

struct cp_fibers {
  int count, current;
  char *memory; // `count` stacks, each with a guard page below
  size_t stack, step;
  void (*entry)(void *, int);
  void *data;
  fiber home; // state of the thread's own stack while a fiber runs
  const void *home_bottom;
  size_t home_size;
  fiber fibers[];
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// ---- the switch -------------------------------------------------------------------------------------------

#if defined(__x86_64__)
// Saves callee-saved registers and the control words of both floating-point units.
void cp_fiber_switch(void **from, void *to) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".globl cp_fiber_switch\n"
        ".hidden cp_fiber_switch\n"
        ".type cp_fiber_switch,@function\n"
        "cp_fiber_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size cp_fiber_switch,.-cp_fiber_switch\n");
enum { SAVED = 8 }; // words that a switch pops, the return address included

static void *first_frame(char *top, void (*start)(void)) {
  uint64_t *sp =
      (uint64_t *)(void *)top - 1; // where `start` expects its return address: aligned as after a call
  sp[0] = 0;
  sp -= SAVED;
  for (int k = 0; k < SAVED - 1; k++) sp[k] = 0;
  uint32_t modes[2] = {0x1f80, 0x037f};
  __builtin_memcpy(sp, modes, sizeof modes);
  sp[SAVED - 1] = (uint64_t)(uintptr_t)start;
  return sp;
}
#elif defined(__aarch64__)
void cp_fiber_switch(void **from, void *to) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".globl cp_fiber_switch\n"
        ".hidden cp_fiber_switch\n"
        ".type cp_fiber_switch,%function\n"
        "cp_fiber_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n  ret\n"
        ".size cp_fiber_switch,.-cp_fiber_switch\n");

static void *first_frame(char *top, void (*start)(void)) {
  uint64_t *sp = (uint64_t *)(void *)top - 20;
  for (int k = 0; k < 20; k++) sp[k] = 0;
  sp[11] = (uint64_t)(uintptr_t)start; // x30
  return sp;
}
#endif

// ---- fibers -----------------------------------------------------------------------------------------------

static _Thread_local cp_fibers *own;

static char *bottom_of(const cp_fibers *f, int number) {
  return f->memory + (size_t)number * f->step + (f->step - f->stack);
}

// Tells the sanitizers that the thread is about to switch to a stack. *fake receives the fake stack that it
// leaves; NULL: the fiber ends.
static void announce(const cp_fibers *f, int number, void **fake) {
#ifdef CP_ASAN
  if (number < 0)
    __sanitizer_start_switch_fiber(fake, f->home_bottom, f->home_size);
  else
    __sanitizer_start_switch_fiber(fake, bottom_of(f, number), f->stack);
#else
  (void)fake;
#endif
#ifdef CP_TSAN
  __tsan_switch_to_fiber(number < 0 ? f->home.tsan : f->fibers[number].tsan, 0);
#endif
  (void)f, (void)number;
}

// Tells the sanitizers that the thread has switched to the stack of `to`.
static void arrive(cp_fibers *f, fiber *to, bool from_home) {
#ifdef CP_ASAN
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(to->fake, &bottom, &size);
  if (from_home) {
    f->home_bottom = bottom;
    f->home_size = size;
  }
#else
  (void)f, (void)to, (void)from_home;
#endif
}

static void go(cp_fibers *f, fiber *from, fiber *to, int number, bool forever) {
  announce(f, number, forever ? NULL : &from->fake);
#ifdef CP_OWN_SWITCH
  cp_fiber_switch(&from->sp, to->sp);
#else
  swapcontext(&from->context, &to->context);
#endif
  (void)to;
}

static void start(void) {
  cp_fibers *f = own;
  fiber *me = &f->fibers[f->current];
  arrive(f, me, true);
  f->entry(f->data, f->current);
  me->ended = true;
  go(f, me, &f->home, -1, true);
  __builtin_unreachable();
}

static void prepare(cp_fibers *f, int number) {
  fiber *me = &f->fibers[number];
  me->ended = false;
  me->fake = NULL;
#ifdef CP_ASAN
  __asan_unpoison_memory_region(bottom_of(f, number), f->stack); // frames that never returned
#endif
#ifdef CP_OWN_SWITCH
  me->sp = first_frame(bottom_of(f, number) + f->stack, start);
#else
  getcontext(&me->context);
  me->context.uc_stack.ss_sp = bottom_of(f, number);
  me->context.uc_stack.ss_size = f->stack;
  me->context.uc_link = NULL;
  makecontext(&me->context, start, 0);
#endif
}

static void release(void *data) {
  cp_fibers *f = data;
#ifdef CP_TSAN
  for (int k = 0; k < f->count; k++) __tsan_destroy_fiber(f->fibers[k].tsan);
#endif
#ifdef CP_ASAN
  // other mappings may get these addresses
  __asan_unpoison_memory_region(f->memory, (size_t)f->count * f->step);
#endif
  munmap(f->memory, (size_t)f->count * f->step);
  free(f);
}

static void make_key(void) { pthread_key_create(&key, release); }

static cp_fibers *make(int count) {
  cp_fibers *f = calloc(1, sizeof *f + (size_t)count * sizeof *f->fibers);
  if (f == NULL) return NULL;
  long page = sysconf(_SC_PAGESIZE);
  f->count = count;
  f->stack = STACK;
  f->step = STACK + (size_t)(page > 0 ? page : PAGE);
  f->memory = mmap(NULL, (size_t)count * f->step, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (f->memory == MAP_FAILED) {
    free(f);
    return NULL;
  }
  for (int k = 0; k < count; k++) // only a guard, so it is left out where the system allows no more mappings
    (void)mprotect(f->memory + (size_t)k * f->step, f->step - f->stack, PROT_NONE);
#ifdef CP_TSAN
  for (int k = 0; k < count; k++) f->fibers[k].tsan = __tsan_create_fiber(0);
#endif
  return f;
}

cp_fibers *cp_fibers_get(int count) {
  if (own != NULL && own->count >= count) return own;
  pthread_once(&once, make_key);
  cp_fibers *f = make(count);
  if (f == NULL) return NULL;
  if (own != NULL) release(own);
  own = f;
  pthread_setspecific(key, f);
  return f;
}

void cp_fibers_keep(int most) {
  if (own == NULL || own->count <= most) return;
  release(own);
  own = NULL;
  pthread_setspecific(key, NULL);
}

void cp_fibers_start(cp_fibers *f, int count, void (*entry)(void *, int), void *data) {
  f->entry = entry;
  f->data = data;
#ifdef CP_TSAN
  f->home.tsan = __tsan_get_current_fiber();
#endif
  for (int k = 0; k < count; k++) prepare(f, k);
}

bool cp_fiber_resume(cp_fibers *f, int number) {
  f->current = number;
  go(f, &f->home, &f->fibers[number], number, false);
  arrive(f, &f->home, false);
  return f->fibers[number].ended;
}

void cp_fiber_suspend(cp_fibers *f) {
  fiber *me = &f->fibers[f->current];
  go(f, me, &f->home, -1, false);
  arrive(f, me, true);
}
