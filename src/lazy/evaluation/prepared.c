// Keeps the plans of batches (prepared.h).
#include "lazy/evaluation/prepared.h"

#include "lazy/evaluation/phases.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64, NOWHERE = 255 };

struct cp_prepared {
  uint64_t hash;
  int nwords;
  int ndim; // of the domain
  uint32_t axes;
  int64_t shape[CP_MAXDIM];
  cp_prepared_outputs outputs;
  unsigned char leaves[CP_MAX_LEAVES], scalars[CP_MAX_SCALARS]; // positions of nodes; NOWHERE: no memory
  uint64_t words[];                                             // then the plan
};

// A slot has the hash of the last structure that was seen, and what was prepared for one that came again.
typedef struct cp_prepared_table {
  uint64_t seen[SLOTS];
  cp_prepared *slots[SLOTS];
} cp_prepared_table;

const cp_prepared *cp_prepared_of(const cp_context *ctx, const cp_structure *s) {
  if (ctx->lazy.prepared == NULL) return NULL;
  const cp_prepared *known = ctx->lazy.prepared->slots[s->hash % SLOTS];
  bool same = known != NULL && known->hash == s->hash && known->nwords == s->nwords &&
              memcmp(known->words, s->words, (size_t)s->nwords * sizeof *s->words) == 0;
  return same ? known : NULL;
}

const cp_prepared *cp_prepared_find(const cp_context *ctx, const cp_structure *s) {
  const cp_prepared *known = cp_prepared_of(ctx, s);
  int left = known != NULL && ctx->lazy.nreductions > 1 ? ctx->lazy.nreductions : 0;
  int looked = 0;
  for (const cp_node *n = ctx->lazy.last; left > 0 && looked < CP_MOST_BESIDE; n = n->prev, looked++) {
    if (n->op != CP_OP_reduce) continue;
    left--;
    if (n->epoch != ctx->lazy.epoch &&
        cp_is_beside(ctx, s->nodes[0], known->axes, known->ndim, known->shape, n))
      return NULL;
  }
  return known;
}

const cp_prepared_outputs *cp_prepared_list(const cp_prepared *known) { return &known->outputs; }

// ---- plans, without the room that they do not use ---------------------------------------------------------

static size_t plan_size(const cp_plan *p) {
  return offsetof(cp_plan, outputs) + (size_t)p->noutputs * sizeof *p->outputs +
         (size_t)p->nleaves * sizeof *p->leaves + (size_t)p->ninstrs * sizeof *p->instrs;
}

static void pack(char **to, const void *from, size_t bytes) {
  memcpy(*to, from, bytes);
  *to += bytes;
}

static void pack_plan(char *to, const cp_plan *p) {
  pack(&to, p, offsetof(cp_plan, outputs));
  pack(&to, p->outputs, (size_t)p->noutputs * sizeof *p->outputs);
  pack(&to, p->leaves, (size_t)p->nleaves * sizeof *p->leaves);
  pack(&to, p->instrs, (size_t)p->ninstrs * sizeof *p->instrs);
}

static void unpack(void *to, const char **from, size_t bytes) {
  memcpy(to, *from, bytes);
  *from += bytes;
}

static void unpack_plan(cp_plan *p, const char *from) {
  unpack(p, &from, offsetof(cp_plan, outputs));
  unpack(p->outputs, &from, (size_t)p->noutputs * sizeof *p->outputs);
  unpack(p->leaves, &from, (size_t)p->nleaves * sizeof *p->leaves);
  unpack(p->instrs, &from, (size_t)p->ninstrs * sizeof *p->instrs);
}

static char *address_of(const cp_node *leaf) { return leaf->u.leaf.buffer->pointer + leaf->u.leaf.offset; }

cp_status cp_prepared_plan(const cp_prepared *known, const cp_structure *s, cp_array *const *targets,
                           cp_plan *p) {
  unpack_plan(p, (const char *)(known->words + known->nwords));
  for (int k = 0; k < p->nleaves; k++)
    if (known->leaves[k] != NOWHERE) p->leaves[k].base = address_of(s->nodes[known->leaves[k]]);
  for (int k = 0; k < p->nscalars; k++) p->scalars[k] = s->nodes[known->scalars[k]]->u.scalar;
  for (int k = 0; k < p->noutputs; k++) CP_TRY(cp_array_pointer(targets[k], &p->outputs[k].base));
  return CP_OK;
}

// ---- keeping plans ----------------------------------------------------------------------------------------

// The position of a leaf of this address among the nodes; -1: there is none.
static int find_address(const cp_structure *s, const char *address) {
  int k = s->count - 1;
  while (k >= 0 && (s->nodes[k]->kind != CP_NODE_LEAF || address_of(s->nodes[k]) != address)) k--;
  return k;
}

// Sets the positions of what the plan reads; false: some of it is not described.
static bool set_positions(cp_prepared *known, const cp_preparation *from, const cp_plan *p) {
  bool found = true;
  for (int k = 0; k < p->nleaves && found; k++) {
    const bool index = p->leaves[k].access == CP_ACCESS_INDEX;
    int at = index ? NOWHERE : find_address(from->structure, p->leaves[k].base);
    found = at >= 0;
    known->leaves[k] = (unsigned char)at;
  }
  for (int k = 0; k < p->nscalars && found; k++) {
    int at = cp_described(from->structure, from->scalars[k]);
    found = at >= 0;
    known->scalars[k] = (unsigned char)at;
  }
  return found;
}

static cp_prepared *make(const cp_preparation *from, const cp_domain *d, const cp_plan *p) {
  const cp_structure *s = from->structure;
  const size_t words = (size_t)s->nwords * sizeof *s->words;
  cp_prepared *known = malloc(sizeof *known + words + plan_size(p));
  if (known == NULL) return NULL;
  known->hash = s->hash;
  known->nwords = s->nwords;
  known->ndim = d->ndim;
  known->axes = d->axes;
  cp_copy_lengths(known->shape, d->shape, d->ndim);
  known->outputs = from->outputs;
  memcpy(known->words, s->words, words);
  pack_plan((char *)known->words + words, p);
  if (set_positions(known, from, p)) return known;
  free(known);
  return NULL;
}

// Without memory on the host nothing is kept.
void cp_prepare(cp_context *ctx, const cp_preparation *from, const cp_domain *d, const cp_plan *p) {
  const uint64_t hash = from->structure->hash;
  if (ctx->lazy.prepared == NULL) ctx->lazy.prepared = calloc(1, sizeof *ctx->lazy.prepared);
  cp_prepared_table *t = ctx->lazy.prepared;
  if (t == NULL || p->nmoves > 0 || p->nfunctions > 0) return;
  uint64_t *seen = &t->seen[hash % SLOTS];
  if (*seen == hash) {
    cp_prepared **slot = &t->slots[hash % SLOTS];
    free(*slot);
    *slot = make(from, d, p);
  }
  *seen = hash;
}

void cp_prepared_clear(cp_context *ctx) {
  if (ctx->lazy.prepared == NULL) return;
  for (int k = 0; k < SLOTS; k++) free(ctx->lazy.prepared->slots[k]);
  free(ctx->lazy.prepared);
  ctx->lazy.prepared = NULL;
}
