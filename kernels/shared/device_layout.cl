// The layouts of include/oclide/device_layout.h as text, for kernels of an application: oclide::device_layout().
#include "../include/oclide/device_layout.h"
