// The pool of threads that share the CPU device's work, sized to the processors this process may run on
// (CUPOLA_NUM_THREADS overrides). Threads start at the first use, block all signals, and are made anew after
// a fork. One job runs at a time; a job that finds the pool taken, or is asked for inside another, runs in
// its caller alone.
#ifndef CP_CPU_THREADS_H
#define CP_CPU_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cp_tasks cp_tasks;

// Takes the next of the job's task numbers; false when there is none left.
bool cp_next_task(cp_tasks *tasks, int64_t *task);

// Runs work(data, tasks) in the calling thread and, if share, in others at the same time; each call takes
// tasks 0 .. count-1 by cp_next_task until there are none. Returns when all are done. A call may return
// before (out of memory in its thread), as long as the call in the calling thread does not.
void cp_parallel(void (*work)(void *data, cp_tasks *tasks), void *data, int64_t count, bool share);

int cp_thread_count(void);
// Changes the number, 1 .. 1024.
void cp_set_thread_count(int count);

// Memory of the calling thread, aligned to 64 bytes, uninitialised, valid until its next call in this thread.
// NULL: none.
void *cp_arena(size_t bytes);

#endif
