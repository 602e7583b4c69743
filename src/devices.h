// The kinds of devices that cupola has.
#ifndef CP_DEVICES_H
#define CP_DEVICES_H

// Makes them known to the registry (device/device.h); before the first device is asked for, any number of times.
void cp_register_devices(void);

#endif
