// Bundles of compiled kernels (cache/bundle.h) for Lua and for hosts: loads, lists and records them. The
// generator's version is part of each bundle, so that a bundle of another version is refused.
#include "lua/state/module.h"

#include "cache/bundle.h"
#include "cuda/run/nvrtc.h"
#include "lua/kernels/generator.h"
#include "lua/state/capability.h"
#include "lua/state/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t version_of(lua_State *L) { return cp_state_get(L)->ctx.generator.version; }

// core.bundle_load(path): loads the bundle; returns how many kernels it has.
static int load(lua_State *L) {
  int entries;
  const char *path = luaL_checkstring(L, 1);
  cp_check_capability(L, "precompile", CUPOLA_FILES | CUPOLA_KERNELS); // the file has machine code
  cp_check_shared(L, "precompile");
  CP_CHECK(L, "precompile", cp_bundle_load(path, version_of(L), &entries));
  lua_pushinteger(L, entries);
  return 1;
}

static void add_image(void *data, cp_bundle_kind kind, const cp_image *image) {
  static const char *const kinds[] = {"", "kernel", "module", "object"}; // ORDER cp_bundle_kind
  lua_State *L = data;
  lua_createtable(L, 0, 4);
  lua_pushstring(L, kinds[kind]);
  lua_setfield(L, -2, "kind");
  lua_pushinteger(L, image->arch);
  lua_setfield(L, -2, "arch");
  lua_pushboolean(L, image->ptx);
  lua_setfield(L, -2, "ptx");
  lua_pushinteger(L, (lua_Integer)image->size);
  lua_setfield(L, -2, "size");
  lua_rawseti(L, -2, (int)lua_rawlen(L, -2) + 1);
}

// core.bundle_list(path): a list of {kind, arch, ptx, size}, one for each image. For tools and specs only: if
// Lua runs out of memory, the copy of the file in memory leaks.
static int list(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  cp_check_capability(L, "precompile", CUPOLA_FILES);
  lua_newtable(L);
  CP_CHECK(L, "precompile", cp_bundle_list(path, version_of(L), add_image, L));
  return 1;
}

// core.bundle_text(): what show_config says about bundles.
static int describe(lua_State *L) {
  cp_strbuf text = {0};
  cp_bundle_describe(&text);
  const char *shown = text.failed || text.text == NULL ? "" : text.text;
  // A copy, because the buffer would leak if pushing the string raised an error.
  char *copy = cp_newuserdata(L, strlen(shown) + 1);
  strcpy(copy, shown);
  cp_strbuf_free(&text);
  lua_pushstring(L, copy);
  return 1;
}

// core.record_start(path, archs): starts to record kernels.
static int record_start(lua_State *L) {
  cp_check_capability(L, "record", CUPOLA_FILES);
  luaL_checktype(L, 2, LUA_TTABLE);
  int archs[CP_MAX_ARCHS], n = (int)lua_rawlen(L, 2);
  cp_check_shared(L, "record");
  const char *path = luaL_checkstring(L, 1);
  if (n > CP_MAX_ARCHS)
    return cp_raise(L, "record", CP_EUSAGE, "%d architectures are too many; at most %d are possible", n,
                    (int)CP_MAX_ARCHS);
  for (int k = 0; k < n; k++) {
    lua_rawgeti(L, 2, k + 1);
    archs[k] = (int)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  int major, minor;
  // Other architectures need NVRTC: fail now if it is missing.
  if (n > 0) CP_CHECK(L, "record", cp_nvrtc_version(&major, &minor));
  CP_CHECK(L, "record", cp_record_start(path, version_of(L), n, archs));
  return 0;
}

// core.record_stop(): writes the file; returns how many kernels it has.
static int record_stop(lua_State *L) {
  int entries;
  cp_check_capability(L, "record", CUPOLA_FILES);
  cp_check_shared(L, "record");
  CP_CHECK(L, "record", cp_record_stop(&entries));
  lua_pushinteger(L, entries);
  return 1;
}

// Starts recording if CUPOLA_RECORD asks for it, for the architectures in CUPOLA_RECORD_ARCHS ("80,90"), once
// in a process.
static void record_environment(uint64_t version) {
  static atomic_flag done = ATOMIC_FLAG_INIT;
  const char *path = getenv("CUPOLA_RECORD"), *list = getenv("CUPOLA_RECORD_ARCHS");
  int archs[CP_MAX_ARCHS], n = 0;
  if (path == NULL || path[0] == '\0' || atomic_flag_test_and_set(&done)) return;
  for (char *end; list != NULL && *list != '\0' && n < CP_MAX_ARCHS; list = end + (*end == ',')) {
    long v = strtol(list, &end, 10);
    if (end == list || (*end != ',' && *end != '\0') || v < 50 || v > 999) {
      fprintf(stderr, "cupola: CUPOLA_RECORD_ARCHS must be numbers such as 80,90, not %s\n", list);
      return;
    }
    archs[n++] = (int)v;
  }
  if (cp_record_start(path, version, n, archs) != CP_OK)
    fprintf(stderr, "cupola: CUPOLA_RECORD: %s\n", cp_error_text());
}

const char *cupola_bundle(const char *path) {
  return cp_bundle_load(path, cp_generator_version(), NULL) == CP_OK ? NULL : cp_error_text();
}

const char *cupola_bundle_memory(const void *data, size_t size) {
  return cp_bundle_load_memory(data, size, cp_generator_version(), NULL) == CP_OK ? NULL : cp_error_text();
}

// core.record_abandon(): stops recording without writing a file.
static int record_abandon(lua_State *L) {
  cp_check_capability(L, "record", CUPOLA_FILES);
  cp_check_shared(L, "record");
  cp_record_abandon();
  return 0;
}

// core.recording(): whether kernels are being recorded.
static int recording(lua_State *L) {
  lua_pushboolean(L, cp_recording());
  return 1;
}

void cp_open_bundle(lua_State *L) {
  static const luaL_Reg core[] = {{"bundle_load", load},        {"bundle_list", list},
                                  {"bundle_text", describe},    {"record_start", record_start},
                                  {"record_stop", record_stop}, {"record_abandon", record_abandon},
                                  {"recording", recording},     {NULL, NULL}};
  cp_bundle_environment(version_of(L));
  record_environment(version_of(L));
  cp_put_functions(L, 1, core);
}
