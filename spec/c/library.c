// Checks the opening of shared libraries: the message when there is none, places given by a variable, missing
// functions.
#include "host/library.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const absent_names[] = {"libcupola-absent.so.3", "libcupola-absent.so", NULL};
// The C math library, which every machine has.
static const char *const present_names[] = {"libcupola-absent.so", "libm.so.6", NULL};
static const char *const folders[] = {"/nowhere", "/nowhere/*", NULL};
static const char *const variables[] = {"CUPOLA_SPEC_PATH", NULL};

static struct {
  double (*cosine)(double x);
  double (*absent)(double x);
} table;

static const cp_symbol cosine[] = {{"cos", 0, false}, {"cupola_absent", sizeof(double (*)(double)), true}};
static const cp_symbol absent[] = {{"cupola_absent", 0, false}};

static cp_library library_of(const char *const *names, const cp_symbol *symbols, size_t count) {
  cp_library l = {.title = "a test library",
                  .names = names,
                  .folders = folders,
                  .variables = variables,
                  .hint = "install nothing",
                  .outdated = "it is only a test",
                  .kind = CP_EIO,
                  .symbols = symbols,
                  .nsymbols = count,
                  .table = &table};
  pthread_mutex_init(&l.lock, NULL);
  return l;
}

static bool says(const char *part) {
  if (strstr(cp_error_text(), part) != NULL) return true;
  fprintf(stderr, "the message is: %s\n", cp_error_text());
  return false;
}

static void check_absent(void) {
  cp_library l = library_of(absent_names, cosine, 2);
  for (int again = 0; again < 2; again++) {
    CHECK(cp_open_library(&l) == CP_EIO);
    CHECK(says("a test library could not be opened (tried libcupola-absent.so.3, libcupola-absent.so in "
               "CUPOLA_SPEC_PATH, the loader's path and the usual folders)"));
    CHECK(says("; install nothing"));
  }
  CHECK(!cp_try_library(&l));
  CHECK(cp_opened_path(&l) == NULL);
}

static void check_present(void) {
  cp_library l = library_of(present_names, cosine, 2);
  CHECK(cp_opened_path(&l) == NULL);
  CHECK(cp_open_library(&l) == CP_OK);
  CHECK(table.cosine != NULL && table.cosine(0) == 1);
  CHECK(table.absent == NULL);
  CHECK(cp_opened_path(&l) != NULL && strstr(cp_opened_path(&l), "libm.so.6") != NULL);
}

static void check_outdated(void) {
  cp_library l = library_of(present_names, absent, 1);
  CHECK(cp_open_library(&l) == CP_EIO);
  CHECK(says("has no function cupola_absent: it is only a test"));
}

// A file that is not a library: the message includes the loader's error.
static void check_variable(void) {
  char path[] = "/tmp/cupola-library-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  setenv("CUPOLA_SPEC_PATH", path, 1);
  cp_library l = library_of(absent_names, cosine, 2);
  CHECK(cp_open_library(&l) == CP_EIO);
  CHECK(says(path));
  unsetenv("CUPOLA_SPEC_PATH");
  remove(path);
}

static bool yes(void) { return true; }

// Names in another order, and a library that only a variable names.
static void check_names(void) {
  cp_library l = library_of(absent_names, cosine, 2), named = library_of(present_names + 2, cosine, 2);
  l.second_first = yes;
  CHECK(cp_open_library(&l) == CP_EIO);
  CHECK(says("(tried libcupola-absent.so, libcupola-absent.so.3 in"));
  setenv("CUPOLA_SPEC_PATH", "libm.so.6", 1);
  CHECK(cp_try_library(&named));
  setenv("CUPOLA_HIDDEN_LIBRARIES", "libx libm.so*", 1);
  named = library_of(present_names + 2, cosine, 2);
  CHECK(!cp_try_library(&named));
  unsetenv("CUPOLA_HIDDEN_LIBRARIES");
  unsetenv("CUPOLA_SPEC_PATH");
}

int main(void) {
  check_absent();
  check_present();
  check_outdated();
  check_variable();
  check_names();
  return verdict("library");
}
