// The kinds of devices that cupola has.
#ifndef CP_DEVICES_H
#define CP_DEVICES_H

#include "device/device.h"

// Makes them known to the registry; before the first device is asked for, any number of times. Fails like the
// check.
cp_status cp_register_devices(void);
// CP_EUSAGE, with its name, where the table lacks a function that every device must have (device/ops.h).
cp_status cp_check_device_ops(const cp_device_ops *ops);

#endif
