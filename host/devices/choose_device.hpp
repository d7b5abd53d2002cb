// Which device a name means.
#pragma once

#include <string>
#include <string_view>

#include "oclide/oclide.hpp"

namespace oclide {

/// As a Collider on the reference names its device; devices() says more behind it.
inline constexpr std::string_view kReferenceName = "CPU reference";

/// The device that a `--device` argument names; Error(invalid_input) when there is none.
DeviceInfo choose_device(const std::string& name);

}  // namespace oclide
