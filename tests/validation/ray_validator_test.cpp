// The validation of rays: the reference's own hits pass, each kind of damage to them is seen, and what is as right as
// the reference's answer passes.
#include <cmath>
#include <limits>

#include "oclide/validation.hpp"
#include "support/mesh_shapes.hpp"
#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

class RayValidator : public testing::Test {
 protected:
  void SetUp() override {
    Terrain ground = rough({11, 13, {-6.0, -5.0}, {1.0, 1.0}}, 0.3, 1);
    ground.material.assign(120, 0);
    for (std::size_t c = 0; c < 120; ++c) ground.material[c] = static_cast<std::uint8_t>(c);
    scene_ = TestScene(ground);
    scene_.scene.compounds = {{{Shape::sphere, {0.5, 0, 0}, {1, 0, 0}}, {Shape::box, {0.5, 0.5, 0.5}, {-1, 0, 0}}}};
    scene_.scene.meshes = {ball_mesh(0.9, 4)};
    scene_.scene.meshes[0].material.assign(scene_.scene.meshes[0].triangles.size(), 7);
    scene_.add(sphere(1.0, {0.0, 0.0, 3.0}));
    scene_.add(box({1.0, 1.0, 0.5}, {3.0, 0.0, 2.0}));
    scene_.add({Shape::compound, {}, {-3.0, 0.0, 3.0}});
    scene_.add({Shape::triangle_mesh, {}, {0.0, 3.0, 3.0}});
    add({0.1, 0.2, 9.0}, {0, 0, -1});      // kSphere
    add({3.1, 0.2, 9.0}, {0, 0, -1});      // kBox
    add({-3.9, 0.2, 9.0}, {0, 0, -1});     // kPart
    add({0.1, 3.1, 9.0}, {0, 0, -1});      // kMesh
    add({-4.9, 3.3, 9.0}, {0, 0, -1});     // kGround
    add({-4.9, 3.3, 9.0}, {0, 0, 1});      // kMiss
    add({0.1, 0.2, 3.1}, {0, 0, 1});       // kInside
    add({1.00005, 0.0, 9.0}, {0, 0, -1});  // kBeside: passes the sphere by less than the tolerance
    add({0.99995, 0.0, 9.0}, {0, 0, -1});  // kGraze
    Collider& collider = collider_on("reference");
    collider.set_scene(scene_.scene);
    hits_ = collider.cast(scene_.poses(), rays()).hits;
  }
  enum { kSphere, kBox, kPart, kMesh, kGround, kMiss, kInside, kBeside, kGraze, kRays };

  void add(dvec3 from, dvec3 way) {
    for (int a = 0; a < 3; ++a) origin_.push_back(from[a]), direction_.push_back(way[a]);
  }
  [[nodiscard]] Rays rays() const { return {origin_, direction_, {}, {}, {}}; }
  [[nodiscard]] RayReport report(const std::vector<Hit>& hits) const {
    Validator validator(scene_.scene, 0.0);
    validator.add_cast(scene_.poses(), rays(), hits);
    return validator.ray_report();
  }
  /// Of these hits, but for one.
  template <class Damage>
  [[nodiscard]] RayReport with(std::size_t ray, const Damage& damage) const {
    std::vector<Hit> hits = hits_;
    damage(hits[ray]);
    return report(hits);
  }

  TestScene scene_;
  std::vector<double> origin_, direction_;
  std::vector<Hit> hits_;
};

Hit miss() {
  Hit hit;
  hit.distance = std::numeric_limits<double>::infinity();
  return hit;
}

// Along the rays that look down.
void move(Hit& hit, double distance) {
  hit.distance += distance;
  hit.point[2] -= distance;
}

TEST_F(RayValidator, TheReferencePassesItself) {
  const RayReport r = report(hits_);
  EXPECT_TRUE(r.holds()) << (r.examples.empty() ? "" : r.examples[0]);
  EXPECT_EQ(r.rays, static_cast<std::uint64_t>(kRays));
  EXPECT_EQ(r.casts, 1U);
  EXPECT_EQ(r.hits_device, 8U);
  EXPECT_EQ(r.hits_reference, 8U);
  EXPECT_EQ(r.silhouettes + r.other_bodies, 0U);
  EXPECT_EQ(r.largest_distance_error, 0.0);
  EXPECT_LT(r.largest_normal_error, 1e-6);
  // What the rays are named after.
  const std::vector<std::uint32_t> bodies = {0, 1, 2, 3, kTerrain, kNothing, 0, kTerrain, 0};
  for (std::size_t i = 0; i < kRays; ++i) EXPECT_EQ(hits_[i].body, bodies[i]) << i;
}

TEST_F(RayValidator, DistancesMayBeOffByTheTolerance) {
  for (const std::size_t ray : {kSphere, kBox, kPart, kMesh, kGround})
    for (const double off : {-9e-5, 9e-5}) {
      const RayReport r = with(ray, [&](Hit& hit) { move(hit, off); });
      EXPECT_TRUE(r.holds()) << ray << (r.examples.empty() ? "" : r.examples[0]);
      EXPECT_NEAR(r.largest_distance_error, 9e-5, 1e-9);
    }
  for (const std::size_t ray : {kSphere, kBox, kPart, kMesh, kGround})
    for (const double off : {-2e-4, 2e-4, 1.0}) {
      const RayReport r = with(ray, [&](Hit& hit) { move(hit, off); });
      EXPECT_EQ(r.wrong_hits, 1U) << ray << " " << off;
      EXPECT_FALSE(r.holds());
      EXPECT_EQ(r.examples.size(), 1U);
    }
}

TEST_F(RayValidator, MissesAndHitsThatAreNotThere) {
  for (const std::size_t ray : {kSphere, kBox, kPart, kMesh, kGround, kInside}) {
    const RayReport r = with(ray, [](Hit& hit) { hit = miss(); });
    EXPECT_EQ(r.only_reference, 1U) << ray;
    EXPECT_FALSE(r.holds());
  }
  const RayReport r = with(kMiss, [](Hit& hit) {
    hit.body = 0, hit.distance = 5.0, hit.normal = {0, 0, -1}, hit.point = {-4.9, 3.3, 14.0};
  });
  EXPECT_EQ(r.only_device, 1U);
  EXPECT_FALSE(r.holds());
  // The ground behind the sphere, and the ball itself instead of its beginning within.
  EXPECT_EQ(with(kSphere,
                 [&](Hit& hit) {
                   hit.body = kTerrain, hit.distance = 9.0, hit.point = {0.1, 0.2, 0.0}, hit.element = 2 * (5 * 12 + 6);
                   hit.material = 5 * 12 + 6;
                 })
                .wrong_hits,
            1U);
  EXPECT_EQ(with(kInside, [](Hit& hit) { hit = miss(); }).only_reference, 1U);
}

TEST_F(RayValidator, NamesThatAreWrong) {
  const auto wrong = [&](std::size_t ray, const auto& damage) { return with(ray, damage).wrong_hits; };
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.body = 1; }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.body = 4; }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.shape = 1; }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.element = 0; }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.material = 1; }), 1U);
  EXPECT_EQ(wrong(kPart, [](Hit& hit) { hit.shape = 0; }), 1U);
  EXPECT_EQ(wrong(kPart, [](Hit& hit) { hit.shape = 2; }), 1U);
  EXPECT_EQ(wrong(kMesh, [](Hit& hit) { hit.element += 1; }), 1U);
  EXPECT_EQ(wrong(kMesh, [](Hit& hit) { hit.element = 100000; }), 1U);
  EXPECT_EQ(wrong(kMesh, [](Hit& hit) { hit.element = kNone, hit.material = 0; }), 1U);
  EXPECT_EQ(wrong(kMesh, [](Hit& hit) { hit.material = 0; }), 1U);
  EXPECT_EQ(wrong(kGround, [](Hit& hit) { hit.element ^= 1U; }), 1U);
  EXPECT_EQ(wrong(kGround, [](Hit& hit) { hit.element += 2, ++hit.material; }), 1U);
  EXPECT_EQ(wrong(kGround, [](Hit& hit) { hit.element = kNone; }), 1U);
  EXPECT_EQ(wrong(kGround, [](Hit& hit) { ++hit.material; }), 1U);
  EXPECT_EQ(wrong(kMiss, [](Hit& hit) { hit.distance = 0.0; }), 1U);
  EXPECT_EQ(wrong(kMiss, [](Hit& hit) { hit.element = 0; }), 1U);
  EXPECT_EQ(wrong(kMiss, [](Hit& hit) { hit.normal[2] = 1.0F; }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.point[0] += 1e-3; }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.distance = -1.0; }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.distance = std::nan(""); }), 1U);
  EXPECT_EQ(wrong(kSphere, [](Hit& hit) { hit.normal[2] *= 1.01F; }), 1U);
  EXPECT_EQ(wrong(kSphere,
                  [](Hit& hit) {
                    for (float& x : hit.normal) x = -x;
                  }),
            1U);
}

TEST_F(RayValidator, NormalsThatAreWrong) {
  for (const std::size_t ray : {kSphere, kBox, kPart, kMesh, kGround, kInside}) {
    const RayReport r = with(ray, [](Hit& hit) {
      const dvec3 n = glm::normalize(dvec3(hit.normal[0] + 0.02, hit.normal[1], hit.normal[2]));
      hit.normal = {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)};
    });
    EXPECT_EQ(r.wrong_normals, 1U) << ray;
    EXPECT_GT(r.largest_normal_error, 0.01);
    EXPECT_FALSE(r.holds());
  }
}

TEST_F(RayValidator, BesideASilhouetteEitherAnswerIsRight) {
  // As if the sphere were a tenth of a millimetre larger, or smaller.
  const RayReport larger = with(kBeside, [&](Hit& hit) { hit = hits_[kGraze], hit.point[0] = 1.00005; });
  EXPECT_TRUE(larger.holds()) << (larger.examples.empty() ? "" : larger.examples[0]);
  EXPECT_EQ(larger.silhouettes, 1U);
  const RayReport smaller = with(kGraze, [&](Hit& hit) { hit = hits_[kBeside], hit.point[0] = 0.99995; });
  EXPECT_TRUE(smaller.holds()) << (smaller.examples.empty() ? "" : smaller.examples[0]);
  EXPECT_EQ(smaller.silhouettes, 1U);
  // But not a miss of all, and no hit elsewhere.
  EXPECT_EQ(with(kGraze, [](Hit& hit) { hit = miss(); }).only_reference, 1U);
  EXPECT_EQ(with(kGraze, [](Hit& hit) { move(hit, 1.0); }).wrong_hits, 1U);
}

// At an end of its length within the tolerance of a surface, and a begin just under it.
TEST_F(RayValidator, EndsAndBeginningsBesideASurface) {
  const TestScene scene({box({1, 1, 1}, {0, 0, 0})});
  const std::vector<double> origin = {0.1, 0.2, 3.0, 0.1, 0.2, 3.0, 0.1, 0.2, 0.99995, 0.1, 0.2, 0.999},
                            direction = {0, 0, -1, 0, 0, -1, 0, 0, 1, 0, 0, 1}, length = {2.00005, 2.001, 9.0, 9.0};
  Validator validator(scene.scene, 0.0);
  validator.add_cast(scene.poses(), {origin, direction, length, {}, {}}, std::vector<Hit>(4, miss()));
  EXPECT_EQ(validator.ray_report().silhouettes, 2U);
  EXPECT_EQ(validator.ray_report().only_reference, 2U);
  EXPECT_EQ(validator.ray_report().hits_reference, 4U);
}

TEST_F(RayValidator, OfTwoAtOneDistanceEitherPasses) {
  const TestScene scene({box({1, 1, 1}, {0, 0, 0}), box({1, 1, 1}, {0, 0, 0})});
  const std::vector<double> origin = {0.1, 0.2, 3.0}, direction = {0, 0, -1};
  Hit hit;
  hit.body = 1, hit.distance = 2.0, hit.normal = {0, 0, 1}, hit.point = {0.1, 0.2, 1.0};
  Validator validator(scene.scene, 0.0);
  validator.add_cast(scene.poses(), {origin, direction, {}, {}, {}}, {&hit, 1});
  EXPECT_TRUE(validator.ray_report().holds());
  EXPECT_EQ(validator.ray_report().other_bodies, 1U);
}

TEST_F(RayValidator, BadCallsAreRefused) {
  const auto refusal = [&](const Rays& of, std::span<const Hit> hits) -> std::string {
    Validator validator(scene_.scene, 0.0);
    try {
      validator.add_cast(scene_.poses(), of, hits);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(rays(), {hits_.data(), 3}), "hits has 3 entries for 9 rays");
  Rays bad = rays();
  bad.direction = bad.direction.first(3);
  EXPECT_EQ(refusal(bad, hits_), "rays/direction has 3 numbers for 9 rays");
}

}  // namespace
}  // namespace oclide::test
