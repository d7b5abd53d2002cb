#include "validation/frame_contacts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "validation/pair_check.hpp"

namespace oclide::validation {

using namespace reference;

std::vector<Contact> contacts_of_parts(std::span<const Contact> contacts, const CompoundBodies& compounds,
                                       const std::string& frame, ValidationReport& report) {
  const auto order = [](const Contact& c) { return std::tuple(c.body_a, c.body_b, c.shape_a, c.shape_b, c.manifold); };
  const auto names_shape = [&](std::uint32_t body, std::uint16_t shape) {
    return body < compounds.bodies() && shape < compounds.parts_of(body);
  };
  std::vector<Contact> result;
  result.reserve(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    Contact c = contacts[k];
    const bool on_terrain = c.body_b == kTerrain;
    const char* problem = nullptr;
    if (!names_shape(c.body_a, c.shape_a) || !(on_terrain ? c.shape_b == 0 : names_shape(c.body_b, c.shape_b)))
      problem = "names no shape";
    else if (k > 0 && order(c) < order(contacts[k - 1]))
      problem = "out of order";
    else if (k > 0 && c.manifold != contacts[k - 1].manifold && c.manifold != contacts[k - 1].manifold + 1)
      problem = "wrong number of its manifold";
    if (problem != nullptr) {
      ++report.contacts_device;
      ++report.unmatched_device;
      add_example(report, frame + ", contact " + std::to_string(k) + " of bodies " + std::to_string(c.body_a) +
                              " and " + std::to_string(c.body_b) + ", shapes " + std::to_string(c.shape_a) + " and " +
                              std::to_string(c.shape_b) + ": " + problem);
      continue;
    }
    c.body_a = static_cast<std::uint32_t>(compounds.first_part_of(c.body_a) + c.shape_a);
    if (!on_terrain) c.body_b = static_cast<std::uint32_t>(compounds.first_part_of(c.body_b) + c.shape_b);
    result.push_back(c);
  }
  std::sort(result.begin(), result.end(), [](const Contact& c, const Contact& d) {
    return std::tuple(c.body_a, c.body_b, c.manifold) < std::tuple(d.body_a, d.body_b, d.manifold);
  });
  std::uint32_t number = 0, last = result.empty() ? 0 : result.front().manifold;
  for (Contact& c : result) {
    if (c.manifold != last) ++number;
    last = std::exchange(c.manifold, number);
  }
  return result;
}

std::vector<DevicePair> pairs_of(std::span<const Contact> contacts, const Bodies& bodies, const std::string& frame,
                                 ValidationReport& report) {
  std::vector<DevicePair> pairs;
  const auto is_mesh = [&](std::uint32_t body) {
    return body < bodies.count() && bodies.shape[body] == Shape::triangle_mesh;
  };
  const auto reject = [&](std::size_t k, const std::string& what) {
    ++report.unmatched_device;
    add_example(report, frame + ", contact " + std::to_string(k) + " of bodies " + std::to_string(contacts[k].body_a) +
                            " and " + std::to_string(contacts[k].body_b) + ": " + what);
  };
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    const bool of_bodies = c.body_b != kTerrain;
    if (of_bodies) {
      ++report.contacts_device;
      if (c.body_a >= c.body_b || c.body_b >= bodies.count()) {
        reject(k, "not two bodies, the lower index first");
        continue;
      }
    }
    const bool begins = k == 0 || contacts[k - 1].body_a != c.body_a || contacts[k - 1].body_b != c.body_b;
    if (k > 0 && (of_bodies || contacts[k - 1].body_b != kTerrain)) {
      const Contact& before = contacts[k - 1];
      if (std::pair(before.body_a, before.body_b) > std::pair(c.body_a, c.body_b)) reject(k, "out of order");
      // Of two convex bodies there is one manifold, with a mesh there are any number.
      else if (begins ? c.manifold <= before.manifold
                      : c.manifold != before.manifold &&
                            !(c.manifold == before.manifold + 1 && (is_mesh(c.body_a) || is_mesh(c.body_b))))
        reject(k, "wrong number of its manifold, " + std::to_string(c.manifold) + " after " +
                      std::to_string(before.manifold));
    }
    if (!of_bodies) continue;
    if (begins) pairs.push_back({{c.body_a, c.body_b}, k, k});
    pairs.back().last = k + 1;
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& p, const auto& q) { return p.pair < q.pair; });
  return pairs;
}

}  // namespace oclide::validation
