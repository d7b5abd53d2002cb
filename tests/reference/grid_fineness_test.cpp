// How finely a plane is gridded does not show in the contacts on it.
#include "reference/one_body.hpp"

namespace oclide::test {
namespace {

struct Plane {
  const char* name;
  double slope_x, slope_y;
};

class GridFineness : public testing::TestWithParam<Plane> {};

TEST_P(GridFineness, TwoVerticesOrAHundredGiveTheSameContacts) {
  const Plane plane = GetParam();
  auto height = [&](double x, double y) { return plane.slope_x * x + plane.slope_y * y; };
  const Terrain coarse = make_terrain(2, 2, {-5.0, -5.0}, {10.0, 10.0}, height);
  const Terrain fine = make_terrain(100, 100, {-5.0, -5.0}, {10.0 / 99.0, 10.0 / 99.0}, height);
  const dvec3 n = glm::normalize(dvec3(-plane.slope_x, -plane.slope_y, 1.0));

  // Base down on the plane, and an odd turn; position along the normal so that each is sunk by some millimetres.
  const Quaternion to_plane = n.z == 1.0 ? turn(n, 0.4) : turn(glm::cross(kUp, n), std::acos(n.z));
  const std::vector<OneBody> bodies = {
      {Shape::sphere, {0.7, 0.0, 0.0}, dvec3(0.11, 0.23, 0.0), kUpright},
      {Shape::box, {0.7, 0.5, 0.2}, dvec3(0.11, 0.23, 0.0), to_plane},
      {Shape::box, {0.7, 0.5, 0.2}, dvec3(0.11, 0.23, 0.0), turn({1.0, 2.0, 0.5}, 0.7)},
      {Shape::cylinder, {0.7, 0.2, 0.0}, dvec3(0.11, 0.23, 0.0), to_plane},
      {Shape::cylinder, {0.3, 0.8, 0.0}, dvec3(0.11, 0.23, 0.0), turn({1.0, 2.0, 0.5}, 0.7)},
      {Shape::cylinder, {0.3, 0.8, 0.0}, dvec3(0.11, 0.23, 0.0), turn({1.0, 0.0, 0.0}, kHalfTurn / 2.0)},
      {Shape::capsule, {0.3, 0.8, 0.0}, dvec3(0.11, 0.23, 0.0), turn({1.0, 0.0, 0.0}, kHalfTurn / 2.0)},
      {Shape::capsule, {0.3, 0.8, 0.0}, dvec3(0.11, 0.23, 0.0), turn({1.0, 2.0, 0.5}, 0.7)},
  };
  for (OneBody body : bodies) {
    const double reach = -glm::dot(body.body().support(-n), n);
    body.position.z = height(body.position.x, body.position.y) + (reach - 0.003) / n.z;
    SCOPED_TRACE(std::string(to_string(body.shape)) + " on " + plane.name);
    const auto few = body.manifolds(coarse), many = body.manifolds(fine);
    ASSERT_EQ(few.size(), 1u);
    ASSERT_EQ(many.size(), 1u);
    EXPECT_NEAR(few[0][0].depth, 0.003, 1e-7);
    EXPECT_NEAR(many[0][0].depth, 0.003, 1e-7);
    expect_near(few[0][0].normal, n, 1e-6);
    expect_near(many[0][0].normal, n, 1e-6);
    EXPECT_EQ(few[0].size(), many[0].size());
    const dvec3 across = glm::normalize(glm::cross(n, dvec3(0.3, 0.9, 0.1)));
    for (const dvec3 along : {across, glm::cross(n, across)}) {
      EXPECT_NEAR(extent(few[0], along).least, extent(many[0], along).least, 1e-6);
      EXPECT_NEAR(extent(few[0], along).greatest, extent(many[0], along).greatest, 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Planes, GridFineness,
                         testing::Values(Plane{"level", 0.0, 0.0}, Plane{"slope", 0.3, -0.2},
                                         Plane{"steep", -2.0, 0.7}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace oclide::test
