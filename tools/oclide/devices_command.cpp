// oclide devices: what there is, and whether it has what the pipeline needs.
#include <iostream>
#include <optional>
#include <string>
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

// What --calibrate adds to a device.
struct Calibrated {
  std::optional<Calibration> calibration;
  std::string failure;  // why there is none
};

Calibrated calibrated(const DeviceInfo& d) {
  Calibrated result;
  if (d.is_reference) return {std::nullopt, "taken only where no OpenCL device is usable: its bits differ"};
  if (!d.usable) return {std::nullopt, "not usable"};
  try {
    Settings settings;
    settings.on_compile = show_compilation();
    result.calibration = calibrate(d, settings);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::device) throw;
    result.failure = e.what();
  }
  clear_status();
  return result;
}

Json json_of(const Calibration& c) {
  Json samples = Json::array();
  for (const Calibration::Sample& s : c.samples)
    samples.push_back({{"bodies", s.bodies}, {"milliseconds", s.milliseconds}});
  return {{"fixed_milliseconds", c.fixed_milliseconds()},
          {"milliseconds_per_body", c.milliseconds_per_body()},
          {"samples", samples}};
}

Json json_of(const DeviceInfo& d) {
  return {{"id", d.id},
          {"name", d.name},
          {"platform", d.platform},
          {"version", d.version},
          {"driver", d.driver},
          {"gpu", d.is_gpu},
          {"reference", d.is_reference},
          {"usable", d.usable},
          {"missing", d.missing},
          {"correctly_rounded_division_and_sqrt", d.rounds_division},
          {"denormals", d.has_denormals},
          {"memory_bytes", d.memory_bytes},
          {"largest_allocation_bytes", d.largest_allocation_bytes},
          {"compute_units", d.compute_units}};
}

void detail(const char* what, const std::string& value) {
  std::cout << "    " << what << std::string(22 - std::string(what).size(), ' ') << value << "\n";
}

void print(const DeviceInfo& d) {
  std::cout << d.id << "  " << d.name << "\n";
  detail("kind", d.is_reference ? "reference" : d.is_gpu ? "GPU" : "CPU or other");
  detail("platform", d.platform);
  if (!d.version.empty()) detail("version", d.version);
  if (!d.driver.empty()) detail("driver", d.driver);
  detail("compute units", std::to_string(d.compute_units));
  if (d.memory_bytes != 0)
    detail("memory", memory_text(d.memory_bytes) + ", at most " + memory_text(d.largest_allocation_bytes) + " at once");
  if (!d.is_reference)
    detail("division, sqrt", d.rounds_division ? "correctly rounded" : "not correctly rounded: done in software");
  detail("usable", d.usable ? "yes" : "no: " + d.missing);
}

void print(const Calibrated& c) {
  if (!c.calibration) return detail("calibration", "none: " + c.failure);
  detail("a frame costs", fixed(c.calibration->fixed_milliseconds(), 3) + " ms and " +
                              fixed(1e6 * c.calibration->milliseconds_per_body(), 1) + " ns for each body");
  for (const Calibration::Sample& s : c.calibration->samples)
    detail(("  " + grouped(s.bodies) + " bodies").c_str(), fixed(s.milliseconds, 3) + " ms");
}

}  // namespace

int run_devices(const DevicesOptions& options) {
  const std::vector<DeviceInfo> all = devices();
  // Calibrations, and which device of `all` each belongs to.
  std::vector<Calibrated> results;
  std::vector<Calibration> calibrations;
  std::vector<std::size_t> device_of;
  if (options.calibrate)
    for (std::size_t k = 0; k < all.size(); ++k) {
      results.push_back(calibrated(all[k]));
      if (!results.back().calibration) continue;
      calibrations.push_back(*results.back().calibration);
      device_of.push_back(k);
    }
  const std::vector<FastestFrom> fastest = break_even(calibrations);

  if (options.json) {
    Json list = Json::array(), changes = Json::array();
    for (std::size_t k = 0; k < all.size(); ++k) {
      Json& device = list.emplace_back(json_of(all[k]));
      if (options.calibrate && results[k].calibration) device["calibration"] = json_of(*results[k].calibration);
      if (options.calibrate && !results[k].calibration) device["no_calibration"] = results[k].failure;
    }
    for (const FastestFrom& f : fastest)
      changes.push_back({{"from_bodies", f.bodies}, {"device_id", all[device_of[f.index]].id}});
    Json json{{"devices", list}};
    if (options.calibrate) json["fastest"] = changes;
    std::cout << text_of(json) << "\n";
    return kDone;
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    print(all[k]);
    if (options.calibrate) print(results[k]);
  }
  for (const FastestFrom& f : fastest) {
    const DeviceInfo& d = all[device_of[f.index]];
    std::cout << "fastest from " << grouped(f.bodies) << " bodies on: " << d.id << " (" << d.name << ")\n";
  }
  if (all.size() == 1) tell_of_reference(all.front());
  return kDone;
}

}  // namespace oclide::command
