// The kinds of userdata, and what a state knows of each. lua/objects/object.h makes and tests the objects.
#ifndef CP_LUA_STATE_KIND_H
#define CP_LUA_STATE_KIND_H

#include "lua/state/compat.h"

typedef enum cp_kind { // ORDER kinds in object.c
  CP_KIND_ARRAY,
  CP_KIND_SCALAR, // cp.complex, cp.scalar
  CP_KIND_MARKER, // cp.newaxis, cp.ellipsis
  CP_KIND_STREAM,
  CP_KIND_EVENT,
  CP_KIND_POOL,
  CP_KIND_GRAPH,
  CP_KIND_CAPSULE,
  CP_KIND_COMM,
  CP_KIND_FILE,
  CP_KIND_CURAND,
  CP_KIND_STRUCT_TYPE,
  CP_KIND_STRUCT,
  CP_KIND_TRACE,
  CP_KIND_FUNCTION, // a user's function as an operation
  CP_KIND_NOTES,
  CP_KIND_KERNEL,
  CP_KIND_RAW_KERNEL,
  CP_KIND_LAUNCH, // grid, block and options of a raw kernel's launch
  CP_KIND_CHOICE,
  CP_KIND_SPARSE,
  CP_KIND_GUARD,
  CP_KIND_TEXTURE, // also CUDA arrays and surfaces
  CP_KIND_DIRECT,  // factors of a sparse matrix
  CP_NKINDS
} cp_kind;

// Gives up what an object holds. It runs once for each object, which has at least the zeros of
// cp_push_object. It must neither raise an error nor call a device.
typedef void (*cp_end)(lua_State *L, void *object);

// What a state knows of one kind.
typedef struct cp_kind_entry {
  const void *metatable; // the address of the kind's metatable
  int reference;         // the metatable's reference in the registry
  cp_end end;            // NULL: objects of this kind hold nothing
} cp_kind_entry;

#endif
