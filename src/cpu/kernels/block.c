// Threads are resumed in turn. A thread that waits is resumed only after the last arriving thread has
// released it. So a turn in which no thread can run means a deadlock.
#include "cpu/kernels/block.h"

#include <stdlib.h>
#include <string.h>

typedef struct lane {
  bool ended, waiting;
  cp_warp_request *request; // the warp operation that it waits in, or NULL
} lane;

struct cp_block {
  cp_fibers *fibers;
  int count, alive, current;
  // threads that arrived at the block's barrier, and how many of their predicates were true
  int arrived, predicates;
  int voters, yes; // the same, of the barrier passed last
  lane lanes[CP_MAX_BLOCK];
};

// ---- the barrier of a block -------------------------------------------------------------------------------

static void release_block(cp_block_state *b) {
  b->voters = b->arrived;
  b->yes = b->predicates;
  b->arrived = b->predicates = 0;
  for (int k = 0; k < b->count; k++)
    if (b->lanes[k].request == NULL) b->lanes[k].waiting = false;
}

// Threads that have ended count as arrived.
static int barrier(cp_block_state *b, int vote, int predicate) {
  if (b == NULL) abort(); // unreachable: texts with barriers are run as fibers
  b->arrived++;
  b->predicates += predicate != 0;
  if (b->arrived == b->alive) {
    release_block(b);
  } else {
    b->lanes[b->current].waiting = true;
    cp_fiber_suspend(b->fibers);
  }
  switch (vote) {
  case CP_VOTE_COUNT: return b->yes;
  case CP_VOTE_AND: return b->yes == b->voters;
  case CP_VOTE_OR: return b->yes > 0;
  default: return 0;
  }
}

// ---- operations of a warp ---------------------------------------------------------------------------------

static unsigned combine(int op, unsigned a, unsigned b) {
  switch (op) {
  case CP_WARP_ADD: return a + b;
  case CP_WARP_MIN: return a < b ? a : b;
  case CP_WARP_MAX: return a > b ? a : b;
  case CP_WARP_MIN_SIGNED: return (int)a < (int)b ? a : b;
  case CP_WARP_MAX_SIGNED: return (int)a > (int)b ? a : b;
  case CP_WARP_AND: return a & b;
  case CP_WARP_OR: return a | b;
  default: return a ^ b;
  }
}

// The result of one lane's request, from the requests of the lanes in `group`.
static unsigned long long answer(const lane *warp, unsigned group, int me) {
  const cp_warp_request *r = warp[me].request;
  unsigned mask = 0, total = (unsigned)r->value;
  if (r->op == CP_WARP_SHUFFLE) {
    bool there = r->argument >= 0 && r->argument < CP_WARP && (group >> r->argument & 1) != 0;
    return there ? warp[r->argument].request->value : r->value;
  }
  for (int k = 0; k < CP_WARP; k++) {
    if ((group >> k & 1) == 0) continue;
    unsigned long long v = warp[k].request->value;
    if (r->op == CP_WARP_BALLOT ? v != 0 : v == r->value) mask |= 1U << k;
    if (k != me && r->op >= CP_WARP_ADD) total = combine(r->op, total, (unsigned)v);
  }
  return r->op == CP_WARP_BALLOT || r->op == CP_WARP_MATCH ? mask : total;
}

// Completes the operation of `leader` if all lanes that take part have arrived.
static void settle(lane *warp, unsigned alive, int leader) {
  const cp_warp_request *r = warp[leader].request;
  unsigned group = r->mask & alive;
  for (int k = 0; k < CP_WARP; k++) {
    if ((group >> k & 1) == 0) continue;
    if (warp[k].request == NULL || warp[k].request->mask != r->mask || warp[k].request->op != r->op) return;
  }
  for (int k = 0; k < CP_WARP; k++)
    if (group >> k & 1) warp[k].request->result = answer(warp, group, k);
  for (int k = 0; k < CP_WARP; k++) {
    if ((group >> k & 1) == 0) continue;
    warp[k].request = NULL;
    warp[k].waiting = false;
  }
}

static unsigned alive_lanes(const cp_block_state *b, int first) {
  unsigned alive = 0;
  for (int k = 0; k < CP_WARP && first + k < b->count; k++)
    if (!b->lanes[first + k].ended) alive |= 1U << k;
  return alive;
}

static void warp(cp_block_state *b, cp_warp_request *request) {
  if (b == NULL) abort();
  int me = b->current, first = me / CP_WARP * CP_WARP;
  request->mask |= 1U << (me - first);
  b->lanes[me].request = request;
  b->lanes[me].waiting = true;
  settle(b->lanes + first, alive_lanes(b, first), me - first);
  if (b->lanes[me].waiting) cp_fiber_suspend(b->fibers);
}

static void yield(cp_block_state *b) {
  if (b != NULL) cp_fiber_suspend(b->fibers);
}

const cp_block_host cp_block_functions = {barrier, warp, yield};

// ---- a block ----------------------------------------------------------------------------------------------

// Called when a thread ends, since waiting threads may have waited for it.
static void end_thread(cp_block_state *b, int thread) {
  int first = thread / CP_WARP * CP_WARP;
  b->lanes[thread].ended = true;
  b->alive--;
  if (b->arrived > 0 && b->arrived == b->alive) release_block(b);
  unsigned alive = alive_lanes(b, first);
  for (int k = 0; k < CP_WARP && first + k < b->count; k++)
    if (b->lanes[first + k].request != NULL) settle(b->lanes + first, alive, k);
}

static const char *run_threads(cp_block_state *b) {
  while (b->alive > 0) {
    bool ran = false;
    for (int k = 0; k < b->count; k++) {
      if (b->lanes[k].ended || b->lanes[k].waiting) continue;
      ran = true;
      b->current = k;
      if (cp_fiber_resume(b->fibers, k)) end_thread(b, k);
    }
    if (!ran)
      return "threads of a block wait for each other for ever: not all of them reach the same "
             "__syncthreads(), or not all lanes "
             "of a mask the same warp function";
  }
  return NULL;
}

cp_block_state *cp_block_new(void) { return malloc(sizeof(cp_block_state)); }

const char *cp_block_run(cp_block_state *b, int count, void (*entry)(void *data, int thread), void *data) {
  cp_fibers *fibers = count <= CP_MAX_BLOCK ? cp_fibers_get(count) : NULL;
  if (fibers == NULL) return "no memory for the stacks of its threads";
  b->fibers = fibers;
  b->count = b->alive = count;
  b->arrived = b->predicates = 0;
  memset(b->lanes, 0, (size_t)count * sizeof *b->lanes);
  cp_fibers_start(fibers, count, entry, data);
  return run_threads(b);
}
