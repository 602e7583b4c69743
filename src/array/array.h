// Arrays, storages and buffers.
//
//   cp_array    a view: shape, strides and an offset into a storage, or a pending value. It lives in a Lua
//               userdata or on the C stack and holds one reference to its storage.
//   cp_storage  the logical memory that views share. A write may replace its buffer (renaming), which all
//               views see.
//   cp_buffer   the physical memory: one reference-counted block of a pool. Pending expressions hold the
//               buffers that they read. Two storages share a buffer after `x:assign(t)` until one of them is
//               written.
//
// Every write into an array passes the write barrier, cp_begin_write (lazy/arrays/write.h).
#ifndef CP_ARRAY_ARRAY_H
#define CP_ARRAY_ARRAY_H

#include "base/dtype.h"
#include "base/shape.h"
#include "device/context.h"

typedef struct cp_node cp_node;
typedef struct cp_scan cp_scan;
typedef struct cp_planned cp_planned;

// Borrowed memory: its owner's release callback is called when nothing uses it any more.
typedef void (*cp_release)(void *owner);
typedef struct cp_borrowed {
  cp_release release; // NULL: no callback
  void *owner;
  cp_device *device;
  struct cp_borrowed *next;
} cp_borrowed;

// Why a buffer's address is exposed outside of cupola, so that the buffer cannot be replaced.
typedef enum cp_exposure {
  CP_EXPOSED_POINTER = 1, // a raw pointer was handed out, for good
  CP_EXPOSED_EXPORT = 2,  // while a DLPack tensor of it exists
  CP_EXPOSED_PINNED = 4,  // page-locked memory, on machines with a GPU
  CP_EXPOSED_GRAPH = 8    // while a graph exists that writes it
} cp_exposure;

// The last uses of a buffer's memory, recorded once a state has several streams (lazy/work/order.h).
// Sequence numbers count the works of a stream.
enum { CP_MAX_READERS = 4 };
typedef struct cp_last_use {
  cp_stream *stream;
  uint64_t sequence;
} cp_last_use;
typedef struct cp_use_history {
  cp_stream *last_writer; // NULL: nothing recorded yet, the stream of the block
  int nreaders;           // how many other streams have read since the last write
  uint64_t written, used; // the last writer's sequence numbers: of its last write and its last use
  cp_last_use readers[CP_MAX_READERS]; // the last uses by those streams
} cp_use_history;

typedef struct cp_buffer {
  int refs;     // references from storages and leaves, changed only by the thread of the owning lua_State
  int storages; // how many of them are storages: more than one share the buffer until one is written
  // cp_exposure bits. While the address is exposed the buffer is never renamed, and operations that read it
  // do not wait as pending values.
  unsigned exposed;
  bool pinned; // only pending readers keep it alive, no storage
  // It holds a matrix, or the starts of a sparse one, products of which do not wait: one was absorbed by the
  // operators after it, and then needed again (lazy/work/product.h).
  bool products_kept;
  cp_node *readers;       // the leaves of pending expressions that read it, in no order
  cp_scan *scan;          // if it holds a mask: where the true elements are; NULL: unknown, reset by writes
  struct cp_block *block; // NULL: borrowed memory
  cp_borrowed *borrowed;
  char *pointer;
  cp_device *device;
  cp_context *context; // counts it as live bytes; outlives its buffers
  cp_event *transfer;  // host memory: recorded after the last GPU copy that uses it, else NULL (order.h)
  // Graphs (lazy/arrays/capture.h): the last capture that imported it, the last that recorded its use, at
  // which index; how many live graphs use it, and write it.
  unsigned imported, used_in_capture;
  unsigned fixed, rewritten;
  size_t place;
  cp_use_history uses;
} cp_buffer;

// The counts of a mask at `offset` of a buffer: how many elements are true in all, and before each tile
// (routines/index.h).
struct cp_scan {
  int64_t offset, size, count;
  cp_buffer *offsets;
};

typedef struct cp_storage {
  int refs;
  uint32_t left_in;  // the scope in which its array was collected before its views (lua/guards/scope.h), or 0
  cp_buffer *buffer; // NULL after free(), and before `planned` has been computed
  // What will be in it (lazy/expression/planned.h); NULL: nothing is planned.
  cp_planned *planned;
  size_t nbytes;
  unsigned version; // the number of writes
  // A host copy of the bytes [mirror_from, mirror_to), for reading single elements; NULL: none. A write frees
  // it.
  char *mirror;
  int64_t mirror_from, mirror_to;
} cp_storage;

// A combined allocation: a storage and the buffer that was made for it, freed when the references of both are
// 0. When a collector frees thousands of arrays, one allocation per array means fewer cache misses.
typedef struct cp_combined {
  cp_storage storage;
  uintptr_t earlier; // the address of the one allocated before, which may be freed: only for prefetching
  cp_buffer buffer;
} cp_combined;

static inline cp_combined *cp_combined_of(cp_buffer *b) {
  return (cp_combined *)(void *)((char *)b - offsetof(cp_combined, buffer));
}

// A handle with one dimension and Lua's header take 120 bytes, the most that the C library allocates quickly.
typedef struct cp_array {
  cp_dtype dtype : 8;
  uint8_t ndim;
  bool readonly;         // a broadcast view
  bool owner;            // its memory was allocated for this handle, which is not a view of another
  uint32_t handle_index; // a handle's index in its state's list (lua/objects/handles.h)
  cp_storage *storage;   // NULL after release, and while the value is pending and has no views
  cp_node *node;         // the pending expression, or NULL (lazy/arrays/pending.h)
  cp_context *context;   // the state of a handle; NULL for arrays on the C stack
  cp_device *device;
  int64_t offset, size;     // offset of the first element in the storage, in bytes; number of elements
  int64_t *shape, *strides; // ndim entries each, stored after the struct
} cp_array;

// An array on the C stack, with room for any number of dimensions. Call cp_array_local_init first.
typedef struct cp_array_local {
  cp_array a;
  int64_t dims[2 * CP_MAXDIM];
} cp_array_local;

cp_array *cp_array_local_init(cp_array_local *l);

// The size of an array with ndim dimensions; cp_array_place initializes such memory (storage NULL, shape and
// strides unset). Below, an array is "placed" after that.
static inline size_t cp_array_bytes(int ndim) {
  return sizeof(cp_array) + (size_t)ndim * 2 * sizeof(int64_t);
}
static inline void cp_array_place(cp_array *a, int ndim) {
  int64_t *dims = (int64_t *)(void *)(a + 1);
  *a = (cp_array){.ndim = (uint8_t)ndim, .shape = dims, .strides = dims + ndim};
}

// Makes `to` (placed, with at least from->ndim dimensions) the same view as `from`, with a reference to its
// storage.
void cp_array_copy_view(cp_array *to, const cp_array *from);
// Frees a storage whose last reference was dropped.
void cp_storage_end(cp_storage *s);
// Drops the array's reference to its storage. Safe to call twice, and for an array without a storage.
static inline void cp_array_release(cp_array *a) {
  cp_storage *s = a->storage;
  a->storage = NULL;
  if (s != NULL && --s->refs == 0) cp_storage_end(s);
}

// Allocates memory on device for an array that is placed and has its shape and the strides of new memory.
// CP_EMEMORY, CP_ESHAPE.
cp_status cp_array_allocate(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype dtype);
// The same from a pool, on the pool's device.
cp_status cp_array_allocate_from(cp_context *ctx, cp_array *a, cp_pool *pool, cp_dtype dtype);
// Sets dtype, ndim, shape, size and the contiguous strides of an order ('C' or 'F'). Fails on overflow.
cp_status cp_array_layout(cp_array *a, cp_dtype dtype, int ndim, const int64_t *shape, char order);

// The address of the first element of an array that has memory.
static inline char *cp_address(const cp_array *a) { return a->storage->buffer->pointer + a->offset; }
// The same for any array; CP_EUSAGE when its memory was freed.
cp_status cp_array_pointer(const cp_array *a, char **p);
// CP_EUSAGE when the array's memory was freed.
cp_status cp_array_fail_freed(void);
static inline cp_status cp_array_check(const cp_array *a) {
  return a->storage != NULL && a->storage->buffer != NULL ? CP_OK : cp_array_fail_freed();
}
// Whether the view contains every element of its storage exactly once.
bool cp_array_covers_storage(const cp_array *a);
static inline bool cp_array_contiguous(const cp_array *a, char order) {
  return cp_is_contiguous(a->ndim, a->shape, a->strides, cp_itemsize(a->dtype), order);
}
// The region of an array in memory, by address and not by storage: two storages may share a buffer or be on
// borrowed memory. No two devices share an address.
static inline cp_region cp_array_region(const cp_array *a) {
  return (cp_region){(intptr_t)cp_address(a), cp_itemsize(a->dtype), a->ndim, a->shape, a->strides};
}
// Whether both are in memory and their address ranges overlap: if not, they share no byte.
bool cp_may_overlap(const cp_array *a, const cp_array *b);
// Frees the memory now, for x:free(); every use of a view of the storage raises afterwards.
void cp_storage_free_memory(cp_storage *s);

// A new storage that owns b, taking the caller's reference. NULL when the host is out of memory.
cp_storage *cp_storage_on(cp_context *ctx, cp_buffer *b, size_t nbytes);
// Called before a write: drops what is cached about the old contents.
void cp_storage_touch(cp_storage *s);
// Replaces the storage's buffer with b, taking the caller's reference.
void cp_storage_rename(cp_storage *s, cp_buffer *b);

// Allocates a buffer with one reference, which the caller owns.
cp_status cp_buffer_new(cp_context *ctx, cp_device *device, size_t nbytes, cp_buffer **out);
// The same from a pool of the device.
cp_status cp_buffer_new_from(cp_context *ctx, cp_device *device, cp_pool *pool, size_t nbytes,
                             cp_buffer **out);
static inline void cp_buffer_retain(cp_buffer *b) { b->refs++; }
// The size of the buffer's block; 0 for borrowed memory, which is not counted.
size_t cp_buffer_bytes(const cp_buffer *b);

// Makes an array (placed; dtype, shape, strides, size and device set) a view of borrowed memory whose first
// element is at pointer. Its address counts as exposed. cp_release_borrowed calls release(owner) once, when
// nothing uses the memory any more and the work queued on it is done. If this fails, release is not called.
cp_status cp_array_borrow(cp_context *ctx, cp_array *a, void *pointer, cp_release release, void *owner);
// Calls the release callbacks of borrowed memory that is no longer used (ctx->arrays.borrowed), after waiting
// for the work queued on it. Not in finalizers: the callbacks may do anything but raise.
void cp_release_borrowed(cp_context *ctx);
void cp_buffer_release(cp_buffer *b);
// Called before a write: drops what is cached about the buffer's contents.
void cp_buffer_forget(cp_buffer *b);
// A storage starts or ceases to own b, to which it holds a reference meanwhile. The context counts the bytes
// of buffers that only pending readers keep alive (pinned).
void cp_buffer_unpin(cp_buffer *b);
static inline void cp_buffer_own(cp_buffer *b) {
  if (b->storages++ == 0 && b->pinned) cp_buffer_unpin(b);
}
void cp_buffer_disown(cp_buffer *b);

// The size of its elements in bytes, without gaps.
static inline size_t cp_array_nbytes(const cp_array *a) { return (size_t)a->size * cp_itemsize(a->dtype); }

#endif
