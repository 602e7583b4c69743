// What the bindings of routines at independent sites share.
#ifndef CP_LUA_ROUTINES_SITES_H
#define CP_LUA_ROUTINES_SITES_H

#include "routines/sites.h"

#include "lua/arguments/args.h"
#include "lua/conversion/routine.h"
#include "lua/values/handle.h"

// The array at the absolute stack index `slot`, computed and contiguous, of an integer dtype, float32 or
// float64, with 1 to CP_SITES_AXES axes.
cp_array *cp_take_sites(lua_State *L, int slot, const char *where, const char *argument);

// The same of one dtype, for tables that a routine reads.
cp_array *cp_take_table(lua_State *L, int slot, const char *where, const char *argument, cp_dtype dtype);

// A float64 as a slot.
uint64_t cp_real_slot(double v);

// An array of a job, and the slot that its address goes to; without an array the slot is 0.
typedef struct cp_sites_use {
  cp_array *array;
  cp_use_kind kind;
  int slot;
} cp_sites_use;

enum { CP_SITES_ARRAYS = 6 }; // most of a job

// Runs a job on up to CP_SITES_ARRAYS arrays, the first of which says on which device.
void cp_run_sites(lua_State *L, const char *where, cp_sites_job *job, int count, const cp_sites_use *uses);

// Multiplies the lengths of the array's axes from `first` on, up to `end`.
int64_t cp_sites_extent(const cp_array *a, int first, int end);

#endif
