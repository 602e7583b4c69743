// Builds plans from expressions: puts the nodes in order, and merges equal operations and equal operands.
#include "lazy/expression/planning.h"

#include "device/fast.h"

#include <string.h>

// ---- linearisation: a post-order walk with an explicit stack ----------------------------------------------

// While a plan is built, node->mark says where the node's value is: the kind in the high bits, the index in
// the low bits.
enum { MARK_LEAF = 0 << 16, MARK_SCALAR = 1 << 16, MARK_INSTR = 2 << 16, MARK_INDEX = (1 << 16) - 1 };
enum { MAX_NODES = 4 * CP_MAX_INSTRS };
// Equal instructions are found by a hash table with chains.
enum { CHAINS = 64, CHAIN_END = -1 };

typedef struct builder {
  cp_plan *p;
  const cp_domain *domain; // of a plan with phases; otherwise NULL
  const cp_node **scalars; // gets the nodes of the plan's scalars; NULL: nobody asks for them
  int position;            // the leaf with the positions in a row; -1: none yet
  int ndim;                // dimensions of p->shape, before they are collapsed
  bool flat;               // every operand so far is contiguous and has the plan's shape
  int nvisited;
  cp_node *visited[MAX_NODES];
  short chains[CHAINS], next[CP_MAX_INSTRS]; // instructions of one hash, the last one first
} builder;

// Not inlined, as it would lengthen the way of nodes that do not need it.
#define CP_APART static __attribute__((noinline))

CP_APART cp_status too_big(const char *what, int bound) {
  return cp_fail(CP_EUSAGE, "the expression has more than %d %s; evaluate a part of it with :eval()", bound,
                 what);
}

static cp_status visit(builder *b, cp_node *n, int mark) {
  if (b->nvisited == MAX_NODES) return too_big("nodes", MAX_NODES);
  n->mark = mark;
  b->visited[b->nvisited++] = n;
  return CP_OK;
}

static bool same_operand(const cp_operand *a, const cp_operand *b, int ndim) {
  return a->base == b->base && a->start == b->start && a->dtype == b->dtype && a->access == b->access &&
         a->moved == b->moved && memcmp(a->strides, b->strides, (size_t)ndim * sizeof a->strides[0]) == 0;
}

static bool same_move(const cp_move *a, const cp_move *b) {
  return a->rule == b->rule && a->dim == b->dim && a->shift == b->shift && a->length == b->length &&
         a->extent == b->extent;
}

static void set_strides(builder *b, const cp_node *n, int64_t *strides) {
  const int64_t *own = cp_node_strides(n);
  if (b->domain != NULL) {
    cp_domain_strides(b->domain, cp_is_kept_shape(b->domain, n), n->ndim, n->dims, own, strides);
    return;
  }
  if (!cp_shape_equal(n->ndim, n->dims, b->ndim, b->p->shape)) {
    b->flat = false;
    cp_broadcast_strides(b->ndim, b->p->shape, n->ndim, n->dims, own, strides);
    return;
  }
  b->flat = b->flat && n->kind == CP_NODE_LEAF &&
            cp_is_contiguous(n->ndim, n->dims, own, cp_itemsize(n->dtype), 'C');
  cp_copy_lengths(strides, own, n->ndim);
}

// Adds the moves of a leaf to the plan, or finds equal ones; returns them as bits.
CP_APART uint64_t put_moves(builder *b, const cp_moves *moves, int ndim) {
  cp_plan *p = b->p;
  uint64_t bits = 0;
  b->flat = false;
  for (int j = 0; j < moves->count; j++) {
    cp_move m = moves->list[j];
    int k = 0;
    m.dim += b->ndim - ndim;
    while (k < p->nmoves && !same_move(&p->moves[k], &m)) k++;
    if (k == p->nmoves) p->moves[p->nmoves++] = m;
    bits |= (uint64_t)1 << k;
  }
  return bits;
}

// Adds an operand that reads n, or finds an equal one; returns its number.
static int put_leaf(builder *b, const cp_node *n) {
  cp_plan *p = b->p;
  cp_operand *leaf = &p->leaves[p->nleaves];
  bool index = n->kind == CP_NODE_INDEX;
  leaf->base = index ? NULL : n->u.leaf.buffer->pointer + n->u.leaf.offset;
  leaf->start = index ? n->u.start : 0;
  leaf->dtype = n->dtype;
  leaf->access = index ? CP_ACCESS_INDEX : CP_ACCESS_STRIDED;
  leaf->reg = p->nleaves;
  set_strides(b, n, leaf->strides);
  leaf->moved = !index && n->u.leaf.moves != NULL ? put_moves(b, n->u.leaf.moves, n->ndim) : 0;
  int k = 0;
  while (k < p->nleaves && !same_operand(&p->leaves[k], leaf, b->ndim)) k++;
  if (k == p->nleaves) p->nleaves++;
  return k;
}

static int put_scalar(builder *b, const cp_node *n) {
  b->p->scalars[b->p->nscalars] = n->u.scalar;
  if (b->scalars != NULL) b->scalars[b->p->nscalars] = n;
  return b->p->nscalars++;
}

static cp_status add_leaf(builder *b, cp_node *n) {
  if (b->p->nleaves == CP_MAX_LEAVES) return too_big("operands", CP_MAX_LEAVES);
  if (n->kind == CP_NODE_LEAF && n->u.leaf.moves != NULL &&
      b->p->nmoves + n->u.leaf.moves->count > CP_MAX_MOVES)
    return too_big("moved axes", CP_MAX_MOVES);
  return visit(b, n, MARK_LEAF | put_leaf(b, n));
}

static cp_status add_scalar(builder *b, cp_node *n) {
  if (b->p->nscalars == CP_MAX_SCALARS) return too_big("scalars", CP_MAX_SCALARS);
  return visit(b, n, MARK_SCALAR | put_scalar(b, n));
}

static void set_instr(cp_instr *in, const cp_node *n) {
  in->op = n->op;
  in->which = 0;
  in->loop = n->loop;
  in->dtype = n->dtype;
  in->nargs = n->nargs;
}

static bool same_instr(const cp_instr *a, const cp_instr *b) {
  bool same = a->op == b->op && a->loop == b->loop && a->dtype == b->dtype && a->nargs == b->nargs &&
              a->which == b->which;
  for (int k = 0; k < a->nargs && same; k++) same = a->args[k] == b->args[k];
  return same;
}

// An operand whose value at each position is the C-order index of that position within the reduced axes.
static cp_operand position_operand(int ndim, const int64_t *shape, uint32_t axes) {
  cp_operand leaf = {.dtype = CP_INT64, .access = CP_ACCESS_INDEX};
  int64_t step = 1;
  for (int d = ndim - 1; d >= 0; d--) {
    leaf.strides[d] = axes >> d & 1 ? step : 0;
    if (axes >> d & 1) step *= shape[d];
  }
  return leaf;
}

// Gives the number of n's reduction in the plan.
static cp_status put_reduction(builder *b, const cp_node *n, int *which) {
  cp_plan *p = b->p;
  const cp_node_reduction *r = &n->u.reduction;
  int k = 0;
  while (k < p->nphased && (p->reductions[k].red != r->red || p->reductions[k].parameter != r->parameter))
    k++;
  *which = k;
  if (k < p->nphased) return CP_OK;
  if (k == CP_MAX_PHASED) return too_big("reductions", CP_MAX_PHASED);
  p->reductions[p->nphased++] = (cp_plan_reduction){r->red, r->parameter};
  return CP_OK;
}

// Completes the instruction of a reduction, whose arguments are marks.
CP_APART cp_status set_phase(builder *b, const cp_node *n, cp_instr *in) {
  cp_plan *p = b->p;
  CP_TRY(put_reduction(b, n, &in->which));
  if (cp_reds[n->u.reduction.red].cls != CP_RED_INDEX) return CP_OK;
  if (b->position < 0) {
    if (p->nleaves == CP_MAX_LEAVES) return too_big("operands", CP_MAX_LEAVES);
    b->position = p->nleaves;
    p->leaves[p->nleaves++] = position_operand(b->domain->ndim, b->domain->shape, b->domain->axes);
  }
  in->args[in->nargs++] = MARK_LEAF | b->position;
  return CP_OK;
}

static unsigned chain_of(const cp_instr *in) {
  const unsigned first = (unsigned)in->args[0], last = (unsigned)in->args[in->nargs - 1];
  return ((unsigned)in->op + (first + first / 1024) * 31 + last + last / 1024) % CHAINS;
}

// Gives the number of n's function in the plan.
CP_APART cp_status put_function(builder *b, const cp_node *n, int *which) {
  cp_plan *p = b->p;
  int k = 0;
  while (k < p->nfunctions && p->functions[k].function != n->u.function) k++;
  *which = k;
  if (k < p->nfunctions) return CP_OK;
  if (k == CP_MAX_FUNCTIONS) return too_big("functions", CP_MAX_FUNCTIONS);
  p->functions[p->nfunctions++] = (cp_called){n->u.function, n->u.function->loop};
  return CP_OK;
}

// Gives the number of the array that n, a lookup, reads. in: n's instruction, whose arguments are all of n's.
CP_APART cp_status put_table(builder *b, const cp_node *n, cp_instr *in) {
  cp_plan *p = b->p;
  const cp_plan_table t = {cp_leaf_region(n->args[0]), n->dtype, n->u.lookup.positions->count,
                           n->u.lookup.offset, n->u.lookup.positions};
  for (int k = 1; k < n->nargs; k++) in->args[k - 1] = in->args[k];
  in->nargs--;
  int k = 0;
  while (k < p->ntables &&
         (p->tables[k].positions != t.positions || !cp_regions_equal(&p->tables[k].region, &t.region)))
    k++;
  in->which = k;
  if (k < p->ntables) return CP_OK;
  if (k == CP_MAX_TABLES) return too_big("lookups", CP_MAX_TABLES);
  p->tables[p->ntables++] = t;
  return CP_OK;
}

// Adds an operation unless the plan already has an equal one. Scalars always count as different, because
// their values are not part of a plan's key.
CP_APART cp_status add_instr(builder *b, cp_node *n) {
  if (n->op == CP_OP_cast && n->loop == n->dtype) return visit(b, n, n->args[0]->mark);
  if (b->p->ninstrs == CP_MAX_INSTRS) return too_big("operations", CP_MAX_INSTRS);
  cp_instr *in = &b->p->instrs[b->p->ninstrs];
  set_instr(in, n);
  for (int k = 0; k < n->nargs; k++) in->args[k] = n->args[k]->mark;
  if (n->op == CP_OP_reduce) CP_TRY(set_phase(b, n, in));
  if (n->op == CP_OP_call) CP_TRY(put_function(b, n, &in->which));
  if (n->op == CP_OP_lookup) CP_TRY(put_table(b, n, in));
  short *chain = &b->chains[chain_of(in)], k = *chain;
  while (k != CHAIN_END && !same_instr(&b->p->instrs[k], in)) k = b->next[k];
  if (k == CHAIN_END) {
    k = (short)b->p->ninstrs++;
    b->next[k] = *chain;
    *chain = k;
  }
  return visit(b, n, MARK_INSTR | k);
}

static cp_status add(builder *b, cp_node *n) {
  if (n->kind != CP_NODE_OP) return n->kind == CP_NODE_SCALAR ? add_scalar(b, n) : add_leaf(b, n);
  if (cp_is_placeholder(n))
    return cp_fail(CP_EUSAGE,
                   "a value that is being traced has no elements; only elementwise functions take it");
  return add_instr(b, n);
}

static cp_status linearise(builder *b, cp_node *root) {
  cp_node *stack[MAX_NODES];
  int depth = 0;
  if (root->mark < 0) stack[depth++] = root;
  while (depth > 0) {
    cp_node *n = stack[depth - 1];
    int waiting = 0, first = n->mark < 0 ? cp_first_operand(n) : n->nargs;
    // The first arguments, as long as they have none themselves, are added at once.
    for (; first < n->nargs && n->args[first]->nargs == 0; first++)
      if (n->args[first]->mark < 0) CP_TRY(add(b, n->args[first]));
    for (int k = n->nargs - 1; k >= first; k--)
      if (n->args[k]->mark < 0) {
        if (depth == MAX_NODES) return too_big("nodes", MAX_NODES);
        stack[depth++] = n->args[k];
        waiting++;
      }
    if (waiting > 0) continue;
    if (n->mark < 0) CP_TRY(add(b, n));
    depth--;
  }
  return CP_OK;
}

static int reg_of(const cp_plan *p, int mark) {
  int index = mark & MARK_INDEX;
  if (mark >= MARK_INSTR) return p->nleaves + p->nscalars + index;
  return mark >= MARK_SCALAR ? p->nleaves + index : index;
}

static void finish_registers(builder *b) {
  for (int i = 0; i < b->p->ninstrs; i++)
    for (int k = 0; k < b->p->instrs[i].nargs; k++)
      b->p->instrs[i].args[k] = reg_of(b->p, b->p->instrs[i].args[k]);
}

// status: CP_OK if the plan will read the values of the nodes.
static void reset_marks(builder *b, cp_status status) {
  for (int i = 0; i < b->nvisited; i++) {
    b->visited[i]->mark = -1;
    if (status == CP_OK) b->visited[i]->read = true;
  }
}

static void begin(builder *b, cp_plan *p, int ndim, const int64_t *shape) {
  b->p = p;
  b->domain = NULL;
  b->scalars = NULL;
  b->position = -1;
  b->ndim = ndim;
  b->nvisited = 0;
  b->flat = true;
  memset(b->chains, CHAIN_END, sizeof b->chains);
  cp_plan_begin(p, ndim, shape);
}

// Fails with CP_EUSAGE if the target's memory is gone: making a temporary may collect garbage, and a
// finalizer may free the target.
static cp_status set_output(cp_operand *out, const cp_array *a, int reg) {
  CP_TRY(cp_array_pointer(a, &out->base));
  out->start = 0;
  out->dtype = a->dtype;
  out->access = CP_ACCESS_STRIDED;
  out->reg = reg;
  out->moved = 0;
  return CP_OK;
}

static cp_status add_output(builder *b, const cp_array *target, int reg) {
  cp_operand *out = &b->p->outputs[b->p->noutputs++];
  cp_copy_lengths(out->strides, target->strides, b->ndim);
  b->flat = b->flat && cp_array_contiguous(target, 'C');
  return set_output(out, target, reg);
}

// Plans a root that is a single operation, but no cast or call, without a walk. A fast path, equal to
// plan_all.
static cp_status plan_single(builder *b, cp_node *root, const cp_array *target) {
  cp_plan *p = b->p;
  cp_instr *in = &p->instrs[p->ninstrs++];
  set_instr(in, root);
  for (int k = 0; k < root->nargs; k++) {
    const cp_node *n = root->args[k];
    in->args[k] = n->kind == CP_NODE_SCALAR ? MARK_SCALAR | put_scalar(b, n) : MARK_LEAF | put_leaf(b, n);
  }
  root->read = true;
  return add_output(b, target, p->nleaves + p->nscalars);
}

static cp_status plan_all(builder *b, int count, cp_node *const *roots, cp_array *const *targets) {
  cp_status status = CP_OK;
  for (int k = 0; k < count && status == CP_OK; k++) status = linearise(b, roots[k]);
  for (int k = 0; k < count && status == CP_OK; k++)
    status = add_output(b, targets[k], reg_of(b->p, roots[k]->mark));
  reset_marks(b, status);
  return status;
}

cp_status cp_plan_elementwise(cp_context *ctx, cp_plan *p, int count, cp_node *const *roots,
                              cp_array *const *targets) {
  builder b;
  if (count > CP_MAX_OUTPUTS) return too_big("results", CP_MAX_OUTPUTS);
  begin(&b, p, targets[0]->ndim, targets[0]->shape);
  bool single = count == 1 && cp_is_single(roots[0]) && roots[0]->op != CP_OP_cast &&
                roots[0]->op != CP_OP_call && !roots[0]->looks;
  single = single && cp_may_go_fast(ctx, CP_FAST_SINGLE);
  CP_TRY(single ? plan_single(&b, roots[0], targets[0]) : plan_all(&b, count, roots, targets));
  finish_registers(&b);
  // A fast path, equal to cp_plan_finish.
  bool dense = b.flat && targets[0]->size > 1 && targets[0]->size < INT32_MAX;
  if (dense && cp_may_go_fast(ctx, CP_FAST_DENSE))
    cp_plan_finish_flat(p, targets[0]->size);
  else
    cp_plan_finish(p);
  return CP_OK;
}

cp_status cp_plan_reduce(cp_plan *p, cp_node *root, const cp_node_reduction *r, cp_array *target) {
  builder b;
  const uint32_t axes = r->axes;
  const cp_red red = r->red;
  const cp_dtype acc = root->dtype;
  begin(&b, p, root->ndim, root->dims);
  cp_status status = linearise(&b, root);
  bool positions = cp_reds[red].cls == CP_RED_INDEX;
  if (status == CP_OK && positions && p->nleaves == CP_MAX_LEAVES)
    status = too_big("operands", CP_MAX_LEAVES);
  if (status == CP_OK && positions) p->leaves[p->nleaves++] = position_operand(root->ndim, root->dims, axes);
  if (status == CP_OK) p->value = reg_of(p, root->mark);
  finish_registers(&b);
  reset_marks(&b, status);
  CP_TRY(status);
  if (positions) p->position = p->nleaves - 1;
  for (int d = 0; d < root->ndim; d++) p->nred += (int)(axes >> d & 1);
  cp_plan_split_axes(p, axes);
  p->noutputs = 1;
  CP_TRY(set_output(&p->outputs[0], target, -1));
  memset(p->outputs[0].strides, 0, (size_t)p->ndim * sizeof(int64_t));
  int kept = root->ndim - p->nred, next = 0;
  // With keepdims the target has axes of length 1 in place of the reduced ones; they are skipped.
  for (int d = 0; d < target->ndim && next < kept; d++)
    if (target->ndim == kept || !(axes >> d & 1)) p->outputs[0].strides[next++] = target->strides[d];
  p->reduction = true;
  p->red = red;
  p->acc = acc;
  p->parameter = r->parameter;
  cp_red_class cls = cp_reds[red].cls;
  p->result = cls == CP_RED_INDEX ? CP_INT64 : cls == CP_RED_VARIANCE ? cp_dtypes[acc].real : acc;
  cp_plan_finish(p);
  return CP_OK;
}

cp_status cp_plan_phases(cp_plan *p, const cp_domain *d, int count, cp_node *const *roots,
                         cp_array *const *targets, const cp_node **scalars) {
  builder b;
  begin(&b, p, d->ndim, d->shape);
  b.domain = d;
  b.scalars = scalars;
  cp_status status = CP_OK;
  for (int k = 0; k < count && status == CP_OK; k++) status = linearise(&b, roots[k]);
  for (int k = 0; k < count && status == CP_OK; k++) {
    const cp_array *t = targets[k];
    cp_operand *out = &p->outputs[p->noutputs++];
    cp_domain_strides(d, cp_is_kept_shape(d, roots[k]), t->ndim, t->shape, t->strides, out->strides);
    status = set_output(out, t, reg_of(p, roots[k]->mark));
  }
  finish_registers(&b);
  reset_marks(&b, CP_EUSAGE); // read only once the device takes the plan
  CP_TRY(status);
  for (int a = 0; a < d->ndim; a++) p->nred += (int)(d->axes >> a & 1);
  cp_plan_split_axes(p, d->axes);
  p->reduction = true;
  cp_plan_finish_space(p);
  return CP_OK;
}

// ---- one operation without a plan -------------------------------------------------------------------------

// Whether the argument n has the target's shape and is contiguous in C order.
static bool is_alike(const cp_node *n, const cp_array *target, size_t itemsize) {
  if (n->ndim != target->ndim) return false;
  const int64_t *strides = cp_node_strides(n);
  if (n->ndim == 1) return n->dims[0] == target->shape[0] && strides[0] == (int64_t)itemsize;
  return cp_shape_equal(n->ndim, n->dims, target->ndim, target->shape) &&
         cp_is_contiguous(n->ndim, n->dims, strides, itemsize, 'C');
}

// Whether writing the target may overwrite elements of this argument before they are read.
static bool is_overwritten(const cp_flat *f, const char *base, size_t itemsize, size_t written) {
  size_t n = (size_t)f->size;
  if (base == f->out) return itemsize != written;
  return base < f->out + n * written && f->out < base + n * itemsize;
}

bool cp_flat_of(const cp_node *root, const cp_array *target, int64_t most, cp_flat *f) {
  if (root->apart || root->reduces || root->looks || root->op == CP_OP_call || target->size > most ||
      target->size == 0 || target->dtype != root->dtype)
    return false;
  if (root->op == CP_OP_cast && root->loop == root->dtype) return false; // plans drop such a cast
  if (!cp_array_contiguous(target, 'C') || target->storage == NULL || target->storage->buffer == NULL)
    return false;
  if (!cp_shape_equal(root->ndim, root->dims, target->ndim, target->shape)) return false;
  f->op = root->op;
  f->loop = root->loop;
  f->dtype = root->dtype;
  f->nargs = root->nargs;
  f->numbers = 0;
  f->size = target->size;
  f->out = cp_address(target);
  size_t written = cp_itemsize(f->dtype);
  for (int k = 0; k < root->nargs; k++) {
    const cp_node *n = root->args[k];
    if (n->kind == CP_NODE_SCALAR) {
      f->numbers |= 1U << k;
      f->args[k].number = &n->u.scalar;
      continue;
    }
    size_t itemsize = cp_itemsize(n->dtype);
    if (n->kind != CP_NODE_LEAF || n->u.leaf.moves != NULL || !is_alike(n, target, itemsize)) return false;
    f->args[k].base = n->u.leaf.buffer->pointer + n->u.leaf.offset;
    if (is_overwritten(f, f->args[k].base, itemsize, written)) return false;
  }
  return true;
}
