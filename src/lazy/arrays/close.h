// What ends: a state, and streams that go back to their owners.
#ifndef CP_LAZY_ARRAYS_CLOSE_H
#define CP_LAZY_ARRAYS_CLOSE_H

#include "device/context.h"

// Ends all that the state has: graphs, allocators, streams, modules. Blocks still live keep their memory.
void cp_context_close(cp_context *ctx);
// Gives an external stream back to its owner: waits for its work. Others lose the handle alone.
cp_status cp_stream_close(cp_stream *s);

#endif
