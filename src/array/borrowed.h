// The list of lent memory whose owners have to hear that it is no longer used.
#ifndef CP_ARRAY_BORROWED_H
#define CP_ARRAY_BORROWED_H

#include "array/array.h"

// Safe in finalizers: what runs is in cp_release_borrowed. After the state was closed the owner hears at once.
void cp_borrowed_queue(cp_context *ctx, cp_borrowed *borrowed);
// Tells the owner, now.
void cp_borrowed_release(cp_borrowed *borrowed);

#endif
