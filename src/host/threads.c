// The thread pool (threads.h). A job is a counter of tasks. Its caller publishes it, wakes up to as many
// threads as there are tasks, works itself, and then waits until no thread is inside. Threads that wake too
// late find no task left and sleep again.
#define _GNU_SOURCE // sched_getaffinity
#include "host/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_THREADS = 1024 };

typedef struct job {
  void (*work)(void *data, cp_tasks *tasks);
  void *data;
  cp_tasks tasks;
} job;

static struct pool {
  pthread_mutex_t lock; // protects all below
  pthread_cond_t wake, done;
  bool busy;           // a job is running
  job *current;        // the job that threads may enter; NULL: none
  int wanted;          // how many threads may still enter it
  atomic_int inside;   // threads working on it
  int started, target; // threads that exist; threads to use, with the caller (0: not yet known)
} pool = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static _Thread_local bool in_job, is_helper; // is_helper: a thread of the pool, which never asks a host
static _Thread_local const cp_tasks *called; // the innermost job that this thread called

// In the child of a fork the threads do not exist, and one of them may have held the lock.
static void after_fork(void) {
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.wake, NULL);
  pthread_cond_init(&pool.done, NULL);
  pool.busy = false;
  pool.current = NULL;
  pool.wanted = pool.started = 0;
  atomic_store(&pool.inside, 0);
}

// The number in the first of the variables that has one, else the number of processors that the process may
// use.
static int processors(void) {
  static const char *const variables[] = {"CUPOLA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};
  long n = 0;
  for (size_t k = 0; n <= 0 && k < sizeof variables / sizeof *variables; k++) {
    const char *text = getenv(variables[k]);
    n = text != NULL ? strtol(text, NULL, 10) : 0; // OpenMP's may be a list: its first number counts
  }
#if defined(CPU_COUNT)
  cpu_set_t set;
  if (n <= 0 && sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

bool cp_ask_to_go_on(cp_tasks *tasks) {
  if (atomic_load_explicit(&tasks->stopped, memory_order_relaxed)) return false;
  if (called != tasks || cp_poll(tasks->ctx) == CP_OK) return true;
  atomic_store_explicit(&tasks->stopped, true, memory_order_relaxed);
  return false;
}

bool cp_take_task(cp_tasks *tasks, int64_t *task) {
  if (!cp_go_on(tasks)) return false;
  *task = atomic_fetch_add_explicit(&tasks->next, 1, memory_order_relaxed);
  return *task < tasks->count;
}

static void *thread_main(void *unused) {
  (void)unused;
  in_job = is_helper = true;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    while (!pool.current || pool.wanted == 0) pthread_cond_wait(&pool.wake, &pool.lock);
    job *j = pool.current;
    pool.wanted--;
    pool.inside++;
    pthread_mutex_unlock(&pool.lock);
    j->work(j->data, &j->tasks);
    pthread_mutex_lock(&pool.lock);
    if (--pool.inside == 0) pthread_cond_signal(&pool.done);
  }
  return NULL;
}

// With the lock held: starts threads until there are n, or as many as the system allows.
static void start_threads(int n) {
  static bool registered;
  if (pool.started >= n) return;
  if (!registered) registered = pthread_atfork(NULL, NULL, after_fork) == 0;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  while (pool.started < n && pthread_create(&thread, &attributes, thread_main, NULL) == 0) pool.started++;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

// With the lock held: the number of threads that may work on one job.
static int target(void) {
  if (pool.target == 0) pool.target = processors();
  return pool.target;
}

int cp_thread_count(void) {
  pthread_mutex_lock(&pool.lock);
  int n = target();
  pthread_mutex_unlock(&pool.lock);
  return n;
}

void cp_set_thread_count(int count) {
  pthread_mutex_lock(&pool.lock);
  pool.target = count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
  pthread_mutex_unlock(&pool.lock);
}

// Called without the lock, which woken threads take at once. Only as many as are wanted are woken, since all
// compete for the lock.
static void wake(int helpers, int started) {
  if (helpers == started) {
    pthread_cond_broadcast(&pool.wake);
    return;
  }
  for (int k = 0; k < helpers; k++) pthread_cond_signal(&pool.wake);
}

// Offers j to the threads; false when the caller has to run it alone.
static bool publish(job *j) {
  if (in_job) return false;
  pthread_mutex_lock(&pool.lock);
  int helpers = target() - 1;
  if (j->tasks.count - 1 < helpers) helpers = (int)(j->tasks.count - 1);
  bool mine = !pool.busy && helpers > 0;
  if (mine) {
    start_threads(helpers);
    pool.busy = true;
    pool.current = j;
    pool.wanted = helpers;
  }
  int started = pool.started;
  pthread_mutex_unlock(&pool.lock);
  if (mine) wake(helpers, started);
  return mine;
}

// Closes the job to further threads and waits for those inside. They have little left to do, so it yields for
// a while before it sleeps.
static void retire(void) {
  enum { PATIENCE = 50 };
  pthread_mutex_lock(&pool.lock);
  pool.current = NULL;
  pool.wanted = 0;
  for (int k = 0; k < PATIENCE && atomic_load_explicit(&pool.inside, memory_order_relaxed) > 0; k++) {
    pthread_mutex_unlock(&pool.lock);
    sched_yield();
    pthread_mutex_lock(&pool.lock);
  }
  while (pool.inside > 0) pthread_cond_wait(&pool.done, &pool.lock);
  pool.busy = false;
  pthread_mutex_unlock(&pool.lock);
}

cp_status cp_parallel(cp_context *ctx, void (*work)(void *data, cp_tasks *tasks), void *data, int64_t count,
                      bool share) {
  bool may_end = cp_may_end(ctx) && !is_helper;
  if (count == 1 && !may_end) { // nothing to share, and no host can interrupt it
    cp_tasks alone = {.count = 1};
    work(data, &alone);
    return CP_OK;
  }
  job j = {.work = work, .data = data, .tasks = {.next = 0, .count = count, .ctx = may_end ? ctx : NULL}};
  bool shared = share && count > 1 && publish(&j);
  bool outer = in_job;
  const cp_tasks *outer_job = called;
  in_job = true;
  called = &j.tasks;
  work(data, &j.tasks);
  in_job = outer;
  called = outer_job;
  if (shared) retire();
  return may_end && atomic_load_explicit(&j.tasks.stopped, memory_order_relaxed) ? CP_EINTERRUPTED : CP_OK;
}

void cp_parallel_whole(void (*work)(void *data, cp_tasks *tasks), void *data, int64_t count, bool share) {
  cp_status always_done = cp_parallel(NULL, work, data, count, share);
  (void)always_done;
}

// Arenas ---------------------------------------------------------------------------------------------------

typedef struct arena {
  void *memory;
  size_t size;
} arena;

static _Thread_local arena own;
static pthread_key_t arena_key;
static pthread_once_t arena_once = PTHREAD_ONCE_INIT;

static void make_key(void) { pthread_key_create(&arena_key, free); }

void *cp_arena(size_t bytes) {
  if (bytes <= own.size) return own.memory;
  size_t size = (bytes + 65535) / 65536 * 65536;
  void *memory = aligned_alloc(64, size);
  if (!memory) return NULL;
  pthread_once(&arena_once, make_key);
  free(own.memory);
  own = (arena){memory, size};
  pthread_setspecific(arena_key, memory); // freed when the thread ends
  return memory;
}
