// Caches of FFT plans, from which the least recently used plan is evicted when there are too many.
#include "routines/fft.h"

#include <stdlib.h>
#include <string.h>

void cp_fft_cache_init(cp_fft_cache *c, int limit, void (*destroy)(cp_fft_plan *plan)) {
  *c = (cp_fft_cache){.limit = limit, .destroy = destroy};
  pthread_mutex_init(&c->lock, NULL);
}

cp_fft_plan *cp_fft_cache_find(cp_fft_cache *c, const cp_fft_shape *shape) {
  cp_fft_plan *found = NULL;
  pthread_mutex_lock(&c->lock);
  for (int k = 0; k < c->count && found == NULL; k++)
    if (memcmp(&c->plans[k]->shape, shape, sizeof *shape) == 0) found = c->plans[k];
  if (found != NULL) {
    found->users++;
    found->used = ++c->clock;
  }
  pthread_mutex_unlock(&c->lock);
  return found;
}

// The caller holds the lock.
static void destroy(cp_fft_plan *plan) {
  plan->cache->destroy(plan);
  free(plan);
}

// Evicts the oldest plan that is not in use; false when there is none. The caller holds the lock.
static bool drop_oldest(cp_fft_cache *c) {
  int oldest = -1;
  for (int k = 0; k < c->count; k++)
    if (c->plans[k]->users == 0 && (oldest < 0 || c->plans[k]->used < c->plans[oldest]->used)) oldest = k;
  if (oldest < 0) return false;
  destroy(c->plans[oldest]);
  c->plans[oldest] = c->plans[--c->count];
  return true;
}

void cp_fft_cache_add(cp_fft_cache *c, cp_fft_plan *plan) {
  pthread_mutex_lock(&c->lock);
  plan->cache = c;
  plan->users = 1;
  plan->used = ++c->clock;
  while (c->count >= c->limit && drop_oldest(c)) {
  }
  plan->cached = c->count < c->limit;
  if (plan->cached) c->plans[c->count++] = plan;
  pthread_mutex_unlock(&c->lock);
}

void cp_fft_cache_close(cp_fft_plan *plan) {
  pthread_mutex_t *lock = &plan->cache->lock;
  pthread_mutex_lock(lock);
  if (--plan->users == 0 && !plan->cached) destroy(plan);
  pthread_mutex_unlock(lock);
}

int cp_fft_cache_trim(cp_fft_cache *c, int limit, int keep) {
  pthread_mutex_lock(&c->lock);
  if (limit >= 0) c->limit = limit < CP_FFT_PLANS ? limit : CP_FFT_PLANS;
  if (keep > c->limit) keep = c->limit;
  while (c->count > keep && drop_oldest(c)) {
  }
  int left = c->count;
  pthread_mutex_unlock(&c->lock);
  return left;
}
