// CUDA arrays, textures and surfaces as Lua objects, for cp.cuda.texture and as arguments of raw kernels.
#ifndef CP_LUA_DEVICES_TEXTURE_H
#define CP_LUA_DEVICES_TEXTURE_H

#include "device/texture.h"
#include "lua/objects/object.h"

typedef enum cp_texture_kind { CP_IS_CUDA_ARRAY, CP_IS_TEXTURE, CP_IS_SURFACE } cp_texture_kind;

typedef struct cp_texture { // a userdata
  cp_texture_kind kind;
  cp_device *device;
  uint64_t handle;
  cp_texels texels;        // of a CUDA array
  bool surface;            // a CUDA array that kernels may write
  bool captured;           // a graph uses it: it lives as long as the state
  cp_array *array;         // whose memory a texture reads, or NULL; the object keeps it alive
  struct texture_end *end; // NULL: it could not be made, or was freed
} cp_texture;

// The object at index, or NULL; also for one that was freed.
static inline cp_texture *cp_test_texture(lua_State *L, int index) {
  cp_texture *t = cp_test_object(L, index, CP_KIND_TEXTURE);
  return t != NULL && t->end != NULL ? t : NULL;
}
// The CUDA array at index; raises.
cp_texture *cp_check_cuda_array(lua_State *L, int index, const char *where, const char *argument);
// Call where a kernel is launched with the object at index: if the launch is recorded, the object lives on.
void cp_texture_use(lua_State *L, int index, cp_texture *t);

#endif
