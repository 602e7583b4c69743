// Graphs on the CPU device: a command buffer holds the queued calls with their arguments, and a replay runs
// them in the same order. A replay runs no Lua.
#ifndef CP_CPU_RUN_COMMANDS_H
#define CP_CPU_RUN_COMMANDS_H

#include "device/graph.h"

// Replays one command, whose arguments were copied into the buffer.
typedef cp_status cp_command_replay(cp_context *ctx, cp_stream *s, void *arguments);

// Records a command in the command buffer of stream s: a copy of `size` bytes of arguments, and `more` bytes
// of room after them (aligned to 16). `kernel`: the command counts as a kernel. Returns the address of the
// copied arguments, or NULL with the error record filled when out of memory.
void *cp_commands_add(cp_stream *s, cp_command_replay *replay, const void *arguments, size_t size,
                      size_t more, bool kernel);

// The same for callers that want a status and need no extra room.
cp_status cp_commands_put(cp_stream *s, cp_command_replay *replay, const void *arguments, size_t size,
                          bool kernel);

// For calls that read a result or wait: CP_EUSAGE while s records.
cp_status cp_commands_refuse(const cp_stream *s);

#endif
