// How deep C and Lua may call each other. Lua 5.4 stops at 200 levels and LuaJIT at some thousand, whatever the thread's stack holds; a level of a
// function that calls back takes up to some KB.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // pthread_getattr_np
#endif
#include "lua/state/depth.h"
#include "lua/state/error.h"

#include <pthread.h>

enum { RESERVE = 64 << 10 }; // for what runs next without calling back: plans, BLAS, messages

// The stack of this thread. Fibers of a host's stand outside of it: nothing is known of theirs.
static _Thread_local struct {
  bool asked;
  uintptr_t low, high;
} stack;

static void ask(void) {
  stack.asked = true;
#ifdef __GLIBC__
  pthread_attr_t attributes;
  void *low;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    stack.low = (uintptr_t)low;
    stack.high = (uintptr_t)low + size;
  }
  pthread_attr_destroy(&attributes);
#endif
}

void cp_check_depth(lua_State *L, const char *where) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (!stack.asked) ask();
  if (here >= stack.low && here < stack.high && here - stack.low < RESERVE)
    cp_raise(L, where, CP_EUSAGE, "calls are nested too deeply for this thread's stack");
}

void cp_call(lua_State *L, const char *where, int arguments, int results) {
  cp_check_depth(L, where);
  lua_call(L, arguments, results);
}
