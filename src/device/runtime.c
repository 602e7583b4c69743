// Raw addresses on a device whose memory is the host's (runtime.h): pages are not locked, and nothing moves.
#include "device/runtime.h"
#include "device/texture.h"

static char *row_of(const cp_box_side *s, size_t y, size_t z) {
  char *first = s->array != NULL ? cp_plain_array_data(s->array) : s->pointer;
  return first + ((s->z + z) * s->rows + s->y + y) * s->pitch + s->x;
}

static cp_status copy_box(cp_stream *s, const cp_box *b) {
  for (size_t z = 0; z < b->depth; z++)
    for (size_t y = 0; y < b->height; y++)
      CP_TRY(s->device->ops->copy(s, row_of(&b->to, y, z), row_of(&b->from, y, z), b->width, CP_WITHIN));
  return CP_OK;
}

static cp_status lock(cp_device *d, void *pointer, size_t bytes, unsigned flags) {
  (void)d, (void)pointer, (void)bytes, (void)flags;
  return CP_OK;
}

static cp_status unlock(cp_device *d, void *pointer) {
  (void)d, (void)pointer;
  return CP_OK;
}

static cp_status advise(cp_device *d, void *pointer, size_t bytes, int advice, int where) {
  (void)d, (void)pointer, (void)bytes, (void)advice, (void)where;
  return CP_OK;
}

static cp_status prefetch(cp_stream *s, void *pointer, size_t bytes, int where) {
  (void)s, (void)pointer, (void)bytes, (void)where;
  return CP_OK;
}

static cp_status facts(cp_device *d, void *pointer, cp_pointer_facts *out) {
  (void)d;
  *out = (cp_pointer_facts){CP_UNREGISTERED, CP_ON_HOST, pointer, pointer};
  return CP_OK;
}

static cp_status profile(cp_device *d, bool on) {
  (void)d, (void)on;
  return CP_OK;
}

const cp_runtime_ops cp_plain_runtime_ops = {.copy_box = copy_box,
                                             .lock = lock,
                                             .unlock = unlock,
                                             .advise = advise,
                                             .prefetch = prefetch,
                                             .facts = facts,
                                             .profile = profile};
