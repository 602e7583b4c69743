// Waiting for a GPU ends when the host interrupts it (cupola_options.interrupt), and the work itself goes on.
// spec/devices/transfer_spec.lua runs this on the simulated driver (spec/driver), with slow copies.
#include "host.h"

#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double end; // the time from which the host interrupts calls; 0: never

static int ask(void *user) {
  (void)user;
  return end > 0 && now() > end;
}

// Queues about half a second of work, and waits for it in this way, which must be interrupted.
static void interrupt(lua_State *L, const char *way) {
  char script[512];
  run(L, "x, y = cp.cpu.arange(1000), {} for k = 1, 60 do y[k] = x:to('cuda:0') end event = "
         "cp.cuda.Event():record()");
  snprintf(
      script, sizeof script,
      "local ok, message = pcall(function() %s end)\n"
      "assert(not ok and message:find('interrupted by the host', 1, true), [[%s: ]] .. tostring(message))\n"
      "assert(not event:query(), 'there was nothing to wait for')",
      way, way);
  double begin = now();
  end = begin + 0.05;
  run(L, script);
  EXPECT(now() - begin < 0.5);
  end = 0;
  run(L, "for k = 10, 60, 10 do assert((y[k]:to('cpu') - x):abs():max():item() == 0) end\n"
         "event:synchronize() cp.synchronize() assert(event:query())");
}

int main(void) {
  cupola_options options = {.size = sizeof options, .device = "cuda:0", .interrupt = ask};
  lua_State *L = new_state(&options);
  run(L, "cp = cupola");
  interrupt(L, "cp.synchronize()");
  interrupt(L, "event:synchronize()");
  interrupt(L, "cp.cuda.get_current_stream():synchronize()");
  interrupt(L, "return y[60]:to('cpu')");
  interrupt(L, "return y[60]:totable()");
  interrupt(L, "return y[60][3]");
  interrupt(L, "cp.cuda.runtime.deviceSynchronize()");
  interrupt(L, "local z = cp.cpu.zeros(1e7):to('cuda:0')");
  end = now() - 1;
  lua_close(L);
  printf("%d wrong\n", wrong);
  return wrong > 0;
}
