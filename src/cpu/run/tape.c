// Tapes: what graphs of the CPU device are made of.
#include "cpu/run/tape.h"

#include <stdlib.h>
#include <string.h>

typedef struct piece {
  struct piece *next;
  cp_tape_play *play;
  _Alignas(16) char arguments[];
} piece;

typedef struct tape {
  cp_script base;
  piece *first, **end;
} tape;

void *cp_tape_add(cp_stream *s, cp_tape_play *play, const void *arguments, size_t size, size_t more,
                  bool kernel) {
  tape *t = (tape *)s->script;
  size_t rounded = (size + 15) / 16 * 16;
  if (cp_context_hold_recorded(s->context, sizeof(piece) + rounded + more) != CP_OK) return NULL;
  piece *p = malloc(sizeof *p + rounded + more);
  if (p == NULL) {
    cp_no_memory("capturing a graph");
    return NULL;
  }
  p->next = NULL;
  p->play = play;
  memcpy(p->arguments, arguments, size);
  *t->end = p;
  t->end = &p->next;
  t->base.nodes++;
  t->base.kernels += kernel;
  return p->arguments;
}

cp_status cp_tape_put(cp_stream *s, cp_tape_play *play, const void *arguments, size_t size, bool kernel) {
  return cp_tape_add(s, play, arguments, size, 0, kernel) != NULL ? CP_OK : CP_EMEMORY;
}

cp_status cp_tape_refuse(const cp_stream *s) { return cp_may_wait(s->context, s->device); }

static cp_status begin(cp_context *ctx, cp_stream *s) {
  tape *t = calloc(1, sizeof *t);
  (void)ctx;
  if (t == NULL) return cp_no_memory("capturing a graph");
  t->base.device = s->device;
  t->end = &t->first;
  s->script = &t->base;
  s->capturing = true;
  return CP_OK;
}

static void destroy(cp_script *script, cp_stream *last) {
  (void)last;
  tape *t = (tape *)script;
  while (t->first != NULL) {
    piece *p = t->first;
    t->first = p->next;
    free(p);
  }
  free(t);
}

static cp_script *end(cp_stream *s) {
  cp_script *script = s->script;
  s->script = NULL;
  s->capturing = false;
  return script;
}

static cp_status finish(cp_stream *s, cp_script *older, cp_script **out) {
  *out = end(s);
  (*out)->updated = older != NULL; // a tape needs no other form
  return CP_OK;
}

static void cancel(cp_stream *s) { destroy(end(s), NULL); }

// The pieces count as one launch, that of the graph.
static cp_status launch(cp_context *ctx, cp_script *script, cp_stream *s) {
  const tape *t = (const tape *)script;
  cp_counters before = ctx->counters;
  cp_status status = CP_OK;
  for (piece *p = t->first; p != NULL && status == CP_OK; p = p->next) status = p->play(ctx, s, p->arguments);
  ctx->counters.launches = before.launches;
  ctx->counters.cache_hits = before.cache_hits;
  return status;
}

const cp_graph_ops cp_cpu_graph_ops = {
    .begin = begin, .finish = finish, .cancel = cancel, .launch = launch, .destroy = destroy};
