#include "reference/motion/motion_scene.hpp"

#include <algorithm>
#include <limits>

#include "reference/body_contacts.hpp"
#include "reference/motion/first_touch.hpp"
#include "reference/motion/surface_touch.hpp"
#include "reference/narrow_phase/body_pair.hpp"
#include "scene/scene_check.hpp"
#include "scene/terrain_of.hpp"

namespace oclide::reference {
namespace {

// By how much boxes are grown for rounding, and a part of their coordinates [m].
constexpr double kSweptGrow = 1e-4, kSweptGrowPart = 1e-12;

dvec3 vector_at(std::span<const double> numbers, std::size_t index) {
  return {numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]};
}

bool is_convex(const Body& body) {
  return body.shape != Shape::half_space && body.shape != Shape::triangle_mesh;
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
  highest_.reserve(scene.terrains.size());
  for (const Terrain& terrain : scene.terrains) highest_.push_back(highest_of(terrain));
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
    const Bounds box = swept_box(movers_[i].solid(movers_[i].pivot), {}, 0.0, 1.0);
    const dvec3 lower = movers_[i].pivot + box.lower, upper = movers_[i].pivot + box.upper;
    const dvec3 grown = kSweptGrow + kSweptGrowPart * glm::max(glm::abs(lower), glm::abs(upper));
    boxes[i] = {lower - grown, upper + grown, i};
  }
  std::sort(boxes.begin(), boxes.end(), [](const Swept& p, const Swept& q) { return p.lower.x < q.lower.x; });
  const MeetRules rules(scene_.bodies);
  std::vector<BodyPair> pairs;
  for (std::size_t k = 0; k < boxes.size(); ++k)
    for (std::size_t l = k + 1; l < boxes.size() && boxes[l].lower.x <= boxes[k].upper.x; ++l) {
      const Swept &p = boxes[k], &q = boxes[l];
      if (p.lower.y <= q.upper.y && q.lower.y <= p.upper.y && p.lower.z <= q.upper.z && q.lower.z <= p.upper.z &&
          rules.may_meet(p.body, q.body))
        pairs.push_back({std::min(p.body, q.body), std::max(p.body, q.body)});
    }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::optional<TerrainToTouch> MotionScene::terrain_under(std::uint32_t body) const {
  const int terrain = terrain_of(scene_, scene_.bodies, body);
  if (terrain < 0) return std::nullopt;
  const auto k = static_cast<std::size_t>(terrain);
  return TerrainToTouch{scene_.terrains[k], highest_[k], movers_[body].pivot};
}

std::optional<SurfaceTouch> MotionScene::first_touch(const Mover& a, std::uint32_t body_a, std::uint32_t b,
                                                     const TouchLimits& limits, std::uint64_t& looked_at) const {
  const MovingSolid solid = a.solid(a.pivot);
  if (b == kTerrain) {
    const std::optional<TerrainToTouch> terrain = terrain_under(body_a);
    return terrain ? terrain->first_touch(solid, limits, looked_at) : std::nullopt;
  }
  const Mover& other = movers_[b];
  ++looked_at;
  if (other.body.shape == Shape::triangle_mesh)
    return other.mesh(a.pivot).first_touch(solid, a.from_pivot + a.body.middle(), limits, looked_at);

  std::optional<Touch> touch = other.body.shape == Shape::half_space
                                   ? first_touch_of_plane(solid, other.body.axis(), other.motion(a.pivot), limits)
                                   : reference::first_touch(solid, other.solid(a.pivot), 0.0, 1.0, limits);
  if (!touch) return std::nullopt;
  if (touch->normal == dvec3(0.0)) {
    // They overlap at the start: as their contact says.
    const dvec3 between = (other.pivot + other.from_pivot) - (a.pivot + a.from_pivot);
    const auto least = pair_penetration(a.body, other.body, between, std::numeric_limits<double>::infinity());
    touch->normal = least->normal;
    touch->on_a = a.from_pivot + a.body.support(-least->normal);
  }
  return SurfaceTouch{*touch, kNone, 0};
}

double MotionScene::first_overlap(std::uint32_t a, std::uint32_t b, double depth) const {
  constexpr TouchLimits kOverlap{1e-7, 1.2e-7};
  if (b != kTerrain && !is_convex(movers_[a].body)) std::swap(a, b);
  // What is left of the body touches.
  Mover inner = movers_[a];
  const std::optional<Body> eroded = inner.body.eroded(depth);
  if (!eroded) return std::numeric_limits<double>::infinity();
  inner.body = *eroded;
  std::uint64_t looked_at = 0;
  std::optional<SurfaceTouch> touch;
  try {
    touch = first_touch(inner, a, b, kOverlap, looked_at);
  } catch (const TooManySteps&) {
    throw UntoldSweep{std::min(a, b), std::max(a, b)};
  }
  return touch ? touch->touch.time : std::numeric_limits<double>::infinity();
}

std::optional<Impact> MotionScene::impact_of(std::uint32_t a, std::uint32_t b, std::uint64_t& looked_at,
                                             const TouchLimits& limits) const {
  // One without an end, or of many triangles, is seen from the other.
  const bool turned = !is_convex(movers_[a].body);
  const std::uint32_t first = turned ? b : a, second = turned ? a : b;
  std::optional<SurfaceTouch> found;
  try {
    found = first_touch(movers_[first], first, second, limits, looked_at);
  } catch (const TooManySteps&) {
    throw UntoldSweep{a, b};
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
