// Rays at convex bodies and half spaces. A ray that is aimed at a point of the surface from outside is at that point
// first, for the body is convex: so distance and normal are known.
#include <cmath>
#include <numbers>

#include "rays/cast.hpp"

namespace oclide::test {
namespace {

class ConvexRay : public RayTest {};
OCLIDE_ON_EACH_DEVICE(ConvexRay);

// In the body's axes.
struct SurfacePoint {
  dvec3 position, normal;
};

SurfacePoint on_surface(const BodySpec& body, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const double r = body.size[0], h = body.size[1], angle = std::numbers::pi * unit(random), along = unit(random);
  const dvec3 round(std::cos(angle), std::sin(angle), 0.0);
  const double end = random() % 2 == 0 ? 1.0 : -1.0;
  switch (body.shape) {
    case Shape::sphere: {
      const dvec3 n = random_way(random);
      return {r * n, n};
    }
    case Shape::cylinder:
      if (random() % 2 == 0) return {r * round + dvec3(0.0, 0.0, h * along), round};
      return {r * std::sqrt(std::abs(along)) * round + dvec3(0.0, 0.0, end * h), {0.0, 0.0, end}};
    case Shape::capsule: {
      if (random() % 2 == 0) return {r * round + dvec3(0.0, 0.0, h * along), round};
      dvec3 n = random_way(random);
      n.z = end * std::abs(n.z);
      return {r * n + dvec3(0.0, 0.0, end * h), n};
    }
    case Shape::half_space:
      return {dvec3(30.0 * unit(random), 30.0 * unit(random), 0.0), {0.0, 0.0, 1.0}};
    default: {  // a box, or the hull of one
      const int axis = static_cast<int>(random() % 3);
      const dvec3 half = body.hull != nullptr ? body.hull->upper : dvec3(r, h, body.size[2]);
      dvec3 p(unit(random), unit(random), unit(random)), n(0.0);
      p[axis] = n[axis] = end;
      return {p * half, n};
    }
  }
}

ConvexHull hull_of_box(dvec3 half) {
  std::vector<std::array<double, 3>> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back({(k & 1 ? 1 : -1) * half.x, (k & 2 ? 1 : -1) * half.y, (k & 4 ? 1 : -1) * half.z});
  return build_convex_hull(corners, "box");
}

// Of about this size, with numbers that are floats.
std::vector<BodySpec> one_of_each(double size, dvec3 position, dquat turned, const ConvexHull& hull) {
  return {sphere(size, position),
          box({size, 0.5 * size, 0.25 * size}, position, turned),
          cylinder(0.5 * size, size, position, turned),
          capsule(0.25 * size, 0.5 * size, position, turned),
          convex_hull(hull, position, turned),
          half_space(position, turned)};
}

TestScene scene_of(const BodySpec& body) {
  TestScene scene({body});
  if (body.hull != nullptr) {
    scene.scene.hulls.emplace_back();
    for (const glm::vec3& v : body.hull->vertices) scene.scene.hulls[0].push_back({v.x, v.y, v.z});
  }
  return scene;
}

// A way in through a surface, not too flat.
dvec3 random_way_in(dvec3 normal, std::mt19937_64& random) {
  for (;;)
    if (const dvec3 way = random_way(random); glm::dot(way, normal) < -0.2) return way;
}

TEST_P(ConvexRay, HitsWhereItIsAimedAt) {
  std::mt19937_64 random(1);
  const std::array<dvec3, 3> places = {dvec3(0.0), dvec3(8000.25, -6000.5, 700.125), dvec3(-1e6, 2e5, 1e5)};
  const std::array<double, 4> distances = {0.01, 1.0, 300.0, 9000.0};
  for (const double size : {0.0625, 1.0, 25.0})
    for (const dvec3 place : places) {
      const ConvexHull hull = hull_of_box({size, 0.5 * size, 0.25 * size});
      for (const BodySpec& body : one_of_each(size, place, random_orientation(random), hull)) {
        const dquat q = glm::normalize(body.orientation);
        RayList rays;
        std::vector<SurfacePoint> aims;
        std::vector<double> expected;
        for (int k = 0; k < 40; ++k) {
          const SurfacePoint p = on_surface(body, random);
          const dvec3 n = q * p.normal, way = random_way_in(n, random), at = q * p.position + body.position;
          const double t = distances[static_cast<std::size_t>(k) % 4];
          for (const double length : {kForever, t * 1.001 + 1e-3, std::max(t * 0.999 - 1e-3, 0.0)}) {
            rays.add(at - t * way, (0.1 + k) * way, length);
            aims.push_back({at, n}), expected.push_back(length >= t ? t : kForever);
          }
          rays.add(at - t * way, -way);  // the body is behind
          aims.push_back({at, n}), expected.push_back(kForever);
        }
        const std::vector<Hit> hits = cast(scene_of(body), rays);
        ASSERT_EQ(hits.size(), aims.size());
        const double far = glm::length(place) + size;
        for (std::size_t k = 0; k < hits.size(); ++k) {
          if (expected[k] == kForever) {
            EXPECT_TRUE(is_miss(hits[k])) << to_string(body.shape) << " " << size;
          } else {
            EXPECT_TRUE(is_hit(hits[k], 0, expected[k], aims[k].normal, far)) << to_string(body.shape) << " " << size;
            EXPECT_LE(glm::distance(point_of(hits[k]), aims[k].position), tolerance(far).of(expected[k]));
            EXPECT_TRUE(hits[k].element == kNone && hits[k].material == 0 && hits[k].shape == 0);
          }
        }
      }
    }
}

// Nearly along the surface of large bodies, but at least 2e-4 m deep. An orientation in floats moves what is `size`
// from a body's position by some 5e-8 * size, which a ray at an angle to the surface sees as that by the angle: so much
// is left to the contract.
TEST_P(ConvexRay, GrazesLargeBodiesWhereItIsAimedAt) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const std::array<dvec3, 2> places = {dvec3(3.3, -2.2, 1.1), dvec3(8000.3, -6000.7, 700.1)};
  for (const double size : {15.3, 25.0, 50.0})
    for (const dvec3 place : places) {
      const ConvexHull hull = hull_of_box({size, 0.5 * size, 0.25 * size});
      for (const BodySpec& body : one_of_each(size, place, random_orientation(random), hull)) {
        if (body.shape == Shape::half_space) continue;
        const dquat q = glm::normalize(body.orientation);
        RayList rays;
        std::vector<double> expected;
        std::vector<dvec3> normals;
        for (int k = 0; k < 400; ++k) {
          const SurfacePoint p = on_surface(body, random);
          const double deep = std::sqrt(4e-4 / (0.25 * size));
          const double least = body.shape == Shape::sphere ? deep : std::max(deep, 7e-4 * size);
          const double angle = least + 0.05 * unit(random) * unit(random);
          const dvec3 n = q * p.normal, along = glm::normalize(glm::cross(n, random_way(random)));
          const dvec3 way = std::cos(angle) * along - std::sin(angle) * n;
          expected.push_back(0.1 + 300.0 * unit(random) * unit(random));
          normals.push_back(n);
          rays.add(q * p.position + body.position - expected.back() * way, way);
        }
        const std::vector<Hit> hits = cast(scene_of(body), rays);
        for (std::size_t k = 0; k < hits.size(); ++k)
          EXPECT_TRUE(is_hit(hits[k], 0, expected[k], normals[k], glm::length(place))) << to_string(body.shape) << size;
      }
    }
}

TEST_P(ConvexRay, FromWithinIsAtDistanceZeroWithTheReversedDirection) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> part(0.0, 0.98);
  const ConvexHull hull = hull_of_box({1.0, 0.5, 0.25});
  for (const BodySpec& body : one_of_each(1.0, {100.5, -3000.25, 7.0}, random_orientation(random), hull)) {
    RayList rays;
    for (int k = 0; k < 40; ++k) {
      const SurfacePoint p = on_surface(body, random);
      dvec3 inside = part(random) * p.position;
      if (body.shape == Shape::half_space) inside = p.position - dvec3(0.0, 0.0, 0.01 + 100.0 * part(random));
      rays.add(glm::normalize(body.orientation) * inside + body.position, random_way(random),
               k % 2 == 0 ? kForever : 0.0);
    }
    const std::vector<Hit> hits = cast(scene_of(body), rays);
    for (std::size_t k = 0; k < hits.size(); ++k)
      EXPECT_TRUE(is_hit(hits[k], 0, 0.0, -rays.way_of(k))) << to_string(body.shape);
  }
}

// Numbers that are exact in float and double.
TEST_P(ConvexRay, OnTheSurfaceIsInTheBodyWhereverItGoes) {
  const ConvexHull hull = hull_of_box({1.0, 0.5, 0.25});
  const std::array<std::array<dvec3, 2>, 6> at = {{{dvec3(1, 0, 0), dvec3(0, 0, -1)},
                                                   {dvec3(1, 0.25, 0.125), dvec3(0.5, 0.5, 0.25)},
                                                   {dvec3(0.5, 0, 0), dvec3(0.25, 0, 1)},
                                                   {dvec3(0.25, 0, 0), dvec3(0, 0, 0.75)},
                                                   {dvec3(1, 0.25, 0.125), dvec3(0, 0.5, 0)},
                                                   {dvec3(5, 3, 0), dvec3(0, 0, 0)}}};
  const std::vector<BodySpec> bodies = one_of_each(1.0, {16.0, -32.0, 8.0}, kUpright, hull);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    RayList rays;
    for (const dvec3 p : at[k])
      for (const dvec3 way : {dvec3(1, 0, 0), dvec3(-1, 0, 0), dvec3(0, 0, 1), dvec3(0, 0, -1)})
        rays.add(bodies[k].position + p, way);
    const std::vector<Hit> hits = cast(scene_of(bodies[k]), rays);
    for (std::size_t i = 0; i < hits.size(); ++i)
      EXPECT_TRUE(is_hit(hits[i], 0, 0.0, -rays.way_of(i))) << to_string(bodies[k].shape) << i;
  }
}

TEST_P(ConvexRay, RaysAlongTheAxesOfABoxHitItsFaces) {
  const TestScene scene({box({1.0, 2.0, 3.0}, {10.0, 20.0, 30.0})});
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      dvec3 n(0.0), aside(0.0);
      n[axis] = side, aside[(axis + 1) % 3] = 0.4, aside[(axis + 2) % 3] = -0.7;
      const dvec3 from = dvec3(10.0, 20.0, 30.0) + 8.0 * n + aside;
      const double distance = 8.0 - (axis + 1.0);
      EXPECT_TRUE(is_hit(cast(scene, from, -n), 0, distance, n));
      EXPECT_TRUE(is_hit(cast(scene, from, -n, distance), 0, distance, n));  // it ends on the face
      EXPECT_TRUE(is_miss(cast(scene, from, -n, distance - 2e-4)));
      EXPECT_TRUE(is_miss(cast(scene, from + 4.0 * dvec3(n.y, n.z, n.x), -n)));
      EXPECT_TRUE(is_miss(cast(scene, from, n)));
    }
}

TEST_P(ConvexRay, RaysAlongTheAxisOfARoundBodyHitItsEnds) {
  const dvec3 c(-4.0, 2.0, 1.0);
  const TestScene rod({cylinder(0.5, 2.0, c)}), pill({capsule(0.5, 2.0, c)});
  for (const double x : {0.0, 0.25, 0.4995, 0.5005, 3.0}) {
    const dvec3 from = c + dvec3(x, 0.0, 9.0), down(0.0, 0.0, -1.0);
    if (x < 0.5) {
      EXPECT_TRUE(is_hit(cast(rod, from, down), 0, 7.0, {0, 0, 1}));
      const double z = std::sqrt(0.25 - x * x);
      EXPECT_TRUE(is_hit(cast(pill, from, down), 0, 7.0 - z, dvec3(x, 0.0, z) / 0.5));
    } else {
      EXPECT_TRUE(is_miss(cast(rod, from, down)));
      EXPECT_TRUE(is_miss(cast(pill, from, down)));
    }
  }
  // Nearly along it: in at the top, or at the side.
  for (const double slope : {1e-12, 1e-7, 1e-4}) {
    EXPECT_TRUE(
        is_hit(cast(rod, c + dvec3(0.25, 0.0, 9.0), {slope, 0.0, -1.0}), 0, 7.0 * std::hypot(1.0, slope), {0, 0, 1}))
        << slope;
    EXPECT_TRUE(is_miss(cast(rod, c + dvec3(0.51, 0.0, 9.0), {slope, 0.0, -1.0}))) << slope;
  }
}

// Beside the silhouette of a ball, by twice the tolerance and more.
TEST_P(ConvexRay, GrazesABallOrPassesIt) {
  std::mt19937_64 random(3);
  for (const dvec3 c : {dvec3(0.0), dvec3(7000.5, 7000.25, 80.0)})
    for (const double radius : {0.0625, 1.0}) {
      const TestScene scene({sphere(radius, c)});
      for (int k = 0; k < 10; ++k) {
        const dvec3 way = random_way(random), side = glm::normalize(glm::cross(way, random_way(random)));
        for (const double t : {2.0, 500.0, 8000.0})
          for (const double off : {-0.01 * radius, -2e-4, 2e-4, 0.01 * radius}) {
            if (off == 0.01 * radius && radius < 1.0) continue;
            const double from_centre = radius + off;
            const Hit hit = cast(scene, c + from_centre * side - t * way, way);
            if (off > 0.0) {
              EXPECT_TRUE(is_miss(hit)) << off;
              continue;
            }
            const double half = std::sqrt((radius - from_centre) * (radius + from_centre));
            // The tolerance of the reference is that of doubles aside, and what that is along the ray.
            EXPECT_NEAR(hit.distance, t - half, tolerance(1e4).of(t) * (GetParam() == "opencl" ? 1.0 : radius / half))
                << radius << " " << off;
          }
      }
    }
}

// As close as doubles can tell.
TEST(ReferenceRay, GrazesLargeBodiesWithinANanometre) {
  Collider& collider = collider_on("reference");
  const dvec3 c(8000.0, -6000.0, 100.0);
  for (const auto& [body, radius] : {std::pair(sphere(25.0, c), 25.0), std::pair(cylinder(25.0, 20.0, c), 25.0),
                                     std::pair(capsule(20.0, 5.0, c), 20.0), std::pair(box({25, 25, 25}, c), 25.0)}) {
    const TestScene scene({body});
    collider.set_scene(scene.scene);
    for (const double off : {-1e-9, 1e-9}) {
      RayList rays;
      rays.add(c + dvec3(-1000.0, radius + off, 1.0), {1.0, 0.0, 0.0});
      if (body.shape == Shape::sphere) rays.origin[2] = c.z;
      const Hit hit = collider.cast(scene.poses(), rays.rays()).hits[0];
      EXPECT_EQ(hit.body, off < 0.0 ? 0U : kNothing) << to_string(body.shape) << off;
    }
  }
}

TEST_P(ConvexRay, AHalfSpaceHasNoBounds) {
  const TestScene scene({half_space({3.0, 4.0, 5.0})});
  EXPECT_TRUE(is_hit(cast(scene, {1000.0, -9000.0, 105.0}, {0, 0, -1}), 0, 100.0, {0, 0, 1}));
  EXPECT_TRUE(is_hit(cast(scene, {0.0, 0.0, 6.0}, {1.0, 0.0, -1e-3}), 0, std::hypot(1000.0, 1.0), {0, 0, 1}));
  EXPECT_TRUE(is_miss(cast(scene, {0.0, 0.0, 6.0}, {1.0, 0.0, 0.0})));
  EXPECT_TRUE(is_miss(cast(scene, {0.0, 0.0, 6.0}, {1.0, 0.0, 1e-3})));
  EXPECT_TRUE(is_hit(cast(scene, {0.0, 0.0, -1e5}, {0, 0, 1}), 0, 0.0, {0, 0, -1}));
  // A plane at a slope, far from where it stands.
  const dvec3 n = glm::normalize(dvec3(0.25, -0.5, 1.0));
  const TestScene slope({half_space({0.0, 0.0, 1.0}, turn(glm::cross(dvec3(0, 0, 1), n), std::acos(n.z)))});
  const dvec3 at(4000.0, 2000.0, 1.0 + (-0.25 * 4000.0 + 0.5 * 2000.0));
  EXPECT_TRUE(is_hit(cast(slope, at + dvec3(0.0, 0.0, 30.0), {0, 0, -1}), 0, 30.0, n, 1e5));
}

TEST_P(ConvexRay, OfBodiesInLineTheFirstIsHit) {
  TestScene scene({sphere(1.0, {30, 0, 0}), box({1, 1, 1}, {10, 0, 0}), capsule(1.0, 1.0, {20, 0, 0})});
  for (int k = 0; k < 40; ++k) scene.add(sphere(0.5, {5.0 * k, 3.0, 0.0}));
  EXPECT_TRUE(is_hit(cast(scene, {0, 0, 0}, {1, 0, 0}), 1, 9.0, {-1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {15, 0, 0}, {1, 0, 0}), 2, 4.0, {-1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {15, 0, 0}, {-1, 0, 0}), 1, 4.0, {1, 0, 0}));
  EXPECT_TRUE(is_hit(cast(scene, {40, 0, 0}, {-1, 0, 0}), 0, 9.0, {1, 0, 0}));
  EXPECT_TRUE(is_miss(cast(scene, {40, 0, 0}, {1, 0, 0})));
}

}  // namespace
}  // namespace oclide::test
