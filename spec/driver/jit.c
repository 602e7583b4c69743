// The simulated driver's kernels of cp.jit (jit.lua): a chain that calls a function, a raw kernel that checks
// positions, and one whose blocks wait for each other, with the kernel that clears the word for this. What
// they compute is fixed by their names.
#include "driver.h"

#include "device/raw.h"

#include <stdio.h>
#include <string.h>

// ORDER kernels/slots.def, for one axis; a chain has a leaf before the output.
enum { CHAIN_SLOTS = 8, FILL_SLOTS = 6, LENGTH = 1, LEAF = 4, OUTPUT = 6, FILLED = 4 };

typedef struct call {
  enum { CHAIN, FILL, CHECKED, TOGETHER } what;
  unsigned grid;
  int64_t slots[CHAIN_SLOTS]; // of the first two; otherwise the arguments, with numbers of 4 bytes
} call;

bool driver_jit_parameter(const char *name, size_t index, size_t *size) {
  static const size_t reach[] = {8, 4, 4, 8}, together[] = {8, 8};
  bool checks = strcmp(name, "reach") == 0, waits = strcmp(name, "together") == 0;
  if (index >= (checks ? 4U : waits ? 2U : 0U)) return false;
  *size = checks ? reach[index] : together[index];
  return true;
}

static bool queue(void *on, const call *c) {
  call *copy = malloc(sizeof *copy); // never freed, because a graph may run the kernel again
  driver_forbid(copy == NULL, "no memory");
  *copy = *c;
  driver_queue(driver_stream(on), (work){.kind = JIT, .from = copy});
  return true;
}

bool driver_launch_jit(const char *name, void *on, void **arguments, unsigned grid, bool cooperative) {
  call c = {.grid = grid};
  if (strcmp(name, "elementwise kernel (tripled, add)") == 0) {
    c.what = CHAIN;
    memcpy(c.slots, arguments[0], sizeof c.slots);
  } else if (strcmp(name, "elementwise kernel (copy)") == 0) { // zeros, 4 bytes each
    c.what = FILL;
    memcpy(c.slots, arguments[0], FILL_SLOTS * sizeof *c.slots);
  } else if (strcmp(name, "reach") == 0) { // x, i, length, faults
    c.what = CHECKED;
    memcpy(&c.slots[0], arguments[0], 8);
    memcpy(&c.slots[1], arguments[1], 4);
    memcpy(&c.slots[2], arguments[2], 4);
    memcpy(&c.slots[3], arguments[3], 8);
  } else if (strcmp(name, "together") == 0) { // x, word
    c.what = TOGETHER;
    memcpy(&c.slots[0], arguments[0], 8);
    memcpy(&c.slots[1], arguments[1], 8);
  } else {
    return false;
  }
  driver_forbid(cooperative != (c.what == TOGETHER),
                "a kernel that waits for the grid, or not, launched as if not");
  return queue(on, &c);
}

static void run_chain(const int64_t *s) {
  const float *x = driver_pointer((cpcu_deviceptr)s[LEAF]);
  float *y = driver_pointer((cpcu_deviceptr)s[OUTPUT]);
  for (int64_t k = 0; k < s[LENGTH]; k++) y[k] = 3 * x[k] + x[k];
}

static void run_fill(const int64_t *s) {
  memset(driver_pointer((cpcu_deviceptr)s[FILLED]), 0, 4 * (size_t)s[LENGTH]);
}

static void run_checked(const int64_t *s) {
  float *x = driver_pointer((cpcu_deviceptr)s[0]);
  int64_t *words = driver_pointer((cpcu_deviceptr)s[3]);
  if (s[1] >= 1 && s[1] <= s[2]) {
    x[s[1] - 1] += 1;
  } else if (words[CP_FAULT_CLAIMED] == 0) {
    words[CP_FAULT_CLAIMED] = 1;
    words[CP_FAULT_POSITION] = s[1];
    words[CP_FAULT_AXIS] = 1;
    words[CP_FAULT_LENGTH] = s[2];
    words[CP_FAULT_CHECK] = 1;
  }
}

void driver_run_jit(const work *w) {
  const call *c = w->from;
  if (c->what == CHAIN) run_chain(c->slots);
  if (c->what == FILL) run_fill(c->slots);
  if (c->what == CHECKED) run_checked(c->slots);
  if (c->what != TOGETHER) return;
  unsigned *arrived = driver_pointer((cpcu_deviceptr)c->slots[1]);
  driver_forbid(*arrived != 0, "a barrier that does not begin with 0");
  *arrived = 1;
  *(float *)driver_pointer((cpcu_deviceptr)c->slots[0]) += (float)c->grid;
}
