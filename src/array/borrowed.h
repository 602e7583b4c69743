// The list of borrowed memory that is no longer used, whose release callbacks are still to be called.
#ifndef CP_ARRAY_BORROWED_H
#define CP_ARRAY_BORROWED_H

#include "array/array.h"

// Adds to the list; cp_release_borrowed calls the callback. Safe in finalizers. Once the state is closed, the
// callback is called at once.
void cp_borrowed_queue(cp_context *ctx, cp_borrowed *borrowed);
// Calls the release callback now.
void cp_borrowed_release(cp_borrowed *borrowed);

#endif
