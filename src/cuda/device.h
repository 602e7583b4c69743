// The GPUs, as the registry asks for them.
#ifndef CP_CUDA_DEVICE_H
#define CP_CUDA_DEVICE_H

#include "device/device.h"

extern const cp_device_kind cp_cuda_kind;

#endif
