// Asks the host whether to end the running call, and waits that can be ended (interrupt.h).
#include "device/interrupt.h"

#include <sched.h>
#include <time.h>

cp_status cp_ask_host(cp_context *ctx) {
  double now = cp_clock();
  if (now < ctx->interrupt.due) return CP_OK;
  ctx->interrupt.due = now + CP_POLL_EVERY;
  if (ctx->interrupt.ask(ctx->interrupt.user) == 0) return CP_OK;
  ctx->interrupt.due = 0; // the next call asks the host at once
  return cp_fail(CP_EINTERRUPTED, "interrupted by the host");
}

cp_status cp_wait_polling(cp_context *ctx, cp_status (*query)(void *what, bool *done), void *what) {
  enum { PATIENCE = 200 };
  const struct timespec pause = {.tv_nsec = 500000};
  bool done = false;
  for (int round = 0;; round++) {
    CP_TRY(query(what, &done));
    if (done) return CP_OK;
    CP_TRY(cp_poll(ctx));
    if (round < PATIENCE)
      sched_yield();
    else
      nanosleep(&pause, NULL);
  }
}
