// Routines at independent sites on the CPU: threads share the rows of sites, or parts of long rows.
#include "routines/sites.h"

#include "cpu/loops/sites.h"
#include "device/interrupt.h"
#include "host/threads.h"

enum { PER_TASK = 4096 }; // least sites of a task

typedef struct work_of_sites {
  const cp_slots *slots;
  cp_sites_loop loop;
  int64_t columns, parts; // of a row: its sites, and the parts of up to `span` sites
  int64_t units, each;    // parts of all rows; of a task
} work_of_sites;

static void work(void *data, cp_tasks *tasks) {
  const work_of_sites *w = data;
  int64_t task;
  while (cp_next_task(tasks, &task)) {
    int64_t unit = task * w->each, end = w->units - unit < w->each ? w->units : unit + w->each;
    for (; unit < end && cp_go_on(tasks); unit++) {
      int64_t row = unit / w->parts, column = unit % w->parts * w->loop.span;
      int64_t n = w->columns - column < w->loop.span ? w->columns - column : w->loop.span;
      w->loop.run(w->slots, row, column, (int)n);
    }
  }
}

static cp_status run(cp_context *ctx, cp_stream *s, const cp_sites_job *j) {
  cp_slots slots;
  (void)s;
  for (int k = CP_SITES_OWN; k < CP_SITES_SLOTS; k++) slots.s[k] = j->slots[k];
  slots.s[0] = (uint64_t)j->rows;
  slots.s[1] = (uint64_t)j->columns;
  slots.s[2] = slots.s[3] = 0;
  const bool ranked = j->kind == CP_SITES_RANK && j->fixed <= CP_MOST_RANKED;
  const cp_sites_kind kind = j->kind == CP_SITES_RANK && !ranked ? CP_SITES_SELECT : j->kind;
  work_of_sites w = {
      .slots = &slots, .loop = cp_cpu_sites_loops(j->dtype)->kinds[kind], .columns = j->columns};
  w.parts = j->columns / w.loop.span + (j->columns % w.loop.span != 0);
  w.units = j->rows * w.parts;
  const int64_t sites = j->columns < w.loop.span ? j->columns : w.loop.span; // of a unit
  w.each = PER_TASK / sites + 1;
  const int64_t tasks = w.units / w.each + (w.units % w.each != 0);
  ctx->counters.launches++;
  return cp_parallel(ctx, work, &w, tasks, tasks > 1);
}

// Each site refers to one of its component that comes before it, which has its number already, or to itself.
// By bits, as branches cannot be predicted.
#define NUMBER(T)                                                                                            \
  static T number_##T(T *labels, int64_t first, int64_t end, T found) {                                      \
    for (int64_t k = first; k < end; k++) {                                                                  \
      const T at = labels[k], inside = -(T)(at >= 0), root = -(T)(at == k);                                  \
      found -= root;                                                                                         \
      labels[k] = ((found & root) | (labels[at & inside] & ~root)) & inside;                                 \
    }                                                                                                        \
    return found;                                                                                            \
  }
NUMBER(int32_t)
NUMBER(int64_t)

static cp_status number(cp_context *ctx, cp_stream *s, cp_dtype dtype, void *labels, int64_t count,
                        int64_t *components) {
  enum { PIECE = 1 << 20 }; // sites between two checks for an interrupt
  int64_t found = 0;
  (void)s;
  ctx->counters.launches++;
  for (int64_t k = 0; k < count; k += PIECE) {
    const int64_t end = count - k < PIECE ? count : k + PIECE;
    CP_TRY(cp_poll(ctx));
    found = dtype == CP_INT32 ? number_int32_t(labels, k, end, (int32_t)found)
                              : number_int64_t(labels, k, end, found);
  }
  *components = found;
  return CP_OK;
}

const cp_sites_ops cp_cpu_sites_ops = {.run = run, .number = number};
