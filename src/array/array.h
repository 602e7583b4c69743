// Buffers, storages and arrays.
//
//   cp_array   a view: what a Lua handle holds. Lives in a Lua userdata or on the C stack, owns one reference to its storage.
//   cp_storage the logical memory that views share. Writing may exchange its buffer (renaming); the views follow.
//   cp_buffer  physical memory: one block of a device's pool, counted by reference. Pending readers hold buffers, and two storages share one
//              after `x:assign(t)` until one of them is written.
//
// Every mutation passes cp_begin_write (lazy/arrays/write.h).
#ifndef CP_ARRAY_ARRAY_H
#define CP_ARRAY_ARRAY_H

#include "base/dtype.h"
#include "base/shape.h"
#include "device/context.h"

typedef struct cp_node cp_node;
typedef struct cp_scan cp_scan;

// Memory that belongs to somebody else, who hears when it is no longer used.
typedef void (*cp_release)(void *owner);
typedef struct cp_borrowed {
  cp_release release; // NULL: nobody has to hear
  void *owner;
  cp_device *device;
  struct cp_borrowed *next;
} cp_borrowed;

typedef enum cp_exposure {
  CP_EXPOSED_POINTER = 1, // for good
  CP_EXPOSED_EXPORT = 2,  // while tensors of it are out
  CP_EXPOSED_PINNED = 4,  // page-locked, where there is a GPU: it stays where it is
  CP_EXPOSED_GRAPH = 8    // while a graph lives that writes it
} cp_exposure;

// Who used memory last, noted once a state has several streams (lazy/evaluation/order.h).
enum { CP_MAX_READERS = 4 };
typedef struct cp_last_use {
  cp_stream *stream;
  uint64_t sequence;
} cp_last_use;
typedef struct cp_use_history {
  cp_stream *last_writer;              // wrote last; NULL: the stream of the block, before anything was noted
  int nreaders;                        // streams other than home that read since then
  uint64_t written, used;              // tickets of home: of the last write, and of the last use
  cp_last_use readers[CP_MAX_READERS]; // the first nreaders are valid
} cp_use_history;

typedef struct cp_buffer {
  int refs;     // storages and leaves; counted by the owning lua_State's thread
  int storages; // how many of them are storages: more than one share it until one is written
  unsigned
      exposed; // cp_exposure bits: a raw pointer to it is out, so it is never renamed, and read at once by whatever reads it
  bool pinned;      // no storage owns it: pending readers alone do
  cp_node *readers; // leaves of pending expressions, in no order
  cp_scan
      *scan; // where the true elements of a mask in it are (mask.h); NULL when unknown, dropped at a write
  struct cp_block *block; // NULL: lent
  cp_borrowed *borrowed;
  char *pointer;
  cp_device *device;
  cp_context *context; // whose live bytes count it; outlives its buffers
  cp_event *transfer;  // behind the last copy of a GPU that uses it, memory of the host; NULL: none (order.h)
  // Graphs (lazy/arrays/capture.h): the capture that met it last, that noted it last, and where; how many graphs that live use it, and write it.
  unsigned imported, used_in_capture;
  unsigned fixed, rewritten;
  size_t place;
  cp_use_history uses;
} cp_buffer;

// Of a mask that lies at `offset` of a buffer: how many of its elements are true, and how many before each tile (routines/index.h).
struct cp_scan {
  int64_t offset, size, count;
  cp_buffer *offsets;
};

typedef struct cp_storage {
  int refs;
  cp_buffer *buffer; // NULL after free()
  size_t nbytes;
  unsigned version; // counts writes
  // Host copy of the bytes from mirror_from to before mirror_to, for reading elements one by one; NULL when none, dropped at a write.
  char *mirror;
  int64_t mirror_from, mirror_to;
} cp_storage;

// A storage and the buffer that is made for it lie in one piece of the host's memory, which is given back when both are over: their references
// are 0. Where arrays die by the thousand, each further place to look at is one more wait for memory.
typedef struct cp_combined {
  cp_storage storage;
  uintptr_t earlier; // where the piece made before it is, or was
  cp_buffer buffer;
} cp_combined;

static inline cp_combined *cp_combined_of(cp_buffer *b) {
  return (cp_combined *)(void *)((char *)b - offsetof(cp_combined, buffer));
}

// A handle of one dimension and Lua's own words are 120 bytes: the C library has a quick way for no more than that.
typedef struct cp_array {
  cp_dtype dtype : 8;
  uint8_t ndim;
  bool readonly;       // a broadcast view
  bool owner;          // this handle's memory was allocated for it; views of it are not owners
  uint32_t place;      // of a handle, in its state's list (lua/support/places.h)
  cp_storage *storage; // NULL while the value is pending, and after release
  cp_node *node;       // the pending expression, or NULL; see pending.h
  cp_context *context; // of the state that the handle belongs to; NULL for arrays on the C stack
  cp_device *device;
  int64_t offset, size;     // bytes from the storage's start; elements
  int64_t *shape, *strides; // ndim entries each, stored behind the struct
} cp_array;

// An array with room for any number of dimensions, for the C stack; ready after cp_array_local_init.
typedef struct cp_array_local {
  cp_array a;
  int64_t dims[2 * CP_MAXDIM];
} cp_array_local;

cp_array *cp_array_local_init(cp_array_local *l);

// Bytes that a handle of ndim dimensions takes; cp_array_place prepares such memory (storage NULL, shape and strides unset).
static inline size_t cp_array_bytes(int ndim) {
  return sizeof(cp_array) + (size_t)ndim * 2 * sizeof(int64_t);
}
static inline void cp_array_place(cp_array *a, int ndim) {
  int64_t *dims = (int64_t *)(void *)(a + 1);
  *a = (cp_array){.ndim = (uint8_t)ndim, .shape = dims, .strides = dims + ndim};
}

// Makes `to` (placed with from->ndim dimensions or more) the same view as `from`; takes a reference to the storage.
void cp_array_copy_view(cp_array *to, const cp_array *from);
// Drops the reference. Safe to call twice, and on an array that never got a storage.
void cp_storage_end(cp_storage *s); // the last reference goes
static inline void cp_array_release(cp_array *a) {
  cp_storage *s = a->storage;
  a->storage = NULL;
  if (s != NULL && --s->refs == 0) cp_storage_end(s);
}

// Gives a (placed; shape and strides set, strides as of new memory) fresh memory on device. CP_EMEMORY, CP_ESHAPE.
cp_status cp_array_allocate(cp_context *ctx, cp_array *a, cp_device *device, cp_dtype dtype);
// The same from this pool, of the same device.
cp_status cp_array_allocate_from(cp_context *ctx, cp_array *a, cp_pool *pool, cp_dtype dtype);
// Sets dtype, ndim, shape, size and contiguous strides of a in the given order ('C' or 'F'); checks for overflow.
cp_status cp_array_layout(cp_array *a, cp_dtype dtype, int ndim, const int64_t *shape, char order);

// Address of the first element of an array that has memory.
static inline char *cp_address(const cp_array *a) { return a->storage->buffer->pointer + a->offset; }
// The same of any array; CP_EUSAGE "... after free" when the memory was freed.
cp_status cp_array_pointer(const cp_array *a, char **p);
// CP_EUSAGE when the array has no memory (any more).
cp_status cp_array_fail_freed(void);
static inline cp_status cp_array_check(const cp_array *a) {
  return a->storage != NULL && a->storage->buffer != NULL ? CP_OK : cp_array_fail_freed();
}
// Whether the view has every element of its storage, each once.
bool cp_array_covers_storage(const cp_array *a);
static inline bool cp_array_contiguous(const cp_array *a, char order) {
  return cp_is_contiguous(a->ndim, a->shape, a->strides, cp_itemsize(a->dtype), order);
}
// Of an array in memory: by address, as two storages may share a buffer or lie on foreign memory. Devices share no
// addresses.
static inline cp_region cp_array_region(const cp_array *a) {
  return (cp_region){(intptr_t)cp_address(a), cp_itemsize(a->dtype), a->ndim, a->shape, a->strides};
}
// True when both are in memory and may touch a common byte (by their extents).
bool cp_may_overlap(const cp_array *a, const cp_array *b);
// x:free(): gives the memory back now; views of the storage raise afterwards.
void cp_storage_free_memory(cp_storage *s);

// A storage on b, of which it becomes an owner. NULL when the host is out of memory.
cp_storage *cp_storage_on(cp_context *ctx, cp_buffer *b, size_t nbytes);
// Before a write: the host's copy is out of date.
void cp_storage_touch(cp_storage *s);
// Exchanges the buffer for b, whose reference it takes.
void cp_storage_rename(cp_storage *s, cp_buffer *b);

// A buffer with one reference, that of nobody yet.
cp_status cp_buffer_new(cp_context *ctx, cp_device *device, size_t nbytes, cp_buffer **out);
// From this pool, of that device.
cp_status cp_buffer_new_from(cp_context *ctx, cp_device *device, cp_pool *pool, size_t nbytes,
                             cp_buffer **out);
static inline void cp_buffer_retain(cp_buffer *b) { b->refs++; }
// Bytes of the pool's block; 0 for lent memory, which nobody here counts.
size_t cp_buffer_bytes(const cp_buffer *b);

// Makes a (placed; dtype, shape, strides, size, device set) a view of memory of others, whose element at position 0 lies at pointer. It is foreign.
// release(owner) is called once, when nothing uses the memory any more and the work queued on it is done, by cp_release_borrowed: not on failure.
cp_status cp_array_lend(cp_context *ctx, cp_array *a, void *pointer, cp_release release, void *owner);
// Gives back what is no longer used (ctx->arrays.lent); waits for the work queued on it. Not in finalizers: the owners' functions may do anything but
// raise.
void cp_release_borrowed(cp_context *ctx);
void cp_buffer_release(cp_buffer *b);
// Before a write: what is known of b's contents does not hold any more.
void cp_buffer_forget(cp_buffer *b);
// A storage starts, or ends, to own b (which is kept alive by a reference meanwhile). Memory that no storage owns any more is pinned by
// pending readers alone: the context counts it.
void cp_buffer_unpin(cp_buffer *b);
static inline void cp_buffer_own(cp_buffer *b) {
  if (b->storages++ == 0 && b->pinned) cp_buffer_unpin(b);
}
void cp_buffer_disown(cp_buffer *b);

// Bytes of its elements without gaps.
static inline size_t cp_array_nbytes(const cp_array *a) { return (size_t)a->size * cp_itemsize(a->dtype); }

#endif
