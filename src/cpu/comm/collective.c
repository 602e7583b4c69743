// The phases of each collective operation on CPU ranks, and the messages of each phase.
//
// In reductions each rank combines one part, always in the order of the ranks, so every rank and every run
// gets the same bits. Large arrays are processed in slices, which bounds the memory for the other ranks'
// parts.
#include "cpu/comm/job.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE_BYTES = 4 << 20, ALIGNMENT = 64 };

// ---- sends and receives -----------------------------------------------------------------------------------

static const cp_collective *next_self(const cp_tcp_job *j, int *at, cp_collective_kind kind) {
  for (; *at < j->count; ++*at) {
    const cp_collective *w = &j->works[*at];
    if (w->comm == &j->comm->base && w->kind == kind && w->root == j->comm->base.rank)
      return &j->works[(*at)++];
  }
  return NULL;
}

// Copies what a rank sends to itself, in order.
static cp_status copy_to_self(const cp_tcp_job *j) {
  int s = 0, r = 0;
  for (;;) {
    const cp_collective *from = next_self(j, &s, CP_SEND), *to = next_self(j, &r, CP_RECV);
    if (from == NULL && to == NULL) return CP_OK;
    if (from == NULL || to == NULL || from->count != to->count || from->dtype != to->dtype)
      return cp_fail(CP_EUSAGE, "rank %d must receive what it sends to itself in the same group",
                     j->comm->base.rank);
    if (from->count > 0) memmove(to->out, from->in, from->count * cp_itemsize(from->dtype));
  }
}

cp_status cp_tcp_begin(cp_tcp_job *j) {
  CP_TRY(copy_to_self(j));
  for (int k = 0; k < j->count; k++) {
    const cp_collective *w = &j->works[k];
    if (w->comm != &j->comm->base || w->kind < CP_SEND || w->root == j->comm->base.rank) continue;
    size_t bytes = w->count * cp_itemsize(w->dtype);
    if (w->kind == CP_SEND)
      cp_tcp_post_send(j, w, w->root, w->in, bytes);
    else
      cp_tcp_post_recv(j, w, w->root, w->out, bytes);
  }
  return CP_OK;
}

// ---- collectives ------------------------------------------------------------------------------------------

static size_t item(const cp_tcp_job *j) { return cp_itemsize(j->now->dtype); }
static const char *in_at(const cp_tcp_job *j, size_t element) {
  return (const char *)j->now->in + element * item(j);
}
static char *out_at(const cp_tcp_job *j, size_t element) { return (char *)j->now->out + element * item(j); }

// Where the part of the slice that rank r combines begins.
static size_t part(const cp_tcp_job *j, int r) {
  size_t n = j->to - j->from, size = (size_t)j->comm->base.size;
  return j->from + n / size * (size_t)r + n % size * (size_t)r / size;
}

static size_t part_size(const cp_tcp_job *j, int r) { return part(j, r + 1) - part(j, r); }

static size_t pitch(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static bool combines_here(const cp_tcp_job *j) {
  return j->now->kind != CP_REDUCE || j->now->root == j->comm->base.rank;
}

// Number of elements of a slice that this rank combines.
static size_t own_elements(const cp_tcp_job *j) {
  return j->now->kind == CP_ALL_REDUCE ? part_size(j, j->comm->base.rank) : j->to - j->from;
}

// Sets the slice that begins at j->from. all_gather and broadcast need no memory, so theirs is the whole
// array.
static void set_slice(cp_tcp_job *j) {
  size_t size = (size_t)j->comm->base.size, most = SLICE_BYTES / item(j), left = j->now->count - j->from;
  if (j->now->kind != CP_ALL_REDUCE) most /= size;
  if (most < size) most = size;
  bool whole = j->now->kind == CP_ALL_GATHER || j->now->kind == CP_BROADCAST;
  j->to = j->from + (whole || left < most ? left : most);
}

static cp_status reserve(cp_tcp_job *j) {
  size_t bytes = pitch(own_elements(j) * item(j)) * (size_t)j->comm->base.size + ALIGNMENT;
  if (bytes <= j->scratch_bytes) return CP_OK;
  free(j->scratch);
  j->scratch_bytes = 0;
  j->scratch = aligned_alloc(ALIGNMENT, bytes);
  if (j->scratch == NULL) return cp_no_memory(NULL);
  j->scratch_bytes = bytes;
  return CP_OK;
}

// Where rank r's elements of this rank's part are put; also this rank's own.
static char *place_of(const cp_tcp_job *j, int r) {
  return j->scratch + (size_t)r * pitch(own_elements(j) * item(j));
}

// Posts the exchange of parts: receives all ranks' elements of this rank's part, and sends the elements of
// the others' parts.
static void post_parts(cp_tcp_job *j) {
  const cp_collective *w = j->now;
  int rank = j->comm->base.rank;
  for (int r = 0; r < j->comm->base.size; r++) {
    if (r == rank) continue;
    if (combines_here(j)) cp_tcp_post_recv(j, w, r, place_of(j, r), own_elements(j) * item(j));
    size_t begin = j->from, n = j->to - j->from;
    if (w->kind == CP_ALL_REDUCE) begin = part(j, r), n = part_size(j, r);
    if (w->kind == CP_REDUCE_SCATTER) begin = (size_t)r * w->count + j->from;
    if (w->kind != CP_REDUCE || r == w->root) cp_tcp_post_send(j, w, r, in_at(j, begin), n * item(j));
  }
}

// Combines the parts in the order of the ranks.
static void combine_parts(cp_tcp_job *j) {
  const cp_collective *w = j->now;
  int rank = j->comm->base.rank, size = j->comm->base.size;
  size_t n = own_elements(j), begin = j->from, target = j->from;
  if (!combines_here(j) || n == 0) return;
  if (w->kind == CP_ALL_REDUCE) begin = target = part(j, rank);
  if (w->kind == CP_REDUCE_SCATTER) begin = (size_t)rank * w->count + j->from;
  memcpy(place_of(j, rank), in_at(j, begin), n * item(j));
  for (int r = 1; r < size; r++) cp_combine(w->dtype, w->combination, place_of(j, 0), place_of(j, r), n);
  if (w->combination == CP_AVG) cp_combine_mean(w->dtype, place_of(j, 0), n, size);
  memcpy(out_at(j, target), place_of(j, 0), n * item(j));
}

// all_reduce: sends this rank's combined part to every rank.
static void post_results(cp_tcp_job *j) {
  int rank = j->comm->base.rank;
  for (int r = 0; r < j->comm->base.size; r++) {
    if (r == rank) continue;
    cp_tcp_post_send(j, j->now, r, out_at(j, part(j, rank)), part_size(j, rank) * item(j));
    cp_tcp_post_recv(j, j->now, r, out_at(j, part(j, r)), part_size(j, r) * item(j));
  }
}

static void post_whole(cp_tcp_job *j) {
  const cp_collective *w = j->now;
  int rank = j->comm->base.rank;
  size_t bytes = w->count * item(j);
  bool gathers = w->kind == CP_ALL_GATHER, gives = gathers || w->root == rank;
  char *own = gathers ? out_at(j, (size_t)rank * w->count) : w->out;
  if (gives && bytes > 0 && own != w->in) memmove(own, w->in, bytes);
  for (int r = 0; r < j->comm->base.size; r++) {
    if (r == rank) continue;
    if (gives) cp_tcp_post_send(j, w, r, w->in, bytes);
    if (gathers) cp_tcp_post_recv(j, w, r, out_at(j, (size_t)r * w->count), bytes);
    if (!gathers && r == w->root) cp_tcp_post_recv(j, w, r, w->out, bytes);
  }
}

// ---- one after the other ----------------------------------------------------------------------------------

static cp_status begin_slice(cp_tcp_job *j) {
  set_slice(j);
  j->phase = 0;
  if (j->now->kind == CP_ALL_GATHER || j->now->kind == CP_BROADCAST) {
    post_whole(j);
    return CP_OK;
  }
  if (combines_here(j)) CP_TRY(reserve(j));
  post_parts(j);
  return CP_OK;
}

static cp_status begin_next(cp_tcp_job *j) {
  j->now = NULL;
  while (j->next < j->count && j->now == NULL) {
    const cp_collective *w = &j->works[j->next++];
    if (w->comm == &j->comm->base && w->kind < CP_SEND) j->now = w;
  }
  j->over = j->now == NULL;
  j->from = 0;
  return j->over ? CP_OK : begin_slice(j);
}

// Called when all messages of the phase are done.
cp_status cp_tcp_advance(cp_tcp_job *j) {
  j->used = 0;
  if (j->now == NULL) return begin_next(j);
  bool shared = j->now->kind != CP_ALL_GATHER && j->now->kind != CP_BROADCAST;
  if (shared && j->phase == 0) {
    combine_parts(j);
    if (j->now->kind == CP_ALL_REDUCE) {
      j->phase = 1;
      post_results(j);
      return CP_OK;
    }
  }
  j->from = j->to;
  return j->from < j->now->count ? begin_slice(j) : begin_next(j);
}
