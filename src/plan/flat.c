#include "plan/flat.h"

// An argument of the target's shape, in the same order without gaps.
static bool is_alike(const cp_node *n, const cp_array *target, size_t itemsize) {
  if (n->ndim != target->ndim) return false;
  const int64_t *strides = cp_node_strides(n);
  if (n->ndim == 1) return n->dims[0] == target->shape[0] && strides[0] == (int64_t)itemsize;
  return cp_shape_equal(n->ndim, n->dims, target->ndim, target->shape) &&
         cp_is_contiguous(n->ndim, n->dims, strides, itemsize, 'C');
}

// Whether elements of one place may be read after others of the target were written.
static bool is_overwritten(const cp_flat *f, const char *base, size_t itemsize, size_t written) {
  size_t n = (size_t)f->size;
  if (base == f->out) return itemsize != written;
  return base < f->out + n * written && f->out < base + n * itemsize;
}

bool cp_flat_of(const cp_node *root, const cp_array *target, int64_t most, cp_flat *f) {
  if (root->kind != CP_NODE_OP || root->weight.ops != 1 || root->nargs == 0 || root->masked) return false;
  if (target->size > most || target->size == 0 || target->dtype != root->dtype) return false;
  if (root->op == CP_OP_cast && root->loop == root->dtype) return false; // it stands for its argument
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
    if (n->kind != CP_NODE_LEAF || !is_alike(n, target, itemsize)) return false;
    f->args[k].base = n->u.leaf.buffer->pointer + n->u.leaf.offset;
    if (is_overwritten(f, f->args[k].base, itemsize, written)) return false;
  }
  return true;
}

static void put_operand(cp_operand *a, const void *base, cp_dtype dtype, int reg) {
  a->base = (char *)(uintptr_t)base;
  a->start = 0;
  a->dtype = dtype;
  a->reg = reg;
}

void cp_flat_plan(const cp_flat *f, cp_plan *p) {
  int nleaves = 0, nscalars = 0;
  cp_plan_begin(p, 1, &f->size);
  cp_instr *in = &p->instrs[p->ninstrs++];
  *in = (cp_instr){.op = f->op, .loop = f->loop, .dtype = f->dtype, .nargs = f->nargs};
  for (int k = 0; k < f->nargs; k++) p->nleaves += !(f->numbers >> k & 1);
  for (int k = 0; k < f->nargs; k++) {
    if (f->numbers >> k & 1) {
      p->scalars[nscalars] = *f->args[k].number;
      in->args[k] = p->nleaves + nscalars++;
    } else {
      put_operand(&p->leaves[nleaves], f->args[k].base, cp_op_arg_dtype(f->op, f->loop, k), nleaves);
      in->args[k] = nleaves++;
    }
  }
  p->nscalars = nscalars;
  put_operand(&p->outputs[p->noutputs++], f->out, f->dtype, nleaves + nscalars);
  cp_plan_finish_flat(p, f->size);
}
