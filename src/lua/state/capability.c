// Checks the capabilities that a host may take away (cupola_options.closed_doors). Each primitive that uses
// one asks here before it does anything. So what the host forbids is refused in the primitive itself, even if
// a script has replaced functions of the Lua side.
#include "lua/state/capability.h"
#include "lua/state/error.h"
#include "lua/state/module.h"

#include <string.h>

static const struct {
  unsigned bit;
  const char *name;
} capabilities[] = {{CUPOLA_FILES, "files"}, {CUPOLA_POINTERS, "pointers"}, {CUPOLA_KERNELS, "user kernels"}};

enum { NCAPABILITIES = sizeof capabilities / sizeof *capabilities };

bool cp_is_denied(lua_State *L, unsigned wanted) { return (cp_state_get(L)->closed_doors & wanted) != 0; }

void cp_check_capability(lua_State *L, const char *where, unsigned wanted) {
  const unsigned closed = cp_state_get(L)->closed_doors & wanted;
  for (int k = 0; k < NCAPABILITIES; k++)
    if (closed & capabilities[k].bit)
      cp_raise(L, where, CP_EUSAGE, "%s are closed by the host", capabilities[k].name);
}

void cp_check_shared(lua_State *L, const char *where) {
  if (cp_state_get(L)->ctx.budget.confined)
    cp_raise(L, where, CP_EUSAGE, "changes to what all states of the process share are closed by the host");
}

// core.check_capability(where, name): the same check for functions of the Lua side that read their arguments
// long before they call the primitive, so that a capability that is missing is reported before wrong
// arguments.
static int check_capability(lua_State *L) {
  const char *where = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  for (int k = 0; k < NCAPABILITIES; k++)
    if (strcmp(capabilities[k].name, name) == 0) cp_check_capability(L, where, capabilities[k].bit);
  return 0;
}

void cp_open_capability(lua_State *L) {
  lua_pushcfunction(L, check_capability);
  lua_setfield(L, 1, "check_capability");
}
