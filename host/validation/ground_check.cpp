#include "validation/ground_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "reference/body_contacts.hpp"
#include "validation/contact_errors.hpp"
#include "validation/solid_overlap.hpp"
#include "validation/tolerances.hpp"
#include "validation/true_contact.hpp"

namespace oclide::validation {

using namespace reference;

namespace {

bool same_normal(const DeviceContact& device, const GroundContact& reference) {
  return angle(device.normal, reference.normal) <= kNormal + reference.normal_uncertainty;
}

// The checks of one body in one frame.
struct BodyCheck {
  ValidationReport& report;
  const std::string& where;  // frame, body, shape

  void example(const std::string& what) { add_example(report, where + ": " + what); }

  // The contact of the reference that is the same, at the nearest point.
  static const GroundContact* match(const DeviceContact& device, const std::vector<GroundContact>& all) {
    const GroundContact* best = nullptr;
    for (const GroundContact& c : all) {
      if (!same_normal(device, c) || std::abs(device.depth - c.depth) > depth_tolerance(c.depth)) continue;
      if (!best || glm::distance(c.point, device.point) < glm::distance(best->point, device.point)) best = &c;
    }
    return best;
  }

  // Each contact of the device: true by itself, and one of the definition's.
  void check_device_contact(const Body& body, const TerrainSurface& ground, const DeviceContact& device,
                            const std::vector<GroundContact>& all) {
    char text[200];
    std::snprintf(text, sizeof text, " (depth %.6g, normal %.4f %.4f %.4f, point %.5f %.5f %.5f from the centre)",
                  device.depth, device.normal.x, device.normal.y, device.normal.z, device.point.x, device.point.y,
                  device.point.z);
    report.deepest = std::max(report.deepest, device.depth);
    if (const std::string what = what_is_false(body, ground, device.point, device.normal, device.depth);
        !what.empty()) {
      ++report.unmatched_device;
      return example("false contact, " + what + text);
    }
    const GroundContact* best = match(device, all);
    if (!best) {
      ++report.unmatched_device;
      return example("the reference has no such contact" + std::string(text));
    }
    note_errors(device, *best, report);
  }

  // Each manifold of the reference that no rounding can undo: the device has its normal and depth.
  void check_reference_manifold(const GroundContact& deepest, const std::vector<DeviceContact>& device) {
    if (deepest.optional || deepest.depth <= kLength) return;
    for (const DeviceContact& d : device)
      if (same_normal(d, deepest) && d.depth >= deepest.depth - depth_tolerance(deepest.depth)) return;
    ++report.unmatched_reference;
    char text[160];
    std::snprintf(text, sizeof text, "the device lacks a manifold of depth %.6g, normal %.4f %.4f %.4f (%s)",
                  deepest.depth, deepest.normal.x, deepest.normal.y, deepest.normal.z, to_string(deepest.kind));
    example(text);
  }

  void check(const Body& body, const TerrainSurface& ground, const std::vector<DeviceContact>& device, double margin) {
    const std::vector<GroundContact> all = ground_contacts(body, ground, margin);
    const std::vector<GroundContact> those_held = held(all);
    const auto manifolds = reduce_contacts(those_held);
    report.pairs_reference = those_held.empty() ? 0 : 1;
    for (const auto& manifold : manifolds) report.contacts_reference += manifold.size();

    if (device.empty()) {
      check_missed(body, ground, those_held, margin);
    } else if (those_held.empty()) {
      check_found(body, ground, device, all, margin);
    }
    for (const DeviceContact& d : device) check_device_contact(body, ground, d, all);
    if (!device.empty())
      for (const auto& manifold : manifolds) check_reference_manifold(manifold.front(), device);
  }

  // Contacts of the device, and none of the reference.
  void check_found(const Body& body, const TerrainSurface& ground, const std::vector<DeviceContact>& device,
                   const std::vector<GroundContact>& all, double margin) {
    const auto is_known = [&](const DeviceContact& d) { return match(d, all) != nullptr; };
    const bool wrong = are_wrong_alone(device, margin, surely_overlaps(body, ground), is_known);
    ++(wrong ? report.only_device : report.undecided);
    if (wrong) example("touches on the device alone, depth " + std::to_string(deepest_of(device)));
  }

  // A body without a contact on the device: neither the reference's contacts nor the solids themselves ask for one.
  void check_missed(const Body& body, const TerrainSurface& ground, const std::vector<GroundContact>& those_held,
                    double margin) {
    for (const GroundContact& c : those_held)
      if (c.depth > kLength - margin) {
        ++report.only_reference;
        return example("touches in the reference alone, depth " + std::to_string(c.depth));
      }
    if (surely_overlaps(body, ground)) {
      ++report.only_reference;
      return example("overlaps the ground by more than the tolerance without a contact");
    }
    if (!those_held.empty()) ++report.undecided;
  }

  // When the body still overlaps after all its sides have moved in by the tolerance, no move of that length clears it.
  static bool surely_overlaps(const Body& body, const TerrainSurface& ground) {
    const std::optional<Body> inner = body.eroded(kLength);
    return inner && overlap_depth_vertical(*inner, ground) > 0.0;
  }
};

}  // namespace

void check_ground(const Body& body, const TerrainSurface& ground, const std::vector<DeviceContact>& device,
                  double margin, const std::string& where, ValidationReport& report) {
  BodyCheck{report, where}.check(body, ground, device, margin);
}

}  // namespace oclide::validation
