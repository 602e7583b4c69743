// Checks finalizers that use pending values at the worst moment, inside of an evaluation or a write, on the
// CPU device with a collection at every allocation.
#include "pending_arrays.h"

static cp_array_local L[12]; // arrays that finalizers use

static void make_operands(void) {
  make(&L[0], 1);
  for (int k = 1; k <= 5; k++) add(&L[k], &L[0].a, &L[0].a);
}

static void forget_all(const char *what) {
  CHECK(finalizer == NULL); // it was called
  finalizer = NULL;
  for (int k = 0; k < 12; k++)
    if (L[k].a.shape != NULL) forget(&L[k].a);
  memset(L, 0, sizeof L);
  check_nothing_left(what);
}

static void forget_1(void) { forget(&L[1].a); }
static void forget_1_2_5(void) {
  forget(&L[1].a);
  forget(&L[2].a);
  forget(&L[5].a);
}
static void forget_0(void) { forget(&L[0].a); }
static void force_1(void) { CHECK(computes(&L[1].a, 2, 2)); }
static void force_2(void) { CHECK(computes(&L[2].a, 2, 2)); }
static void launch_all(void) { CHECK(cp_launch_pending(&ctx, NULL) == CP_OK); }
static void pend_more(void) { add(&L[6], &L[0].a, &L[0].a); }
static void free_0(void) { cp_storage_free_memory(L[0].a.storage); }

static void check_force(void (*f)(void), const char *what) {
  make_operands();
  finalizer = f;
  CHECK(computes(&L[1].a, 2, 2));
  for (int k = 2; k <= 5; k++)
    if (L[k].a.node != NULL || L[k].a.storage != NULL) CHECK(computes(&L[k].a, 2, 2));
  forget_all(what);
}

static void check_force_chain(void (*f)(void), const char *what) {
  make_operands();
  add(&L[7], &L[1].a, &L[2].a);
  finalizer = f;
  CHECK(computes(&L[7].a, 4, 4));
  forget_all(what);
}

static void check_force_all(void (*f)(void), const char *what) {
  make_operands();
  cp_array *several[] = {&L[3].a, &L[1].a, &L[2].a, &L[1].a};
  finalizer = f;
  CHECK(cp_force_all(&ctx, 4, several) == CP_OK);
  CHECK(holds(&L[3].a, 2, 2));
  if (f != forget_1) CHECK(holds(&L[1].a, 2, 2));
  CHECK(holds(&L[2].a, 2, 2));
  forget_all(what);
}

static void check_launch(void (*f)(void), const char *what) {
  make_operands();
  finalizer = f;
  CHECK(cp_launch_pending(&ctx, NULL) == CP_OK);
  for (int k = 1; k <= 5; k++)
    if (L[k].a.node != NULL || L[k].a.storage != NULL) CHECK(holds(&L[k].a, 2, 2));
  forget_all(what);
}

// L[8]: memory too large to copy for a small write. L[9]: the part that is written; L[10]: a value that is
// therefore computed first.
static void write_part(void) {
  CHECK(cp_begin_write(&ctx, &L[9].a, false) == CP_OK);
  for (int64_t k = 0; k < N; k++)
    ((double *)(void *)(L[8].a.storage->buffer->pointer + L[9].a.offset))[k] = -1;
}

static void make_large(double first) {
  make_length(&L[8], MB / 8, first);
  view(&L[9], &L[8].a, N, N);
  add(&L[10], &L[9].a, &L[9].a);
}

// A finalizer evaluates all pending values inside of another evaluation of all.
static void check_launch_while_writing(void) {
  make_operands();
  make_large(0);
  finalizer = write_part;
  CHECK(cp_launch_pending(&ctx, NULL) == CP_OK);
  for (int k = 1; k <= 5; k++) CHECK(holds(&L[k].a, 2, 2));
  CHECK(holds(&L[10].a, 2 * N, 2));
  forget_all("a write inside of launching");
}

static cp_array_local written, part, other_part, readers[4];

static void read_part_again(void) { add(&L[11], &part.a, &part.a); }
static void write_other_part(void) { CHECK(cp_begin_write(&ctx, &other_part.a, false) == CP_OK); }

// Writes a part of memory that several values read, while a finalizer runs f.
static void check_write(void (*f)(void), const char *what) {
  make_operands();
  make_large(0);
  make_length(&written, MB / 8, 0);
  view(&part, &written.a, 0, N);
  view(&other_part, &written.a, 2 * N, N);
  for (int k = 0; k < 3; k++) add(&readers[k], &part.a, &part.a);
  add(&readers[3], &other_part.a, &other_part.a);
  finalizer = f;
  CHECK(cp_begin_write(&ctx, &part.a, false) == CP_OK);
  memset(written.a.storage->buffer->pointer, 0, N * sizeof(double));
  for (int k = 0; k < 3; k++) CHECK(computes(&readers[k].a, 0, 2));
  CHECK(computes(&readers[3].a, 4 * N, 2));
  if (f == read_part_again) CHECK(computes(&L[11].a, 0, 2)); // it was read before the write
  for (int k = 0; k < 4; k++) forget(&readers[k].a);
  forget(&written.a);
  forget(&part.a);
  forget(&other_part.a);
  forget_all(what);
}

// x = y + z with a target that is freed or computed while parts of the value are allocated.
static void check_assign(void) {
  cp_node *root = NULL;
  make_operands();
  for (int k = 0; k < 2; k++) { // a value that two evaluations took is kept by the second
    const cp_node_reduction sum = {.red = CP_RED_sum, .axes = 1};
    cp_node *reduced = NULL, *arg = L[1].a.node;
    cp_array_local target;
    int64_t none = 0;
    cp_array *t = cp_array_local_init(&target);
    CHECK(cp_array_layout(t, CP_FLOAT64, 0, &none, 'C') == CP_OK &&
          cp_array_allocate(&ctx, t, cpu, CP_FLOAT64) == CP_OK);
    if (arg != NULL) {
      cp_node_retain(arg);
      CHECK(cp_node_reduce(arg, &sum, CP_FLOAT64, 0, &none, &reduced) == CP_OK &&
            cp_evaluate(&ctx, 1, &reduced, &t, true) == CP_OK);
      cp_node_release(reduced);
    }
    cp_array_release(t);
  }
  make(&L[8], 7);
  finalizer = force_2;
  CHECK(cp_array_node(&L[1].a, &root) == CP_OK && cp_assign(&ctx, &L[2].a, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(&L[2].a, 2, 2));
  finalizer = free_0; // L[0] has readers: it would get another buffer, but is freed before that is allocated
  CHECK(cp_array_node(&L[8].a, &root) == CP_OK);
  CHECK(cp_assign(&ctx, &L[0].a, root, CP_MAY_RENAME) == CP_EUSAGE);
  for (int k = 3; k <= 5; k++) CHECK(computes(&L[k].a, 2, 2));
  forget_all("assigning");
}

// A part of a value that the value uses twice reads the memory to which the value is written; then the
// value's array reads it too.
static void check_assign_to_operand(void) {
  cp_array_local x, v, u;
  cp_node *root = NULL;
  make_length(&x, MB / 8, 0);
  view(&v, &x.a, 0, N);
  cp_array *w = add(&L[0], &v.a, &v.a);
  add(&u, w, w);
  forget(w);
  CHECK(cp_array_node(&u.a, &root) == CP_OK && cp_assign(&ctx, &v.a, root, CP_MAY_RENAME) == CP_OK);
  CHECK(holds(&v.a, 0, 4) && computes(&u.a, 0, 4));
  forget(&x.a);
  forget(&v.a);
  forget(&u.a);
  forget_all("assigning a value to its operand");
}

// Garbage that needs more memory than there is disappears in the collection before the failure, and nothing
// waits for it.
static void check_garbage_too_large(void) {
  int64_t shape = (int64_t)1 << 40;
  cp_node *n = NULL;
  cp_array *a = cp_array_local_init(&L[1]);
  CHECK(cp_node_constant(cpu, cp_scalar_int(0, CP_FLOAT64), 1, &shape, 'C', &n) == CP_OK);
  for (int k = 0; k < 8; k++) { // enough that there is pending work
    cp_node *args[2] = {n, NULL};
    CHECK(cp_node_scalar(cp_scalar_int(1, CP_FLOAT64), &args[1]) == CP_OK);
    CHECK(cp_node_op(CP_OP_add, args, &n) == CP_OK);
  }
  CHECK(cp_pend(&ctx, a, n) == CP_OK);
  CHECK(cp_force(&ctx, a) == CP_EMEMORY && listed() == 1); // while it is reachable
  finalizer = forget_1;
  CHECK(cp_launch_pending(&ctx, NULL) == CP_OK);
  forget_all("garbage that is too large");
}

static void check_finalizers(void) {
  static const struct {
    void (*f)(void);
    const char *name;
  } cases[] = {{forget_0, "forgetting an operand"}, {force_2, "computing another value"},
               {launch_all, "launching"},           {pend_more, "making a value"},
               {force_1, "computing the value"},    {forget_1, "forgetting a value"},
               {forget_1_2_5, "forgetting values"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    bool own = cases[k].f == forget_1 || cases[k].f == forget_1_2_5;
    check_launch(cases[k].f, cases[k].name);
    check_force_chain(cases[k].f, cases[k].name);
    check_write(cases[k].f, cases[k].name);
    if (own) continue; // arrays that a caller holds are not garbage
    check_force(cases[k].f, cases[k].name);
    check_force_all(cases[k].f, cases[k].name);
  }
  check_write(write_part, "writing elsewhere");
  check_write(read_part_again, "reading again");
  check_write(write_other_part, "writing another part");
}

int main(void) {
  if (!begin()) return 1;
  check_launch_while_writing();
  check_assign();
  check_assign_to_operand();
  check_garbage_too_large();
  check_finalizers();
  return end("pending_finalizers");
}
