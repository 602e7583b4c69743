// Seeds of random number generators from lists of words.
#ifndef CP_LUA_CREATION_SEED_H
#define CP_LUA_CREATION_SEED_H

#include "lua/state/state.h"

// core.seed_state(where, entropy, spawn_key, pool_size, count): two lists of whole numbers below 2^32:
// `count` words, and the pool. entropy and spawn_key are lists of such numbers.
int cp_seed_state(lua_State *L);

#endif
