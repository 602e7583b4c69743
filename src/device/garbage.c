// When a state collects garbage (garbage.h).
#include "device/garbage.h"

static const double most_of_time = 0.05, least_of_time = 0.01;
static const size_t start_budget = (size_t)8 << 20;

static size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

void cp_garbage_begin(cp_garbage *g, size_t cap, double now) {
  g->budget = lesser(start_budget, cap);
  g->share = 1;
  g->mark = now;
}

bool cp_garbage_worth(cp_garbage *g, size_t size, cp_price price, size_t cap) {
  double blocks = (double)g->large / (double)size, each = price.block + price.byte * (double)size;
  if (g->paid_size == size && g->paid > each) each = g->paid;
  if (g->large < size) return false; // too little was allocated for a block of this size to be found
  if (g->large >= cap) return true;
  if (g->extra > 0) {
    g->extra--;
    return false;
  }
  // Without this lower bound, collections that take no time would run often even if they find nothing.
  double cost = g->cost > each / 2 ? g->cost : each / 2;
  return g->share * blocks * each >= cost;
}

void cp_garbage_pay(cp_garbage *g, size_t size, double seconds) {
  bool again = g->paid_size == size;
  g->paid = again && seconds < g->latest_paid ? seconds : again ? g->latest_paid : 0;
  g->latest_paid = seconds;
  g->paid_size = size;
}

// The share of time that collections take while the device is idle, judged by the latest one.
static double part_of_time(cp_garbage *g, const cp_collection *c) {
  double spent = c->end - c->begin, passed = c->end - g->mark;
  g->cost = spent < g->latest ? spent : g->latest;
  g->latest = spent;
  g->mark = c->end;
  if (c->hidden) return 0;
  return passed > 0 ? g->cost / passed : 1;
}

void cp_garbage_set_budget(cp_garbage *g, const cp_collection *c, cp_price price, size_t cap) {
  double part = part_of_time(g, c);
  bool unproductive =
      c->found<lesser(c->made, c->live) / 4, expensive = g->cost> price.byte * (double)c->made;
  size_t budget = g->budget;
  if ((part > most_of_time && expensive) || unproductive)
    budget = budget > cap / 2 ? cap : 2 * budget;
  else if (part < least_of_time && !c->hidden && budget / 2 >= start_budget)
    budget /= 2;
  g->budget = lesser(budget, cap);
}

void cp_garbage_set_extra(cp_garbage *g, const cp_collection *c, size_t size, bool fits) {
  double part = part_of_time(g, c);
  size_t blocks = c->made / size;
  g->share = fits ? 1 : g->share / 2;
  g->extra = 0;
  if (fits && part > most_of_time) g->extra = blocks < 8 ? 1 : blocks / 4;
}
