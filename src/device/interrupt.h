// The host's way to end work that takes too long (cupola_options.interrupt).
//
// Long work calls cp_poll every few milliseconds, and only in the thread that runs the state; cp_parallel
// (host/threads.h) does this for work shared by threads. Interrupted work returns CP_EINTERRUPTED like any
// other failure: its results may be incomplete, and nothing else has changed.
#ifndef CP_DEVICE_INTERRUPT_H
#define CP_DEVICE_INTERRUPT_H

#include "device/context.h"

// Asks the host whether to end the running call. However often this is called, the host's function is called
// at most once in CP_POLL_EVERY seconds.
#define CP_POLL_EVERY 1e-3
cp_status cp_ask_host(cp_context *ctx);

// Whether the host can end this context's work.
static inline bool cp_may_end(const cp_context *ctx) { return ctx != NULL && ctx->interrupt.ask != NULL; }

// CP_EINTERRUPTED: the host ends the running call.
static inline cp_status cp_poll(cp_context *ctx) { return cp_may_end(ctx) ? cp_ask_host(ctx) : CP_OK; }

// Waits until query(what, &done) sets done or fails, and polls the host meanwhile. It calls query often at
// first, then every half millisecond.
cp_status cp_wait_polling(cp_context *ctx, cp_status (*query)(void *what, bool *done), void *what);

#endif
