// cupola for hosts: what the module exports to programs that embed it.
//
// A host that links or embeds cupola calls luaopen_cupola as any Lua module:
//   luaL_requiref(L, "cupola", luaopen_cupola, 0);                    Lua 5.2 and later
//   package.preload["cupola"] = luaopen_cupola                        every Lua
//
// Functions that may raise a Lua error say so: call them where lua_error may be called (in a C function that Lua runs, or under pcall).
// All of them belong to the thread that runs the lua_State just now. Structs start with their size, which the caller sets to
// sizeof: a later version may add fields at the end.
#ifndef CUPOLA_H
#define CUPOLA_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CP_API extern "C" __attribute__((visibility("default")))
#else
#define CP_API __attribute__((visibility("default")))
#endif

// Grows when a function or a field is added; functions and fields never go.
#define CUPOLA_API_VERSION 4

// The CUPOLA_API_VERSION of the module that was loaded.
CP_API int cupola_api_version(void);

// Pushes the module table of this state and returns 1. Safe to call again: the same table. Nothing of CUDA is opened by it.
CP_API int luaopen_cupola(lua_State *L);

// ---- options, before the module is opened ---------------------------------------------------------------------------------------------------

// What scripts of a state may be kept from (docs/embedding.md). Functions behind a closed door raise "... are closed by the host".
//
// A state with any closed door is confined: it changes nothing that other states of the process see (limits and cached memory of shared pools, shared
// caches, bundles, recording), it finds no data of others in memory that it gets, and what it makes the process keep is bounded (docs/embedding.md).
enum {
  CUPOLA_FILES = 1, // reading and writing files, pictures, plots; connections to other processes (cuda.nccl)
  CUPOLA_POINTERS = 2, // addresses: x.data, from_pointer, from_dlpack, dlpack, cuda.runtime
  CUPOLA_KERNELS = 4   // kernels from source text: they reach all memory, and files by #include
};

// What the host has of CUDA on one device, for a state to work with. Driver handles: CUcontext, CUstream. Both live until lua_close, a context for as
// long as the process uses cupola.
typedef struct cupola_handles {
  size_t size;
  const char *device; // "cuda:0"
  void *
      context; // instead of the primary context; all states of a process share one for each GPU, so the first decides, and others may leave it NULL
  void *stream; // the state's work goes here where a script chose no other; NULL: a stream of the state's own
  const struct cupola_handles *next; // of another device, or NULL
} cupola_handles;

// Memory of the host's own for arrays. The functions run in the thread that runs the state, inside of calls of cupola: they must not call into the state.
// free comes when nothing uses the memory any more; for a tensor that outlives the state (cupola_to_dlpack) in the thread that deletes it, so both and
// `user` must stay good as long as tensors are out.
typedef struct cupola_allocator {
  size_t size;
  void *(*allocate)(
      void *user, const char *device, size_t bytes,
      void *
          stream); // bytes of memory of device ("cpu", "cuda:0"), aligned to 64, for work on stream (a CUstream); NULL: there is none
  void (*free)(void *user, const char *device, void *pointer, size_t bytes);
  void *user;
  int direct; // not 0: called for every array; 0: freed memory is kept for the next arrays, until cp.collect() or lua_close
} cupola_allocator;

typedef struct cupola_options {
  size_t size;
  const char *
      device; // the state's first device, "cpu" or "cuda:0"; NULL: CUPOLA_DEVICE, else the first usable GPU, else the CPU
  uint64_t
      memory_limit; // bytes that arrays of this state, its graphs and its work may hold at a time; 0: what the device's pool allows
  unsigned closed_doors;         // CUPOLA_FILES | CUPOLA_POINTERS | CUPOLA_KERNELS
  const cupola_handles *handles; // version 2; NULL: none
  const cupola_allocator *
      allocator; // version 3; copied; where all arrays of the state have their memory: scripts cannot choose another one. NULL: none
  // Version 4. Asked about every millisecond while a call works or waits, in its thread; it must be quick, and must not call into the state. Not 0: the call
  // raises "interrupted by the host"; what it was to write is written in part, all else is as it was. NULL: none.
  int (*interrupt)(void *user);
  void *interrupt_user;
  // Version 4. Seconds that work may take, by estimate, which cannot be interrupted (decompositions, Fourier transforms, products on GPUs): longer ones
  // raise. 0: 1 in states with a closed door, else as long as they take.
  double longest_piece;
} cupola_options;

// Sets the options of a state that has not opened the module. Returns NULL, or what is wrong (a static or per-thread text): the
// module is open already, size is of no known version, a device, context or stream cannot be used; then nothing was set. Does not raise, except when Lua is out of memory.
CP_API const char *cupola_configure(lua_State *L, const cupola_options *options);

// ---- kernels of the program, before or after the module is opened ------------------------------------------------------------------------

// Kernels of a bundle (docs/kernels.md), a file or bytes in memory, which are copied, are used by all states of the process from now on instead of being
// compiled. Return NULL, or what is wrong (a per-thread text): then nothing of it is used. Do not raise; any thread may call them.
CP_API const char *cupola_bundle(const char *path);
CP_API const char *cupola_bundle_memory(const void *data, size_t size);

// ---- arrays ---------------------------------------------------------------------------------------------------------------------------------

typedef struct cupola_view {
  size_t size;
  void *data;         // the element at position 0, in the memory of `device`
  const char *dtype;  // "float32"
  const char *device; // "cpu", "cuda:0"
  int ndim;
  const int64_t *shape;   // ndim lengths
  const int64_t *strides; // ndim steps in bytes; cupola_wrap: NULL means C order
  int readonly;           // not 0: must not be written (a broadcast view)
  void *stream; // the CUstream that the array's work is queued on; NULL on the CPU, where no work is queued
} cupola_view;

// 1 when the value at index is an array, and then *view is filled if it is not NULL; 0 otherwise. The value is computed when it is pending. shape and strides
// belong to the handle, device and dtype to the library; data is good as long as an array or view of the memory lives, and is not freed by x:free().
// From now on cupola leaves the memory where it is. Raises a Lua error when the memory was freed or there is none.
CP_API int cupola_test(lua_State *L, int index, cupola_view *view);
// The same for argument `argument` of a C function: raises an argument error for other values.
CP_API void cupola_check(lua_State *L, int argument, cupola_view *view);

// Pushes an array on memory of the host, without a copy: (dtype, shape, strides, device, data) of *view; stream is ignored. release(owner), which may be NULL,
// is called once in the state's thread when no array, view or pending value uses the memory any more and all work queued on it is done, at the
// latest by lua_close; it must not raise or call into the state. Raises a Lua error when something is wrong; then release is not called.
CP_API void cupola_wrap(lua_State *L, const cupola_view *view, void (*release)(void *owner), void *owner);

// Pushes a new array in memory of cupola's pool, contents undefined, and fills view->data, strides, stream. Raises.
CP_API void cupola_new(lua_State *L, cupola_view *view);

struct DLManagedTensor; // dlpack/dlpack.h
// The array at index as a DLPack tensor that the caller owns: its deleter may be called in any thread, also after lua_close. Work queued on the array's
// stream may still be running: see cupola_view.stream and cupola_synchronize. Raises.
CP_API struct DLManagedTensor *cupola_to_dlpack(lua_State *L, int index);
// Pushes an array on the tensor's memory; the tensor is cupola's from then on. Raises: then it stays the caller's.
CP_API void cupola_from_dlpack(lua_State *L, struct DLManagedTensor *tensor);

// ---- time and memory ------------------------------------------------------------------------------------------------------------------------

// Launches what is pending in this state on all devices and does not wait. Raises.
CP_API void cupola_flush(lua_State *L);
// The same, and waits for all work of this state. Raises.
CP_API void cupola_synchronize(lua_State *L);
// Runs a full collection of garbage and gives back host memory that is no longer used. Does not raise.
CP_API void cupola_collect(lua_State *L);

#endif
