// Streams and events. Each device extends both structs with its own fields.
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

// Options of a new stream; zeros make an ordinary one.
typedef struct cp_stream_options {
  bool non_blocking; // this stream and CUDA's legacy default stream do not wait for each other
  int priority;      // below 0: its kernels go first; limited to the device's range
  bool external;     // `pointer` is a stream of the host program or another library, which still owns it
  uintptr_t pointer;
} cp_stream_options;

// Another stream, and the sequence number up to which it has been waited for.
typedef struct cp_waited_for {
  int slot; // the other stream's
  uint64_t sequence;
} cp_waited_for;
enum { CP_WAITED_FOR = 16 };

// A queue of work on one device, which runs in order.
//
// A state's streams live until the state is closed, so memory may refer to the streams that used it. A stream
// that no Lua object refers to any more is reused for the next request. Each piece of work has a sequence
// number in its stream.
struct cp_stream {
  cp_device *device;
  cp_context *context; // the owner; NULL in tests
  cp_stream *next;     // in the list ctx->capture.recorders
  cp_stream_options options;
  int slot;       // its number among the context's streams
  int handles;    // number of Lua objects that refer to it
  bool fresh;     // pending values may have joined it since it last launched all of them (force.h)
  bool closed;    // external and returned to the host, which no work of ours may use any more
  bool capturing; // work queued here is recorded for a graph (device/graph.h)
  // What the work is recorded into, on devices that use this field.
  struct cp_command_buffer *commands;
  uint64_t issued; // the last sequence number given out; 1 stands for all work before counting began
  uint64_t marked; // the stream's own event covers its work up to this sequence number
  // Up to where this stream already waits for others, at index slot % CP_WAITED_FOR; a newer entry replaces
  // an older one.
  cp_waited_for waited_for[CP_WAITED_FOR];
};

// A point in a stream's work.
struct cp_event {
  cp_device *device;
  bool timing;    // it measures time
  bool blocking;  // threads that wait for it sleep
  bool shared;    // other processes use it
  bool recorded;  // it was recorded at least once
  cp_event *next; // in the list of events that finalizers gave up
};

#endif
