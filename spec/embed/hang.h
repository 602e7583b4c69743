// Tells calls that hang from calls that a busy machine delays, for hosts that make one call after the other.
#ifndef CUPOLA_SPEC_HANG_H
#define CUPOLA_SPEC_HANG_H

#include <pthread.h>
#include <time.h>
#include <unistd.h>

typedef struct hang {
  unsigned seconds; // of processor time, which no call may take
  clockid_t clock;  // of the thread that makes the calls
  double began;
  int looks;
} hang;

enum { MOST_LOOKS = 20 }; // a call that waits for ever uses little processor time

static inline double hang_time(const hang *h) {
  struct timespec t;
  clock_gettime(h->clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A call begins in this thread; SIGALRM comes after h->seconds.
static inline void hang_begin(hang *h) {
  pthread_getcpuclockid(pthread_self(), &h->clock);
  h->began = hang_time(h);
  h->looks = 0;
  alarm(h->seconds);
}

// For the handler of SIGALRM: returns 1 if the call hangs, otherwise 0, and SIGALRM comes again.
static inline int hang_look(hang *h) {
  if (hang_time(h) - h->began >= h->seconds || ++h->looks >= MOST_LOOKS) return 1;
  alarm(h->seconds);
  return 0;
}

#endif
