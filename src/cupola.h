// The C interface of cupola, for programs that embed it: options of a Lua state, and arrays in and out.
//
// A host opens cupola like any other Lua module:
//   luaL_requiref(L, "cupola", luaopen_cupola, 0);                    Lua 5.2 and later
//   package.preload["cupola"] = luaopen_cupola                        every Lua
//
// A function that may raise a Lua error says "Raises": call it where lua_error may be called, in a C function
// that Lua runs or under pcall. Call every function, unless it says otherwise, in the thread that currently
// runs the lua_State.
//
// The first field of each struct is its size, which the caller sets to sizeof: a later version may add fields
// at the end.
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

// Incremented when a function or a field is added; none is ever removed.
#define CUPOLA_API_VERSION 4

// Returns the CUPOLA_API_VERSION of the loaded module.
CP_API int cupola_api_version(void);

// Pushes the module table of this state and returns 1. Further calls push the same table. Opening the module
// does not initialize CUDA.
CP_API int luaopen_cupola(lua_State *L);

// ---- options, set before the module is opened ------------------------------------------------------------

// The capabilities that a host can deny to the scripts of a state (docs/embedding.md). A function that needs
// a denied capability raises "... are closed by the host".
//
// A state that lacks any of them is confined. It cannot change what other states of the process share (the
// limits and cached memory of shared pools, shared caches, bundles, recording), it never sees their data in
// the memory that it gets, and it can leave only a bounded amount of kernels and caches in the process.
enum {
  // Reading and writing files, images and plots; connections to other processes (cuda.nccl).
  CUPOLA_FILES = 1,
  // Addresses: x.data, from_pointer, from_dlpack, dlpack, cuda.runtime.
  CUPOLA_POINTERS = 2,
  // Kernels from source text, which can reach all memory, and files by #include.
  CUPOLA_KERNELS = 4
};

// The host's own CUDA objects on one device, for a state to use instead of cupola's. The stream must live
// until lua_close, the context as long as the process uses cupola.
typedef struct cupola_handles {
  size_t size;
  const char *device; // "cuda:0"
  // A CUcontext to use instead of the primary context. All states of a process share one context per GPU: the
  // first state chooses it, later ones pass the same or NULL.
  void *context;
  // A CUstream for the state's work unless a script chooses another. NULL: the state creates one.
  void *stream;
  // The handles for another device, or NULL.
  const struct cupola_handles *next;
} cupola_handles;

// The host's own memory for arrays. cupola calls both functions in the thread that runs the state, from
// inside its own functions: they must not call into the state.
typedef struct cupola_allocator {
  size_t size;
  // Returns `bytes` bytes of memory of `device` ("cpu", "cuda:0"), aligned to 64 bytes, for work on `stream`
  // (a CUstream), or NULL when there is none.
  void *(*allocate)(void *user, const char *device, size_t bytes, void *stream);
  // Called when nothing uses the memory any more. A tensor of cupola_to_dlpack may outlive the state: its
  // memory is freed in the thread that deletes it. Both functions and `user` must stay valid as long as such
  // a tensor exists.
  void (*free)(void *user, const char *device, void *pointer, size_t bytes);
  void *user;
  // Not 0: allocate is called for every array. 0: freed memory is kept for later arrays until cp.collect() or
  // lua_close.
  int direct;
} cupola_allocator;

typedef struct cupola_options {
  size_t size;
  // The state's default device, "cpu" or "cuda:0". NULL: the environment variable CUPOLA_DEVICE, else the
  // first usable GPU, else the CPU.
  const char *device;
  // The most bytes that the state's arrays, graphs and scratch memory may take together. 0: whatever the
  // device's pool allows.
  uint64_t memory_limit;
  // The denied capabilities: CUPOLA_FILES | CUPOLA_POINTERS | CUPOLA_KERNELS.
  unsigned closed_doors;
  // Since version 2. NULL: none.
  const cupola_handles *handles;
  // Since version 3. The source of all memory of the state's arrays: scripts cannot choose another allocator.
  // The struct is copied. NULL: none.
  const cupola_allocator *allocator;
  // Since version 4. Called about every millisecond while a call works or waits, in the state's thread. It
  // must be quick and must not call into the state. When it returns other than 0, the call raises
  // "interrupted by the host": its output may be partly written, and nothing else has changed. NULL: none.
  int (*interrupt)(void *user);
  void *interrupt_user;
  // Since version 4. The longest that uninterruptible work (decompositions, Fourier transforms, products on
  // GPUs) may take, in seconds, by estimate: longer work raises. 0: 1 second in confined states, no limit in
  // others.
  double longest_piece;
} cupola_options;

// Sets the options of a state that has not opened the module yet. Returns NULL, or a message (static or
// per-thread) when the module is already open, a size is of no known version, or a device, context or stream
// cannot be used; then no option is set. Raises only when Lua is out of memory.
CP_API const char *cupola_configure(lua_State *L, const cupola_options *options);

// ---- kernels that the program ships, loaded before or after the module is opened -------------------------

// Loads a bundle of compiled kernels (docs/kernels.md) from a file, or from bytes in memory, which are
// copied. From then on all states of the process use these kernels instead of compiling them. Returns NULL,
// or a message (per-thread); then no kernel of the bundle is used. Does not raise; any thread may call it.
CP_API const char *cupola_bundle(const char *path);
CP_API const char *cupola_bundle_memory(const void *data, size_t size);

// ---- arrays ----------------------------------------------------------------------------------------------

typedef struct cupola_view {
  size_t size;
  void *data;           // the address of the first element, in the memory of `device`
  const char *dtype;    // "float32"
  const char *device;   // "cpu", "cuda:0"
  int ndim;             // the number of dimensions
  const int64_t *shape; // ndim lengths
  // ndim strides in bytes. cupola_wrap: NULL means C order.
  const int64_t *strides;
  // Not 0: the memory must not be written (a broadcast view).
  int readonly;
  // The CUstream that the array's work is queued on. NULL on the CPU, where no work is queued.
  void *stream;
} cupola_view;

// Returns 1 when the value at index is an array and fills *view unless view is NULL; returns 0 for other
// values. A pending value is computed first. shape and strides live as long as the handle, device and dtype
// as long as the library. data is valid while an array or a view of the memory lives and x:free() has not
// freed it; cupola does not move the memory from now on. Raises when the memory was freed or cannot be
// allocated.
CP_API int cupola_test(lua_State *L, int index, cupola_view *view);
// The same for argument `argument` of a C function, but raises an argument error for other values.
CP_API void cupola_check(lua_State *L, int argument, cupola_view *view);

// Pushes an array on the host's memory, without a copy, as dtype, shape, strides, device and data of *view
// describe it; stream is ignored. release(owner), unless it is NULL, is called once in the state's thread
// when no array, view or pending value uses the memory any more and all work queued on it is done, at the
// latest by lua_close. It must not raise or call into the state. Raises; then release is not called.
CP_API void cupola_wrap(lua_State *L, const cupola_view *view, void (*release)(void *owner), void *owner);

// Pushes a new, uninitialized array in memory of cupola's pool and fills view->data, strides and stream.
// Raises.
CP_API void cupola_new(lua_State *L, cupola_view *view);

struct DLManagedTensor; // dlpack/dlpack.h
// Returns the array at index as a DLPack tensor that the caller owns. Its deleter may be called in any
// thread, even after lua_close. Work queued on the array's stream may still be running: see
// cupola_view.stream and cupola_synchronize. Raises.
CP_API struct DLManagedTensor *cupola_to_dlpack(lua_State *L, int index);
// Pushes an array on the tensor's memory and takes ownership of the tensor. Raises; then the caller keeps it.
CP_API void cupola_from_dlpack(lua_State *L, struct DLManagedTensor *tensor);

// ---- synchronization and memory --------------------------------------------------------------------------

// Launches all pending work of this state, on all devices, without waiting for it. Raises.
CP_API void cupola_flush(lua_State *L);
// Launches all pending work of this state and waits until all its work is done. Raises.
CP_API void cupola_synchronize(lua_State *L);
// Runs a full garbage collection and releases memory of the host (cupola_wrap) that nothing uses any more.
// Does not raise.
CP_API void cupola_collect(lua_State *L);

#endif
