// Which devices there are, and which one a name means.
#include <algorithm>
#include <cctype>
#include <thread>

#include "devices/choose_device.hpp"
#include "opencl/device_list.hpp"

namespace oclide {
namespace {

DeviceInfo reference_info() {
  DeviceInfo info;
  info.id = "reference";
  info.name = std::string(kReferenceName) + " (double precision)";
  info.platform = "host";
  info.is_reference = true;
  info.compute_units = std::max(1U, std::thread::hardware_concurrency());
  return info;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all = opencl_devices();
  all.push_back(reference_info());
  return all;
}

DeviceInfo choose_device(const std::string& name) {
  if (name == "reference") return reference_info();
  const std::vector<DeviceInfo> all = devices();
  if (name == "auto") {
    // Without calibrations (host/api has them): the first GPU, else the first of the CPU devices with the most compute
    // units, else the reference. (That need not be the first: PoCL lists one with a single thread before it.)
    const DeviceInfo* best = nullptr;
    for (const DeviceInfo& d : all) {
      if (!d.usable || d.is_reference) continue;
      if (d.is_gpu) return d;
      if (best == nullptr || d.compute_units > best->compute_units) best = &d;
    }
    return best != nullptr ? *best : all.back();
  }
  for (const DeviceInfo& d : all)
    if (d.id == name) return d;
  if (!name.empty() && !name.starts_with("opencl:"))
    for (const DeviceInfo& d : all)
      if (lower(d.name).find(lower(name)) != std::string::npos) return d;
  std::string known;
  for (const DeviceInfo& d : all) known += (known.empty() ? "" : ", ") + d.id + " (" + d.name + ")";
  throw Error(ErrorKind::invalid_input, "unknown device '" + name + "'; there are: " + known);
}

}  // namespace oclide
