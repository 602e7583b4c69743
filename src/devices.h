// Registers the kinds of devices that cupola has.
#ifndef CP_DEVICES_H
#define CP_DEVICES_H

#include "device/device.h"

// Checks both kinds of devices and registers them. Must be called before the first device is looked up;
// further calls do no harm. Fails if a check does.
cp_status cp_register_devices(void);
// Fails with CP_EUSAGE and the function's name if the table lacks a function that every device must have
// (device/ops.h).
cp_status cp_check_device_ops(const cp_device_ops *ops);

#endif
