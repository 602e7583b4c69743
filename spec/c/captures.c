// Checks captures in several threads, together with calls that would invalidate a capture
// (src/cuda/driver/graph.h), on a driver that detects when they overlap: every capture succeeds, whatever
// other threads wait for meanwhile, and no thread waits for ever.
#include "cuda/driver/graph.h"

#include "check.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { CAPTURERS = 3, CALLERS = 3, ROUNDS = 20000 };

static atomic_int capturing, calling, meetings, graphs, calls;
static int some_graph;

static cpcu_result get_current(cpcu_context *context) {
  *context = NULL;
  return CPCU_SUCCESS;
}

static cpcu_result begin_capture(cpcu_stream stream, cpcu_capture_mode mode) {
  (void)stream;
  CHECK(mode == CPCU_STREAM_CAPTURE_MODE_RELAXED);
  atomic_fetch_add(&capturing, 1);
  if (atomic_load(&calling) > 0) atomic_fetch_add(&meetings, 1);
  return CPCU_SUCCESS;
}

static cpcu_result end_capture(cpcu_stream stream, cpcu_graph *graph) {
  (void)stream;
  atomic_fetch_sub(&capturing, 1);
  *graph = (cpcu_graph)(void *)&some_graph;
  return CPCU_SUCCESS;
}

static cpcu_result get_nodes(cpcu_graph graph, cpcu_graph_node *nodes, size_t *count) {
  (void)graph;
  for (size_t k = 0; nodes != NULL && k < *count; k++) nodes[k] = NULL;
  *count = 1;
  return CPCU_SUCCESS;
}

static cpcu_result get_type(cpcu_graph_node node, cpcu_graph_node_type *type) {
  (void)node;
  *type = CPCU_GRAPH_NODE_TYPE_KERNEL;
  return CPCU_SUCCESS;
}

static cpcu_result create_graph(cpcu_graph *graph, unsigned flags) {
  (void)flags;
  *graph = (cpcu_graph)(void *)&some_graph;
  return CPCU_SUCCESS;
}

static cpcu_result add_child(cpcu_graph_node *node, cpcu_graph graph, const cpcu_graph_node *before,
                             size_t count, cpcu_graph child) {
  (void)graph, (void)before, (void)count, (void)child;
  *node = NULL;
  return CPCU_SUCCESS;
}

static cpcu_result destroy_graph(cpcu_graph graph) {
  (void)graph;
  return CPCU_SUCCESS;
}

static cpcu_result instantiate(cpcu_graph_exec *exec, cpcu_graph graph, unsigned long long flags) {
  (void)graph, (void)flags;
  *exec = (cpcu_graph_exec)(void *)&some_graph;
  return CPCU_SUCCESS;
}

static cpcu_result destroy_exec(cpcu_graph_exec exec) {
  (void)exec;
  return CPCU_SUCCESS;
}

static cpcu_result synchronize(void) {
  atomic_fetch_add(&calling, 1);
  if (atomic_load(&capturing) > 0) atomic_fetch_add(&meetings, 1);
  sched_yield();
  if (atomic_load(&capturing) > 0) atomic_fetch_add(&meetings, 1);
  atomic_fetch_sub(&calling, 1);
  return CPCU_SUCCESS;
}

static const cpcu_driver driver = {.cuCtxGetCurrent = get_current,
                                   .cuCtxSynchronize = synchronize,
                                   .cuStreamBeginCapture = begin_capture,
                                   .cuStreamEndCapture = end_capture,
                                   .cuGraphGetNodes = get_nodes,
                                   .cuGraphNodeGetType = get_type,
                                   .cuGraphCreate = create_graph,
                                   .cuGraphAddChildGraphNode = add_child,
                                   .cuGraphDestroy = destroy_graph,
                                   .cuGraphInstantiateWithFlags = instantiate,
                                   .cuGraphExecDestroy = destroy_exec};
static cp_cuda_device device = {.driver = &driver};

// Captures with pauses, and with their own calls inside, which also pause them.
static void *capture(void *data) {
  cp_cuda_stream s = {.base.device = &device.base};
  const cp_graph_ops *ops = &cp_cuda_graph_ops;
  cp_context *ctx = data; // none
  for (int k = 0; k < ROUNDS; k++) {
    cp_command_buffer *made = NULL;
    CHECK(ops->begin(ctx, &s.base) == CP_OK && s.base.capturing);
    if (k % 3 == 0) cp_cuda_pause();
    if (k % 2 == 0) CHECK(cp_cuda_wait_for_context(&device) == CP_OK);
    if (k % 3 == 0) cp_cuda_resume();
    sched_yield();
    if (k % 7 == 0) {
      ops->cancel(&s.base);
      continue;
    }
    CHECK(ops->finish(&s.base, NULL, &made) == CP_OK);
    CHECK(made != NULL && made->nodes >= 1 && made->kernels == made->nodes && !s.base.capturing);
    ops->destroy(made, NULL);
    atomic_fetch_add(&graphs, 1);
  }
  return NULL;
}

static void *call(void *data) {
  (void)data;
  for (int k = 0; k < ROUNDS; k++) {
    CHECK(cp_cuda_wait_for_context(&device) == CP_OK);
    atomic_fetch_add(&calls, 1);
  }
  return NULL;
}

// A call while another thread holds a capture open: it is made nevertheless, after some time.
static void *call_once(void *data) {
  (void)data;
  CHECK(cp_cuda_wait_for_context(&device) == CP_OK);
  return NULL;
}

static void check_patience(void) {
  cp_cuda_stream s = {.base.device = &device.base};
  pthread_t thread;
  CHECK(cp_cuda_graph_ops.begin(NULL, &s.base) == CP_OK);
  atomic_store(&meetings, 0);
  REQUIRE(pthread_create(&thread, NULL, call_once, NULL) == 0);
  pthread_join(thread, NULL);
  CHECK(atomic_load(&meetings) > 0);
  cp_cuda_graph_ops.cancel(&s.base);
}

int main(void) {
  pthread_t threads[CAPTURERS + CALLERS];
  REQUIRE(cp_cuda_gate_init(&device.gate));
  pthread_mutex_init(&device.lock, NULL);
  for (int k = 0; k < CAPTURERS + CALLERS; k++)
    REQUIRE(pthread_create(&threads[k], NULL, k < CAPTURERS ? capture : call, NULL) == 0);
  for (int k = 0; k < CAPTURERS + CALLERS; k++) pthread_join(threads[k], NULL);
  CHECK(meetings == 0 && capturing == 0);
  CHECK(graphs == CAPTURERS * (ROUNDS - (ROUNDS + 6) / 7) && calls == CALLERS * ROUNDS);
  check_patience();
  cp_cuda_gate_destroy(&device.gate);
  return verdict("captures");
}
