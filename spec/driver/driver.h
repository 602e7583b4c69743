// The parts of the stand-in for libcuda.so.1 (driver.c) see this of each other.
#ifndef SPEC_DRIVER_H
#define SPEC_DRIVER_H

#include "cuda/driver/api.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_GPUS = 8, HOST = -1 };

typedef struct stream stream;
typedef struct graph graph;

typedef enum kind {
  COPY,
  SET,
  LOOK_UP,
  WRITE,
  CHILD,
  RELEASE,
  WAIT
} kind; // captures have none of the last two

typedef struct work {
  kind kind;
  void *to;
  const void *from;   // LOOK_UP, WRITE: the kernel's arguments
  size_t bytes;       // of a copy; of an element
  int value;          // to be set; bytes of a position
  stream *other;      // WAIT: for as many pieces of its work
  unsigned long upto; // as this
  graph *child;
  struct work *next;
} work;

struct graph {
  work *first, *last;
  int count; // pieces of work
};

struct stream {
  graph *capture; // what is queued goes there; NULL: to the thread
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  work *first, *last;
  unsigned long queued, done; // pieces of work, ever
  unsigned long wanted;       // so many were waited for
  bool over;
  const void *context;
};

// ---- driver.c ----

int driver_setting(const char *name, int missing);
// Ends the process: the library under test did what CUDA refuses, or what would spoil its work.
void driver_forbid(bool forbidden, const char *what);
const void *driver_context(void); // the thread's current one
int driver_gpu(const void *context);
bool driver_reaches(int gpu, int other); // access to its memory is switched on

// ---- memory.c ----

static inline void *driver_pointer(cpcu_deviceptr p) { return (void *)(uintptr_t)p; }
int driver_place(const void *p); // the GPU whose memory it is, or HOST
void driver_free(void *p);

// ---- streams.c ----

stream *driver_stream(void *handle); // a stream of the current context, or the process ends
int driver_queue(stream *s, work w);
void driver_finish(const void *context); // all of its streams

// ---- kernels.c ----

void driver_look_up(const work *w);

// ---- writes.c ----

// False: the kernel is another one.
bool driver_launch_write(const char *name, void *on, const void *slots, unsigned grid);
void driver_write(const work *w);

// ---- graphs.c ----

int driver_append(graph *g, work *w);
bool driver_capturing(void); // some stream is

#endif
