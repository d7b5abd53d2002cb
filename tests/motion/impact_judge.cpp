#include "motion/impact_judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "reference/body_contacts.hpp"
#include "reference/broad_phase/body_pairs.hpp"
#include "reference/mesh_tree.hpp"
#include "reference/narrow_phase/body_pair.hpp"
#include "reference/terrain_surface.hpp"
#include "scene/terrain_of.hpp"
#include "shapes/scene_geometry.hpp"
#include "support/tolerances.hpp"
#include "upload/compound_bodies.hpp"

namespace oclide::test {
namespace {

using namespace reference;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Hulls of elements are rounded to float. Those of triangles are thick, as hulls refuse what is flat [m].
constexpr double kHullError = 5e-6, kLeastThickness = 1e-5, kThicknessPart = 2e-6;

struct Part {
  Body body;
  dvec3 position, pivot, velocity, spin;
  std::uint32_t of, shape;  // body of the scene and its shape

  [[nodiscard]] dquat turn_at(double t) const {
    const double angle = glm::length(spin);
    return angle > 0.0 ? glm::angleAxis(t * angle, spin / angle) : dquat(1, 0, 0, 0);
  }
  [[nodiscard]] dvec3 place_at(double t) const { return pivot + t * velocity + turn_at(t) * (position - pivot); }
  [[nodiscard]] Body body_at(double t) const {
    Body b = body;
    b.axes = glm::mat3_cast(turn_at(t)) * body.axes;
    return b;
  }
  // No point of it moves farther over the frame.
  [[nodiscard]] double speed(double from_pivot) const { return glm::length(velocity) + glm::length(spin) * from_pivot; }
};

using Hulls = std::map<std::size_t, std::shared_ptr<const ConvexHull>>;

Body hull_body(const std::shared_ptr<const ConvexHull>& hull, const dmat3& axes) {
  Body body;
  body.shape = Shape::convex_hull;
  body.axes = axes, body.own_hull = hull, body.hull = hull.get();
  return body;
}

std::shared_ptr<const ConvexHull> hull_of(const std::vector<dvec3>& points) {
  std::vector<std::array<double, 3>> all;
  for (const dvec3& p : points) all.push_back({p.x, p.y, p.z});
  return std::make_shared<ConvexHull>(build_convex_hull(all, "element"));
}

double gap_of(const Body& a, const Body& b, dvec3 between) {
  const auto least = pair_penetration(a, b, between, kInfinite);
  return least ? -least->depth : kInfinite;
}

// How far apart two are [m]; only whether it is more than `most` where it is. Negative: how deep they overlap.
class Gaps {
 public:
  Gaps(const Scene& scene, const Part& a, const Part* b) : scene_(scene), a_(a), b_(b) {}

  double at(double t, double most) {
    if (b_ == nullptr) return of_terrain(t, most);
    if (b_->body.shape == Shape::triangle_mesh) return of_mesh(t, most);
    const dvec3 between = b_->place_at(t) - a_.place_at(t);
    if (b_->body.shape != Shape::half_space) {
      const double balls = glm::length(between) - a_.body.bounding_radius() - b_->body.bounding_radius();
      if (balls > most) return balls;
    }
    return gap_of(a_.body_at(t), b_->body_at(t), between);
  }
  // How far the gap may be off [m].
  [[nodiscard]] double error() const { return kHullError + 0.5 * thickness(); }
  // The most that the gap changes over the frame.
  [[nodiscard]] double speed() const {
    const double ra = a_.body.bounding_radius() + glm::distance(a_.position, a_.pivot);
    if (b_ == nullptr) return a_.speed(ra);
    const double rb =
        b_->body.shape == Shape::half_space
            ? glm::distance(a_.pivot, b_->pivot) + glm::length(a_.velocity) + glm::length(b_->velocity) + ra
            : b_->body.bounding_radius() + glm::distance(b_->position, b_->pivot);
    return a_.speed(ra) + b_->speed(rb);
  }

 private:
  double of_terrain(double t, double most) {
    const Terrain& terrain = scene_.terrains[static_cast<std::size_t>(terrain_of(scene_, scene_.bodies, index))];
    const dvec3 centre = a_.place_at(t);
    const Body body = a_.body_at(t);
    const Bounds box = body.bounds();
    const TerrainView view(terrain, centre);
    const CellRange cells = view.cells(dvec2(box.lower) - most, dvec2(box.upper) + most);
    double gap = kInfinite;
    for (std::int64_t row = cells.row0; row < cells.row1; ++row)
      for (std::int64_t col = cells.col0; col < cells.col1; ++col)
        for (int k = 0; k < 2 && view.solid(row, col); ++k) {
          const Element e = view.element(row, col, k);
          const double top = std::max({e.v[0].z, e.v[1].z, e.v[2].z}), low = std::min({e.v[0].z, e.v[1].z, e.v[2].z});
          if (top < box.lower.z - most) continue;
          std::vector<dvec3> corners;
          for (const dvec3& v : e.v) {
            corners.push_back(v);
            corners.emplace_back(v.x, v.y, std::min(low, box.lower.z) - 1.0 - (box.upper.z - box.lower.z));
          }
          gap = std::min(gap, gap_of(body, hull_body(hull_of(corners), dmat3(1.0)), dvec3(0.0)));
        }
    return gap;
  }

  // Of the hulls of triangles.
  [[nodiscard]] double thickness() const {
    const bool is_mesh = b_ != nullptr && b_->body.shape == Shape::triangle_mesh;
    return is_mesh ? std::max(kLeastThickness, kThicknessPart * b_->body.bounding_radius()) : 0.0;
  }
  double of_mesh(double t, double most) {
    const Body body = a_.body_at(t), placed = b_->body_at(t);
    const TriangleMesh& mesh = *placed.mesh;
    const dvec3 between = b_->place_at(t) - a_.place_at(t);
    const dvec3 centre = -between * placed.axes, room(most + body.bounding_radius());
    double gap = kInfinite;
    if (mesh.solid && winding_number(mesh, (body.middle() - between) * placed.axes) != 0) return -kInfinite;
    visit_triangles(
        mesh,
        [&](dvec3 lower, dvec3 upper) {
          return glm::all(glm::lessThanEqual(lower, centre + room)) &&
                 glm::all(glm::greaterThanEqual(upper, centre - room));
        },
        [&](std::size_t k) {
          std::shared_ptr<const ConvexHull>& hull = hulls_[k];
          if (!hull) {
            std::vector<dvec3> corners;
            for (const std::uint32_t v : mesh.triangles[k].vertices)
              for (const double side : {0.5, -0.5})
                corners.push_back(dvec3(mesh.vertices[v]) + side * thickness() * mesh.triangles[k].normal);
            hull = hull_of(corners);
          }
          gap = std::min(gap, gap_of(body, hull_body(hull, placed.axes), between));
        });
    return gap;
  }

 public:
  std::size_t index = 0;  // of A among the parts

 private:
  const Scene& scene_;
  const Part& a_;
  const Part* b_;
  Hulls hulls_;
};

}  // namespace

Verdict judge(const MovingScene& moving, const std::vector<Impact>& impacts, int samples) {
  const Scene& given = moving.scene.scene;
  const SharedGeometry geometry = build_geometry(given);
  std::optional<CompoundBodies> compounds;
  if (CompoundBodies::are_in(given)) compounds.emplace(given);
  const Scene scene = compounds ? compounds->expanded(given) : given;
  std::vector<double> position, orientation;
  if (compounds) compounds->place(moving.poses(), position, orientation);
  const Poses poses = compounds ? Poses{position, orientation} : moving.poses();
  const auto vector_of = [](const auto& numbers, std::size_t i) {
    return dvec3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) {
    const std::uint32_t of = compounds ? compounds->body_of(i) : static_cast<std::uint32_t>(i);
    parts.push_back({body_at(scene.bodies, *geometry, poses, i), centre_of(poses, i), centre_of(moving.poses(), of),
                     vector_of(moving.displacement, of), vector_of(moving.rotation, of), of, 0});
    parts.back().shape = compounds && compounds->is_compound(of) ? compounds->shape_of(i) : 0;
  }

  Verdict verdict;
  const auto judge_pair = [&](std::size_t i, std::size_t j, bool on_terrain) {
    const Part &a = parts[i], *b = on_terrain ? nullptr : &parts[j];
    const std::uint32_t body_b = on_terrain ? kTerrain : b->of;
    const auto found = std::find_if(impacts.begin(), impacts.end(), [&](const Impact& impact) {
      return impact.body_a == std::min(a.of, body_b) && impact.body_b == std::max(a.of, body_b);
    });
    // Of other parts of the same two bodies only what is before their impact.
    bool is_first = found != impacts.end();
    if (is_first) {
      const Impact& impact = *found;
      const bool ordered = on_terrain || a.of < b->of;
      is_first = impact.shape_a == (ordered ? a.shape : b->shape) && impact.shape_b == (on_terrain ? 0
                                                                                        : ordered  ? b->shape
                                                                                                   : a.shape);
    }
    const double until = found == impacts.end() ? kInfinite : found->time;
    ++verdict.pairs;
    const auto fail = [&](const std::string& what, double t, double gap) {
      verdict.wrong.push_back("bodies " + std::to_string(a.of) + " (" + to_string(a.body.shape) + ") and " +
                              (on_terrain ? "terrain" : std::to_string(b->of) + " (" + to_string(b->body.shape) + ")") +
                              ": " + what + " at " + std::to_string(t) + ", gap " + std::to_string(gap) + ", impact " +
                              (found == impacts.end() ? "none" : text(*found)));
    };
    // A is not a half space or a mesh.
    Gaps gaps(scene, a, b);
    gaps.index = i;
    const double speed = gaps.speed(), most = 1e-3 + speed / samples;
    for (int k = 0; k <= samples;) {
      const double t = static_cast<double>(k) / samples;
      if (!(t < until)) break;
      const double gap = gaps.at(t, most);
      if (gap < -kContract - gaps.error()) {
        fail("an overlap", t, gap);
        break;
      }
      const double steps = speed > 0.0 ? std::min(gap, std::isfinite(gap) ? gap : most) / speed * samples : samples;
      k += 1 + std::max(0, static_cast<int>(std::min(steps, 1e6)) - 1);
    }
    if (!is_first) return;
    ++verdict.impacts;
    const double gap = gaps.at(found->time, 0.01);
    if (!(gap <= kContract + gaps.error())) fail("not near", found->time, gap);
    if (found->time > 0.0 && !(gap >= -kContract - gaps.error())) fail("too late", found->time, gap);
    if (found->time > 0.0) verdict.latest = std::max(verdict.latest, -gap);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (terrain_of(scene, scene.bodies, i) >= 0) judge_pair(i, 0, true);
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      if (parts[i].of == parts[j].of || !may_meet(scene.bodies, i, j)) continue;
      const bool turned = parts[i].body.shape == Shape::half_space || parts[i].body.shape == Shape::triangle_mesh;
      judge_pair(turned ? j : i, turned ? i : j, false);
    }
  }
  return verdict;
}

}  // namespace oclide::test
