#include "rays/cast.hpp"

#include <cmath>
#include <sstream>

#include "oclide/validation.hpp"

namespace oclide::test {

void RayList::add(dvec3 from, dvec3 way, double how_far, std::uint32_t in, std::uint32_t meets) {
  for (int a = 0; a < 3; ++a) origin.push_back(from[a]), direction.push_back(way[a]);
  length.push_back(how_far), environment.push_back(in), mask.push_back(meets);
}

dvec3 RayList::way_of(std::size_t i) const {
  const dvec3 d(direction[3 * i], direction[3 * i + 1], direction[3 * i + 2]);
  return glm::normalize(d / std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}));
}

dvec3 random_way(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return glm::normalize(dvec3(normal(random), normal(random), normal(random)));
}

dvec3 point_of(const Hit& hit) {
  return {hit.point[0], hit.point[1], hit.point[2]};
}
dvec3 normal_of(const Hit& hit) {
  return {hit.normal[0], hit.normal[1], hit.normal[2]};
}

std::string text(const Hit& hit) {
  std::ostringstream out;
  out.precision(10);
  out << "body " << static_cast<std::int32_t>(hit.body) << " shape " << hit.shape << " element "
      << static_cast<std::int32_t>(hit.element) << " at " << hit.distance << ", normal " << hit.normal[0] << " "
      << hit.normal[1] << " " << hit.normal[2] << ", point " << hit.point[0] << " " << hit.point[1] << " "
      << hit.point[2];
  return out.str();
}

testing::AssertionResult is_miss(const Hit& hit) {
  const Hit none;
  const bool is_empty = hit.body == kNothing && hit.distance == kForever && hit.point == none.point &&
                        hit.normal == none.normal && hit.element == kNone && hit.shape == 0 && hit.material == 0;
  return (is_empty ? testing::AssertionSuccess() : testing::AssertionFailure()) << text(hit);
}

HitTolerance RayTest::tolerance(double far) const {
  if (GetParam() == "opencl") return {kContract, 1e-6, 2e-3};
  return {1e-10 + 1e-14 * far, 1e-9, 1e-6};
}

testing::AssertionResult RayTest::is_hit(const Hit& hit, std::uint32_t body, double distance, dvec3 normal,
                                         double far) const {
  const HitTolerance within = tolerance(far);
  const dvec3 off = glm::abs(normal_of(hit) - normal);
  const bool holds = hit.body == body && std::abs(hit.distance - distance) <= within.of(distance) &&
                     std::max({off.x, off.y, off.z}) <= within.normal;
  return (holds ? testing::AssertionSuccess() : testing::AssertionFailure())
         << text(hit) << "; expected body " << static_cast<std::int32_t>(body) << " at " << distance << ", normal "
         << normal.x << " " << normal.y << " " << normal.z;
}

std::vector<Hit> RayTest::cast(const TestScene& scene, const RayList& rays) {
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene);
  const RayHits found = collider.cast(scene.poses(), rays.rays());
  EXPECT_EQ(found.hits.size(), rays.count());
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < found.hits.size(); ++i) {
    const Hit& hit = found.hits[i];
    if (hit.body == kNothing) {
      EXPECT_TRUE(is_miss(hit)) << i;
      continue;
    }
    ++count;
    const dvec3 origin = rays.origin_of(i), way = rays.way_of(i);
    EXPECT_TRUE(hit.distance >= 0.0 && hit.distance <= rays.length[i] + tolerance().of(rays.length[i]))
        << i << text(hit);
    EXPECT_NEAR(glm::length(normal_of(hit)), 1.0, 1e-6) << i;
    EXPECT_LE(glm::dot(normal_of(hit), way), 1e-6) << i << text(hit);
    const double far = glm::length(origin) + hit.distance;
    EXPECT_LE(glm::distance(point_of(hit), origin + hit.distance * way), kContract + 1e-15 * far) << i << text(hit);
  }
  EXPECT_EQ(found.hit_count, count);
  if (GetParam() == "opencl") {
    Validator validator(scene.scene, 0.0);
    validator.add_cast(scene.poses(), rays.rays(), found.hits);
    const RayReport& report = validator.ray_report();
    EXPECT_TRUE(report.holds()) << (report.examples.empty() ? "" : report.examples.front());
  }
  return found.hits;
}

Hit RayTest::cast(const TestScene& scene, dvec3 origin, dvec3 way, double length) {
  RayList rays;
  rays.add(origin, way, length);
  return cast(scene, rays).front();
}

}  // namespace oclide::test
