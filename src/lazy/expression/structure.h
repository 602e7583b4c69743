// The structure of expressions, as words: all that decides how they are planned, but not where their leaves
// lie in memory, or the values of their numbers. Expressions of equal structure run by equal plans.
#ifndef CP_LAZY_EXPRESSION_STRUCTURE_H
#define CP_LAZY_EXPRESSION_STRUCTURE_H

#include "lazy/expression/node.h"

enum { CP_MOST_DESCRIBED = 64, CP_STRUCTURE_WORDS = 768 };

typedef struct cp_structure {
  int count;                         // of nodes
  cp_node *nodes[CP_MOST_DESCRIBED]; // the roots first; not retained
  unsigned settled;                  // ctx->lazy.settled; the nodes exist while it stays the same
  int naddresses;
  uintptr_t addresses[CP_MOST_DESCRIBED]; // of leaves, each once
  int nwords;
  uint64_t hash;
  uint64_t words[CP_STRUCTURE_WORDS];
} cp_structure;

// Describes the roots. The last walk has then seen what they are made of. False: there are too many nodes, or
// some of them (with moves, masks, placeholders or functions) are not described.
bool cp_describe(cp_context *ctx, int count, cp_node *const *roots, cp_structure *s);
// The position of n among the nodes; -1: it is none of them.
int cp_described(const cp_structure *s, const cp_node *n);

#endif
