// Graphs on the CPU device: a tape of what was queued, with its arguments, which is played again in the same order. Nothing of Lua is run by it.
#ifndef CP_CPU_RUN_TAPE_H
#define CP_CPU_RUN_TAPE_H

#include "device/graph.h"

// Plays one piece of work, whose arguments were put on the tape.
typedef cp_status cp_command_replay(cp_context *ctx, cp_stream *s, void *arguments);

// Puts a piece of work on the tape of s, which records: a copy of `size` bytes of arguments and room for `more` behind them (aligned to 16), whose
// address is *at. kernel: it computes. NULL: out of memory, told in the error record.
void *cp_commands_add(cp_stream *s, cp_command_replay *replay, const void *arguments, size_t size,
                      size_t more, bool kernel);

// The same for functions that give a status and need no room.
cp_status cp_commands_put(cp_stream *s, cp_command_replay *replay, const void *arguments, size_t size,
                          bool kernel);

// For what reads or waits: CP_EUSAGE while s records.
cp_status cp_commands_refuse(const cp_stream *s);

#endif
