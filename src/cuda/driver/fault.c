// Reports positions that a kernel found out of range. The kernel skips them and stores a word in mapped host
// memory. The next synchronisation of its stream checks the words and fails with the message of the call that
// launched the kernel.
#include "cuda/driver/graph.h"

#include "routines/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 128, WORDS = CP_MAXDIM };

// One launch: a word per array of positions, and what a message about them says.
typedef struct note {
  int count;
  char where[48], site[96];
  struct {
    int64_t length;
    int axis;
  } array[WORDS];
} note;

struct cp_cuda_faults {
  volatile int64_t *words; // NOTES x WORDS; 0: no error, INT64_MIN: position 0
  int used;                // launches recorded since the last check
  note notes[NOTES];
  cp_cuda_faults *next; // next list of a graph, whose launches stay recorded
};

static cp_status make(cp_cuda_device *d, cp_cuda_faults **out) {
  void *words = NULL;
  cp_cuda_faults *f = calloc(1, sizeof *f);
  if (f == NULL) return cp_no_memory(NULL);
  cp_status status = cp_cuda_enter(d);
  cp_cuda_pause();
  if (status == CP_OK)
    status =
        cp_cuda_result(d,
                       d->driver->cuMemHostAlloc(&words, NOTES * WORDS * sizeof *f->words,
                                                 CPCU_MEMHOSTALLOC_PORTABLE | CPCU_MEMHOSTALLOC_DEVICEMAP),
                       "cuMemHostAlloc");
  cp_cuda_resume();
  if (status != CP_OK) {
    free(f);
    return status;
  }
  memset(words, 0, NOTES * WORDS * sizeof *f->words);
  f->words = words;
  *out = f;
  return CP_OK;
}

static cp_status make_more(cp_cuda_device *d, cp_cuda_faults **list) {
  cp_cuda_faults *first;
  CP_TRY(make(d, &first));
  first->next = *list;
  *list = first;
  return CP_OK;
}

cp_status cp_cuda_expect_faults(cp_cuda_stream *s, const cp_lookup *l, cpcu_deviceptr *words) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  if (s->faults == NULL) CP_TRY(make(d, &s->faults));
  if (s->faults->used == NOTES && s->base.capturing)
    CP_TRY(make_more(d, &s->faults));
  else if (s->faults->used == NOTES)
    CP_TRY(cp_cuda_stream_synchronize(&s->base)); // which checks the words
  cp_cuda_faults *f = s->faults;
  note *n = &f->notes[f->used];
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(cp_cuda_result(
      d, d->driver->cuMemHostGetDevicePointer(words, (void *)(uintptr_t)&f->words[f->used * WORDS], 0),
      "cuMemHostGetDevicePointer"));
  n->count = l->count;
  snprintf(n->where, sizeof n->where, "%s", l->where);
  snprintf(n->site, sizeof n->site, "%s", l->site);
  for (int k = 0; k < l->count; k++) {
    n->array[k].length = l->positions[k].length;
    n->array[k].axis = l->positions[k].axis;
  }
  f->used++;
  return CP_OK;
}

// The first nonzero word of launch k, which is then cleared; -1: none.
static int take_word(cp_cuda_faults *f, int k, int64_t *position) {
  int found = -1;
  for (int j = f->notes[k].count - 1; j >= 0; j--) {
    volatile int64_t *word = &f->words[k * WORDS + j];
    if (*word == 0) continue;
    *position = *word == INT64_MIN ? 0 : *word;
    *word = 0;
    found = j;
  }
  return found;
}

// Reports the first error, unless *status is a failure already.
static void check(cp_cuda_faults *f, cp_status *status) {
  for (int k = 0; k < f->used; k++) {
    const note *n = &f->notes[k];
    int64_t position = 0;
    int j = take_word(f, k, &position);
    if (j >= 0 && *status == CP_OK)
      *status = cp_fail_position(n->where, n->site, position, n->array[j].axis, n->array[j].length);
  }
}

cp_status cp_cuda_check_faults(cp_cuda_stream *s) {
  cp_status status = CP_OK;
  if (s->faults != NULL && !s->base.capturing) {
    check(s->faults, &status);
    s->faults->used = 0;
  }
  if (s->base.context == NULL || s->base.context->capture.command_buffers == NULL) return status;
  for (cp_cuda_faults *of = cp_cuda_next_faults(s, NULL); of != NULL; of = cp_cuda_next_faults(s, of))
    for (cp_cuda_faults *f = of; f != NULL; f = f->next) check(f, &status);
  return status;
}

cp_cuda_faults *cp_cuda_take_faults(cp_cuda_stream *s) {
  cp_cuda_faults *f = s->faults;
  s->faults = NULL;
  return f;
}

// If the stream's list is full, the error stays in the old list.
static void inherit(cp_cuda_faults *f, cp_cuda_faults *from, int k) {
  int64_t position = 0;
  if (f->used == NOTES) return;
  int j = take_word(from, k, &position);
  if (j < 0) return;
  f->notes[f->used] = from->notes[k];
  f->words[f->used++ * WORDS + j] = position == 0 ? INT64_MIN : position;
}

void cp_cuda_inherit_faults(cp_cuda_stream *s, cp_cuda_faults *faults) {
  if (faults != NULL && s->faults == NULL) (void)make((cp_cuda_device *)s->base.device, &s->faults);
  for (cp_cuda_faults *from = faults; from != NULL && s->faults != NULL; from = from->next)
    for (int k = 0; k < from->used; k++) inherit(s->faults, from, k);
}

void cp_cuda_drop_faults(cp_cuda_device *d, cp_cuda_faults *f) {
  while (f != NULL) {
    cp_cuda_faults *next = f->next;
    cp_status status = CP_OK;
    check(f, &status);
    if (status != CP_OK) fprintf(stderr, "cupola: never reported: %s\n", cp_error_text());
    d->driver->cuMemFreeHost((void *)(uintptr_t)f->words);
    free(f);
    f = next;
  }
}

void cp_cuda_free_faults(cp_cuda_stream *s) {
  cp_cuda_drop_faults((cp_cuda_device *)s->base.device, cp_cuda_take_faults(s));
}
