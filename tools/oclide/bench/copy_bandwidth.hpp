// What a device's memory gives at best: the speed of a copy that is far larger than the caches.
#pragma once

#include "oclide/oclide.hpp"

namespace oclide::command {

/// Bytes read and written a second, in 1e9, the best of several copies. An OpenCL device copies by its command or by a
/// kernel, whichever is faster, on its own clock. The reference copies by memcpy on all threads of oneTBB. Throws
/// Error(device) where it cannot be measured.
[[nodiscard]] double copy_gb_per_s(const DeviceInfo& device);

}  // namespace oclide::command
