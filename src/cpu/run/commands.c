// Command buffers of the CPU device: what its graphs consist of.
#include "cpu/run/commands.h"

#include "device/context.h"

#include <stdlib.h>
#include <string.h>

typedef struct command {
  struct command *next;
  cp_command_replay *replay;
  _Alignas(16) char arguments[];
} command;

typedef struct command_list {
  cp_command_buffer base;
  command *first, **end;
} command_list;

void *cp_commands_add(cp_stream *s, cp_command_replay *replay, const void *arguments, size_t size,
                      size_t more, bool kernel) {
  command_list *t = (command_list *)s->commands;
  size_t rounded = (size + 15) / 16 * 16;
  if (cp_context_hold_captured(s->context, sizeof(command) + rounded + more) != CP_OK) return NULL;
  command *p = malloc(sizeof *p + rounded + more);
  if (p == NULL) {
    cp_no_memory("capturing a graph");
    return NULL;
  }
  p->next = NULL;
  p->replay = replay;
  memcpy(p->arguments, arguments, size);
  *t->end = p;
  t->end = &p->next;
  t->base.nodes++;
  t->base.kernels += kernel;
  return p->arguments;
}

cp_status cp_commands_put(cp_stream *s, cp_command_replay *replay, const void *arguments, size_t size,
                          bool kernel) {
  return cp_commands_add(s, replay, arguments, size, 0, kernel) != NULL ? CP_OK : CP_EMEMORY;
}

cp_status cp_commands_refuse(const cp_stream *s) { return cp_may_wait(s->context, s->device); }

static cp_status begin(cp_context *ctx, cp_stream *s) {
  command_list *t = calloc(1, sizeof *t);
  (void)ctx;
  if (t == NULL) return cp_no_memory("capturing a graph");
  t->base.device = s->device;
  t->end = &t->first;
  s->commands = &t->base;
  s->capturing = true;
  return CP_OK;
}

static void destroy(cp_command_buffer *commands, cp_stream *last) {
  (void)last;
  command_list *t = (command_list *)commands;
  while (t->first != NULL) {
    command *p = t->first;
    t->first = p->next;
    free(p);
  }
  free(t);
}

static cp_command_buffer *end(cp_stream *s) {
  cp_command_buffer *commands = s->commands;
  s->commands = NULL;
  s->capturing = false;
  return commands;
}

static cp_status finish(cp_stream *s, cp_command_buffer *older, cp_command_buffer **out) {
  *out = end(s);
  (*out)->updated = older != NULL; // a command buffer of the CPU has no other form
  return CP_OK;
}

static void cancel(cp_stream *s) { destroy(end(s), NULL); }

// All commands together count as one launch, that of the graph.
static cp_status launch(cp_context *ctx, cp_command_buffer *commands, cp_stream *s) {
  const command_list *t = (const command_list *)commands;
  cp_counters before = ctx->counters;
  cp_status status = CP_OK;
  for (command *p = t->first; p != NULL && status == CP_OK; p = p->next)
    status = p->replay(ctx, s, p->arguments);
  ctx->counters.launches = before.launches;
  ctx->counters.cache_hits = before.cache_hits;
  return status;
}

const cp_graph_ops cp_cpu_graph_ops = {
    .begin = begin, .finish = finish, .cancel = cancel, .launch = launch, .destroy = destroy};
