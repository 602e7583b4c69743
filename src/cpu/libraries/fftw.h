// The FFT library of the CPU device.
#ifndef CP_CPU_LIBRARIES_FFTW_H
#define CP_CPU_LIBRARIES_FFTW_H

#include <stdbool.h>

// The file that the library was opened from, for either precision. NULL: not opened (yet).
const char *cp_fftw_path(bool wide);

#endif
