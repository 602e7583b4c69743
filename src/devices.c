#include "devices.h"

#include "cpu/device.h"
#include "cuda/device.h"

void cp_register_devices(void) { cp_register_kinds(&cp_cpu_kind, &cp_cuda_kind); }
