// Checks for the programs of spec/c: CHECK counts failures and continues, REQUIRE ends the program when it
// cannot go on.
#ifndef CP_SPEC_CHECK_H
#define CP_SPEC_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                \
      failures++;                                                                                            \
    }                                                                                                        \
  } while (0)

#define REQUIRE(condition)                                                                                   \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

// Prints the result and returns the program's exit status.
static inline int verdict(const char *program) {
  printf("%s: %s\n", program, failures == 0 ? "ok" : "FAILED");
  return failures != 0;
}

#endif
