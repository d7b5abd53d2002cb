// How many sites, candidates and contacts with terrain a frame will have, from a sample of its bodies.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "planning/frame_sample.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/terrain_range.hpp"
#include "scene/body_margin.hpp"
#include "scene/terrain_of.hpp"
#include "terrain/terrain_buffers.hpp"
#include "threads/parallel_for.hpp"
#include "tracking/contact_tracking.hpp"

namespace oclide {
namespace {

using reference::Body;
using reference::dvec3;

constexpr std::size_t kSampledBodies = 256;  // bodies that go through the reference against terrain
// The reference takes its time over large bodies: a few of them are looked at apart from the small ones.
constexpr double kSmallSites = 1024.0;       // under a small body at most
constexpr double kMostSites = 15000.0;       // under a large one that is looked at
constexpr double kMostSitesInAll = 30000.0;  // under all of these
constexpr double kMostRows = 256.0;          // sites of a range along an axis that are looked at, evenly spread

struct UnderBody {
  double sites = 0.0, candidates = 0.0, lifts = 0.0;
};

// Whether the ground of a cell stands above the lower side of the body at a corner, amid its elements, or over the
// body's lowest point.
bool has_gap(const reference::TerrainView& view, std::int64_t i, std::int64_t j, const std::array<dvec3, 4>& v,
             const Body& body) {
  const auto above = [&](dvec3 p) {
    const auto lowest = body.lowest_on_vertical(reference::dvec2(p));
    return lowest && p.z > lowest->z + 2e-5;
  };
  if (std::any_of(v.begin(), v.end(), above)) return true;
  if (above((v[0] + v[1] + v[2]) / 3.0) || above((v[3] + v[2] + v[1]) / 3.0)) return true;
  const dvec3 lowest = body.support({0.0, 0.0, -1.0});
  const reference::dvec2 at(lowest);
  if (at.x < v[0].x || at.x > v[3].x || at.y < v[0].y || at.y > v[3].y) return false;
  for (int k = 0; k < 2; ++k)
    if (const reference::Element e = view.element(i, j, k); e.inside_outline(at) >= 0.0)
      return above({at.x, at.y, e.height_over(at)});
  return false;
}

// Whether a plane across the way from a cell's edge to the body's centre, not downward, parts the body from the cell
// and all below it; most of what kernels/terrain/site_features.clh tries.
bool is_beyond(const std::array<dvec3, 4>& v, const Body& body, double margin) {
  constexpr std::array<std::array<int, 2>, 5> kEdges{{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}};
  for (const auto& [from, to] : kEdges) {
    const dvec3 along = v[to] - v[from];
    const double t = std::clamp(-glm::dot(v[from], along) / glm::dot(along, along), 0.0, 1.0);
    const dvec3 way = -(v[from] + t * along);
    const double length = glm::length(way);
    if (!(length > 0.0) || way.z < 0.0) continue;
    const dvec3 m = way / length;
    double highest = -std::numeric_limits<double>::infinity();
    for (const dvec3& p : v) highest = std::max(highest, glm::dot(p, m));
    if (glm::dot(body.support(-m), m) > highest + margin) return true;
  }
  return false;
}

// Sites and candidates of one body, as kernels/broad_phase/terrain_range.cl and terrain_candidates.cl define them. Of
// ranges wider than kMostRows only so many rows and columns are looked at.
UnderBody under_body(const Terrain& terrain, bool has_low, const Body& body, dvec3 centre, double margin) {
  reference::Bounds box = body.bounds();
  box.lower -= margin + 1e-5, box.upper += margin + 1e-5;
  const auto range = [&](int axis, std::size_t count, double& first, double& last) {
    const double at = (centre[axis] - terrain.origin[axis]) / terrain.spacing[axis];
    first = std::floor(at + box.lower[axis] / terrain.spacing[axis]);
    last = std::floor(at + box.upper[axis] / terrain.spacing[axis]);
    const bool inside = first >= 0.0 && last < static_cast<double>(count) - 1.0;
    first = std::max(first, 0.0);
    last = std::min(last, static_cast<double>(count) - 1.0);
    return inside;
  };
  double j0 = 0.0, j1 = 0.0, i0 = 0.0, i1 = 0.0;
  const bool inside_x = range(0, terrain.cols, j0, j1), inside_y = range(1, terrain.rows, i0, i1);
  if (!(j0 <= j1 && i0 <= i1)) return {};

  const reference::TerrainView view(terrain, centre);
  const double step_i = std::max(1.0, (i1 - i0 + 1.0) / kMostRows), step_j = std::max(1.0, (j1 - j0 + 1.0) / kMostRows);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  double looked_at = 0.0, reaching = 0.0, lifting = 0.0;
  bool open = false;
  for (double at_i = i0; at_i <= i1; at_i += step_i)
    for (double at_j = j0; at_j <= j1; at_j += step_j) {
      const auto i = static_cast<std::int64_t>(at_i), j = static_cast<std::int64_t>(at_j);
      const std::int64_t i_next = std::min(i + 1, static_cast<std::int64_t>(terrain.rows) - 1);
      const std::int64_t j_next = std::min(j + 1, static_cast<std::int64_t>(terrain.cols) - 1);
      const std::array<dvec3, 4> v{view.vertex(i, j), view.vertex(i, j_next), view.vertex(i_next, j),
                                   view.vertex(i_next, j_next)};
      double of_site = -std::numeric_limits<double>::infinity();
      for (const dvec3& p : v) {
        if (std::isnan(p.z)) continue;
        of_site = std::max(of_site, p.z);
        lowest = std::min(lowest, p.z);
      }
      highest = std::max(highest, of_site);
      looked_at += 1.0;
      if (!(of_site >= box.lower.z)) continue;
      if (i == i_next || j == j_next || !view.solid(i, j)) {
        open = true;
        reaching += 1.0;
        continue;
      }
      if (is_beyond(v, body, margin)) continue;
      for (int k = 0; k < 2; ++k) {
        const reference::Element e = view.element(i, j, k);
        if (e.depth_of(body.support(-e.normal)) <= -margin) continue;
        reaching += 1.0;
        if (has_gap(view, i, j, v, body)) lifting += 1.0;
        break;
      }
    }
  if (!(highest >= box.lower.z)) return {};
  if (inside_x && inside_y && lowest == highest && !open && !has_low) return {1.0, 1.0, std::min(lifting, 1.0)};
  const double sites = (i1 - i0 + 1.0) * (j1 - j0 + 1.0);
  return {sites, sites * reaching / looked_at, sites * lifting / looked_at};
}

bool has_low_parts(const Terrain& terrain) {
  return std::any_of(terrain.heights.begin(), terrain.heights.end(),
                     [](double h) { return !std::isnan(h) && split_in_two(h).low != 0.0F; });
}

// Contacts for each candidate.
struct ByCandidate {
  double contacts = 1.0, reduced = 1.0;  // where nothing is known
  double manifolds = 1.0, large = 0.0;   // of the reduced: manifolds; contacts of bodies with many
};

// Of these bodies of the sample, from the reference.
ByCandidate contacts_by_candidate(const Scene& scene, const Bodies& bodies, const Geometry& geometry,
                                  const Poses& poses, double margin, const std::vector<Sampled>& sample,
                                  const std::vector<UnderBody>& under, const std::vector<std::size_t>& judged) {
  std::vector<double> contacts(judged.size()), reduced(judged.size()), manifolds(judged.size());
  parallel_for(judged.size(), [&](std::size_t t) {
    const std::size_t i = sample[judged[t]].body;
    const auto terrain = static_cast<std::size_t>(terrain_of(scene, bodies, i));
    const reference::TerrainView view(scene.terrains[terrain], reference::centre_of(poses, i));
    const Body body = reference::body_at(bodies, geometry, poses, i);
    const double reach = ground_margin(margin, bodies, i);
    const reference::CellRange range = reference::terrain_range(view, body, reach);
    if (range.empty()) return;
    const reference::TerrainSurface ground(view, range);
    const auto held = reference::held(reference::ground_contacts(body, ground, reach));
    contacts[t] = static_cast<double>(held.size());
    for (const auto& manifold : reference::reduce_contacts(held)) {
      reduced[t] += static_cast<double>(manifold.size());
      manifolds[t] += 1.0;
    }
  });
  double found = 0.0, left = 0.0, candidates = 0.0, all_manifolds = 0.0, large = 0.0;
  for (std::size_t t = 0; t < judged.size(); ++t) {
    found += sample[judged[t]].weight * contacts[t];
    left += sample[judged[t]].weight * reduced[t];
    all_manifolds += sample[judged[t]].weight * manifolds[t];
    if (reduced[t] > ContactTracking::kFew) large += sample[judged[t]].weight * reduced[t];
    candidates += sample[judged[t]].weight * under[judged[t]].candidates;
  }
  if (!(candidates > 0.0)) return {};
  return {found / candidates, left / candidates, all_manifolds / candidates, large / candidates};
}

}  // namespace

void estimate_terrain(const Scene& scene, const Bodies& bodies, const Geometry& geometry, const Poses& poses,
                      double margin, const std::vector<Sampled>& sample, FrameEstimate& estimate) {
  std::vector<bool> low;
  for (const Terrain& t : scene.terrains) low.push_back(has_low_parts(t));
  std::vector<UnderBody> under(sample.size());
  parallel_for(sample.size(), [&](std::size_t k) {
    const std::size_t i = sample[k].body;
    const int terrain = terrain_of(scene, bodies, i);
    if (terrain < 0) return;
    under[k] = under_body(scene.terrains[static_cast<std::size_t>(terrain)], low[static_cast<std::size_t>(terrain)],
                          reference::body_at(bodies, geometry, poses, i), reference::centre_of(poses, i),
                          ground_margin(margin, bodies, i));
  });
  for (std::size_t k = 0; k < sample.size(); ++k) {
    estimate.sites += sample[k].weight * under[k].sites;
    estimate.candidates += sample[k].weight * under[k].candidates;
    estimate.lifts += sample[k].weight * under[k].lifts;
  }

  // Contacts for each candidate, from the reference; of small and of large bodies.
  for (const bool small : {true, false}) {
    std::vector<std::size_t> all, judged;
    double candidates = 0.0, sites = 0.0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      if (!(under[k].candidates > 0.0) || (under[k].sites <= kSmallSites) != small) continue;
      candidates += sample[k].weight * under[k].candidates;
      if (under[k].sites <= kMostSites) all.push_back(k);
    }
    const std::size_t most = std::min(all.size(), kSampledBodies);
    for (std::size_t t = 0; t < most && (small || sites < kMostSitesInAll); ++t) {
      judged.push_back(all[t * all.size() / most]);
      sites += under[judged.back()].sites;
    }
    const ByCandidate found = contacts_by_candidate(scene, bodies, geometry, poses, margin, sample, under, judged);
    estimate.terrain_contacts += candidates * found.contacts;
    estimate.terrain_reduced += candidates * found.reduced;
    estimate.manifolds += candidates * found.manifolds;
    estimate.large += candidates * found.large;
  }
}

}  // namespace oclide
