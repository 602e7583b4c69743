// The host's way to end work that takes too long (cupola_options.interrupt).
//
// Whoever works for long asks cp_poll between pieces of some milliseconds, in the thread that runs the state and nowhere else; cp_parallel (host/threads.h)
// does it for work that threads share. Work that was ended returns CP_EINTERRUPTED as it would any failure: what it was to write is written in part, and
// everything else is as it was.
#ifndef CP_DEVICE_INTERRUPT_H
#define CP_DEVICE_INTERRUPT_H

#include "device/context.h"

// Asks the host, which may well be asked more often than it answers anew: once in CP_POLL_EVERY seconds.
#define CP_POLL_EVERY 1e-3
cp_status cp_ask_host(cp_context *ctx);

// Whether somebody may end what this context does.
static inline bool cp_may_end(const cp_context *ctx) { return ctx != NULL && ctx->interrupt.ask != NULL; }

// CP_EINTERRUPTED: the host ends the running call.
static inline cp_status cp_poll(cp_context *ctx) { return cp_may_end(ctx) ? cp_ask_host(ctx) : CP_OK; }

// Waits until done(what) says so, or fails; asks the host meanwhile. It is asked often at first, then every half of a millisecond.
cp_status cp_wait_polling(cp_context *ctx, cp_status (*query)(void *what, bool *done), void *what);

#endif
