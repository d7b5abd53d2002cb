// What was found, as lines or as one JSON object on standard output.
#pragma once

#include "checks.hpp"

namespace oracle {

/// The `worst` violations of each category, then counts and statistics.
void report(const Findings& findings, bool json, std::size_t worst);

}  // namespace oracle
