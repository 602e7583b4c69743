// Limits how deeply C and Lua call each other, by the space that is left on the thread's stack. Lua 5.4 stops
// at 200 levels and LuaJIT at a few thousand, however small the stack is, and one level of a function that
// calls back may take several KB.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // pthread_getattr_np
#endif
#include "lua/state/depth.h"
#include "lua/state/error.h"

#include <pthread.h>

// Bytes kept free for what runs without calling back: plans, BLAS, error messages.
enum { RESERVE = 64 << 10 };

// The bounds of this thread's stack; both are 0 if they are unknown. A fiber of the host runs on a stack of
// its own, outside these bounds, and is not checked.
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

int cp_call_checked(lua_State *L) {
  cp_call(L, "call", lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}
