// How many pairs and contacts between bodies a frame will have, from a sample of its bodies.
#include <algorithm>
#include <array>
#include <limits>

#include "planning/frame_sample.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/body_pairs.hpp"
#include "reference/narrow_phase/body_pair.hpp"
#include "scene/body_margin.hpp"
#include "shapes/bounding_radius.hpp"
#include "shared/limits.h"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

using reference::Body;
using reference::dvec3;

constexpr std::size_t kSampledPairs = 512;  // pairs that go through the reference's narrow phase
constexpr double kCrowd = 64.0;             // pairs of one body that may be called many
constexpr double kMeshContacts = 8.0;       // of a body over triangles, after contact reduction

struct Box {
  std::array<float, 3> low, high;
  double radius;  // of the bounding sphere
};

// Pairs of half spaces and other bodies, of which only those that may reach it are handed on.
bool reaches_half_space(const Bodies& bodies, const Geometry& geometry, const Poses& poses, std::size_t body,
                        std::size_t plane, double margin) {
  const Body solid = reference::body_at(bodies, geometry, poses, body),
             half = reference::body_at(bodies, geometry, poses, plane);
  const dvec3 c = reference::centre_of(poses, body) - reference::centre_of(poses, plane);
  return glm::dot(c + solid.support(-half.axis()), half.axis()) < margin;
}

// Triangles whose boxes meet that of a body, and the groups that have them.
struct NearMesh {
  double candidates = 0.0, groups = 0.0;
};

NearMesh near_mesh(const Body& body, const Body& mesh, dvec3 body_from_mesh, double margin) {
  dvec3 lower, upper;
  for (int a = 0; a < 3; ++a) {
    const double at = glm::dot(body_from_mesh, mesh.axes[a]);
    lower[a] = at + glm::dot(body.support(-mesh.axes[a]), mesh.axes[a]) - margin;
    upper[a] = at + glm::dot(body.support(mesh.axes[a]), mesh.axes[a]) + margin;
  }
  const auto meets = [&](const MeshGroup& group, std::size_t box) {
    for (std::size_t a = 0; a < 3; ++a)
      if (group.lower[a][box] > upper[static_cast<int>(a)] || group.upper[a][box] < lower[static_cast<int>(a)])
        return false;
    return true;
  };
  std::vector<std::size_t> groups{0}, below;
  NearMesh near;
  for (std::size_t level = mesh.mesh->levels.size(); level-- > 0;) {
    below.clear();
    for (const std::size_t group : groups)
      for (std::size_t box = 0; box < GROUP_WIDTH; ++box)
        if (meets(mesh.mesh->levels[level][group], box)) below.push_back(GROUP_WIDTH * group + box);
    near = {static_cast<double>(below.size()), static_cast<double>(groups.size())};
    groups.swap(below);
  }
  return near;
}

}  // namespace

void estimate_pairs(const Bodies& bodies, const Geometry& geometry, const Poses& poses, double margin,
                    const std::vector<Sampled>& sample, FrameEstimate& estimate) {
  const std::size_t n = bodies.count();
  std::vector<Box> boxes(n);
  std::vector<std::size_t> half_spaces;
  for (std::size_t i = 0; i < n; ++i)
    if (bodies.shape[i] == Shape::half_space) half_spaces.push_back(i);
  parallel_for_ranges(n, 1024, [&](IndexRange range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      if (bodies.shape[i] == Shape::half_space) {
        boxes[i].low.fill(std::numeric_limits<float>::infinity());
        boxes[i].high.fill(-std::numeric_limits<float>::infinity());
        continue;
      }
      const double around = 0.5 * margin + own_margin(bodies, i);
      boxes[i].radius = bounding_radius(bodies.shape[i], bodies.size[i], geometry) + around;
      const reference::Bounds bounds = reference::body_at(bodies, geometry, poses, i).bounds();
      for (int a = 0; a < 3; ++a) {
        boxes[i].low[a] = static_cast<float>(poses.position[3 * i + a] + bounds.lower[a] - around);
        boxes[i].high[a] = static_cast<float>(poses.position[3 * i + a] + bounds.upper[a] + around);
      }
    }
  });

  const reference::MeetRules rules(bodies);
  // Partners of each body of the sample: a pair of two others is seen from both, so each counts half.
  std::vector<std::vector<std::size_t>> partners(sample.size());
  parallel_for(sample.size(), [&](std::size_t k) {
    const std::size_t i = sample[k].body;
    const Box& p = boxes[i];
    for (std::size_t j = 0; j < n; ++j) {
      const Box& q = boxes[j];
      if (p.low[0] <= q.high[0] && q.low[0] <= p.high[0] && p.low[1] <= q.high[1] && q.low[1] <= p.high[1] &&
          p.low[2] <= q.high[2] && q.low[2] <= p.high[2] && j != i && rules.may_meet(i, j) &&
          glm::distance(reference::centre_of(poses, i), reference::centre_of(poses, j)) <= p.radius + q.radius)
        partners[k].push_back(j);
    }
    for (const std::size_t h : half_spaces)
      if (rules.may_meet(i, h) && reaches_half_space(bodies, geometry, poses, i, h, pair_margin(margin, bodies, i, h)))
        partners[k].push_back(h);
  });
  struct Pair {
    std::size_t a, b;
    double weight;
  };
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k < sample.size(); ++k)
    for (const std::size_t j : partners[k])
      pairs.push_back({sample[k].body, j, sample[k].weight * (bodies.shape[j] == Shape::half_space ? 1.0 : 0.5)});
  for (const Pair& p : pairs) estimate.pairs += p.weight;
  // Of each body that is the first of many pairs.
  std::vector<FrameEstimate::Crowd> crowds;
  std::vector<double> of_plane(n);
  for (std::size_t k = 0; k < sample.size(); ++k) {
    double later = 0.0;
    for (const std::size_t j : partners[k]) {
      if (j > sample[k].body)
        later += 1.0;
      else if (bodies.shape[j] == Shape::half_space)
        of_plane[j] += sample[k].weight;
    }
    if (later > kCrowd) crowds.push_back({later, sample[k].weight});
  }
  for (const std::size_t h : half_spaces)
    if (of_plane[h] > kCrowd) crowds.push_back({of_plane[h], 1.0});

  // How many of them touch, and in how many points, from the reference.
  const std::size_t taken = std::min(pairs.size(), kSampledPairs);
  if (taken == 0) return;
  std::vector<double> contacts(taken);
  std::vector<NearMesh> near(taken);
  const auto has_mesh = [&](const Pair& p) {
    return bodies.shape[p.a] == Shape::triangle_mesh || bodies.shape[p.b] == Shape::triangle_mesh;
  };
  const auto at = [&](std::size_t t) -> const Pair& { return pairs[t * pairs.size() / taken]; };
  parallel_for(taken, [&](std::size_t t) {
    const Pair& p = at(t);
    const double reach = pair_margin(margin, bodies, p.a, p.b);
    if (has_mesh(p)) {
      const bool is_first = bodies.shape[p.a] == Shape::triangle_mesh;
      const std::size_t mesh = is_first ? p.a : p.b, body = is_first ? p.b : p.a;
      near[t] = near_mesh(reference::body_at(bodies, geometry, poses, body),
                          reference::body_at(bodies, geometry, poses, mesh),
                          reference::centre_of(poses, body) - reference::centre_of(poses, mesh), reach);
      contacts[t] = near[t].candidates > 0.0 ? kMeshContacts : 0.0;
      return;
    }
    const auto manifold = reference::collide_pair(
        reference::body_at(bodies, geometry, poses, p.a), reference::body_at(bodies, geometry, poses, p.b),
        reference::centre_of(poses, p.b) - reference::centre_of(poses, p.a), reach);
    contacts[t] = manifold ? static_cast<double>(manifold->contacts.size()) : 0.0;
  });
  double weight = 0.0, touching = 0.0, found = 0.0;
  for (std::size_t t = 0; t < taken; ++t) {
    weight += at(t).weight;
    touching += contacts[t] > 0.0 ? at(t).weight : 0.0;
    found += contacts[t] * at(t).weight;
    if (!has_mesh(at(t))) continue;
    estimate.mesh_pairs += at(t).weight;
    estimate.mesh_groups += near[t].groups * at(t).weight;
    estimate.mesh_candidates += near[t].candidates * at(t).weight;
  }
  for (double* sampled : {&estimate.mesh_pairs, &estimate.mesh_groups, &estimate.mesh_candidates})
    *sampled *= estimate.pairs / weight;
  estimate.touching = estimate.pairs * touching / weight;
  for (const auto& [later, like_it] : crowds) estimate.crowds.push_back({later * touching / weight, like_it});
  estimate.pair_contacts = estimate.pairs * found / weight;
}

}  // namespace oclide
