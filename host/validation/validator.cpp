#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "oclide/validation.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/terrain_range.hpp"
#include "scene_check.hpp"
#include "validation/solid_overlap.hpp"
#include "validation/tolerances.hpp"
#include "validation/true_contact.hpp"

namespace oclide {

using namespace reference;
using namespace validation;

namespace {

constexpr std::size_t kMostExamples = 10;

double angle(dvec3 a, dvec3 b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

// A device's contact relative to the body's centre.
struct DeviceContact {
  dvec3 point, normal;
  double depth;
};

bool same_normal(const DeviceContact& device, const GroundContact& reference) {
  return angle(device.normal, reference.normal) <= kNormal + reference.normal_uncertainty;
}

// The checks of one body in one frame.
struct BodyCheck {
  ValidationReport report;
  std::string where;  // frame, body, shape

  void example(const std::string& what) {
    if (report.examples.size() < kMostExamples) report.examples.push_back(where + ": " + what);
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
    const GroundContact* best = nullptr;
    for (const GroundContact& c : all) {
      if (!same_normal(device, c) || std::abs(device.depth - c.depth) > depth_tolerance(c.depth)) continue;
      if (!best || glm::distance(c.point, device.point) < glm::distance(best->point, device.point)) best = &c;
    }
    if (!best) {
      ++report.unmatched_device;
      return example("the reference has no such contact" + std::string(text));
    }
    const double depth_error = std::abs(device.depth - best->depth);
    report.largest_depth_error = std::max(report.largest_depth_error, depth_error);
    if (best->depth > kDeepEnoughForRelative)
      report.largest_depth_error_relative = std::max(report.largest_depth_error_relative, depth_error / best->depth);
    if (best->normal_uncertainty < kMeaninglessNormal)
      report.largest_normal_error = std::max(report.largest_normal_error, angle(device.normal, best->normal));
    report.largest_point_error = std::max(report.largest_point_error, glm::distance(device.point, best->point));
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
      check_missed(body, ground, those_held);
    } else if (all.empty()) {
      double deepest = 0.0;
      for (const DeviceContact& d : device) deepest = std::max(deepest, d.depth);
      if (deepest > kLength) {
        ++report.only_device;
        example("touches on the device alone, depth " + std::to_string(deepest));
      }
    }
    for (const DeviceContact& d : device) check_device_contact(body, ground, d, all);
    if (!device.empty())
      for (const auto& manifold : manifolds) check_reference_manifold(manifold.front(), device);
  }

  // A body without a contact on the device: neither the reference's contacts nor the solids themselves ask for one.
  void check_missed(const Body& body, const TerrainSurface& ground, const std::vector<GroundContact>& those_held) {
    for (const GroundContact& c : those_held)
      if (!c.optional && c.depth > kLength) {
        ++report.only_reference;
        return example("touches in the reference alone, depth " + std::to_string(c.depth));
      }
    // When the body still overlaps after all its sides have moved in by the tolerance, no move of that length clears
    // it.
    const std::optional<Body> inner = body.eroded(kLength);
    if (inner && overlap_depth_vertical(*inner, ground) > 0.0) {
      ++report.only_reference;
      example("overlaps the ground by more than the tolerance without a contact");
    }
  }
};

void merge(ValidationReport& into, const ValidationReport& from) {
  into.pairs_reference += from.pairs_reference;
  into.only_device += from.only_device;
  into.only_reference += from.only_reference;
  into.contacts_reference += from.contacts_reference;
  into.unmatched_device += from.unmatched_device;
  into.unmatched_reference += from.unmatched_reference;
  into.largest_depth_error = std::max(into.largest_depth_error, from.largest_depth_error);
  into.largest_depth_error_relative = std::max(into.largest_depth_error_relative, from.largest_depth_error_relative);
  into.largest_normal_error = std::max(into.largest_normal_error, from.largest_normal_error);
  into.largest_point_error = std::max(into.largest_point_error, from.largest_point_error);
  into.deepest = std::max(into.deepest, from.deepest);
  for (const std::string& line : from.examples)
    if (into.examples.size() < kMostExamples) into.examples.push_back(line);
}

}  // namespace

struct Validator::State {
  Scene scene;
  std::vector<GridSize> grids;
  double margin = 0.0;
  ValidationReport report;
};

Validator::Validator(const Scene& scene, double margin) : state_(std::make_unique<State>()) {
  oclide::check(scene);
  state_->scene = scene;
  state_->margin = margin;
  for (const Terrain& t : scene.terrains) state_->grids.push_back({t.rows, t.cols});
}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

const ValidationReport& Validator::report() const {
  return state_->report;
}

void Validator::update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                               std::size_t cols, std::span<const double> heights) {
  check_height_update(state_->grids, terrain, first_row, first_col, rows, cols, heights);
  Terrain& t = state_->scene.terrains[terrain];
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) t.heights[(first_row + i) * t.cols + first_col + j] = heights[i * cols + j];
}

void Validator::add_frame(const Poses& poses, std::span<const Contact> contacts) {
  const Scene& scene = state_->scene;
  const std::size_t count = scene.bodies.count();
  check_poses(poses, count);

  ValidationReport& report = state_->report;
  std::vector<std::vector<DeviceContact>> device(count);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    if (c.body_b != kTerrain) continue;
    ++report.contacts_device;
    if (c.body_a >= count) {
      ++report.unmatched_device;
      if (report.examples.size() < kMostExamples)
        report.examples.push_back("contact " + std::to_string(k) + ": body_a is " + std::to_string(c.body_a));
      continue;
    }
    const dvec3 centre = centre_of(poses, c.body_a);
    device[c.body_a].push_back({dvec3(c.point[0], c.point[1], c.point[2]) - centre,
                                dvec3(c.normal[0], c.normal[1], c.normal[2]), static_cast<double>(c.depth)});
  }

  std::vector<BodyCheck> checks(count);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 16), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      BodyCheck& check = checks[i];
      check.where = "frame " + std::to_string(report.frames) + ", body " + std::to_string(i) + ", " +
                    to_string(scene.bodies.shape[i]);
      const int terrain = terrain_of(scene, i);
      if (terrain < 0) {
        check.report.unmatched_device = device[i].size();
        if (!device[i].empty()) check.example("a contact with terrain where there is none");
        continue;
      }
      const TerrainView view(scene.terrains[static_cast<std::size_t>(terrain)], centre_of(poses, i));
      const Body body = body_at(scene.bodies, poses, i);
      const CellRange cells = terrain_range(view, body, state_->margin);
      if (cells.empty() && device[i].empty()) continue;
      check.check(body, TerrainSurface(view, cells), device[i], state_->margin);
    }
  });

  for (std::size_t i = 0; i < count; ++i) {
    report.pairs_device += device[i].empty() ? 0 : 1;
    merge(report, checks[i].report);
  }
  report.bodies_checked += count;
  ++report.frames;
}

}  // namespace oclide
