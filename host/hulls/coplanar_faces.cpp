#include "hulls/coplanar_faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "hulls/flat_loop.hpp"
#include "oclide/oclide.hpp"

namespace oclide {
namespace {

using glm::dvec3;

// A face that is not convex is made again with an eighth of the slack, so often.
constexpr int kFaceTries = 6;
constexpr double kLessSlack = 0.125;

constexpr std::uint32_t kNoFace = std::numeric_limits<std::uint32_t>::max();

class Joining {
 public:
  Joining(std::span<const dvec3> points, const HullFacets& facets)
      : points_(points),
        facets_(facets),
        first_edge_(facets.normals.size() + 1, 0),
        face_of_(facets.normals.size(), kNoFace),
        asked_(facets.normals.size(), 0) {
    for (const FacetEdge& edge : facets.edges)
      for (const std::uint32_t f : edge.facets) ++first_edge_[f + 1];
    std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
    edges_of_.resize(first_edge_.back());
    std::vector<std::size_t> next(first_edge_.begin(), first_edge_.end() - 1);
    for (std::uint32_t e = 0; e < facets.edges.size(); ++e)
      for (const std::uint32_t f : facets.edges[e].facets) edges_of_[next[f]++] = e;
    for (std::uint32_t f = 0; f < facets.normals.size(); ++f) areas_.push_back(area_of(f));
  }

  std::vector<FaceLoop> run(double slack) {
    std::vector<std::uint32_t> seeds(areas_.size());
    std::iota(seeds.begin(), seeds.end(), 0u);
    std::stable_sort(seeds.begin(), seeds.end(), [&](std::uint32_t f, std::uint32_t g) {
      return glm::dot(areas_[f], areas_[f]) > glm::dot(areas_[g], areas_[g]);
    });
    std::vector<FaceLoop> loops;
    for (const std::uint32_t seed : seeds)
      if (face_of_[seed] == kNoFace) loops.push_back(face_from(seed, slack, static_cast<std::uint32_t>(loops.size())));
    return loops;
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> edges_of(std::uint32_t facet) const {
    return std::span(edges_of_).subspan(first_edge_[facet], first_edge_[facet + 1] - first_edge_[facet]);
  }

  // The facet's triangles from a point of it, each turned to the side of its normal: it is convex.
  [[nodiscard]] dvec3 area_of(std::uint32_t facet) const {
    const dvec3 from = points_[facets_.edges[edges_of(facet)[0]].points[0]];
    dvec3 area(0.0);
    for (const std::uint32_t e : edges_of(facet)) {
      const auto [a, b] = facets_.edges[e].points;
      const dvec3 triangle = 0.5 * glm::cross(points_[a] - from, points_[b] - from);
      area += glm::dot(triangle, facets_.normals[facet]) < 0.0 ? -triangle : triangle;
    }
    return area;
  }

  FaceLoop face_from(std::uint32_t seed, double slack, std::uint32_t number) {
    for (int k = 0; k < kFaceTries && slack > 0.0; ++k, slack *= kLessSlack) {
      const std::vector<std::uint32_t> members = grown(seed, slack);
      if (members.size() == 1) break;
      const dvec3 normal = normal_of(members);
      std::optional<FaceLoop> loop = loop_of(members, normal);
      if (!loop || !is_flat(members, normal, slack) || !is_convex_loop(points_, *loop, normal, slack)) continue;
      for (const std::uint32_t f : members) face_of_[f] = number;
      return *std::move(loop);
    }
    face_of_[seed] = number;
    std::optional<FaceLoop> loop = loop_of({&seed, 1}, facets_.normals[seed]);
    if (!loop) throw Error(ErrorKind::invalid_input, "Qhull cannot build the hull: a facet's border is no closed loop");
    return *std::move(loop);
  }

  // The facets around a seed that are within the slack of their common plane. The plane is that of all of them, and
  // they are asked again until no more come: one small facet says little of a large face.
  std::vector<std::uint32_t> grown(std::uint32_t seed, double slack) {
    std::vector<std::uint32_t> members{seed};
    for (;;) {
      std::vector<std::uint32_t> more = within(seed, normal_of(members), mean_of(members), slack);
      if (more.size() <= members.size()) return members;
      members = std::move(more);
    }
  }

  std::vector<std::uint32_t> within(std::uint32_t seed, dvec3 normal, dvec3 middle, double slack) {
    const auto belongs = [&](std::uint32_t f) {
      if (face_of_[f] != kNoFace || glm::dot(facets_.normals[f], normal) <= 0.0) return false;
      for (const std::uint32_t e : edges_of(f))
        for (const std::uint32_t p : facets_.edges[e].points)
          if (std::abs(glm::dot(points_[p] - middle, normal)) > slack) return false;
      return true;
    };
    std::vector<std::uint32_t> members{seed};
    ++round_;
    asked_[seed] = round_;
    for (std::size_t k = 0; k < members.size(); ++k)
      for (const std::uint32_t e : edges_of(members[k]))
        for (const std::uint32_t f : facets_.edges[e].facets) {
          if (asked_[f] == round_) continue;
          asked_[f] = round_;
          if (belongs(f)) members.push_back(f);
        }
    return members;
  }

  [[nodiscard]] dvec3 normal_of(std::span<const std::uint32_t> members) const {
    dvec3 area(0.0);
    for (const std::uint32_t f : members) area += areas_[f];
    const double length = glm::length(area);
    return length > 0.0 ? area / length : facets_.normals[members[0]];
  }
  [[nodiscard]] dvec3 mean_of(std::span<const std::uint32_t> members) const {
    dvec3 sum(0.0);
    double count = 0.0;
    for (const std::uint32_t f : members)
      for (const std::uint32_t e : edges_of(f))
        for (const std::uint32_t p : facets_.edges[e].points) sum += points_[p], count += 1.0;
    return sum / count;
  }

  // Their last plane is not the one that they were asked with.
  [[nodiscard]] bool is_flat(std::span<const std::uint32_t> members, dvec3 normal, double slack) const {
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (const std::uint32_t f : members)
      for (const std::uint32_t e : edges_of(f))
        for (const std::uint32_t p : facets_.edges[e].points) {
          const double height = glm::dot(points_[p], normal);
          lowest = std::min(lowest, height), highest = std::max(highest, height);
        }
    return highest - lowest <= 2.0 * slack;
  }

  // The border of these facets, where it is one loop that meets itself nowhere.
  [[nodiscard]] std::optional<FaceLoop> loop_of(std::span<const std::uint32_t> members, dvec3 normal) const {
    std::vector<std::uint32_t> sorted(members.begin(), members.end());
    std::sort(sorted.begin(), sorted.end());
    const auto is_member = [&](std::uint32_t f) { return std::binary_search(sorted.begin(), sorted.end(), f); };
    std::vector<std::array<std::uint32_t, 2>> steps;  // from each point to both beside it
    for (const std::uint32_t f : members)
      for (const std::uint32_t e : edges_of(f)) {
        const FacetEdge& edge = facets_.edges[e];
        if (is_member(edge.facets[0]) && is_member(edge.facets[1])) continue;
        steps.push_back({edge.points[0], edge.points[1]});
        steps.push_back({edge.points[1], edge.points[0]});
      }
    std::sort(steps.begin(), steps.end());
    for (std::size_t k = 0; k < steps.size(); k += 2)
      if (steps[k][0] != steps[k + 1][0] || (k + 2 < steps.size() && steps[k][0] == steps[k + 2][0]))
        return std::nullopt;
    FaceLoop loop;
    std::uint32_t before = steps.front()[1], at = steps.front()[0];
    do {
      loop.push_back(at);
      const auto step = std::lower_bound(steps.begin(), steps.end(), std::array{at, 0u});
      const std::uint32_t next = (*step)[1] == before ? (*(step + 1))[1] : (*step)[1];
      before = at, at = next;
    } while (at != loop.front());
    if (2 * loop.size() != steps.size()) return std::nullopt;
    if (glm::dot(loop_area(points_, loop), normal) < 0.0) std::reverse(loop.begin(), loop.end());
    return loop;
  }

  std::span<const dvec3> points_;
  const HullFacets& facets_;
  std::vector<std::size_t> first_edge_;
  std::vector<std::uint32_t> edges_of_;  // of facet f: from first_edge_[f] to first_edge_[f + 1]
  std::vector<dvec3> areas_;
  std::vector<std::uint32_t> face_of_, asked_;
  std::uint32_t round_ = 0;
};

}  // namespace

std::vector<FaceLoop> coplanar_faces(std::span<const dvec3> points, const HullFacets& facets, double slack) {
  return Joining(points, facets).run(slack);
}

dvec3 loop_area(std::span<const dvec3> points, std::span<const std::uint32_t> loop) {
  dvec3 area(0.0);
  for (std::size_t k = 1; k + 1 < loop.size(); ++k)
    area += 0.5 * glm::cross(points[loop[k]] - points[loop[0]], points[loop[k + 1]] - points[loop[0]]);
  return area;
}

}  // namespace oclide
