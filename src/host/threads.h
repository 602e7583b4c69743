// The thread pool of the CPU device, as large as the number of processors that this process may run on,
// unless CUPOLA_NUM_THREADS, else OPENBLAS_NUM_THREADS, else OMP_NUM_THREADS says otherwise. Threads start at
// the first use, block all signals, and are started anew after a fork. One job runs at a time: a job that
// finds the pool busy, or is started inside another, runs in its caller alone.
#ifndef CP_HOST_THREADS_H
#define CP_HOST_THREADS_H

#include "device/interrupt.h"

#include <stdatomic.h>

typedef struct cp_tasks {
  _Atomic int64_t next;
  int64_t count;
  cp_context *ctx;      // its host may interrupt the job; NULL: no host is asked
  _Atomic bool stopped; // the host has interrupted the job
} cp_tasks;

// Takes the job's next task number; false when none is left, or the job is interrupted.
bool cp_take_task(cp_tasks *tasks, int64_t *task);
static inline bool cp_next_task(cp_tasks *tasks, int64_t *task) {
  if (tasks->count != 1 || tasks->ctx != NULL) return cp_take_task(tasks, task);
  // A single task is never shared, so no locked instruction is needed.
  *task = atomic_load_explicit(&tasks->next, memory_order_relaxed);
  atomic_store_explicit(&tasks->next, 1, memory_order_relaxed);
  return *task == 0;
}

// A task that may take longer than 10 ms calls this between its parts; false: it must return without doing
// the rest. In the thread that called cp_parallel this asks the host.
bool cp_ask_to_go_on(cp_tasks *tasks);
static inline bool cp_go_on(cp_tasks *tasks) { return tasks->ctx == NULL || cp_ask_to_go_on(tasks); }

// Runs work(data, tasks) in the calling thread and, if share, in others at the same time. Each call takes
// tasks from 0 .. count-1 by cp_next_task until none is left. Returns when all are done. A call in another
// thread may return early (out of memory), the one in the calling thread may not. CP_EINTERRUPTED: the host
// interrupted the job (ctx NULL: it is not asked). Then no thread works on it any more, but some tasks are
// not done or half done.
cp_status cp_parallel(cp_context *ctx, void (*work)(void *data, cp_tasks *tasks), void *data, int64_t count,
                      bool share) __attribute__((warn_unused_result));
// The same for work that must not be interrupted.
void cp_parallel_whole(void (*work)(void *data, cp_tasks *tasks), void *data, int64_t count, bool share);

int cp_thread_count(void);
// Sets the number of threads, clamped to 1 .. 1024.
void cp_set_thread_count(int count);

// Scratch memory of the calling thread, uninitialized, aligned to 64 bytes and valid until the thread's next
// call. NULL when there is none.
void *cp_arena(size_t bytes);

#endif
