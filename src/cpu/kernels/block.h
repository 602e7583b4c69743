// Blocks of threads of a raw kernel on the CPU. The threads are fibers, with barriers, votes and shuffles
// among the lanes of a warp. Blocks run one after the other, or take turns if they wait for each other.
// Compiled kernels call the functions in cp_block_host. ORDER as in kernels/user/raw_cpu.h.
#ifndef CP_CPU_KERNELS_BLOCK_H
#define CP_CPU_KERNELS_BLOCK_H

#include "cpu/kernels/fiber.h"

#include <stdint.h>

enum {
  CP_WARP = 32,
  CP_MAX_BLOCK = 1024,
  CP_MAX_TOGETHER = 16384 // threads of blocks that wait for each other; each has a stack
};

typedef enum cp_vote {
  CP_VOTE_NONE,
  CP_VOTE_COUNT,
  CP_VOTE_AND,
  CP_VOTE_OR,
  CP_VOTE_GRID // no vote: all blocks wait for each other
} cp_vote;

// ORDER as in kernels/user/raw_cpu.h.
typedef enum cp_warp_op {
  CP_WARP_SYNC,
  CP_WARP_SHUFFLE, // result: the value of lane `argument`
  CP_WARP_BALLOT,  // result: the lanes whose value is not 0
  CP_WARP_MATCH,   // result: the lanes with the same value
  CP_WARP_ADD,     // on 32 bits, as those that follow
  CP_WARP_MIN,
  CP_WARP_MAX,
  CP_WARP_MIN_SIGNED,
  CP_WARP_MAX_SIGNED,
  CP_WARP_AND,
  CP_WARP_OR,
  CP_WARP_XOR
} cp_warp_op;

// What a lane passes to an operation of its warp, and the result.
typedef struct cp_warp_request {
  int op, argument;
  unsigned mask; // lanes that take part
  unsigned long long value, result;
} cp_warp_request;

typedef struct cp_blocks cp_block_state;

// Functions that compiled kernels call. `block` is the state of their blocks, or NULL if threads are not
// fibers.
typedef struct cp_block_host {
  int (*barrier)(cp_block_state *block, int vote, int predicate);
  void (*warp)(cp_block_state *block, cp_warp_request *request);
  void (*yield)(cp_block_state *block);
} cp_block_host;

extern const cp_block_host cp_block_functions;

// The state of so many blocks, which run at once: 1 for blocks that run one after the other. Free it with
// free(). NULL: out of memory.
cp_block_state *cp_block_new(int blocks);
// Runs entry(data, thread) for the threads of the state's blocks, each with `count`, as fibers of the calling
// thread; the numbers of the first block's threads come first. Returns NULL, or a message if a block failed
// and was left unfinished.
const char *cp_block_run(cp_block_state *b, int count, void (*entry)(void *data, int thread), void *data);

#endif
