// Which device a name means.
#pragma once

#include <string>

#include "oclide/oclide.hpp"

namespace oclide {

/// The device that a `--device` argument names; Error(invalid_input) when there is none.
DeviceInfo choose_device(const std::string& name);

}  // namespace oclide
