// The pool of threads that share the CPU device's work, sized to the processors this process may run on
// (CUPOLA_NUM_THREADS, else OPENBLAS_NUM_THREADS, else OMP_NUM_THREADS overrides). Threads start at the first use, block all signals, and are made anew after
// a fork. One job runs at a time; a job that finds the pool taken, or is asked for inside another, runs in
// its caller alone.
#ifndef CP_HOST_THREADS_H
#define CP_HOST_THREADS_H

#include "device/interrupt.h"

#include <stdatomic.h>

typedef struct cp_tasks {
  _Atomic int64_t next;
  int64_t count;
  cp_context *ctx;      // whose host may end the job; NULL: nobody
  _Atomic bool stopped; // it did
} cp_tasks;

// Takes the next of the job's task numbers; false when there is none left, or the job is to end.
bool cp_take_task(cp_tasks *tasks, int64_t *task);
static inline bool cp_next_task(cp_tasks *tasks, int64_t *task) {
  if (tasks->count != 1 || tasks->ctx != NULL) return cp_take_task(tasks, task);
  *task =
      atomic_load_explicit(&tasks->next, memory_order_relaxed); // never shared: spare the locked instruction
  atomic_store_explicit(&tasks->next, 1, memory_order_relaxed);
  return *task == 0;
}

// For work in pieces within a task, which may take longer than 10 ms: whether there is to be another one. In the thread that called cp_parallel this asks the
// host. What is left after false is not done.
bool cp_ask_to_go_on(cp_tasks *tasks);
static inline bool cp_go_on(cp_tasks *tasks) { return tasks->ctx == NULL || cp_ask_to_go_on(tasks); }

// Runs work(data, tasks) in the calling thread and, if share, in others at the same time; each call takes
// tasks 0 .. count-1 by cp_next_task until there are none. Returns when all are done. A call may return
// before (out of memory in its thread), as long as the call in the calling thread does not.
// CP_EINTERRUPTED: the host ended it (ctx NULL: it is not asked). No thread works on it then, but some tasks are not done, or not whole.
cp_status cp_parallel(cp_context *ctx, void (*work)(void *data, cp_tasks *tasks), void *data, int64_t count,
                      bool share) __attribute__((warn_unused_result));
// The same for work that must be done whole: nobody may end it.
void cp_parallel_whole(void (*work)(void *data, cp_tasks *tasks), void *data, int64_t count, bool share);

int cp_thread_count(void);
// Changes the number, 1 .. 1024.
void cp_set_thread_count(int count);

// Memory of the calling thread, aligned to 64 bytes, uninitialised, valid until its next call in this thread.
// NULL: none.
void *cp_arena(size_t bytes);

#endif
