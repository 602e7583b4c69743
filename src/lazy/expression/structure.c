// Describes expressions (structure.h).
#include "lazy/expression/structure.h"

#include "lazy/expression/graph.h"

#include <string.h>

enum { ALIGNMENT = 64 }; // what plans ask of addresses divides it

// So many words a node takes at most: its head, arguments, shape and strides, and what its kind adds.
enum { MOST_WORDS = 3 + 2 * CP_MAXDIM + 2 };
_Static_assert(CP_MAX_ARGS <= 8, "positions of arguments, of a byte each, fill a word");
_Static_assert(CP_MOST_DESCRIBED <= 255, "a position takes a byte");

static void put(cp_structure *s, uint64_t word) { s->words[s->nwords++] = word; }

static void put_double(cp_structure *s, double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  put(s, bits);
}

static bool is_described(const cp_node *n) {
  if (n->apart || n->looks || n->traced || n->ndim > CP_MAXDIM) return false;
  if (n->kind == CP_NODE_LEAF) return n->u.leaf.moves == NULL;
  return n->kind != CP_NODE_OP || (n->op != CP_OP_call && n->op != CP_OP_masked && !cp_is_placeholder(n));
}

// Adds n unless it has been; -1: there is no room.
static int add(const cp_context *ctx, cp_structure *s, cp_node *n) {
  if (n->mark >= 0) return n->mark;
  if (s->count == CP_MOST_DESCRIBED || !is_described(n)) return -1;
  n->epoch = ctx->lazy.epoch;
  n->mark = s->count;
  s->nodes[s->count] = n;
  return s->count++;
}

static bool put_args(const cp_context *ctx, cp_structure *s, const cp_node *n) {
  uint64_t word = 0;
  for (int k = 0; k < n->nargs; k++) {
    int at = add(ctx, s, n->args[k]);
    if (at < 0) return false;
    word |= (uint64_t)at << 8 * k;
  }
  put(s, word);
  return true;
}

// Which of the addresses it is, and how it is aligned.
static void put_address(cp_structure *s, const cp_node *leaf) {
  const uintptr_t address = (uintptr_t)leaf->u.leaf.buffer->pointer + (uintptr_t)leaf->u.leaf.offset;
  int k = 0;
  s->addresses[s->naddresses] = address;
  while (s->addresses[k] != address) k++;
  s->naddresses += k == s->naddresses;
  put(s, (uint64_t)k << 8 | address % ALIGNMENT);
}

static void put_head(cp_structure *s, const cp_node *n) {
  uint64_t flags = (uint64_t)n->costly | (uint64_t)n->reduces << 1 | (uint64_t)n->read << 2 |
                   (uint64_t)n->awaited << 3 | (uint64_t)n->exposed << 4 | (uint64_t)n->view << 62 |
                   (uint64_t)n->planned << 63;
  put(s, flags | (uint64_t)n->kind << 5 | (uint64_t)n->nargs << 7 | (uint64_t)n->ndim << 11 |
             (uint64_t)n->dtype << 18 | (uint64_t)n->loop << 26 | (uint64_t)n->op << 34);
}

static bool put_node(const cp_context *ctx, cp_structure *s, const cp_node *n) {
  if (s->nwords + MOST_WORDS > CP_STRUCTURE_WORDS) return false;
  put_head(s, n);
  cp_copy_lengths((int64_t *)s->words + s->nwords, n->dims, 2 * n->ndim); // the strides, too
  s->nwords += 2 * n->ndim;
  if (n->kind == CP_NODE_LEAF) put_address(s, n);
  if (n->kind == CP_NODE_INDEX) put(s, (uint64_t)n->u.start);
  if (n->kind != CP_NODE_OP) return true;
  if (n->op == CP_OP_reduce) {
    put(s, (uint64_t)n->u.reduction.red << 32 | n->u.reduction.axes);
    put_double(s, n->u.reduction.parameter);
  }
  return put_args(ctx, s, n);
}

static uint64_t hash_of(const uint64_t *words, int count) {
  uint64_t h = 0;
  for (int k = 0; k < count; k++) h = h * 0x9e3779b97f4a7c15U + words[k];
  return h ^ h >> 32;
}

bool cp_describe(cp_context *ctx, int count, cp_node *const *roots, cp_structure *s) {
  bool whole = true;
  if (++ctx->lazy.epoch == 0) ctx->lazy.epoch = 1; // new nodes have 0
  s->count = s->nwords = s->naddresses = 0;
  s->settled = ctx->lazy.settled;
  put(s, (uint64_t)(uintptr_t)roots[0]->device);
  put(s, (uint64_t)count << 1 | (ctx->lazy.nreductions > 1));
  for (int k = 0; k < count && whole; k++) {
    int at = add(ctx, s, roots[k]);
    whole = at >= 0;
    put(s, (uint64_t)(at + 1) << 1 | (roots[k]->weight.ops > 1));
  }
  for (int k = 0; k < s->count && whole; k++) whole = put_node(ctx, s, s->nodes[k]);
  for (int k = 0; k < s->count; k++) s->nodes[k]->mark = -1;
  s->hash = whole ? hash_of(s->words, s->nwords) : 0;
  return whole;
}

int cp_described(const cp_structure *s, const cp_node *n) {
  int k = s->count - 1;
  while (k >= 0 && s->nodes[k] != n) k--;
  return k;
}
