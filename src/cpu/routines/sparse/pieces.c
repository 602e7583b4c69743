// Results of sparse work that tasks make in pieces (sparse_forms.h).
#include "cpu/routines/sparse/forms.h"

#include <stdlib.h>
#include <string.h>

cp_status cp_sparse_open_pieces(cp_sparse_pieces *p, const cp_sparse_layout *m, size_t item,
                                const cp_sparse_target *target) {
  *p = (cp_sparse_pieces){.m = m, .item = item, .target = target, .count = cp_sparse_tasks(m)};
  p->list = calloc((size_t)p->count + 1, sizeof *p->list);
  p->lengths = calloc((size_t)m->rows + 1, sizeof *p->lengths);
  if (p->list != NULL && p->lengths != NULL) return CP_OK;
  cp_sparse_close_pieces(p);
  return cp_no_memory("the rows of a sparse array");
}

static void free_piece(cp_sparse_piece *piece) {
  if (!piece->in_scratch) {
    free(piece->columns);
    free(piece->values);
  }
  *piece = (cp_sparse_piece){0};
}

void cp_sparse_close_pieces(cp_sparse_pieces *p) {
  for (int64_t k = 0; p->list != NULL && k < p->count; k++) free_piece(&p->list[k]);
  free(p->list);
  free(p->lengths);
  p->list = NULL;
  p->lengths = NULL;
}

void cp_sparse_begin_piece(cp_sparse_pieces *p, cp_sparse_piece *piece, int64_t most) {
  const cp_sparse_target *t = p->target;
  if (t->columns == NULL || most > t->room) return;
  const int64_t at = atomic_fetch_add(&p->taken, most);
  if (at > t->room - most) {
    atomic_fetch_sub(&p->taken, most);
    return;
  }
  piece->columns = (char *)t->columns + (size_t)at * cp_itemsize(p->m->index);
  piece->values = (char *)t->values + (size_t)at * p->item;
  piece->room = most;
  piece->in_scratch = true;
}

void cp_sparse_end_piece(cp_sparse_pieces *p, cp_sparse_piece *piece) {
  if (!piece->in_scratch) return;
  const int64_t at = (piece->columns - (char *)p->target->columns) / (int64_t)cp_itemsize(p->m->index);
  int64_t end = at + piece->room;
  atomic_compare_exchange_strong(&p->taken, &end, at + piece->entries); // unless others took more behind it
}

// Gives a piece memory of its own for so many entries, and what it has.
static bool resize(cp_sparse_piece *piece, char **memory, size_t old, size_t bytes) {
  char *larger = realloc(piece->in_scratch ? NULL : *memory, bytes);
  if (larger == NULL) return false;
  if (piece->in_scratch) memcpy(larger, *memory, old);
  *memory = larger;
  return true;
}

bool cp_sparse_grow(cp_sparse_pieces *p, cp_sparse_piece *piece, int64_t more) {
  const int64_t least = piece->entries + more, room = least > 2 * piece->room ? least : 2 * piece->room;
  const size_t index = cp_itemsize(p->m->index), entries = (size_t)piece->entries;
  cp_sparse_piece larger = *piece;
  if (!resize(&larger, &larger.columns, entries * index, (size_t)room * index)) {
    p->has_failed = true;
    return false;
  }
  if (!piece->in_scratch) piece->columns = larger.columns;
  if (!resize(&larger, &larger.values, entries * p->item, (size_t)room * p->item)) {
    if (piece->in_scratch) free(larger.columns);
    p->has_failed = true;
    return false;
  }
  larger.room = room;
  larger.in_scratch = false;
  *piece = larger;
  return true;
}

// ---- copying ----------------------------------------------------------------------------------------------

static void put_start(const cp_sparse_result *out, int64_t row, int64_t start) {
  if (out->index == CP_INT64)
    ((int64_t *)out->starts)[row] = start;
  else
    ((int32_t *)out->starts)[row] = (int32_t)start;
}

static void copy_columns(const cp_sparse_pieces *p, const cp_sparse_piece *piece, int64_t at) {
  const size_t item = cp_itemsize(p->out.index), n = (size_t)piece->entries;
  if (p->m->index == p->out.index) {
    memcpy((char *)p->out.columns + (size_t)at * item, piece->columns, n * item);
    return;
  }
  const int32_t *from = (const int32_t *)(const void *)piece->columns;
  int64_t *to = (int64_t *)p->out.columns + at;
  for (size_t k = 0; k < n; k++) to[k] = from[k];
}

// Copies piece k, whose entries begin at `at` in the result, and fills the starts of its rows.
static void copy_piece(const cp_sparse_pieces *p, int64_t k, int64_t at) {
  const cp_sparse_piece *piece = &p->list[k];
  int64_t first, end;
  cp_sparse_rows_of(p->m, k, &first, &end);
  if (piece->entries > 0 && !p->adopted) {
    copy_columns(p, piece, at);
    memcpy((char *)p->out.values + (size_t)at * p->item, piece->values, (size_t)piece->entries * p->item);
  }
  for (int64_t r = first; r < end; r++) {
    put_start(&p->out, r, at);
    at += p->lengths[r];
  }
}

// The pieces' `room` is where they go.
static void copy_pieces(void *data, cp_tasks *tasks) {
  cp_sparse_pieces *p = data;
  int64_t k;
  while (cp_next_task(tasks, &k)) {
    copy_piece(p, k, p->list[k].room);
    free_piece(&p->list[k]);
  }
}

// Whether the pieces already lie in the scratch memory as they will in the result, and fill most of it, as
// they do if a single thread made them. `room` is now where each piece goes.
static bool is_joined(const cp_sparse_pieces *p, int64_t entries) {
  const cp_sparse_target *t = p->target;
  const size_t item = cp_itemsize(p->m->index);
  if (t->columns == NULL || entries < t->room / 4 * 3 || (item == 4 && entries > INT32_MAX)) return false;
  for (int64_t k = 0; k < p->count; k++) {
    const cp_sparse_piece *piece = &p->list[k];
    const bool here = piece->in_scratch && piece->columns == (char *)t->columns + (size_t)piece->room * item;
    if (piece->entries > 0 && !here) return false;
  }
  return true;
}

cp_status cp_sparse_join_pieces(cp_context *ctx, cp_sparse_pieces *p, cp_status status) {
  int64_t entries = 0;
  CP_TRY(status);
  if (p->has_failed) return cp_no_memory("the rows of a sparse array");
  for (int64_t k = 0; k < p->count; k++) {
    p->list[k].room = entries;
    entries += p->list[k].entries;
  }
  p->adopted = is_joined(p, entries);
  CP_TRY((p->adopted ? p->target->adopt : p->target->place)(p->target->data, entries, &p->out));
  put_start(&p->out, p->m->rows, entries);
  return cp_parallel(ctx, copy_pieces, p, p->count, cp_sparse_shared(p->m));
}
