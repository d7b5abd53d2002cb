#include "meshes/t_joints.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "meshes/box_tree.hpp"
#include "meshes/half_edges.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

using glm::dvec3;

// A vertex is on an edge that is no farther away than a part of the edge's length, or than float32 can tell of the
// greatest coordinate.
constexpr double kOnEdgePart = 1e-6, kFloatPart = 1.0 / (1 << 22), kFarthestFromEdge = 1e-5;  // the last one [m]

struct Cut {
  std::uint32_t side;  // of a half edge
  double at;           // part of the way from its first vertex to its second
  std::uint32_t vertex;
};

struct Segment {
  dvec3 from, way;
  double slack;        // [m]
  dvec3 lower, upper;  // of the box around all that is within twice the slack
};

Segment segment_of(const TriangleSoup& soup, std::uint32_t side) {
  const auto& vertices = soup.triangles[side / 3].vertices;
  const dvec3 from = soup.at(vertices[side % 3]), to = soup.at(vertices[(side + 1) % 3]);
  double greatest = 0.0;
  for (int a = 0; a < 3; ++a) greatest = std::max({greatest, std::abs(from[a]), std::abs(to[a])});
  const double part = std::max(kOnEdgePart * glm::length(to - from), kFloatPart * greatest);
  const double slack = std::min(part, kFarthestFromEdge);
  return {from, to - from, slack, glm::min(from, to) - 2.0 * slack, glm::max(from, to) + 2.0 * slack};
}

// A vertex, as a segment without a length.
Segment place_of(dvec3 at, double slack) {
  return {at, dvec3(0.0), slack, at - 2.0 * slack, at + 2.0 * slack};
}

// Whether the segment comes as near to a box of the group as its slack, or hardly farther.
bool comes_near(const Segment& s, const MeshGroup& group, std::size_t box) {
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    if (group.lower[axis][box] > s.upper[a] || group.upper[axis][box] < s.lower[a]) return false;
  }
  const double slack = 2.0 * s.slack;
  double begin = 0.0, end = 1.0;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    const double low = group.lower[axis][box] - slack - s.from[a], high = group.upper[axis][box] + slack - s.from[a];
    const double way = s.way[a];
    if (way == 0.0) continue;  // between the box's sides all along
    begin = std::max(begin, std::min(low / way, high / way));
    end = std::min(end, std::max(low / way, high / way));
  }
  return begin <= end;
}

// Where along the inside of the segment the point is; below 0 where it is not on it.
double place_on(const Segment& s, dvec3 point) {
  const dvec3 to_point = point - s.from;
  const double at = glm::dot(to_point, s.way) / glm::dot(s.way, s.way);
  return at > 0.0 && at < 1.0 && glm::length(to_point - at * s.way) < s.slack ? at : -1.0;
}

// The edges that one triangle has, and their ends.
class OpenEdges {
 public:
  explicit OpenEdges(const TriangleSoup& soup) : soup_(soup) {
    const std::vector<HalfEdge> half_edges = half_edges_of(soup);
    for_each_edge(half_edges, [&](std::span<const HalfEdge> edge) {
      if (edge.size() != 1) return;
      sides_.push_back(edge[0].side);
      for (const std::uint32_t v : edge[0].vertices) ends_.push_back(v);
    });
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
    std::vector<MeshBox> points;
    points.reserve(ends_.size());
    for (const std::uint32_t v : ends_) points.push_back({soup_.vertices[v], soup_.vertices[v]});
    if (!points.empty()) tree_ = build_box_tree(points);
  }

  // Of each vertex the one that it is the same as: of those that float32 cannot tell apart the first in the file. Empty
  // where all differ.
  [[nodiscard]] std::vector<std::uint32_t> joined_ends() const {
    double greatest = 0.0;
    for (const glm::vec3& v : soup_.vertices)
      for (int a = 0; a < 3; ++a) greatest = std::max(greatest, std::abs(static_cast<double>(v[a])));
    const double slack = std::min(kFloatPart * greatest, kFarthestFromEdge);
    std::vector<std::uint32_t> order = ends_, joined;
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t v, std::uint32_t w) { return soup_.number[v] < soup_.number[w]; });
    for (const std::uint32_t v : order) {
      if (!joined.empty() && joined[v] != v) continue;
      const Segment at = place_of(soup_.at(v), slack);
      visit_ends(at, [&](std::uint32_t w) {
        if (soup_.number[w] <= soup_.number[v] || !(glm::distance(soup_.at(w), at.from) < at.slack)) return;
        if (joined.empty()) {
          joined.resize(soup_.vertices.size());
          std::iota(joined.begin(), joined.end(), 0U);
        }
        if (joined[w] == w) joined[w] = v;
      });
    }
    return joined;
  }

  // By side, along it.
  [[nodiscard]] std::vector<Cut> cuts() const {
    if (sides_.empty()) return {};
    tbb::enumerable_thread_specific<std::vector<Cut>> found;
    parallel_for_ranges(sides_.size(), 1024, [&](IndexRange range) {
      std::vector<Cut>& cuts = found.local();
      for (std::size_t k = range.begin(); k < range.end(); ++k) {
        const Segment s = segment_of(soup_, sides_[k]);
        const auto& own = soup_.triangles[sides_[k] / 3].vertices;
        visit_ends(s, [&](std::uint32_t vertex) {
          const double at = place_on(s, soup_.at(vertex));
          if (at >= 0.0 && std::find(own.begin(), own.end(), vertex) == own.end())
            cuts.push_back({sides_[k], at, vertex});
        });
      }
    });
    std::vector<Cut> cuts;
    for (const std::vector<Cut>& some : found) cuts.insert(cuts.end(), some.begin(), some.end());
    std::sort(cuts.begin(), cuts.end(), [](const Cut& c, const Cut& d) {
      return std::tie(c.side, c.at, c.vertex) < std::tie(d.side, d.at, d.vertex);
    });
    return cuts;
  }

 private:
  // The ends that may be near to a segment.
  template <typename Visit>
  void visit_ends(const Segment& s, const Visit& visit) const {
    visit_ends(s, visit, tree_.levels.size() - 1, 0);
  }
  template <typename Visit>
  void visit_ends(const Segment& s, const Visit& visit, std::size_t level, std::size_t group) const {
    for (std::size_t box = 0; box < 8; ++box) {
      if (!comes_near(s, tree_.levels[level][group], box)) continue;
      if (level > 0)
        visit_ends(s, visit, level - 1, 8 * group + box);
      else
        visit(ends_[tree_.order[8 * group + box]]);
    }
  }

  const TriangleSoup& soup_;
  std::vector<std::uint32_t> sides_, ends_;  // of edges that one triangle has
  BoxTree tree_;
};

using Corners = std::array<std::uint32_t, 3>;
using SideCuts = std::array<std::vector<std::uint32_t>, 3>;

// The triangle's parts: a fan over the first side that has cuts, whose first and last part are cut further.
void cut_triangle(const Corners& triangle, const SideCuts& cuts, std::vector<Corners>& parts) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (cuts[k].empty()) continue;
    const std::uint32_t to = triangle[(k + 1) % 3], apex = triangle[(k + 2) % 3];
    std::uint32_t from = triangle[k];
    for (std::size_t i = 0; i <= cuts[k].size(); ++i) {
      const bool is_first = i == 0, is_last = i == cuts[k].size();
      const std::uint32_t end = is_last ? to : cuts[k][i];
      SideCuts rest;  // of from - end - apex
      if (is_last) rest[1] = cuts[(k + 1) % 3];
      if (is_first) rest[2] = cuts[(k + 2) % 3];
      cut_triangle({from, end, apex}, rest, parts);
      from = end;
    }
    return;
  }
  parts.push_back(triangle);
}

// Whether all parts look to the side that the triangle does.
bool agree(const TriangleSoup& soup, const Corners& triangle, const std::vector<Corners>& parts) {
  const dvec3 area = soup.area(triangle);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Corners& part) { return soup.has_area(part) && glm::dot(soup.area(part), area) > 0.0; });
}

}  // namespace

void join_open_ends(TriangleSoup& soup) {
  const std::vector<std::uint32_t> joined = OpenEdges(soup).joined_ends();
  if (joined.empty()) return;
  std::vector<bool> changes(joined.size(), false);
  for (std::uint32_t v = 0; v < joined.size(); ++v)
    if (joined[v] != v) changes[v] = changes[joined[v]] = true;
  std::vector<SoupTriangle> triangles;
  std::set<Corners> known;
  for (SoupTriangle triangle : soup.triangles) {
    Corners& corners = triangle.vertices;
    bool stays = true;
    if (changes[corners[0]] || changes[corners[1]] || changes[corners[2]]) {
      for (std::uint32_t& v : corners) v = joined[v];
      Corners sorted = corners;
      std::sort(sorted.begin(), sorted.end());
      stays = soup.has_area(corners) && known.insert(sorted).second;
    }
    if (stays) triangles.push_back(triangle);
  }
  if (triangles.empty()) return;  // all of it is as small as rounding
  soup.dropped += soup.triangles.size() - triangles.size();
  soup.triangles = std::move(triangles);
}

void cut_t_joints(TriangleSoup& soup) {
  const std::vector<Cut> cuts = OpenEdges(soup).cuts();
  if (cuts.empty()) return;
  std::vector<SoupTriangle> triangles;
  auto next = cuts.begin();
  for (std::uint32_t t = 0; t < soup.triangles.size(); ++t) {
    const SoupTriangle& triangle = soup.triangles[t];
    SideCuts of_sides;
    for (; next != cuts.end() && next->side / 3 == t; ++next) of_sides[next->side % 3].push_back(next->vertex);
    std::vector<Corners> parts;
    cut_triangle(triangle.vertices, of_sides, parts);
    if (parts.size() > 1 && !agree(soup, triangle.vertices, parts)) parts = {triangle.vertices};
    for (const Corners& part : parts) triangles.push_back({part, triangle.element});
  }
  soup.triangles = std::move(triangles);
}

}  // namespace oclide
