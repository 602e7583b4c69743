// Plain memory where a device has no other: what its table names then as cp_device_ops.memory.
#include "memory/allocator.h"

static cp_status plain_pinned(cp_device *d, size_t bytes, bool write_combined, void **pointer) {
  (void)write_combined;
  return d->ops->allocate(d, bytes, pointer);
}

static cp_status plain_address(cp_device *d, void *pointer, void **there) {
  (void)d;
  *there = pointer;
  return CP_OK;
}

static cp_status plain_managed(cp_device *d, size_t bytes, void **pointer) {
  return d->ops->allocate(d, bytes, pointer);
}

static void plain_release(cp_device *d, void *pointer, size_t bytes) { d->ops->release(d, pointer, bytes); }

static cp_status plain_async(cp_stream *s, size_t bytes, void **pointer) {
  return s->device->ops->allocate(s->device, bytes, pointer);
}

static cp_status plain_async_release(cp_device *d, cp_stream *s, void *pointer, size_t bytes) {
  (void)s;
  d->ops->release(d, pointer, bytes);
  return CP_OK;
}

static void plain_trim(cp_device *d) { (void)d; }

static cp_status plain_copy(cp_stream *s, void *dst, const void *src, size_t bytes, cp_copy_kind kind) {
  return s->device->ops->copy(s, dst, src, bytes, kind);
}

const cp_memory_ops cp_plain_memory_ops = {.pinned_allocate = plain_pinned,
                                           .pinned_release = plain_release,
                                           .pinned_address = plain_address,
                                           .managed_allocate = plain_managed,
                                           .async_allocate = plain_async,
                                           .async_release = plain_async_release,
                                           .async_trim = plain_trim,
                                           .copy_pinned = plain_copy};
