// Threads of a block are resumed in turn. A thread that waits is resumed only after the last arriving thread
// has released it. So a turn in which no thread can run means a deadlock, or that all wait for other blocks.
#include "cpu/kernels/block.h"

#include <stdlib.h>
#include <string.h>

typedef struct lane {
  bool ended, waiting, at_grid; // at_grid: it waits for the other blocks
  cp_warp_request *request;     // the warp operation that it waits in, or NULL
} lane;

typedef struct block {
  int first; // the fiber of its first thread
  int count, alive, current;
  int at_grid; // threads that wait for the other blocks
  // threads that arrived at the block's barrier, and how many of their predicates were true
  int arrived, predicates;
  int voters, yes; // the same, of the barrier passed last
  lane lanes[CP_MAX_BLOCK];
} block;

struct cp_blocks {
  cp_fibers *fibers;
  int count, current;
  block list[];
};

// ---- the barrier of a block -------------------------------------------------------------------------------

static void release_block(block *b) {
  b->voters = b->arrived;
  b->yes = b->predicates;
  b->arrived = b->predicates = 0;
  for (int k = 0; k < b->count; k++)
    if (b->lanes[k].request == NULL && !b->lanes[k].at_grid) b->lanes[k].waiting = false;
}

// Waits until the threads of all blocks have arrived here or ended.
static void wait_for_grid(cp_block_state *s, block *b) {
  b->lanes[b->current].at_grid = b->lanes[b->current].waiting = true;
  b->at_grid++;
  cp_fiber_suspend(s->fibers);
}

// Threads that have ended count as arrived.
static int barrier(cp_block_state *s, int vote, int predicate) {
  if (s == NULL) abort(); // unreachable: texts with barriers are run as fibers
  block *b = &s->list[s->current];
  b->arrived++;
  b->predicates += predicate != 0;
  if (b->arrived == b->alive) {
    release_block(b);
  } else {
    b->lanes[b->current].waiting = true;
    cp_fiber_suspend(s->fibers);
  }
  switch (vote) {
  case CP_VOTE_GRID: wait_for_grid(s, b); return 0;
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

static unsigned alive_lanes(const block *b, int first) {
  unsigned alive = 0;
  for (int k = 0; k < CP_WARP && first + k < b->count; k++)
    if (!b->lanes[first + k].ended) alive |= 1U << k;
  return alive;
}

static void warp(cp_block_state *s, cp_warp_request *request) {
  if (s == NULL) abort();
  block *b = &s->list[s->current];
  int me = b->current, first = me / CP_WARP * CP_WARP;
  request->mask |= 1U << (me - first);
  b->lanes[me].request = request;
  b->lanes[me].waiting = true;
  settle(b->lanes + first, alive_lanes(b, first), me - first);
  if (b->lanes[me].waiting) cp_fiber_suspend(s->fibers);
}

static void yield(cp_block_state *s) {
  if (s != NULL) cp_fiber_suspend(s->fibers);
}

const cp_block_host cp_block_functions = {barrier, warp, yield};

// ---- a block ----------------------------------------------------------------------------------------------

// Called when a thread ends, since waiting threads may have waited for it.
static void end_thread(block *b, int thread) {
  int first = thread / CP_WARP * CP_WARP;
  b->lanes[thread].ended = true;
  b->alive--;
  if (b->arrived > 0 && b->arrived == b->alive) release_block(b);
  unsigned alive = alive_lanes(b, first);
  for (int k = 0; k < CP_WARP && first + k < b->count; k++)
    if (b->lanes[first + k].request != NULL) settle(b->lanes + first, alive, k);
}

// Runs the threads of a block until all have ended or wait for the other blocks.
static const char *run_threads(cp_fibers *fibers, block *b) {
  while (b->alive > b->at_grid) {
    bool ran = false;
    for (int k = 0; k < b->count; k++) {
      if (b->lanes[k].ended || b->lanes[k].waiting) continue;
      ran = true;
      b->current = k;
      if (cp_fiber_resume(fibers, b->first + k)) end_thread(b, k);
    }
    if (!ran)
      return "threads of a block wait for each other for ever: not all of them reach the same "
             "__syncthreads(), or not all lanes "
             "of a mask the same warp function";
  }
  return NULL;
}

// ---- all blocks -------------------------------------------------------------------------------------------

static void release_grid(block *b) {
  b->at_grid = 0;
  for (int k = 0; k < b->count; k++) {
    if (b->lanes[k].at_grid) b->lanes[k].waiting = false;
    b->lanes[k].at_grid = false;
  }
}

// Runs all blocks in turn, each as far as it can get without the others.
static const char *run_blocks(cp_block_state *s) {
  for (int alive = 1; alive > 0;) {
    alive = 0;
    for (s->current = 0; s->current < s->count; s->current++) {
      block *b = &s->list[s->current];
      const char *problem = run_threads(s->fibers, b);
      if (problem != NULL) return problem;
      alive += b->alive;
    }
    for (int k = 0; k < s->count; k++) release_grid(&s->list[k]);
  }
  return NULL;
}

cp_block_state *cp_block_new(int blocks) {
  cp_block_state *s = malloc(sizeof *s + (size_t)blocks * sizeof *s->list);
  if (s != NULL) s->count = blocks;
  return s;
}

static void start_block(block *b, int first, int count) {
  b->first = first;
  b->count = b->alive = count;
  b->arrived = b->predicates = b->at_grid = 0;
  memset(b->lanes, 0, (size_t)count * sizeof *b->lanes);
}

const char *cp_block_run(cp_block_state *s, int count, void (*entry)(void *data, int thread), void *data) {
  int total = s->count * count;
  s->fibers = count <= CP_MAX_BLOCK && total <= CP_MAX_TOGETHER ? cp_fibers_get(total) : NULL;
  if (s->fibers == NULL) return "no memory for the stacks of its threads";
  for (int k = 0; k < s->count; k++) start_block(&s->list[k], k * count, count);
  cp_fibers_start(s->fibers, total, entry, data);
  const char *problem = run_blocks(s);
  cp_fibers_keep(CP_MAX_BLOCK);
  return problem;
}
