// An impact of the device is right where the two are near at its time, and have not overlapped by more than the
// tolerance before it. Of an impact that the device lacks the reference asks how near the two come.
#include "validation/impact_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "reference/body_contacts.hpp"
#include "reference/motion/convex_distance.hpp"
#include "reference/motion/motion_scene.hpp"
#include "reference/terrain_surface.hpp"
#include "scene/terrain_of.hpp"
#include "threads/parallel_for.hpp"
#include "upload/compound_bodies.hpp"
#include "validation/pair_check.hpp"
#include "validation/tolerances.hpp"

namespace oclide::validation {

using namespace reference;

namespace {

// What must be found comes nearer than this [m]: less than what is a touch, by what the reference is exact to.
constexpr TouchLimits kMustTouch{0.8e-5, 1e-5};

// By how much a time may be later than that of an overlap beyond the tolerance, as a part of the frame: its rounding.
constexpr double kTimeRounding = 1e-12;

// How far a point may be off by rounding, as a part of the size of the solids.
constexpr double kPointPart = 1e-5;

// One part of each body, or a part and kTerrain.
struct PartPair {
  std::uint32_t a, b;
};

class SweepCheck {
 public:
  SweepCheck(const Scene& scene, const CompoundBodies* compounds, const MotionScene& motion)
      : scene_(scene), rules_(scene.bodies), compounds_(compounds), motion_(motion) {}

  [[nodiscard]] std::uint32_t body_of(std::uint32_t part) const {
    return compounds_ == nullptr || part == kTerrain ? part : compounds_->body_of(part);
  }
  // Empty where the impact names no pair that may meet.
  [[nodiscard]] std::optional<PartPair> parts_of(const Impact& impact) const {
    const auto part = [&](std::uint32_t body, std::uint16_t shape) -> std::optional<std::uint32_t> {
      if (compounds_ == nullptr) return body < scene_.bodies.count() && shape == 0 ? std::optional(body) : std::nullopt;
      if (body >= compounds_->bodies() || shape >= compounds_->parts_of(body)) return std::nullopt;
      return static_cast<std::uint32_t>(compounds_->first_part_of(body) + shape);
    };
    const std::optional<std::uint32_t> a = part(impact.body_a, impact.shape_a);
    if (!a) return std::nullopt;
    if (impact.body_b == kTerrain) {
      const bool has_terrain = terrain_of(scene_, scene_.bodies, *a) >= 0 && impact.shape_b == 0;
      return has_terrain ? std::optional(PartPair{*a, kTerrain}) : std::nullopt;
    }
    const std::optional<std::uint32_t> b = part(impact.body_b, impact.shape_b);
    if (!b || impact.body_a >= impact.body_b || !rules_.may_meet(*a, *b)) return std::nullopt;
    return PartPair{*a, *b};
  }
  // All parts of two bodies.
  [[nodiscard]] std::vector<PartPair> all_parts(std::uint32_t body_a, std::uint32_t body_b) const {
    const auto parts = [&](std::uint32_t body) {
      std::pair<std::uint32_t, std::uint32_t> range{body, body + 1};
      if (compounds_ != nullptr && body != kTerrain) {
        range.first = static_cast<std::uint32_t>(compounds_->first_part_of(body));
        range.second = range.first + static_cast<std::uint32_t>(compounds_->parts_of(body));
      }
      return range;
    };
    std::vector<PartPair> pairs;
    const auto [a, end_a] = parts(body_a);
    for (std::uint32_t i = a; i < end_a; ++i) {
      if (body_b == kTerrain) {
        if (terrain_of(scene_, scene_.bodies, i) >= 0) pairs.push_back({i, kTerrain});
        continue;
      }
      const auto [b, end_b] = parts(body_b);
      for (std::uint32_t j = b; j < end_b; ++j)
        if (rules_.may_meet(i, j)) pairs.push_back({i, j});
    }
    return pairs;
  }

  // What is wrong with an impact by itself; empty when nothing is.
  [[nodiscard]] std::string problem(const Impact& impact, const PartPair& pair) const;

  // The two come so near that an impact must be there.
  [[nodiscard]] bool must_touch(std::uint32_t body_a, std::uint32_t body_b) const {
    std::uint64_t looked_at = 0;
    const std::vector<PartPair> pairs = all_parts(body_a, body_b);
    return std::any_of(pairs.begin(), pairs.end(), [&](const PartPair& p) {
      return motion_.impact_of(p.a, p.b, looked_at, kMustTouch).has_value();
    });
  }

  // Of the first point of contact, along the normal [m a frame].
  [[nodiscard]] double speed(const Impact& impact, const PartPair& pair) const {
    const dvec3 normal = as_vector(impact.normal);
    const auto velocity = [&](std::uint32_t part) {
      if (part == kTerrain) return dvec3(0.0);
      const MotionScene::Mover& m = motion_.mover(part);
      return m.velocity + glm::cross(m.spin, as_vector(impact.point) - (m.pivot + impact.time * m.velocity));
    };
    return std::abs(glm::dot(normal, velocity(pair.a) - velocity(pair.b)));
  }

 private:
  const Scene& scene_;
  MeetRules rules_;
  const CompoundBodies* compounds_;
  const MotionScene& motion_;
};

// The body is where it is at a time; the place is from its centre then.
Body turned_at(const MotionScene::Mover& m, double t, dvec3 origin, dvec3& centre) {
  const SolidMotion motion = m.motion(origin);
  const dmat3 turn = motion.turn_at(t);
  centre = motion.pivot_at(t) + turn * m.from_pivot;
  Body body = m.body;
  body.axes = turn * m.body.axes;
  return body;
}

std::string SweepCheck::problem(const Impact& impact, const PartPair& pair) const {
  const double t = impact.time;
  if (!(t >= 0.0 && t <= 1.0)) return "a time that is not in the frame";
  if (!(std::abs(glm::length(as_vector(impact.normal)) - 1.0) <= kUnit)) return "a normal that is not unit";
  if (impact.feature != 0) return "a feature";
  const auto is_convex = [&](std::uint32_t part) {
    const Shape shape = scene_.bodies.shape[part];
    return shape != Shape::half_space && shape != Shape::triangle_mesh;
  };
  const bool turned = pair.b != kTerrain && !is_convex(pair.a);
  const std::uint32_t first = turned ? pair.b : pair.a, second = turned ? pair.a : pair.b;
  const MotionScene::Mover& mover = motion_.mover(first);
  const dvec3 origin = mover.pivot;
  const MovingSolid solid = mover.solid(origin);
  const PlacedSolid placed(solid, t);
  const dvec3 normal = as_vector(impact.normal) * (turned ? -1.0 : 1.0), point = as_vector(impact.point) - origin;
  const bool has_elements = second == kTerrain || scene_.bodies.shape[second] == Shape::triangle_mesh;
  if (!has_elements && (impact.element != kNone || impact.material != 0)) return "an element of what has none";

  // How far apart they are, and how far along the normal.
  double distance = std::numeric_limits<double>::infinity(), along = -distance, to_element = distance,
         size = solid.radius;
  bool is_material = false;
  if (!has_elements && scene_.bodies.shape[second] == Shape::half_space) {
    const MotionScene::Mover& plane = motion_.mover(second);
    const SolidMotion motion = plane.motion(origin);
    const dvec3 up = motion.turn_at(t) * plane.body.axis();
    distance = glm::dot(up, placed.support(-up) - motion.pivot_at(t)) - solid.rounding;
    along = glm::distance(up, normal) <= kNormal ? distance : -std::numeric_limits<double>::infinity();
  } else {
    std::vector<SurfaceElement> elements;
    if (second == kTerrain)
      elements = motion_.terrain_under(first)->elements_at(solid, t, kLength);
    else if (has_elements)
      elements = motion_.mover(second).mesh(origin).elements_at(solid, t, kLength);
    else
      elements.push_back({motion_.mover(second).solid(origin), kNone, 0, {}, dvec3(0.0)});
    for (const SurfaceElement& element : elements) {
      const PlacedSolid other(element.solid, t);
      const double upper = convex_distance(placed, other, 1e-6, -1.0).upper - solid.rounding - element.solid.rounding;
      distance = std::min(distance, upper);
      if (upper <= 2.0 * kLength) along = std::max(along, gap_along(placed, other, normal));
      if (!has_elements) size += element.solid.radius;
      if (element.element == impact.element && upper < to_element)
        to_element = upper, is_material = element.material == impact.material;
    }
  }
  // A body may begin deep inside a solid mesh, without touching a triangle.
  const bool is_inside = has_elements && second != kTerrain && t == 0.0 && motion_.mover(second).body.mesh->solid &&
                         motion_.first_overlap(pair.a, pair.b, kLength) == 0.0;
  char text[100];
  if (!is_inside && !(distance <= kLength)) {
    std::snprintf(text, sizeof text, "apart by %.6g m", distance);
    return text;
  }
  if (is_inside && impact.element == kNone && impact.material == 0) return {};
  if (has_elements && !(to_element <= kLength)) return "an element that is not touched";
  if (has_elements && !is_material) return "not the material of its element";
  if (t == 0.0) return {};

  for (const PartPair& p : all_parts(impact.body_a, impact.body_b)) {
    const double overlap = motion_.first_overlap(p.a, p.b, kLength);
    if (overlap + kTimeRounding < t) {
      std::snprintf(text, sizeof text, "too late: they overlap by more than the tolerance at %.9g", overlap);
      return text;
    }
  }
  // A normal that is off by kNormal overlaps by that part of the size.
  if (!(along >= -2.0 * kLength - kNormal * size)) {
    std::snprintf(text, sizeof text, "a normal along which they overlap by %.6g m", -along);
    return text;
  }
  const auto off = [&](std::uint32_t part) {
    dvec3 centre(0.0);
    const Body body = turned_at(motion_.mover(part), t, origin, centre);
    return std::abs(body.signed_distance(point - centre));
  };
  // A point on the first is as near to the second, and the other way round.
  const double most = kLength + kPointPart * solid.radius;
  const auto is_surface = [&](std::uint32_t part) {
    return part == kTerrain || scene_.bodies.shape[part] == Shape::triangle_mesh;
  };
  for (const std::uint32_t part : {pair.a, pair.b}) {
    if (is_surface(part)) continue;
    const bool is_a = part == pair.a;
    if (const double by = off(part); !(by <= most + (is_a ? 0.0 : kLength))) {
      std::snprintf(text, sizeof text, "a point that is %.6g m off %s", by, is_a ? "A" : "B");
      return text;
    }
  }
  return {};
}

}  // namespace

void check_sweep(const Scene& scene, const Geometry& geometry, const CompoundBodies* compounds, const Poses& poses,
                 const Motion& motion, std::span<const double> pivots, std::span<const Impact> impacts,
                 SweepReport& report) {
  const MotionScene motion_scene(scene, geometry, poses, motion, pivots);
  const SweepCheck check(scene, compounds, motion_scene);
  const std::string where = "sweep " + std::to_string(report.sweeps);
  using Bodies = std::pair<std::uint32_t, std::uint32_t>;
  const auto say = [&](const Bodies& bodies, const std::string& what) {
    add_example(report.examples, where + ", body " + std::to_string(bodies.first) + " and " +
                                     (bodies.second == kTerrain ? "terrain" : std::to_string(bodies.second)) + ": " +
                                     what);
  };

  // The reference's first impact of each pair of bodies.
  std::vector<PartPair> pairs;
  for (const BodyPair& pair : motion_scene.pairs()) pairs.push_back({pair.a, pair.b});
  for (std::uint32_t i = 0; i < scene.bodies.count(); ++i)
    if (terrain_of(scene, scene.bodies, i) >= 0) pairs.push_back({i, kTerrain});
  std::vector<std::optional<Impact>> found(pairs.size());
  parallel_for(pairs.size(), [&](std::size_t k) {
    std::uint64_t looked_at = 0;
    found[k] = motion_scene.impact_of(pairs[k].a, pairs[k].b, looked_at);
  });
  struct First {
    Impact impact;
    PartPair parts;
    bool is_on_device = false;
  };
  std::map<Bodies, First> reference;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!found[k]) continue;
    const auto [first, is_new] =
        reference.try_emplace({check.body_of(pairs[k].a), check.body_of(pairs[k].b)}, First{*found[k], pairs[k]});
    if (!is_new && found[k]->time < first->second.impact.time) first->second = {*found[k], pairs[k]};
  }
  report.impacts_reference += reference.size();
  report.impacts_device += impacts.size();

  std::vector<std::string> problems(impacts.size());
  parallel_for(impacts.size(), [&](std::size_t k) {
    const std::optional<PartPair> parts = check.parts_of(impacts[k]);
    problems[k] = parts ? check.problem(impacts[k], *parts) : "no two bodies that may meet, the lower index first";
  });
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    const Impact& impact = impacts[k];
    const Bodies bodies{impact.body_a, impact.body_b};
    if (problems[k].empty() && k > 0 && !(Bodies{impacts[k - 1].body_a, impacts[k - 1].body_b} < bodies))
      problems[k] = "out of order";
    const auto first = reference.find(bodies);
    if (first != reference.end()) first->second.is_on_device = true;
    if (!problems[k].empty()) {
      char text[60];
      std::snprintf(text, sizeof text, "impact %zu at %.9g: ", k, impact.time);
      ++report.wrong_impacts;
      say(bodies, text + problems[k]);
    } else if (first == reference.end()) {
      ++report.undecided;
    } else {
      const First& other = first->second;
      report.largest_time_error = std::max(report.largest_time_error, std::abs(impact.time - other.impact.time) *
                                                                          check.speed(other.impact, other.parts));
    }
  }
  for (const auto& [bodies, first] : reference) {
    if (first.is_on_device) continue;
    if (!check.must_touch(bodies.first, bodies.second)) {
      ++report.undecided;
      continue;
    }
    ++report.only_reference;
    char text[60];
    std::snprintf(text, sizeof text, "no impact; in the reference at %.9g", first.impact.time);
    say(bodies, text);
  }
  ++report.sweeps;
}

}  // namespace oclide::validation
