// The CPU device, as the registry asks for it.
#ifndef CP_CPU_DEVICE_H
#define CP_CPU_DEVICE_H

#include "device/device.h"

extern const cp_device_ops cp_cpu_ops;
extern const cp_device_kind cp_cpu_kind;

#endif
