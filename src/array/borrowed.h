// The list of borrowed memory that is no longer used, whose release callbacks are still to be called.
#ifndef CP_ARRAY_BORROWED_H
#define CP_ARRAY_BORROWED_H

#include "array/array.h"

// Calls the release callback now.
void cp_borrowed_release(cp_borrowed *borrowed);

#endif
