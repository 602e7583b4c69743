// What the parts of the simulated libcuda.so.1 (driver.c) share.
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
  CHECK_ROWS,
  WRITE,
  JIT,
  RUN,
  CHILD,
  RELEASE,
  WAIT
} kind; // RELEASE and WAIT cannot be captured

typedef struct work {
  kind kind;
  void *to;
  const void *from;   // COPY: the source; LOOK_UP, WRITE, JIT, RUN: the kernel's arguments
  size_t bytes;       // COPY, SET: how many; LOOK_UP: the size of an element
  int value;          // SET: the byte; LOOK_UP: the size of a position
  stream *other;      // WAIT: the stream to wait for,
  unsigned long upto; // until it has done this many pieces of work
  graph *child;
  struct work *next;
} work;

struct graph {
  work *first, *last;
  int count; // pieces of work
};

struct stream {
  graph *capture; // the graph that records what is queued; NULL: the thread runs it
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  work *first, *last;
  unsigned long queued, done; // pieces of work since the beginning
  unsigned long wanted;       // how many of them something has waited for
  bool over;
  const void *context;
};

// ---- driver.c ----

int driver_setting(const char *name, int missing);
// Ends the process if forbidden: the library under test did what CUDA refuses, or what breaks its work.
void driver_forbid(bool forbidden, const char *what);
const void *driver_context(void); // the thread's current context
int driver_gpu(const void *context);
bool driver_reaches(int gpu, int other); // whether gpu may access the other's memory

// ---- memory.c ----

static inline void *driver_pointer(cpcu_deviceptr p) { return (void *)(uintptr_t)p; }
int driver_place(const void *p); // the GPU whose memory p points to, or HOST
void driver_free(void *p);

// ---- streams.c ----

stream *driver_stream(void *handle); // ends the process if the stream is not of the current context
int driver_queue(stream *s, work w);
void driver_finish(const void *context); // waits for all streams of the context

// ---- kernels.c ----

void driver_look_up(const work *w);
void driver_check_rows(const work *w);

// ---- writes.c ----

// Returns false if the name is that of another kernel.
bool driver_launch_write(const char *name, void *on, const void *slots, unsigned grid);
void driver_write(const work *w);

// ---- jit.c ----

// Returns false if the name is that of another kernel.
bool driver_launch_jit(const char *name, void *on, void **arguments, unsigned grid, bool cooperative);
bool driver_jit_parameter(const char *name, size_t index, size_t *size); // false: there are not so many
void driver_run_jit(const work *w);

// ---- host/run.c ----

// Whether the image is the path of a shared object, which has kernels that were compiled for the host.
bool driver_is_object(const char *image);
const void *driver_load(const char *path);                             // a module
const void *driver_find(const void *module, const char *name);         // a kernel, or NULL
bool driver_parameter(const void *kernel, size_t index, size_t *size); // false: there are not so many
// together: its blocks wait for each other.
int driver_launch(const void *kernel, const unsigned *grid, const unsigned *block, unsigned shared,
                  bool together, void *on, void **arguments);
void driver_run(const work *w);

// ---- textures.c ----

// Finds `width` bytes of a row of a CUDA array; false if they are outside of it.
bool driver_array_row(const void *array, size_t x, size_t y, size_t z, size_t width, char **row);

// ---- graphs.c ----

int driver_append(graph *g, work *w);
bool driver_capturing(void); // whether any stream is being captured

#endif
