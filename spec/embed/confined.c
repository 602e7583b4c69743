// Confined states beside other states of the same process: what they can change, see and hold. Prints
// failures; exits with 0 if there are none.
#include "host.h"

enum { ALL_DOORS = CUPOLA_FILES | CUPOLA_POINTERS | CUPOLA_KERNELS };

static lua_State *confined_state(unsigned doors, uint64_t limit) {
  cupola_options options = {
      .size = sizeof options, .device = "cpu", .closed_doors = doors, .memory_limit = limit};
  return new_state(&options);
}

// ---- what they change ----

static const char changes[] =
    "local cp = cupola\n"
    "local function closed(f, ...)\n"
    "  local ok, message = pcall(f, ...)\n"
    "  assert(not ok and message:find('closed by the host', 1, true), message)\n"
    "end\n"
    "local shared = {cp.get_default_memory_pool(), cp.get_default_pinned_memory_pool()}\n"
    "for k = 1, 2 do\n"
    "  closed(function() shared[k]:set_limit(1) end)\n"
    "  closed(function() shared[k]:set_limit() end)\n"
    "  closed(function() shared[k]:free_all_blocks() end)\n"
    "  assert(shared[k]:get_limit() == 0 or k == 1)\n"
    "end\n"
    "closed(cp.memory, {limit = 0})\n"
    "closed(cp.memory, {limit = '1%'})\n"
    "closed(cp.fft.plan_cache, 1)\n"
    "closed(cp.fft.plan_cache, {clear = true})\n"
    "closed(cp.record, 'f')\n"
    "closed(cp.record, false)\n"
    "closed(cp.precompile, {bundle = 'f'})\n"
    "closed(cp.precompile, {record = 'f'})\n"
    // allowed: what belongs to the state itself, and what only reports
    "local mine = cp.cuda.MemoryPool()\n"
    "mine:set_limit(4096)\n"
    "mine:malloc(4096)\n"
    "assert(not pcall(mine.malloc, mine, 8192) and mine:get_limit() == 4096)\n"
    "mine:free_all_blocks()\n"
    "cp.cuda.PinnedMemoryPool():set_limit(4096)\n"
    "cp.memory{auto = true}\n"
    "cp.collect()\n"
    "cp.synchronize()\n"
    "assert(cp.fft.plan_cache() >= 0 and cp.memory().live >= 0)\n"
    "cp.cuda.nvtx.RangePop()\n"
    "assert(cp.precompile{{cp.ones, 3}}.loaded == 0)\n";

static void test_changes(void) {
  lua_State *host = new_state(NULL);
  run(host, "cupola.device('cpu'):use() cupola.memory{limit = 1e9, device = 'cpu'}");
  for (unsigned door = 1; door <= ALL_DOORS; door++) {
    lua_State *L = confined_state(door, 0);
    run(L, changes);
    lua_close(L);
  }
  run(host, "local cached = cupola.empty(1e6, 'uint8'):free() or cupola.memory{device = 'cpu'}.cached "
            "assert(cached >= 1e6)");
  lua_State *L = confined_state(CUPOLA_FILES, 0);
  run(L, "cupola.collect()");
  lua_close(L);
  run(host, "local m = cupola.memory{device = 'cpu'}\n"
            "assert(m.limit == 1e9 and m.cached >= 1e6, m.cached)\n"
            "cupola.collect() cupola.memory{limit = 0, device = 'cpu'}\n");
  lua_close(host);
}

// ---- what they see ----

// Sizes of blocks of each origin: free lists, the C library, arenas, slabs, and mappings of their own.
static const char fill[] =
    "local cp, all = cupola, {}\n"
    "local sizes = {1, 5, 100, 511, 4096, 30000, 50000, 70000, 2^20, 1e6, 5e6, 2^24 + 1}\n"
    "local makers = {cp.empty, cp.empty_pinned, function(n) return cp.cuda.alloc(n) end, function(n)\n"
    "  return cp.array(cp.cuda.MemoryPool():malloc(n))\n"
    "end}\n"
    "for round = 1, 2 do\n"
    "  for _, n in ipairs(sizes) do\n"
    "    for _, make in ipairs(makers) do all[#all + 1] = make(n, 'uint8'):fill(77):eval() end\n"
    "  end\n"
    "end\n";

static const char look[] =
    "local cp, seen = cupola, 0\n"
    "local function blank(x)\n"
    "  local found = cp.count_nonzero(x):item()\n"
    "  if found > 0 then seen = seen + 1 print(('%d of %d bytes of another state'):format(found, x.nbytes)) "
    "end\n"
    "end\n"
    "local keep = {}\n"
    "for round = 1, 2 do\n"
    "  for _, n in ipairs {1, 5, 100, 511, 4096, 30000, 50000, 70000, 2^20, 1e6, 5e6, 2^24 + 1} do\n"
    "    local pool = cp.cuda.MemoryPool()\n"
    "    for _, x in ipairs {cp.empty(n, 'uint8'), cp.empty_pinned(n, 'uint8'), cp.cuda.alloc(n), "
    "pool:malloc(n),\n"
    "        cp.empty_like(cp.zeros(n, 'uint8')), cp.empty(math.ceil(n / 8), 'float64')} do\n"
    "      blank(x)\n"
    "      keep[#keep + 1] = x\n"
    "    end\n"
    "  end\n"
    "end\n"
    "assert(seen == 0)\n";

static void test_leftovers(void) {
  for (unsigned doors = 0; doors <= CUPOLA_FILES; doors++) { // of an open state, then of a confined one
    lua_State *A = confined_state(doors, 0);
    run(A, fill);
    lua_close(A);
    lua_State *B = confined_state(CUPOLA_FILES, 0);
    run(B, look);
    run(B, fill);
    lua_State *C = confined_state(ALL_DOORS, 0);
    run(B, "cupola.scope(function() cupola.ones(1e6):eval() end) collectgarbage() collectgarbage() "
           "cupola.collect()");
    run(C, look);
    lua_close(C);
    lua_close(B);
  }
}

// ---- what they hold ----

static const char hold[] =
    "local cp, keep, LIMIT = cupola, {}, 32 * 2^20\n"
    "local function live()\n"
    "  local bytes = cp.memory().state_live\n"
    "  assert(bytes <= LIMIT, ('holds %d of %d bytes'):format(bytes, LIMIT))\n"
    "  return bytes\n"
    "end\n"
    "local makers = {\n"
    "  function(n) return cp.empty(n) end,\n"
    "  function(n) return cp.empty_pinned(n) end,\n"
    "  function(n) return cp.cuda.MemoryPool():malloc(8 * n) end,\n"
    "  function(n) return cp.cuda.MemoryPool(cp.cuda.malloc_managed):malloc(8 * n) end,\n"
    "  function(n) return cp.sort(cp.arange(n)) end,\n"
    "  function(n) return cp.argsort(cp.arange(n)) end,\n"
    "  function(n) return cp.cumsum(cp.ones(n)) end,\n"
    "  function(n) return cp.concatenate{cp.ones(n), cp.ones(n)} end,\n"
    "  function(n) return cp.ones({2, n}).T:copy() end,\n"
    "  function(n) return (cp.ones(n) * 2):eval() end,\n"
    "}\n"
    // after one small array, large ones: none may exceed the limit by what the first one left
    "for _, make in ipairs(makers) do\n"
    "  for _, first in ipairs {1, 513, 70000} do\n"
    "    local refused = 0\n"
    "    keep = {cp.empty(first)}\n"
    "    for k = 1, 40 do\n"
    "      local ok, x = pcall(make, 1e6)\n"
    "      if ok then keep[#keep + 1] = x else\n"
    "        refused = refused + 1\n"
    "        assert(tostring(x):find('out of memory', 1, true), x)\n"
    "      end\n"
    "      live()\n"
    "    end\n"
    "    assert(refused >= 36 and #keep <= 5, #keep)\n"
    "    keep = nil\n"
    "    collectgarbage() collectgarbage()\n"
    "    assert(live() < 2^20)\n"
    "  end\n"
    "end\n"
    // many arrays that are smaller than their blocks
    "local ok, problem = pcall(function()\n"
    "  keep = {}\n"
    "  for k = 1, 1e5 do keep[k] = cp.empty(1, 'uint8') live() end\n"
    "end)\n"
    "assert(not ok and tostring(problem):find('limit of', 1, true), problem)\n"
    "keep = nil collectgarbage() collectgarbage()\n"
    // a graph's memory counts although its arrays are gone
    "local x = cp.ones(5e5)\n"
    "local graph = cp.cuda.graph(function() x:assign(cp.sort(x)) end)\n"
    "assert(live() >= 2 * x.nbytes)\n"
    "graph:free()\n"
    "collectgarbage() collectgarbage()\n"
    "assert(live() < 1.5 * x.nbytes, live())\n"
    "local function refused(f, ...)\n"
    "  local ok, problem = pcall(f, ...)\n"
    "  assert(not ok and tostring(problem):find('limit of', 1, true), problem)\n"
    "  collectgarbage() collectgarbage()\n"
    "end\n"
    // recorded work and events count
    "refused(cp.cuda.graph, function() for k = 1, 1e6 do x:fill(k) end end)\n"
    "local events = {}\n"
    "refused(function() for k = 1, 1e5 do events[k] = cp.cuda.Event() end end)\n"
    "events = nil collectgarbage() collectgarbage()\n"
    "cp.cuda.Event()\n"
    "cp.cuda.graph(function() x:fill(3) end)()\n"
    "assert(x[1] == 3 and cp.linalg.svd(cp.ones({300, 300}))[2].size == 300)\n"
    "x = nil collectgarbage() collectgarbage()\n"
    // a decomposition whose matrices and results fit, but not the scratch memory that LAPACK asks for
    "local n = 600\n"
    "local a, b = cp.random.rand(n, n), cp.empty(12 * 2^17)\n"
    "refused(cp.linalg.svd, a)\n"
    "b:free()\n"
    "cp.linalg.svd(a)\n"
    // streams, which are never freed before the state
    "local streams = {}\n"
    "refused(function() for k = 1, 1e4 do streams[k] = cp.cuda.Stream() end end)\n"
    "assert(#streams >= 100 and #streams <= 512, #streams)\n";

static void test_limit(void) {
  lua_State *L = confined_state(ALL_DOORS, 32 << 20);
  run(L, hold);
  lua_close(L);
}

int main(void) {
  test_changes();
  test_leftovers();
  test_limit();
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
