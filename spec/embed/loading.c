// Memory that runs out while the module is opened, or while a part of its Lua side is loaded, must be an
// error, and the next attempt, with memory, must work. For each part and for many k, one of the part's names
// is looked up in a new state whose k-th allocation fails. Exits with 0 if nothing goes wrong.
#include "host.h"

#include <string.h>

// Lua's allocator: allocation number `fails_at` fails and, if `for_good`, all later ones.
typedef struct heap {
  long count, fails_at;
  int for_good;
} heap;

static void *allocate(void *data, void *block, size_t old, size_t size) {
  heap *h = data;
  (void)old;
  if (size == 0) {
    free(block);
    return NULL;
  }
  if (block == NULL || size > old) {
    h->count++;
    if (h->fails_at > 0 && (h->count == h->fails_at || (h->for_good && h->count > h->fails_at))) return NULL;
  }
  return realloc(block, size);
}

static int open_all(lua_State *L) {
  luaL_openlibs(L);
  luaL_requiref(L, "cupola", luaopen_cupola, 1);
  return 0;
}

// Makes allocation k of open_all fail; the next attempt must work. Returns whether there were so many
// allocations.
static int open_failing(long k, int for_good) {
  heap h = {0, 0, for_good};
  lua_State *L = lua_newstate(allocate, &h);
  luaL_openlibs(L);
  h.count = 0;
  h.fails_at = k;
  lua_pushcfunction(L, open_all);
  (void)lua_pcall(L, 0, 0, 0);
  int reached = h.count >= k;
  h.fails_at = 0;
  lua_settop(L, 0);
  lua_pushcfunction(L, open_all);
  EXPECT(lua_pcall(L, 0, 0, 0) == LUA_OK);
  run(L, "assert(cupola.sort(cupola.array{3, 1, 2})[1] == 1)");
  lua_close(L);
  return reached;
}

static lua_State *new_open(heap *h) {
  lua_State *L = lua_newstate(allocate, h);
  lua_pushcfunction(L, open_all);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) exit(1);
  return L;
}

// Returns a line for each part that looks up one of its names, such as "return cupola.sort".
static const char list_names[] =
    "local lines = {}\n"
    "for part, places in pairs(require 'cupola.parts') do\n"
    "  for place, names in pairs(places) do\n"
    "    local name = names:match '%S+'\n"
    "    if place:match '^cp' then lines[#lines + 1] = 'return ' .. place:gsub('^cp', 'cupola') .. '.' .. "
    "name end\n"
    "    if place == 'methods' then lines[#lines + 1] = 'return cupola.ones(2).' .. name end\n"
    "  end\n"
    "end\n"
    "table.sort(lines)\n"
    "return table.concat(lines, '\\n')\n";

// Runs the line with allocation k failing, then without a failure, when it must return a value. Returns
// whether there were so many allocations.
static int look_up_failing(const char *line, long k, int for_good) {
  heap h = {0, 0, for_good};
  lua_State *L = new_open(&h);
  luaL_loadstring(L, line);
  lua_pushvalue(L, -1);
  h.count = 0;
  h.fails_at = k;
  (void)lua_pcall(L, 0, 1, 0);
  int reached = h.count >= k;
  h.fails_at = 0;
  lua_pop(L, 1);
  int works = lua_pcall(L, 0, 1, 0) == LUA_OK && !lua_isnil(L, -1);
  if (!works) fprintf(stderr, "%s after allocation %ld failed: %s\n", line, k, lua_tostring(L, -1));
  EXPECT(works);
  lua_settop(L, 0);
  run(L, "assert(cupola.sort(cupola.array{3, 1, 2})[1] == 1)");
  lua_close(L);
  return reached;
}

// Argument: for about how many k each lookup is tried.
int main(int argc, char **argv) {
  long points = argc > 1 ? strtol(argv[1], NULL, 10) : 6;
  for (long k = 1, step = 1; open_failing(k, (int)(k & 1)); k += step) step = 1 + k / points;
  lua_State *L = new_state(NULL);
  run(L, list_names);
  char *lines = strdup(lua_tostring(L, -1));
  lua_close(L);
  int looked_up = 0;
  for (char *line = strtok(lines, "\n"); line != NULL; line = strtok(NULL, "\n"), looked_up++)
    for (long k = 1, step = 1; look_up_failing(line, k, (int)(k & 1)); k += step) step = 1 + k / points;
  free(lines);
  EXPECT(looked_up > 40);
  printf("%d wrong\n", wrong);
  return wrong > 0;
}
