// The frame is halved until only a few elements are near the solid in a part of it. In each part, the first ones first,
// every element is tried by itself.
#include "reference/motion/surface_touch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "reference/mesh_tree.hpp"
#include "reference/terrain_surface.hpp"

namespace oclide::reference {
namespace {

// So many elements are tried without halving the time.
constexpr std::size_t kFewElements = 48;

// Halving ends where the box of a part of the frame is not larger than this many times that of a moment; then it gains
// nothing.
constexpr double kLittleLarger = 1.5;
constexpr double kShortest = 1e-12;  // of the frame

// How long a moment is: a whole turn, where there are many; halving a turn gains nothing while its neighbours are the
// same.
double moment_of(const SolidMotion& a, const SolidMotion& b) {
  const double most = std::max(glm::length(a.spin), glm::length(b.spin));
  return most > 40.0 ? 2.0 * std::numbers::pi / most : 0.0;
}

// Boxes are grown by this, and by a part of their size for rounding [m].
constexpr double kWiden = 1e-4, kRelativeWiden = 1e-12;

// Elements that are touched no later than the first are farther than it by no more than this at its time [m].
constexpr double kSameTime = 1e-6;

Bounds grown(Bounds box, double more = 0.0) {
  const dvec3 by = more + kWiden + kRelativeWiden * glm::max(glm::abs(box.lower), glm::abs(box.upper));
  return {box.lower - by, box.upper + by};
}
double size_of(const Bounds& box) {
  const dvec3 size = box.upper - box.lower;
  return std::max({size.x, size.y, size.z});
}
bool meet(const Bounds& box, dvec3 lower, dvec3 upper) {
  return glm::all(glm::lessThanEqual(lower, box.upper)) && glm::all(glm::greaterThanEqual(upper, box.lower));
}

// Of the ground: the cells under a box that reach as high, each triangle with all that is below it. Below the box as
// deep again as it is high nothing is asked for.
class TerrainElements {
 public:
  explicit TerrainElements(const TerrainToTouch& ground)
      : view_(ground.terrain, ground.origin), highest_(ground.highest - ground.origin.z) {}

  [[nodiscard]] static MovingAxes axes() { return {}; }
  [[nodiscard]] static dvec3 outward(const SurfaceElement& c, dvec3 /*middle*/) { return c.normal; }
  // The index of an element in the order in which the first counts: where all diagonals rise column by column from the
  // last.
  [[nodiscard]] std::uint32_t order(std::uint32_t element) const {
    if (view_.terrain().diagonal != Diagonal::rising) return element;
    const auto rows = static_cast<std::uint32_t>(view_.terrain().rows) - 1;
    const auto cols = static_cast<std::uint32_t>(view_.terrain().cols) - 1;
    return 2 * ((cols - 1 - element / 2 % cols) * rows + element / 2 / cols) + element % 2;
  }
  [[nodiscard]] bool are_few(const Bounds& box) const {
    return box.lower.z > highest_ || view_.cells(dvec2(box.lower), dvec2(box.upper)).count() <= kFewElements / 2;
  }
  [[nodiscard]] std::vector<SurfaceElement> in(const Bounds& box) const {
    std::vector<SurfaceElement> found;
    if (box.lower.z > highest_) return found;
    const CellRange cells = view_.cells(dvec2(box.lower), dvec2(box.upper));
    const std::int64_t cols = static_cast<std::int64_t>(view_.terrain().cols) - 1;
    for (std::int64_t row = cells.row0; row < cells.row1; ++row)
      for (std::int64_t col = cells.col0; col < cells.col1; ++col) {
        if (!view_.solid(row, col)) continue;
        for (int k = 0; k < 2; ++k) {
          const Element element = view_.element(row, col, k);
          double lowest = box.lower.z, highest = element.v[0].z;
          for (const dvec3& v : element.v) lowest = std::min(lowest, v.z), highest = std::max(highest, v.z);
          if (highest < box.lower.z) continue;
          std::vector<dvec3> corners;
          for (const dvec3& v : element.v) {
            corners.push_back(v);
            corners.emplace_back(v.x, v.y, lowest - 1.0 - (box.upper.z - box.lower.z));
          }
          found.push_back({moving_hull(std::move(corners), {}), static_cast<std::uint32_t>(2 * (row * cols + col) + k),
                           element.material, element.v, element.normal});
        }
      }
    return found;
  }

 private:
  TerrainView view_;
  double highest_;  // [m]
};

// Of a mesh: the triangles in a box along its axes.
class MeshElements {
 public:
  MeshElements(const TriangleMesh& mesh, const dmat3& axes, dvec3 from_pivot, const SolidMotion& motion)
      : mesh_(mesh), axes_{motion, axes}, offset_(from_pivot * axes) {}

  [[nodiscard]] const MovingAxes& axes() const { return axes_; }
  [[nodiscard]] static std::uint32_t order(std::uint32_t element) { return element; }
  // The corners of a triangle at time 0.
  [[nodiscard]] std::array<dvec3, 3> placed(std::size_t triangle) const {
    std::array<dvec3, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k)
      corners[k] =
          axes_.motion.pivot + axes_.axes * (offset_ + dvec3(mesh_.vertices[mesh_.triangles[triangle].vertices[k]]));
    return corners;
  }
  // At the start. A sheet's is to the side that most of the body is on.
  [[nodiscard]] dvec3 outward(const SurfaceElement& c, dvec3 middle) const {
    return mesh_.solid || glm::dot(middle - c.triangle[0], c.normal) >= 0.0 ? c.normal : -c.normal;
  }
  [[nodiscard]] bool are_few(const Bounds& box) const {
    std::size_t count = 0;
    visit(
        box, [&](std::size_t) { ++count; }, [&] { return count <= kFewElements; });
    return count <= kFewElements;
  }
  [[nodiscard]] std::vector<SurfaceElement> in(const Bounds& box) const {
    std::vector<SurfaceElement> found;
    visit(
        box,
        [&](std::size_t t) {
          const MeshTriangle& triangle = mesh_.triangles[t];
          const std::array<dvec3, 3> corners = placed(t);
          std::vector<dvec3> from_pivot;
          from_pivot.reserve(3);
          for (const dvec3& p : corners) from_pivot.push_back(p - axes_.motion.pivot);
          found.push_back({moving_hull(std::move(from_pivot), axes_.motion), triangle.element, triangle.material,
                           corners, axes_.axes * triangle.normal});
        },
        [] { return true; });
    return found;
  }

 private:
  template <typename LookAt, typename GoOn>
  void visit(const Bounds& box, const LookAt& look_at, const GoOn& go_on) const {
    visit_triangles(
        mesh_, [&](dvec3 lower, dvec3 upper) { return go_on() && meet(box, offset_ + lower, offset_ + upper); },
        look_at);
  }

  const TriangleMesh& mesh_;
  MovingAxes axes_;
  dvec3 offset_;  // of the mesh's position from the pivot, in its axes [m]
};

// Of a solid that overlaps a triangle, as it does at the start alone.
Touch overlap_along(const MovingSolid& a, dvec3 normal, const std::array<dvec3, 3>& triangle, double t) {
  const dvec3 on_a = PlacedSolid(a, t).support(-normal) - a.rounding * normal;
  return {t, normal, on_a, nearest_on_triangle(on_a, triangle[0], triangle[1], triangle[2])};
}

// Of the candidates near the solid at the time of the first touch, the lowest element that is touched then.
template <typename Elements>
SurfaceTouch touched_at(const MovingSolid& a, dvec3 middle, const Elements& elements, double t) {
  struct Near {
    Touch touch;
    double distance;
    const SurfaceElement* candidate;
  };
  const std::vector<SurfaceElement> candidates = elements.in(grown(swept_box(a, elements.axes(), t, t)));
  std::vector<Near> all;
  double least = std::numeric_limits<double>::infinity();
  for (const SurfaceElement& c : candidates) {
    double distance = 0.0;
    const Touch touch = touch_at(a, c.solid, t, distance);
    all.push_back({touch, distance, &c});
    least = std::min(least, distance);
  }
  const Near* lowest = nullptr;
  for (const Near& n : all)
    if (n.distance <= least + kSameTime &&
        (!lowest || elements.order(n.candidate->element) < elements.order(lowest->candidate->element)))
      lowest = &n;
  Touch touch = lowest->touch;
  if (touch.normal == dvec3(0.0))
    touch = overlap_along(a, elements.outward(*lowest->candidate, middle), lowest->candidate->triangle, t);
  return {touch, lowest->candidate->element, lowest->candidate->material};
}

template <typename Elements>
std::optional<double> first_time(const MovingSolid& a, const Elements& elements, double from, double to,
                                 const TouchLimits& limits, std::uint64_t& looked_at) {
  const Bounds box = grown(swept_box(a, elements.axes(), from, to));
  const double middle = 0.5 * (from + to), moment = 0.5 * moment_of(a.motion, elements.axes().motion);
  if (!elements.are_few(box) && to - from > std::max(kShortest, moment) &&
      size_of(box) > kLittleLarger * size_of(grown(swept_box(a, elements.axes(), middle - moment, middle + moment)))) {
    if (const auto first = first_time(a, elements, from, middle, limits, looked_at)) return first;
    return first_time(a, elements, middle, to, limits, looked_at);
  }
  std::optional<double> first;
  const std::vector<SurfaceElement> candidates = elements.in(box);
  looked_at += candidates.size();
  for (const SurfaceElement& c : candidates)
    if (const auto touch = first_touch(a, c.solid, from, first.value_or(to), limits)) first = touch->time;
  return first;
}

}  // namespace

double highest_of(const Terrain& terrain) {
  double highest = -std::numeric_limits<double>::infinity();
  for (const double height : terrain.heights)
    if (height > highest) highest = height;
  return highest;
}

std::optional<SurfaceTouch> TerrainToTouch::first_touch(const MovingSolid& a, const TouchLimits& limits,
                                                        std::uint64_t& looked_at) const {
  const TerrainElements elements(*this);
  const std::optional<double> t = first_time(a, elements, 0.0, 1.0, limits, looked_at);
  if (!t) return std::nullopt;
  return touched_at(a, a.motion.pivot, elements, *t);
}

std::vector<SurfaceElement> TerrainToTouch::elements_at(const MovingSolid& a, double t, double within) const {
  return TerrainElements(*this).in(grown(swept_box(a, {}, t, t), within));
}

std::optional<SurfaceTouch> MeshToTouch::first_touch(const MovingSolid& a, dvec3 middle_of_a, const TouchLimits& limits,
                                                     std::uint64_t& looked_at) const {
  const MeshElements elements(mesh, axes, from_pivot, motion);
  // The box around the mesh, whatever it has turned by, is met no later than the mesh.
  std::vector<dvec3> corners;
  corners.reserve(8);
  for (int k = 0; k < 8; ++k)
    corners.push_back(from_pivot + axes * dvec3(k & 1 ? mesh.upper.x : mesh.lower.x,
                                                k & 2 ? mesh.upper.y : mesh.lower.y,
                                                k & 4 ? mesh.upper.z : mesh.lower.z));
  const auto begins = first_time_of_spun(a, moving_hull(std::move(corners), motion), 0.0, 1.0, limits);
  if (!begins) return std::nullopt;

  const std::optional<double> t = first_time(a, elements, *begins, 1.0, limits, looked_at);
  // A body that touches no triangle at the start is inside as a whole, or outside.
  const dvec3 middle = (middle_of_a - motion.pivot - from_pivot) * axes;
  if (mesh.solid && t.value_or(1.0) > 0.0 && winding_number(mesh, middle) != 0) {
    const std::size_t nearest =
        nearest_triangles(mesh, middle, 0.0, std::numeric_limits<double>::infinity()).back().triangle;
    const dvec3 normal = axes * mesh.triangles[nearest].normal;
    return SurfaceTouch{overlap_along(a, normal, elements.placed(nearest), 0.0), kNone, 0};
  }
  if (!t) return std::nullopt;
  return touched_at(a, middle_of_a, elements, *t);
}

std::vector<SurfaceElement> MeshToTouch::elements_at(const MovingSolid& a, double t, double within) const {
  const MeshElements elements(mesh, axes, from_pivot, motion);
  return elements.in(grown(swept_box(a, elements.axes(), t, t), within));
}

}  // namespace oclide::reference
