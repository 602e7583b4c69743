// Streams and events of a device. Devices extend both.
#ifndef CP_DEVICE_STREAM_H
#define CP_DEVICE_STREAM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cp_device cp_device;
typedef struct cp_context cp_context;
typedef struct cp_stream cp_stream;
typedef struct cp_event cp_event;

// What a stream is made with; zeros make a plain one.
typedef struct cp_stream_options {
  bool non_blocking; // does not wait for CUDA's legacy default stream, nor that one for it
  int priority;      // below 0: its kernels go first; cut to what the device knows
  bool external;     // `pointer` is a stream of the host program or of another library, which keeps owning it
  uintptr_t pointer;
} cp_stream_options;

// Up to which ticket another stream is waited for.
typedef struct cp_waited_for {
  int slot; // the other's
  uint64_t sequence;
} cp_waited_for;
enum { CP_WAITED_FOR = 16 };

// A queue of work of one device, in order. Devices extend it.
//
// A state's streams live until the state is closed, so memory may name the streams that used it; one that no
// Lua object names any more is taken for the next that is asked for. Work is counted: a ticket is the number
// of a work in its stream.
struct cp_stream {
  cp_device *device;
  cp_context *context; // whose it is; NULL in tests
  cp_stream *next;     // of ctx->capture.recorders
  cp_stream_options options;
  int slot;       // its number among the context's streams
  int handles;    // objects of Lua that name it
  bool fresh;     // values may wait for it that were asked for since it last launched what waits (pending.h)
  bool over;      // an external one that was given back: its work was waited for, it must not be touched
  bool capturing; // what is queued here is recorded for a graph (device/graph.h)
  struct cp_command_buffer *commands; // where to, on devices that keep it there
  uint64_t issued;                    // tickets so far (from 1: what was queued before tickets were counted)
  uint64_t marked;                    // up to this ticket the stream's own event covers its work
  cp_waited_for waited_for
      [CP_WAITED_FOR]; // what it waits for already, by the rest of the other's slot; no more is remembered
};

// A place in a stream.
struct cp_event {
  cp_device *device;
  bool timing;    // it has a time
  bool blocking;  // threads that wait for it sleep
  bool recorded;  // at least once
  cp_event *next; // among the events that a finalizer gave up
};

#endif
