// oclide devices: what there is, and whether it has what the pipeline needs.
#include <iostream>
#include <vector>

#include "commands.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

std::string memory_text(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  return fixed(static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0), 1) + " GiB";
}

JsonObject json_of(const DeviceInfo& d) {
  JsonObject json;
  json.add("id", d.id).add("name", d.name).add("platform", d.platform).add("version", d.version);
  json.add("driver", d.driver).add("gpu", d.is_gpu).add("reference", d.is_reference).add("usable", d.usable);
  json.add("missing", d.missing).add("correctly_rounded_division_and_sqrt", d.rounds_division);
  json.add("denormals", d.has_denormals).add("memory_bytes", d.memory_bytes);
  json.add("largest_allocation_bytes", d.largest_allocation_bytes).add("compute_units", d.compute_units);
  return json;
}

void print(const DeviceInfo& d) {
  std::cout << d.id << "  " << d.name << "\n";
  const auto line = [](const char* what, const std::string& value) {
    std::cout << "    " << what << std::string(22 - std::string(what).size(), ' ') << value << "\n";
  };
  line("kind", d.is_reference ? "reference" : d.is_gpu ? "GPU" : "CPU or other");
  line("platform", d.platform);
  if (!d.version.empty()) line("version", d.version);
  if (!d.driver.empty()) line("driver", d.driver);
  line("compute units", std::to_string(d.compute_units));
  if (d.memory_bytes != 0)
    line("memory", memory_text(d.memory_bytes) + ", at most " + memory_text(d.largest_allocation_bytes) + " at once");
  if (!d.is_reference)
    line("division, sqrt", d.rounds_division ? "correctly rounded" : "not correctly rounded: done in software");
  line("usable", d.usable ? "yes" : "no: " + d.missing);
}

}  // namespace

int run_devices(const DevicesOptions& options) {
  const std::vector<DeviceInfo> all = devices();
  if (options.json) {
    std::vector<JsonObject> list;
    for (const DeviceInfo& d : all) list.push_back(json_of(d));
    std::cout << JsonObject().add("devices", list).text() << "\n";
    return kDone;
  }
  for (const DeviceInfo& d : all) print(d);
  if (all.size() == 1) std::cerr << "oclide: no OpenCL platform found; the CPU reference is used\n";
  return kDone;
}

}  // namespace oclide::command
