// Hashes seeds as NumPy's SeedSequence does (numpy/random/bit_generator.pyx), whose design is Melissa
// O'Neill's seed_seq_fe (www.pcg-random.org/posts/developing-a-seed_seq-alternative.html): each word of the
// seed is mixed into each word of a small pool, from which any number of words is drawn.
#include "lua/creation/seed.h"

#include "lua/arguments/args.h"

enum { POOL_LEAST = 4, POOL_MOST = 64 };

static uint32_t hash_mix(uint32_t v, uint32_t *constant) {
  v ^= *constant;
  *constant *= 0x931e8875u;
  v *= *constant;
  return v ^ v >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y) {
  uint32_t v = 0xca01f9ddu * x - 0x4973f715u * y;
  return v ^ v >> 16;
}

// The words of both lists, as if in one. If there is a spawn key, the entropy is at least as long as the
// pool.
typedef struct words {
  lua_State *L;
  const char *where;
  int entropy, key; // stack slots
  size_t nentropy, nkey, padded;
} words;

static uint32_t word_at(const words *w, size_t k) {
  bool in_key = k >= w->padded;
  if (!in_key && k >= w->nentropy) return 0;
  lua_rawgeti(w->L, in_key ? w->key : w->entropy, (int)(in_key ? k - w->padded : k) + 1);
  int64_t v = cp_arg_integer(w->L, -1, w->where, "seed");
  cp_demand(w->L, w->where, v >= 0 && v <= UINT32_MAX, "a word of the seed is not below 2^32");
  lua_pop(w->L, 1);
  return (uint32_t)v;
}

static void fill_pool(const words *w, uint32_t *pool, size_t size) {
  uint32_t constant = 0x43b0d7e5u;
  size_t count = w->padded + w->nkey;
  for (size_t k = 0; k < size; k++) pool[k] = hash_mix(k < count ? word_at(w, k) : 0, &constant);
  for (size_t from = 0; from < size; from++)
    for (size_t to = 0; to < size; to++)
      if (from != to) pool[to] = mix(pool[to], hash_mix(pool[from], &constant));
  for (size_t k = size; k < count; k++) {
    uint32_t v = word_at(w, k);
    if (k % CP_POLL_COUNT == 0) cp_check_interrupt(w->L, w->where);
    for (size_t to = 0; to < size; to++) pool[to] = mix(pool[to], hash_mix(v, &constant));
  }
}

static void push_word(lua_State *L, int table, size_t k, uint32_t v) {
  lua_pushnumber(L, (lua_Number)v);
  lua_rawseti(L, table, (int)k + 1);
}

int cp_seed_state(lua_State *L) {
  uint32_t pool[POOL_MOST], constant = 0x8b51f9ddu;
  words w = {.L = L, .where = luaL_checkstring(L, 1), .entropy = 2, .key = 3};
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  int64_t size = cp_arg_integer(L, 4, w.where, "pool_size"), count = cp_arg_integer(L, 5, w.where, "n_words");
  cp_demand(L, w.where, size >= POOL_LEAST && size <= POOL_MOST, "pool_size must be from 4 to 64");
  cp_demand(L, w.where, count >= 0 && count <= 1 << 24, "n_words must be from 0 to 2^24");
  w.nentropy = w.padded = lua_rawlen(L, 2);
  w.nkey = lua_rawlen(L, 3);
  if (w.nkey > 0 && w.padded < (size_t)size) w.padded = (size_t)size;
  fill_pool(&w, pool, (size_t)size);
  lua_settop(L, 5);
  lua_createtable(L, (int)count, 0);
  lua_createtable(L, (int)size, 0);
  for (size_t k = 0; k < (size_t)count; k++) {
    uint32_t v = pool[k % (size_t)size] ^ constant;
    constant *= 0x58f38dedu;
    v *= constant;
    push_word(L, 6, k, v ^ v >> 16);
  }
  for (size_t k = 0; k < (size_t)size; k++) push_word(L, 7, k, pool[k]);
  return 2;
}
