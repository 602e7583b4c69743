// Checks when garbage is collected (device/garbage.h), with a simulated clock: programs that make results of
// one size, with given times for collections, new blocks and the work itself.
#include "device/garbage.h"
#include "check.h"

#include <stdio.h>

static const size_t MB = 1 << 20, no_cap = (size_t)1 << 50;
static const cp_price gpu = {.block = 4.5e-5, .byte = 1.5e-13}, cpu = {.block = 1e-5, .byte = 2e-10};

typedef struct world {
  cp_garbage g;
  cp_price price;
  size_t size, cap;
  double collection, work; // seconds of a collection, and of the device's work for each result
  double hiccup;           // additional seconds of the next collection
  double paid;             // seconds of a new block, if more than the device's price
  double now, lost;        // lost: to collections and new blocks
  size_t cached, dead, kept, blocks, collections;
  bool busy; // the host runs ahead of the device
} world;

static world make(cp_price price, size_t size, double collection, double work) {
  world w = {.price = price, .size = size, .cap = no_cap, .collection = collection, .work = work};
  cp_garbage_begin(&w.g, no_cap, 0);
  return w;
}

static void pass(world *w, double seconds) {
  w->now += seconds;
  w->lost += seconds;
}

static void collect(world *w) {
  cp_collection c = {.begin = w->now, .made = w->g.large, .live = (w->dead + w->kept) * w->size};
  w->g.large = w->g.small = 0;
  c.found = w->dead * w->size;
  w->cached += w->dead;
  w->dead = 0;
  pass(w, w->collection + w->hiccup);
  w->hiccup = 0;
  w->collections++;
  c.end = w->now;
  c.hidden = w->busy;
  cp_garbage_set_extra(&w->g, &c, w->size, w->cached > 0);
}

// Makes a result; the previous one is then garbage, or is kept.
static void call(world *w, bool keeps) {
  if (w->cached == 0 && cp_garbage_worth(&w->g, w->size, w->price, w->cap)) collect(w);
  if (w->cached > 0) {
    w->cached--;
  } else {
    double price = w->price.block + w->price.byte * (double)w->size, paid = w->paid > price ? w->paid : price;
    pass(w, paid);
    cp_garbage_pay(&w->g, w->size, paid);
    w->blocks++;
  }
  w->now += w->work;
  w->g.large += w->size;
  if (keeps)
    w->kept++;
  else
    w->dead++;
}

// The fraction of the time that is lost in this many calls.
static double loss(world *w, size_t calls, bool keeps) {
  double begin = w->now, before = w->lost;
  for (size_t i = 0; i < calls; i++) call(w, keeps);
  return (w->lost - before) / (w->now - begin);
}

// How many of this many calls lose any time.
static size_t slow_calls(world *w, size_t calls) {
  size_t slow = 0;
  for (size_t i = 0; i < calls; i++) {
    double before = w->lost;
    call(w, false);
    slow += w->lost > before;
  }
  return slow;
}

// A small heap: after 20 calls most lose little or nothing, later hardly any, and few blocks are held.
static void check_small_heap(void) {
  static const struct {
    const cp_price *price;
    size_t size;
    double collection, work;
    size_t most;
  } cases[] = {{&gpu, 40, 1e-4, 1e-4, 24}, {&gpu, 400, 1e-4, 2e-4, 12}, {&gpu, 400, 5e-4, 2e-4, 64},
               {&gpu, 4, 5e-5, 5e-6, 300}, {&cpu, 4, 5e-5, 5e-4, 3},    {&cpu, 40, 5e-5, 5e-3, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    world w = make(*cases[i].price, cases[i].size * MB, cases[i].collection, cases[i].work);
    (void)loss(&w, 20, false);
    world same = w;
    CHECK(slow_calls(&w, 20) < 10 || loss(&same, 20, false) < 0.055);
    (void)loss(&w, 20000, false);
    size_t blocks = w.blocks;
    CHECK(loss(&w, 2000, false) < 0.055 && w.blocks == blocks && blocks <= cases[i].most);
  }
}

// New blocks may cost more than their price: up to twenty times, as measured on one machine.
static void check_paid(void) {
  world w = make(gpu, 40 * MB, 7e-3, 1e-4);
  w.paid = 1e-3;
  (void)loss(&w, 20, false);
  CHECK(slow_calls(&w, 20) < 10 && w.blocks < 30);
  cp_garbage g = {0};
  cp_garbage_pay(&g, 4 * MB, 1);
  CHECK(g.paid == 0); // once may be chance
  cp_garbage_pay(&g, 4 * MB, 2);
  CHECK(g.paid == 1 && g.paid_size == 4 * MB);
  cp_garbage_pay(&g, 8 * MB, 2);
  CHECK(g.paid == 0 && g.paid_size == 8 * MB);
}

// If the device is never idle, collections cost nothing: the loop keeps its first blocks.
static void check_busy(void) {
  world w = make(gpu, 400 * MB, 1e-4, 5e-6);
  w.busy = true;
  (void)loss(&w, 1000, false);
  CHECK(w.blocks <= 4);
}

// A large heap: never worse than twice the cost of new blocks alone, and finally much better; or, if memory
// cannot hold so much garbage, a collection each time it is used up.
static void check_large_heap(void) {
  static const double collections[] = {2e-3, 1e-2, 6e-2};
  for (int i = 0; i < 3; i++) {
    world w = make(gpu, 40 * MB, collections[i], 1e-4);
    double fresh = 4.5e-5 + 1.5e-13 * 40 * 1048576;
    bool within = true;
    for (int k = 0; k < 3000; k++) { // besides the first two collections, before which nothing is known
      call(&w, false);
      within = within && w.lost <= 2 * fresh * (k + 1) + 2 * w.collection;
    }
    CHECK(within);
    (void)loss(&w, 100000, false);
    CHECK(loss(&w, 20000, false) < 0.06);
    world tight = make(gpu, 40 * MB, collections[i], 1e-4);
    tight.cap = 2000 * MB;
    (void)loss(&tight, 1000, false);
    CHECK(tight.blocks <= 51 && tight.collections <= 1000 / 5);
  }
}

// One delayed collection, the first or a later one, changes little.
static void check_hiccup(void) {
  for (int at = 0; at < 60; at += 3) {
    world w = make(gpu, 40 * MB, 1e-4, 1e-4);
    (void)loss(&w, (size_t)at, false);
    w.hiccup = 0.02;
    while (w.hiccup > 0) call(&w, false);
    CHECK(slow_calls(&w, 20) <= 12 && slow_calls(&w, 20) < 10);
    CHECK(w.blocks <= 20);
  }
}

// Kept results are traversed only as often as the logarithm of their number; later garbage is found again.
static void check_kept(void) {
  static const double collections[] = {1e-6, 1e-4, 1e-2};
  for (int i = 0; i < 3; i++) {
    world w = make(gpu, 4 * MB, collections[i], 1e-5);
    (void)loss(&w, 1000, true);
    CHECK(w.collections >= 1 && w.collections <= 12);
    (void)loss(&w, 9000, true);
    CHECK(w.collections <= 16);
    size_t blocks = w.blocks;
    (void)loss(&w, 30000, false);
    CHECK(w.cached + w.dead <= 16000 && loss(&w, 1000, false) < 0.06 && w.blocks <= blocks + 16000);
    w.size = 8 * MB; // another size, which no cached block fits
    w.cached = w.dead = 0;
    blocks = w.blocks;
    (void)loss(&w, 40, false);
    CHECK(i == 2 || w.blocks < blocks + 20);
  }
}

// Small blocks: the budget grows while collections are expensive or find little, and shrinks again
// afterwards.
static void check_budget(void) {
  cp_garbage g = {0};
  double now = 0;
  cp_garbage_begin(&g, no_cap, now);
  CHECK(g.budget == 8 * MB && cp_garbage_over_budget(&g, 8 * MB + 1) && !cp_garbage_over_budget(&g, 8 * MB));
  for (int i = 0; i < 40; i++) { // 1 us per KB, 1 ms for a collection: 16 MB take 16 ms
    cp_collection c = {.made = g.budget, .live = g.budget, .found = g.budget};
    now += 1e-6 * (double)(g.budget >> 10);
    c.begin = now;
    c.end = now += 1e-3;
    cp_garbage_set_budget(&g, &c, gpu, no_cap);
  }
  CHECK(g.budget == 32 * MB);
  for (int i = 0; i < 10; i++) { // all of it is live
    cp_collection c = {.begin = now, .made = g.budget, .live = (size_t)64 << 30};
    c.end = now += 1e-9;
    cp_garbage_set_budget(&g, &c, gpu, 1024 * MB);
    now += 1;
  }
  CHECK(g.budget == 1024 * MB);
  for (int i = 0; i < 10; i++) { // none of it is live, and collections are cheap
    cp_collection c = {
        .begin = now, .end = now + 1e-6, .made = g.budget, .live = g.budget, .found = g.budget};
    cp_garbage_set_budget(&g, &c, gpu, 1024 * MB);
    now += 1;
  }
  CHECK(g.budget == 8 * MB);
  cp_garbage_begin(&g, 2 * MB, now);
  CHECK(g.budget == 2 * MB);
}

// If first touches cost more than collections, the budget stays.
static void check_budget_of_pages(void) {
  cp_garbage g = {0};
  double now = 0;
  cp_garbage_begin(&g, no_cap, now);
  for (int i = 0; i < 40;
       // All the time: 1 ms where the allocated bytes cost 1.7 ms, then 4 ms, which is more than 32 MB cost.
       i++) {
    cp_collection c = {.begin = now, .made = g.budget, .live = g.budget, .found = g.budget};
    c.end = now += i < 20 ? 1e-3 : 4e-3;
    cp_garbage_set_budget(&g, &c, cpu, no_cap);
    if (i == 19) CHECK(g.budget == 8 * MB);
  }
  CHECK(g.budget == 32 * MB);
}

static void check_spare(void) {
  cp_garbage g = {.small = 100, .large = 50};
  cp_garbage_returned(&g, 30, false);
  cp_garbage_returned(&g, 60, true);
  CHECK(g.small == 70 && g.large == 0);
  CHECK(cp_garbage_count(&g, true) == &g.large && cp_garbage_count(&g, false) == &g.small);
}

int main(void) {
  check_small_heap();
  check_paid();
  check_busy();
  check_large_heap();
  check_hiccup();
  check_kept();
  check_budget();
  check_budget_of_pages();
  check_spare();
  return verdict("garbage");
}
