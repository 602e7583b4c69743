// Objects made while a state is closed: finalizers that run during lua_close make arrays, views, pending
// values, streams, events, pools and capsules, which Lua never finalizes. Their memory must be freed with the
// state, and whatever a script tries after that must be refused. Compiles with both Luas.
#include "host.h"

#include <malloc.h>
#include <string.h>

// on_end(f): a value whose finalizer calls f; `complain` counts errors in f.
static const char ON_END[] = "function on_end(f)\n"
                             "  local function call() local ok, problem = pcall(f); if not ok then "
                             "complain(tostring(problem)) end end\n"
                             "  if not newproxy then return setmetatable({}, { __gc = call }) end\n"
                             "  local p = newproxy(true)\n"
                             "  getmetatable(p).__gc = call\n"
                             "  return p\n"
                             "end\n"
                             "made, early = {}, {}\n";

// A value older than cupola, so that it is finalized after cupola's part of the state has ended. Not under
// LuaJIT, where a collection inside a finalizer may finalize it earlier.
static const char OLDER[] =
    "early[1] = on_end(function()\n"
    "  if newproxy then return told() end\n"
    "  for k, x in pairs(made) do\n"
    "    local ok, problem = pcall(function() return x:sum() end)\n"
    "    if ok then complain('an array works after the end') end\n"
    "    local ok = pcall(function() return x + 1 end)\n"
    "    if ok then complain('an array is added after the end') end\n"
    "    local ok = pcall(function() return x[1] end)\n"
    "    if ok then complain('an array is read after the end') end\n"
    "    pcall(function() return x:free() end)\n"
    "  end\n"
    "  for _, f in pairs { cupola.ones, cupola.empty, cupola.cuda.Stream, cupola.arange } do\n"
    "    if pcall(f, 5) then complain('something is made after the end') end\n"
    "  end\n"
    "  ended = (ended or 0) + 1\n"
    "  told()\n"
    "end)\n";

static const char SCRIPT[] =
    "local cp = cupola\n"
    "for k = 1, 20 do\n"
    "  early[#early + 1] = on_end(function()\n"
    "    local x = cp.ones(100000, 'float32'):eval()\n"
    "    made[#made + 1] = x\n"
    "    made[#made + 1] = x['2:100']\n"
    "    made[#made + 1] = x * 2 + 1\n"
    "    made[#made + 1] = cp.arange(1000)\n"
    "    made[#made + 1] = (cp.arange(1000) + 1):eval()\n"
    "    local _ = { cp.cuda.Stream(), cp.cuda.Event():record(), cp.cuda.MemoryPool(), x:dlpack() }\n"
    "    local pool = cp.cuda.MemoryPool()\n"
    "    made[#made + 1] = pool:malloc(100000)\n"
    "    made[#made + 1] = cp.cuda.using_allocator(pool, function() return cp.zeros(5000):eval() end)\n"
    "    if k == 3 then cp.random.rand(10):eval(); cp.sort(x) end\n"
    "  end)\n"
    "end\n";

static int complaints, tellings;

static int complain(lua_State *L) {
  fprintf(stderr, "in a finalizer: %s\n", lua_tostring(L, 1));
  complaints++;
  return 0;
}

static int told(lua_State *L) {
  (void)L;
  tellings++;
  return 0;
}

// Opens a state, runs the scripts and closes it.
static void live(void) {
  lua_State *L = luaL_newstate();
  if (L == NULL) exit(1);
  luaL_openlibs(L);
  lua_pushcfunction(L, complain);
  lua_setglobal(L, "complain");
  lua_pushcfunction(L, told);
  lua_setglobal(L, "told");
  run(L, ON_END);
  run(L, OLDER);
  lua_pushcfunction(L, luaopen_cupola);
  lua_call(L, 0, 1);
  lua_setglobal(L, "cupola");
  run(L, SCRIPT);
  lua_close(L);
}

static double live_bytes(lua_State *L) {
  run(L, "cupola.collect() return cupola.memory().live");
  double bytes = lua_tonumber(L, -1);
  lua_settop(L, 0);
  return bytes;
}

static size_t heap(void) { return mallinfo2().uordblks; }

int main(void) {
  enum { WARM = 5, ROUNDS = 20, SLACK = 50000 };
  lua_State *observer = new_state(NULL);
  double before = live_bytes(observer);
  for (int k = 0; k < WARM; k++) live();
  size_t used = heap();
  for (int k = 0; k < ROUNDS; k++) live();
  EXPECT(live_bytes(observer) == before);
  size_t grown = heap() > used ? heap() - used : 0;
  if (grown >= SLACK) fprintf(stderr, "%d states left %zu bytes behind\n", (int)ROUNDS, grown);
  EXPECT(grown < SLACK);
  EXPECT(complaints == 0);
  EXPECT(tellings == WARM + ROUNDS);
  lua_close(observer);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
