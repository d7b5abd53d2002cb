#include "reference/motion/motion_scene.hpp"

#include <algorithm>
#include <limits>

#include "reference/body_contacts.hpp"
#include "reference/motion/first_touch.hpp"
#include "reference/motion/surface_touch.hpp"
#include "reference/narrow_phase/body_pair.hpp"
#include "scene/terrain_of.hpp"

namespace oclide::reference {
namespace {

// By how much boxes are grown for rounding, and a part of their coordinates [m].
constexpr double kSweptGrow = 1e-4, kSweptGrowPart = 1e-12;

dvec3 vector_at(std::span<const double> numbers, std::size_t index) {
  return {numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]};
}

}  // namespace

MotionScene::MotionScene(const Scene& scene, const Geometry& geometry, const Poses& poses, const Motion& motion,
                         std::span<const double> pivots)
    : scene_(scene) {
  movers_.reserve(scene.bodies.count());
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) {
    const dvec3 centre = centre_of(poses, i), pivot = pivots.empty() ? centre : vector_at(pivots, i);
    movers_.push_back({body_at(scene.bodies, geometry, poses, i), pivot, centre - pivot,
                       vector_at(motion.displacement, i), vector_at(motion.rotation, i)});
  }
}

std::vector<BodyPair> MotionScene::pairs() const {
  struct Swept {
    dvec3 lower, upper;
    std::uint32_t body;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  std::vector<Swept> boxes(movers_.size());
  for (std::uint32_t i = 0; i < movers_.size(); ++i) {
    boxes[i] = {dvec3(-infinite), dvec3(infinite), i};
    if (movers_[i].body.shape == Shape::half_space) continue;
    const Bounds box = swept_box(solid_of(movers_[i], movers_[i].pivot), {}, 0.0, 1.0);
    const dvec3 lower = movers_[i].pivot + box.lower, upper = movers_[i].pivot + box.upper;
    const dvec3 grown = kSweptGrow + kSweptGrowPart * glm::max(glm::abs(lower), glm::abs(upper));
    boxes[i] = {lower - grown, upper + grown, i};
  }
  std::sort(boxes.begin(), boxes.end(), [](const Swept& p, const Swept& q) { return p.lower.x < q.lower.x; });
  std::vector<BodyPair> pairs;
  for (std::size_t k = 0; k < boxes.size(); ++k)
    for (std::size_t l = k + 1; l < boxes.size() && boxes[l].lower.x <= boxes[k].upper.x; ++l) {
      const Swept &p = boxes[k], &q = boxes[l];
      if (p.lower.y <= q.upper.y && q.lower.y <= p.upper.y && p.lower.z <= q.upper.z && q.lower.z <= p.upper.z &&
          may_meet(scene_.bodies, p.body, q.body))
        pairs.push_back({std::min(p.body, q.body), std::max(p.body, q.body)});
    }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::optional<SurfaceTouch> MotionScene::with_convex(const Mover& a, const Mover& b) {
  std::optional<Touch> touch = first_touch(solid_of(a, a.pivot), solid_of(b, a.pivot), 0.0, 1.0);
  if (!touch) return std::nullopt;
  if (touch->normal == dvec3(0.0)) {
    // They overlap at the start: as their contact says.
    const dvec3 between = (b.pivot + b.from_pivot) - (a.pivot + a.from_pivot);
    const auto least = pair_penetration(a.body, b.body, between, std::numeric_limits<double>::infinity());
    touch->normal = least->normal;
    touch->on_a = a.from_pivot + a.body.support(-least->normal);
  }
  return SurfaceTouch{*touch, kNone, 0};
}

std::optional<SurfaceTouch> MotionScene::with_half_space(const Mover& a, const Mover& b) {
  const std::optional<Touch> touch = first_touch_of_plane(solid_of(a, a.pivot), b.body.axis(), motion_of(b, a.pivot));
  if (!touch) return std::nullopt;
  return SurfaceTouch{*touch, kNone, 0};
}

std::optional<SurfaceTouch> MotionScene::with_mesh(const Mover& a, const Mover& b, std::uint64_t& looked_at) {
  return first_touch_of_mesh(solid_of(a, a.pivot), a.from_pivot + a.body.middle(), *b.body.mesh, b.body.axes,
                             b.from_pivot, motion_of(b, a.pivot), looked_at);
}

std::optional<SurfaceTouch> MotionScene::with_terrain(std::uint32_t a, std::uint64_t& looked_at) const {
  const int terrain = terrain_of(scene_, scene_.bodies, a);
  if (terrain < 0) return std::nullopt;
  const Mover& mover = movers_[a];
  return first_touch_of_terrain(solid_of(mover, mover.pivot), scene_.terrains[static_cast<std::size_t>(terrain)],
                                mover.pivot, looked_at);
}

std::optional<Impact> MotionScene::impact_of(std::uint32_t a, std::uint32_t b, std::uint64_t& looked_at) const {
  const auto is = [&](std::uint32_t i, Shape shape) { return movers_[i].body.shape == shape; };
  // One without an end, or of many triangles, is seen from the other.
  const bool turned = is(a, Shape::half_space) || is(a, Shape::triangle_mesh);
  const std::uint32_t first = turned ? b : a, second = turned ? a : b;
  std::optional<SurfaceTouch> found;
  if (b == kTerrain) {
    found = with_terrain(a, looked_at);
  } else {
    ++looked_at;
    if (is(second, Shape::half_space))
      found = with_half_space(movers_[first], movers_[second]);
    else if (is(second, Shape::triangle_mesh))
      found = with_mesh(movers_[first], movers_[second], looked_at);
    else
      found = with_convex(movers_[first], movers_[second]);
  }
  if (!found) return std::nullopt;

  const Touch& touch = found->touch;
  const dvec3 point = movers_[first].pivot + (turned ? touch.on_b : touch.on_a);
  const glm::vec3 normal = turned ? -touch.normal : touch.normal;
  Impact impact;
  impact.point = {point.x, point.y, point.z};
  impact.time = touch.time;
  impact.normal = {normal.x, normal.y, normal.z};
  impact.body_a = a, impact.body_b = b;
  impact.element = found->element, impact.material = found->material;
  return impact;
}

}  // namespace oclide::reference
