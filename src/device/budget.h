// What a confined state (cp_context.budget.confined) may make the process and the disk keep beyond its end: compiled kernels, which all states share and which
// are not given back. Others may make as many as they like.
#ifndef CP_DEVICE_BUDGET_H
#define CP_DEVICE_BUDGET_H

#include "device/device.h"

enum { CP_MOST_KERNELS = 2048, CP_MOST_STORED = 64 << 20 };

// Before a kernel is made, or loaded from a bundle or from disk, for the process to keep: counts it. CP_EUSAGE when the state has had its share.
cp_status cp_budget_kernel(cp_context *ctx);
// Whether the state may write so many bytes more to the folder of kernels; counts them. One that may not goes without.
bool cp_budget_store(cp_context *ctx, size_t bytes);

#endif
