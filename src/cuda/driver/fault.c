// Reports positions that a kernel found out of range. The kernel skips them and stores a word in mapped host
// memory; a kernel with checks of its own stores what they found. The next synchronisation of its stream
// checks the words and fails with the message of the call that launched the kernel.
#include "cuda/driver/fault.h"
#include "cuda/driver/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 128, WORDS = CP_MAXDIM };

// One launch: a word per array of positions, and what a message about them says; or the words of a kernel's
// own checks.
typedef struct note {
  const cp_raw_checks *checks; // NULL: none; they live as long as the state
  cp_selected *shared;         // with a reference: of a pending lookup, which is reported once; NULL: no such
  int count;                   // words
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

// A note for the next launch, and its words.
static cp_status add_note(cp_cuda_stream *s, note **out, cpcu_deviceptr *words) {
  cp_cuda_device *d = (cp_cuda_device *)s->base.device;
  if (s->faults == NULL) CP_TRY(make(d, &s->faults));
  if (s->faults->used == NOTES && s->base.capturing)
    CP_TRY(make_more(d, &s->faults));
  else if (s->faults->used == NOTES)
    CP_TRY(cp_cuda_stream_synchronize(&s->base)); // which checks the words
  cp_cuda_faults *f = s->faults;
  CP_TRY(cp_cuda_enter(d));
  CP_TRY(cp_cuda_result(
      d, d->driver->cuMemHostGetDevicePointer(words, (void *)(uintptr_t)&f->words[f->used * WORDS], 0),
      "cuMemHostGetDevicePointer"));
  *out = &f->notes[f->used++];
  (*out)->checks = NULL;
  (*out)->shared = NULL;
  return CP_OK;
}

static void describe(note *n, const char *where, const char *site, int count) {
  n->count = count;
  snprintf(n->where, sizeof n->where, "%s", where);
  snprintf(n->site, sizeof n->site, "%s", site);
}

// A graph reports the errors of each launch.
static void share(const cp_cuda_stream *s, note *n, cp_selected *shared) {
  if (s->base.capturing || shared == NULL) return;
  cp_selected_retain(shared);
  n->shared = shared;
}

cp_status cp_cuda_expect_faults(cp_cuda_stream *s, const cp_lookup *l, cpcu_deviceptr *words) {
  note *n;
  CP_TRY(add_note(s, &n, words));
  describe(n, l->where, l->site, l->count);
  share(s, n, l->shared);
  for (int k = 0; k < l->count; k++) {
    n->array[k].length = l->positions[k].length;
    n->array[k].axis = l->positions[k].axis;
  }
  return CP_OK;
}

cp_status cp_cuda_expect_positions(cp_cuda_stream *s, cp_selected *p, cpcu_deviceptr *words) {
  note *n;
  CP_TRY(add_note(s, &n, words));
  describe(n, p->where, p->site, p->count);
  share(s, n, p);
  for (int k = 0; k < p->count; k++) {
    n->array[k].length = p->list[k].length;
    n->array[k].axis = p->list[k].axis;
  }
  return CP_OK;
}

cp_status cp_cuda_expect_checks(cp_cuda_stream *s, const cp_raw_checks *c, cpcu_deviceptr *words) {
  note *n;
  CP_TRY(add_note(s, &n, words));
  n->count = CP_FAULT_WORDS;
  n->checks = c;
  return CP_OK;
}

// Takes the words of launch k, which are then cleared; false: it found nothing.
static bool take_words(cp_cuda_faults *f, int k, int64_t *words) {
  const note *n = &f->notes[k];
  volatile int64_t *from = &f->words[k * WORDS];
  bool any = false;
  if (n->checks != NULL && from[CP_FAULT_CHECK] == 0) return false; // or they are being written
  for (int j = 0; j < n->count; j++) {
    words[j] = from[j];
    any = any || words[j] != 0;
    if (words[j] != 0) from[j] = 0;
  }
  return any;
}

static cp_status report(const note *n, const int64_t *words) {
  if (n->checks != NULL) return cp_raw_report(n->checks, words, true);
  int j = 0;
  if (n->shared != NULL && n->shared->reported) return CP_OK;
  if (n->shared != NULL) n->shared->reported = true;
  while (words[j] == 0) j++;
  return cp_fail_position(n->where, n->site, words[j] == INT64_MIN ? 0 : words[j], n->array[j].axis,
                          n->array[j].length);
}

// Reports the first error, unless *status is a failure already.
static void check(cp_cuda_faults *f, cp_status *status) {
  int64_t words[WORDS];
  for (int k = 0; k < f->used; k++)
    if (take_words(f, k, words) && *status == CP_OK) *status = report(&f->notes[k], words);
}

static void clear(cp_cuda_faults *f) {
  for (int k = 0; k < f->used; k++) cp_selected_release(f->notes[k].shared);
  f->used = 0;
}

cp_status cp_cuda_check_faults(cp_cuda_stream *s) {
  cp_status status = CP_OK;
  if (s->faults != NULL && !s->base.capturing) {
    check(s->faults, &status);
    clear(s->faults);
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
  int64_t words[WORDS];
  if (f->used == NOTES || !take_words(from, k, words)) return;
  f->notes[f->used] = from->notes[k]; // of a graph, which shares nothing
  for (int j = 0; j < from->notes[k].count; j++) f->words[f->used * WORDS + j] = words[j];
  f->used++;
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
    clear(f);
    d->driver->cuMemFreeHost((void *)(uintptr_t)f->words);
    free(f);
    f = next;
  }
}

void cp_cuda_free_faults(cp_cuda_stream *s) {
  cp_cuda_drop_faults((cp_cuda_device *)s->base.device, cp_cuda_take_faults(s));
}
