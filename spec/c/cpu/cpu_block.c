// Checks blocks of fibers on the CPU device (cpu/kernels/block.h): barriers, votes, warps, threads that
// return early or wait for ever, blocks that wait for each other, and sets of fibers that grow and are reused
// after a failure.
#include "cpu/kernels/block.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(bool ok, const char *what) {
  if (ok) return;
  failures++;
  fprintf(stderr, "cpu_block: %s\n", what);
}

typedef struct block {
  cp_block_state *state;
  int count, rounds;
  long values[CP_MAX_BLOCK], sums[CP_MAX_BLOCK];
} block;

static const cp_block_host *host = &cp_block_functions;

// Every thread writes, waits at a barrier and reads its neighbour's value, several times, with a buffer on
// its stack.
static void neighbours(void *data, int t) {
  block *b = data;
  volatile char stack[1024];
  memset((void *)stack, t, sizeof stack);
  b->sums[t] = 0;
  for (int r = 0; r < b->rounds; r++) {
    b->values[t] = t + r;
    host->barrier(b->state, CP_VOTE_NONE, 0);
    b->sums[t] += b->values[(t + 1) % b->count];
    host->barrier(b->state, CP_VOTE_NONE, 0);
  }
  check(stack[1000] == (char)t, "a stack was overwritten");
}

static void votes(void *data, int t) {
  block *b = data;
  if (t % 4 == 3) return; // these return before the others reach the barrier
  int count = host->barrier(b->state, CP_VOTE_COUNT, t % 4 == 0);
  int all = host->barrier(b->state, CP_VOTE_AND, t % 4 != 3),
      some = host->barrier(b->state, CP_VOTE_OR, t == 1);
  b->sums[t] = count * 100 + all * 10 + some;
}

static void shuffles(void *data, int t) {
  block *b = data;
  int lane = t % CP_WARP;
  cp_warp_request r = {.op = CP_WARP_SHUFFLE, .argument = (lane + 1) % CP_WARP, .mask = 0xffffffffu};
  r.value = (unsigned long long)t;
  host->warp(b->state, &r);
  cp_warp_request half = {.op = CP_WARP_ADD, .mask = lane < 16 ? 0xffffu : 0xffff0000u, .value = 1};
  host->warp(b->state, &half);
  host->yield(b->state);
  b->sums[t] = (long)r.result * 100 + (long)half.result;
}

enum { BLOCKS = 3, EACH = 50 };

// Threads of BLOCKS blocks read what the opposite thread of the grid wrote, after a barrier of their own
// block that they reach in two places.
static void opposite(void *data, int t) {
  block *b = data;
  const int last = BLOCKS * EACH - 1;
  for (int r = 0; r < b->rounds; r++) {
    b->values[t] = t + r;
    if (t % EACH < 7)
      host->barrier(b->state, CP_VOTE_NONE, 0);
    else
      host->barrier(b->state, CP_VOTE_COUNT, 0);
    host->barrier(b->state, CP_VOTE_GRID, 0);
    b->sums[t] += b->values[last - t];
    host->barrier(b->state, CP_VOTE_GRID, 0);
  }
}

static void leaving(void *data, int t) {
  block *b = data;
  if (t / EACH == 1) return;
  b->values[t] = 1;
  host->barrier(b->state, CP_VOTE_GRID, 0);
  b->sums[t] = b->values[BLOCKS * EACH - 1 - t];
}

static void check_grid(void) {
  block *b = calloc(1, sizeof *b);
  if (b == NULL) return;
  b->state = cp_block_new(BLOCKS);
  b->rounds = 4;
  if (b->state != NULL) {
    check(cp_block_run(b->state, EACH, opposite, b) == NULL, "opposite threads ended with a problem");
    for (int t = 0; t < BLOCKS * EACH; t++)
      check(b->sums[t] == 4 * (BLOCKS * EACH - 1 - t) + 6, "a value of another block is wrong");
    memset(b->values, 0, sizeof b->values);
    check(cp_block_run(b->state, EACH, leaving, b) == NULL, "a block that left was waited for");
    for (int t = 0; t < EACH; t++) check(b->sums[t] == 1, "a value behind a block that left is wrong");
    check(cp_block_run(b->state, CP_MAX_TOGETHER / BLOCKS + 1, leaving, b) != NULL,
          "too many threads were taken");
  }
  free(b->state);
  free(b);
}

static void stuck(void *data, int t) {
  block *b = data;
  cp_warp_request r = {.op = CP_WARP_SYNC, .mask = 0xffffffffu};
  if (t < 3)
    host->barrier(b->state, CP_VOTE_NONE, 0);
  else
    host->warp(b->state, &r);
}

static void check_neighbours(block *b, int count) {
  b->count = count;
  b->rounds = 3;
  check(cp_block_run(b->state, count, neighbours, b) == NULL, "neighbours ended with a problem");
  for (int t = 0; t < count; t++)
    check(b->sums[t] == 3 * ((t + 1) % count) + 3, "a neighbour's value is wrong");
}

static void check_all(block *b) {
  check_neighbours(b, 1);
  check_neighbours(b, 33);
  check(cp_block_run(b->state, 100, votes, b) == NULL, "votes ended with a problem");
  for (int t = 0; t < 100; t++) check(t % 4 == 3 || b->sums[t] == 2511, "a vote is wrong");
  const char *problem = cp_block_run(b->state, 64, stuck, b);
  check(problem != NULL && strstr(problem, "for ever") != NULL,
        "threads that wait for ever were not noticed");
  check_neighbours(b, 64); // the same stacks again
  check(cp_block_run(b->state, 70, shuffles, b) == NULL, "shuffles ended with a problem");
  for (int t = 0; t < 64; t++)
    check(b->sums[t] == (t / CP_WARP * CP_WARP + (t + 1) % CP_WARP) * 100 + 16, "a shuffle is wrong");
  check_neighbours(b, CP_MAX_BLOCK); // a larger set
  check(cp_block_run(b->state, CP_MAX_BLOCK + 1, votes, b) != NULL, "too many threads were taken");
}

static void *run(void *unused) {
  (void)unused;
  block *b = calloc(1, sizeof *b);
  if (b != NULL) b->state = cp_block_new(1);
  if (b != NULL && b->state != NULL) check_all(b);
  check_grid();
  if (b != NULL) free(b->state);
  free(b);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  run(NULL);
  for (int k = 0; k < 2; k++) pthread_create(&threads[k], NULL, run, NULL);
  for (int k = 0; k < 2; k++) pthread_join(threads[k], NULL);
  return failures > 0;
}
