// Closes states, and gives streams back to their owners.
#ifndef CP_LAZY_ARRAYS_CLOSE_H
#define CP_LAZY_ARRAYS_CLOSE_H

#include "device/context.h"

// Destroys what the state has: graphs, allocators, streams, modules. Blocks that are still in use keep their
// memory.
void cp_context_close(cp_context *ctx);
// Removes a handle of the stream. An external stream goes back to its owner, after its work has been waited
// for.
cp_status cp_stream_close(cp_stream *s);

#endif
