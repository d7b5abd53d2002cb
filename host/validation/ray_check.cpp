// A ray beside a silhouette may hit or miss. So where device and reference differ, the reference is asked about rays
// beside it too: the device is right where one of them finds its hit, and one of them nothing before.
#include "validation/ray_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "reference/body_contacts.hpp"
#include "reference/mesh_tree.hpp"
#include "reference/rays/ray_scene.hpp"
#include "reference/terrain_surface.hpp"
#include "scene/terrain_of.hpp"
#include "threads/parallel_for.hpp"
#include "upload/compound_bodies.hpp"
#include "validation/pair_check.hpp"
#include "validation/tolerances.hpp"

namespace oclide::validation {

using namespace reference;

namespace {

// Pairs of opposite rays at the contract's distance.
constexpr std::size_t kOpposite = 5;

// Rays beside a ray, by pairs of opposite ones: with another begin, around it at the contract's distance, and nearer,
// for what is thin.
std::vector<Ray> rays_beside(const Ray& ray, double distance) {
  const dvec3 parts = glm::abs(ray.direction);
  dvec3 least(0.0);
  least[parts.x <= parts.y && parts.x <= parts.z ? 0 : parts.y <= parts.z ? 1 : 2] = 1.0;
  const dvec3 x = glm::normalize(glm::cross(least, ray.direction)), y = glm::cross(ray.direction, x);
  const double far = std::max({std::abs(ray.origin.x), std::abs(ray.origin.y), std::abs(ray.origin.z),
                               std::isfinite(distance) ? distance : 0.0});
  std::vector<Ray> rays;
  const auto add = [&](dvec3 aside) {
    Ray beside = ray;
    beside.origin += aside;
    beside.length += 2.0 * distance_tolerance(ray.length);
    rays.push_back(beside);
  };
  const auto add_opposite = [&](dvec3 aside) { add(aside), add(-aside); };
  add_opposite(kLength * ray.direction);
  for (double aside = kLength + kRelativeAside * far; aside > 1e-8; aside *= 0.1)
    for (const dvec3 way : {x, y, std::sqrt(0.5) * (x + y), std::sqrt(0.5) * (x - y)}) add_opposite(aside * way);
  add(dvec3(0.0));  // longer
  return rays;
}

// What hits may name.
struct Named {
  const Scene& scene;
  const Geometry& geometry;
  const CompoundBodies* compounds;
  const Poses& poses;

  // Number of the scene's body that a hit is of, kTerrain or kNothing; empty where there is none such.
  [[nodiscard]] std::optional<std::uint32_t> body_of(const Hit& hit) const {
    if (hit.body >= kNothing) return hit.shape == 0 ? std::optional(hit.body) : std::nullopt;
    if (compounds == nullptr)
      return hit.body < scene.bodies.count() && hit.shape == 0 ? std::optional(hit.body) : std::nullopt;
    if (hit.body >= compounds->bodies() || hit.shape >= compounds->parts_of(hit.body)) return std::nullopt;
    return static_cast<std::uint32_t>(compounds->first_part_of(hit.body) + hit.shape);
  }

  // What is wrong with a hit by itself; empty when nothing is.
  [[nodiscard]] const char* problem(const Ray& ray, const Hit& hit, std::uint32_t body) const {
    const dvec3 normal = as_vector(hit.normal), point = as_vector(hit.point);
    if (body == kNothing) {
      const bool is_empty = hit.distance == std::numeric_limits<double>::infinity() && normal == dvec3(0.0) &&
                            point == dvec3(0.0) && hit.element == kNone && hit.material == 0;
      return is_empty ? nullptr : "a miss that is not empty";
    }
    const double tolerance = distance_tolerance(hit.distance);
    if (!(hit.distance >= 0.0 && hit.distance <= ray.length + tolerance)) return "a distance that is not on the ray";
    if (!(std::abs(glm::length(normal) - 1.0) <= kUnit)) return "a normal that is not unit";
    if (!(glm::dot(normal, ray.direction) <= kUnit)) return "a normal along the ray";
    const double far = glm::length(ray.origin);
    if (!(glm::distance(point, ray.origin + hit.distance * ray.direction) <= tolerance + 1e-15 * far))
      return "a point that is not at its distance";
    if (body == kTerrain) return problem_on_terrain(ray, hit);
    if (scene.bodies.shape[body] == Shape::triangle_mesh) return problem_on_mesh(hit, body);
    return hit.element == kNone && hit.material == 0 ? nullptr : "an element of a body that has none";
  }

  [[nodiscard]] const char* problem_on_terrain(const Ray& ray, const Hit& hit) const {
    const int number = terrain_in(scene, ray.environment);
    if (number < 0) return "terrain where there is none";
    const Terrain& terrain = scene.terrains[static_cast<std::size_t>(number)];
    const std::size_t cell = hit.element / 2;
    if (cell >= (terrain.rows - 1) * (terrain.cols - 1)) return "no element of the terrain";
    const TerrainView view(terrain, as_vector(hit.point));
    const auto row = static_cast<std::int64_t>(cell / (terrain.cols - 1)),
               col = static_cast<std::int64_t>(cell % (terrain.cols - 1));
    if (!view.solid(row, col)) return "an open cell";
    const Element element = view.element(row, col, static_cast<int>(hit.element % 2));
    if (!(element.inside_outline(dvec2(0.0)) >= -distance_tolerance(hit.distance))) return "beside its element";
    return hit.material == element.material ? nullptr : "not the material of its cell";
  }

  // Of the mesh's triangles that a hit's element became that which is nearest to its point, and how far away it is; one
  // at infinity where none is within the tolerance.
  [[nodiscard]] std::pair<const MeshTriangle*, double> nearest_of_element(const Hit& hit, std::uint32_t body) const {
    const Body placed = body_at(scene.bodies, geometry, poses, body);
    const TriangleMesh& mesh = *placed.mesh;
    const dvec3 point = (as_vector(hit.point) - centre_of(poses, body)) * placed.axes;
    const dvec3 room(distance_tolerance(hit.distance));
    std::pair<const MeshTriangle*, double> nearest{nullptr, std::numeric_limits<double>::infinity()};
    visit_triangles(
        mesh,
        [&](dvec3 lower, dvec3 upper) {
          return glm::all(glm::lessThanEqual(lower, point + room)) &&
                 glm::all(glm::greaterThanEqual(upper, point - room));
        },
        [&](std::size_t t) {
          const MeshTriangle& triangle = mesh.triangles[t];
          if (triangle.element != hit.element) return;
          const auto& v = triangle.vertices;
          const dvec3 q = nearest_on_triangle(point, mesh.vertices[v[0]], mesh.vertices[v[1]], mesh.vertices[v[2]]);
          if (const double d = glm::distance(point, q); d < nearest.second) nearest = {&triangle, d};
        });
    return nearest;
  }

  // The normal of the element of a hit that has no problem, to either side; empty where it has none.
  [[nodiscard]] std::optional<dvec3> normal_of_element(const Ray& ray, const Hit& hit, std::uint32_t body) const {
    if (hit.element == kNone) return std::nullopt;
    if (body != kTerrain)
      return body_at(scene.bodies, geometry, poses, body).axes * nearest_of_element(hit, body).first->normal;
    const Terrain& terrain = scene.terrains[static_cast<std::size_t>(terrain_in(scene, ray.environment))];
    const auto cell = static_cast<std::int64_t>(hit.element / 2), cols = static_cast<std::int64_t>(terrain.cols) - 1;
    return TerrainView(terrain, dvec3(0.0)).element(cell / cols, cell % cols, static_cast<int>(hit.element % 2)).normal;
  }

  [[nodiscard]] const char* problem_on_mesh(const Hit& hit, std::uint32_t body) const {
    const TriangleMesh& mesh = geometry.meshes[static_cast<std::size_t>(scene.bodies.size[body][0])];
    if (hit.element == kNone)
      return mesh.solid && hit.distance == 0.0 && hit.material == 0 ? nullptr : "no triangle of the mesh";
    const auto [triangle, distance] = nearest_of_element(hit, body);
    if (!(distance <= distance_tolerance(hit.distance))) return "beside its triangle";
    return hit.material == triangle->material ? nullptr : "not the material of its triangle";
  }
};

// One ray and its hit on the device.
class HitCheck {
 public:
  HitCheck(const RayScene& scene, const Named& named, const Ray& ray, const Hit& device, std::uint32_t body,
           RayReport& report)
      : scene_(scene), named_(named), ray_(ray), device_(device), body_(body), report_(report) {}

  // What does not hold; empty where all does. `body_` is that of the scene's parts.
  std::string compare() {
    const Hit expected = scene_.first_hit(ray_);
    const bool hits = body_ != kNothing;
    if (expected.body != kNothing) ++report_.hits_reference;
    if (!hits && expected.body == kNothing) return {};
    const double error = std::abs(device_.distance - expected.distance);
    if (hits && error <= distance_tolerance(expected.distance)) {
      if (body_ == expected.body) {
        report_.largest_distance_error = std::max(report_.largest_distance_error, error);
        return check_normal(true);
      }
      if (is_there() && nothing_before()) {
        ++report_.other_bodies;
        return check_normal(false);
      }
    } else if ((!hits || is_there()) && nothing_before()) {
      ++report_.silhouettes;
      return hits ? check_normal(false) : std::string();
    }
    ++(!hits ? report_.only_reference : expected.body == kNothing ? report_.only_device : report_.wrong_hits);
    char text[200];
    std::snprintf(text, sizeof text, "at %.9g m body %u, element %u; in the reference at %.9g m body %u, element %u",
                  device_.distance, body_, device_.element, expected.distance, expected.body, expected.element);
    return text;
  }

 private:
  const std::vector<Ray>& beside() {
    if (beside_.empty()) beside_ = rays_beside(ray_, std::min(device_.distance, ray_.length));
    return beside_;
  }

  // Whether distances change evenly from ray to ray, so that there is no silhouette near.
  bool is_even(const auto& distance) {
    const double middle = distance(ray_);
    for (std::size_t k = 0; k < kOpposite; ++k) {
      const double bend = distance(beside()[2 * k]) + distance(beside()[2 * k + 1]) - 2.0 * middle;
      if (!(std::abs(bend) <= distance_tolerance(middle))) return false;
    }
    return true;
  }
  // Whether `holds` of a ray's distance: of the ray's own, or of one beside it where there is a silhouette.
  bool may_be(const auto& distance, const auto& holds) {
    if (holds(distance(ray_))) return true;
    if (is_even(distance)) return false;
    return std::any_of(beside().begin(), beside().end(), [&](const Ray& ray) { return holds(distance(ray)); });
  }

  bool is_there() {
    const double tolerance = distance_tolerance(device_.distance);
    return may_be([&](const Ray& ray) { return scene_.hit_of(ray, body_).distance; },
                  [&](double distance) { return std::abs(distance - device_.distance) <= tolerance; });
  }
  bool nothing_before() {
    const double reached = std::min(device_.distance, ray_.length);
    return may_be(
        [&](const Ray& ray) { return scene_.first_hit(ray).distance; },
        [&](double distance) { return distance == reached || distance >= reached - distance_tolerance(reached); });
  }

  std::string check_normal(bool takes_part) {
    const dvec3 normal = as_vector(device_.normal);
    double least = std::numeric_limits<double>::infinity();
    const auto look_at = [&](const Ray& ray) {
      if (const Hit hit = scene_.hit_of(ray, body_); hit.body != kNothing)
        least = std::min(least, angle(normal, as_vector(hit.normal)));
    };
    look_at(ray_);
    if (device_.distance <= kLength) least = std::min(least, angle(normal, -ray_.direction));
    // On an edge it may be of another triangle.
    if (!(least <= kNormal))
      if (const auto other = named_.normal_of_element(ray_, device_, body_))
        least = std::min({least, angle(normal, *other), angle(normal, -*other)});
    if (!(least <= kNormal)) std::for_each(beside().begin(), beside().end(), look_at);
    if (takes_part) report_.largest_normal_error = std::max(report_.largest_normal_error, least);
    if (least <= kNormal) return {};
    ++report_.wrong_normals;
    char text[120];
    std::snprintf(text, sizeof text, "at %.9g m body %u: its normal is off by %.3g rad", device_.distance, body_,
                  least);
    return text;
  }

  const RayScene& scene_;
  const Named& named_;
  Ray ray_;
  const Hit& device_;
  std::uint32_t body_;
  RayReport& report_;
  std::vector<Ray> beside_;
};

void merge(RayReport& into, const RayReport& from) {
  into.hits_device += from.hits_device;
  into.hits_reference += from.hits_reference;
  into.only_device += from.only_device;
  into.only_reference += from.only_reference;
  into.wrong_hits += from.wrong_hits;
  into.wrong_normals += from.wrong_normals;
  into.other_bodies += from.other_bodies;
  into.silhouettes += from.silhouettes;
  into.largest_distance_error = std::max(into.largest_distance_error, from.largest_distance_error);
  into.largest_normal_error = std::max(into.largest_normal_error, from.largest_normal_error);
  for (const std::string& line : from.examples) add_example(into.examples, line);
}

}  // namespace

void check_cast(const Scene& scene, const Geometry& geometry, const CompoundBodies* compounds, const Poses& poses,
                const Rays& rays, std::span<const Hit> hits, RayReport& report) {
  const RayScene ray_scene(scene, geometry, poses);
  const Named named{scene, geometry, compounds, poses};
  constexpr std::size_t kRaysAtOnce = 64;
  std::vector<RayReport> reports((hits.size() + kRaysAtOnce - 1) / kRaysAtOnce);
  parallel_for(reports.size(), [&](std::size_t chunk) {
    RayReport& part = reports[chunk];
    for (std::size_t i = chunk * kRaysAtOnce; i < std::min(hits.size(), (chunk + 1) * kRaysAtOnce); ++i) {
      const Ray ray = ray_at(rays, i);
      const Hit& hit = hits[i];
      if (hit.body != kNothing) ++part.hits_device;
      const std::optional<std::uint32_t> body = named.body_of(hit);
      const char* problem = body ? named.problem(ray, hit, *body) : "no body of the scene";
      std::string what = problem != nullptr ? problem : "";
      if (problem != nullptr)
        ++part.wrong_hits;
      else
        what = HitCheck(ray_scene, named, ray, hit, *body, part).compare();
      if (!what.empty())
        add_example(part.examples, "cast " + std::to_string(report.casts) + ", ray " + std::to_string(i) + ": " + what);
    }
  });
  for (const RayReport& part : reports) merge(report, part);
  report.rays += hits.size();
  ++report.casts;
}

}  // namespace oclide::validation
