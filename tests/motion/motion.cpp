#include "motion/motion.hpp"

#include <cmath>
#include <sstream>
#include <tuple>

#include "oclide/validation.hpp"

namespace oclide::test {

MovingScene& MovingScene::add(const BodySpec& body, dvec3 moves, dvec3 turns) {
  scene.add(body);
  for (int a = 0; a < 3; ++a) displacement.push_back(moves[a]), rotation.push_back(turns[a]);
  return *this;
}

std::string text(const Impact& impact) {
  std::ostringstream out;
  out.precision(10);
  out << impact.body_a << "/" << impact.shape_a << " and " << static_cast<std::int32_t>(impact.body_b) << "/"
      << impact.shape_b << " at " << impact.time << ", normal " << impact.normal[0] << " " << impact.normal[1] << " "
      << impact.normal[2] << ", point " << impact.point[0] << " " << impact.point[1] << " " << impact.point[2]
      << ", element " << static_cast<std::int32_t>(impact.element);
  return out.str();
}
dvec3 point_of(const Impact& impact) {
  return {impact.point[0], impact.point[1], impact.point[2]};
}
dvec3 normal_of(const Impact& impact) {
  return {impact.normal[0], impact.normal[1], impact.normal[2]};
}

std::vector<Impact> MotionTest::sweep(const MovingScene& scene) {
  Collider& collider = collider_on(GetParam());
  collider.set_scene(scene.scene.scene);
  const FrameImpacts found = collider.sweep(scene.poses(), scene.motion());
  const auto key = [](const Impact& i) { return std::tuple(i.body_a, i.body_b); };
  for (std::size_t k = 0; k < found.impacts.size(); ++k) {
    const Impact& i = found.impacts[k];
    EXPECT_TRUE(i.time >= 0.0 && i.time <= 1.0) << text(i);
    EXPECT_NEAR(glm::length(normal_of(i)), 1.0, 1e-6) << text(i);
    EXPECT_EQ(i.feature, 0u);
    EXPECT_TRUE(i.body_a < i.body_b && i.body_a < scene.count()) << text(i);
    EXPECT_TRUE(i.body_b < scene.count() || i.body_b == kTerrain) << text(i);
    EXPECT_TRUE(k == 0 || key(found.impacts[k - 1]) < key(i)) << text(i);
  }
  Validator validator(scene.scene.scene, 0.0);
  validator.add_sweep(scene.poses(), scene.motion(), found.impacts);
  const SweepReport& report = validator.sweep_report();
  EXPECT_TRUE(report.holds()) << (report.examples.empty() ? "" : report.examples.front());
  // What grazes in one turn may be found in the next one.
  const bool many =
      std::any_of(scene.rotation.begin(), scene.rotation.end(), [](double r) { return std::abs(r) > 500.0; });
  if (!many) {
    EXPECT_LE(report.largest_time_error, GetParam() == "opencl" ? 2e-4 : 0.0);
  }
  return found.impacts;
}

std::optional<Impact> MotionTest::impact(const MovingScene& scene) {
  const std::vector<Impact> all = sweep(scene);
  EXPECT_LE(all.size(), 1u);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

testing::AssertionResult MotionTest::is_impact(const std::optional<Impact>& found, double time, double speed,
                                               dvec3 normal, double turned) const {
  if (!found) return testing::AssertionFailure() << "no impact; expected one at " << time;
  const double early = (time - found->time) * speed;
  const double off = glm::distance(normal_of(*found), normal);
  const bool holds = early >= -near() && early <= near() && off <= (GetParam() == "opencl" ? 2e-3 : 1e-5) + turned;
  return (holds ? testing::AssertionSuccess() : testing::AssertionFailure())
         << text(*found) << "; expected at " << time << ", so that it is " << early << " m early, normal " << normal.x
         << " " << normal.y << " " << normal.z;
}

}  // namespace oclide::test
