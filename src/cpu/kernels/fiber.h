// Fibers: stacks that one OS thread switches between by itself, announced to AddressSanitizer and ThreadSanitizer. A set of fibers belongs
// to the thread that made it.
#ifndef CP_CPU_KERNELS_FIBER_H
#define CP_CPU_KERNELS_FIBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cp_fibers cp_fibers;

// The calling thread's set with at least `count` fibers, kept for its next call. NULL: no memory.
cp_fibers *cp_fibers_get(int count);

// Starts every fiber 0..count-1 anew: its first resumption calls entry(data, number). Whatever they were doing is forgotten.
void cp_fibers_start(cp_fibers *f, int count, void (*entry)(void *data, int number), void *data);

// Runs fiber `number`, which has not ended, until it calls cp_fiber_suspend or its entry returns; true: it has ended.
bool cp_fiber_resume(cp_fibers *f, int number);

// Called in a fiber: goes back to where it was resumed.
void cp_fiber_suspend(cp_fibers *f);

#endif
