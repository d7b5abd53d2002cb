// Pairs with convex hulls: what must hold for contacts of boxes and hulls, in double, from the hulls' vertices alone.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "hulls/point_clouds.hpp"
#include "hulls/scene_hulls.hpp"
#include "narrow_phase/pair_geometry.hpp"
#include "reference/narrow_phase/hull_penetration.hpp"

namespace oclide::test {

/// The hulls of these points, in this order.
inline Hulls hulls_of(const std::vector<Points>& points) {
  Scene scene;
  scene.hulls = points;
  return *build_hulls(scene);
}
inline Points box_points(dvec3 half_extents) {
  return grid_on_box(half_extents, 2);
}

inline BodySpec hull(std::size_t index, dvec3 position, dquat orientation = kUpright) {
  return {Shape::convex_hull, {static_cast<double>(index), 0.0, 0.0}, position, orientation};
}

/// A box or a hull as a solid about its position.
inline reference::TurnedHull solid_of(const BodySpec& body, const Hulls& hulls) {
  const dmat3 axes = glm::mat3_cast(glm::normalize(body.orientation));
  if (body.shape == Shape::convex_hull) return reference::turned_hull(hulls.at(static_cast<std::size_t>(body.size[0])), axes);
  return reference::turned_hull(build_convex_hull(box_points({body.size[0], body.size[1], body.size[2]}), "box"), axes);
}

/// The greatest height of a point over the planes of the faces [m].
inline double height_over(const reference::TurnedHull& solid, dvec3 p) {
  double height = -1e300;
  for (const auto& face : solid.faces)
    for (const dvec3& corner : face.corners) height = std::max(height, glm::dot(face.normal, p - corner));
  return height;
}

/// As holds() of pair_geometry.hpp, of boxes and hulls. `exact`: of the whole pair, by the reference.
inline testing::AssertionResult hulls_hold(const BodyPair& pair, const Hulls& hulls, const std::vector<Contact>& found,
                                           double margin, double tolerance, double* depth = nullptr) {
  const reference::TurnedHull a = solid_of(pair.first, hulls), b = solid_of(pair.second, hulls);
  const dvec3 c = pair.second.position - pair.first.position;
  const double least = reference::hull_hull(a, b, c, 1e9).value().depth;
  if (depth != nullptr) *depth = least;
  const auto fail = [&](const std::string& what) {
    auto f = testing::AssertionFailure() << what << "; least overlap " << least << ", contacts:\n" << text(found);
    if (getenv("HULL_DEBUG")) {
      const dvec3 t = reference::hull_hull(a, b, c, 1e9).value().normal, n = normal_of(found.front());
      f << "\nangle " << glm::length(glm::cross(t, n)) << " f(n) " << reference::hull_overlap_along(a, b, c, glm::normalize(n)) << "\n";
      for (auto* s : {&a, &b}) { const dvec3 d = s == &a ? -t : t; const double h = s->reach(d);
        for (const dvec3& v : s->vertices)
          f << " " << h - glm::dot(v, d) << "/" << s->reach(s == &a ? -n : n) - glm::dot(v, s == &a ? -n : n);
        f << "\n"; }
    }
    return f;
  };
  if (found.empty()) {
    if (least > -margin + tolerance) return fail("an overlap not reported");
    return testing::AssertionSuccess();
  }
  if (least < -margin - tolerance) return fail("bodies apart reported");
  if (found.size() > 4) return fail("more than four contacts");
  const dvec3 n = normal_of(found.front());
  if (!(std::abs(glm::length(n) - 1.0) < 1e-6)) return fail("normal not unit");
  const double share = 0.005 * std::abs(least);
  const double along = reference::hull_overlap_along(a, b, c, glm::normalize(n));
  if (along > least + std::max(tolerance, 5e-5) + share) return fail("not a normal of least overlap: " + std::to_string(along));
  if (!(std::abs(static_cast<double>(found.front().depth) - least) < tolerance + share)) return fail("depth");
  for (const Contact& contact : found) {
    const double d = contact.depth;
    if (normal_of(contact) != n) return fail("two normals");
    if (!(d > -margin)) return fail("not deeper than -margin");
    if (contact.depth > found.front().depth) return fail("the deepest is not the first");
    const dvec3 p = point_of(contact) - pair.first.position, q = p + n * d - c;
    if (!(std::abs(height_over(a, p)) < tolerance)) return fail("P not on A by " + std::to_string(height_over(a, p)) + ": " + text(contact));
    if (!(std::abs(height_over(b, q)) < tolerance)) return fail("Q not on B by " + std::to_string(height_over(b, q)) + ": " + text(contact));
    for (const double beyond : {0.01, 0.1, 1.0, 10.0}) {
      if (height_over(a, p - n * beyond) < -tolerance) return fail("A begins before P: " + text(contact));
      if (height_over(b, q + n * beyond) < -tolerance) return fail("B ends beyond Q: " + text(contact));
    }
    for (const Contact& other : found)
      if (&other != &contact && other.feature == contact.feature) return fail("two contacts of one feature");
  }
  return testing::AssertionSuccess();
}

/// On the OpenCL device.
inline std::vector<std::vector<Contact>> contacts_of_hulls(const std::vector<BodyPair>& pairs, const Hulls& hulls,
                                                           double margin = 0.0) {
  return run_pairs(0, pair_stem(pairs.front().first.shape, pairs.front().second.shape), pairs, margin, hulls);
}

/// `count` poses of two bodies from deep inside each other to a little apart: random, or a face of one against a face
/// of the other.
inline std::vector<BodyPair> random_hull_pairs(const BodySpec& first, const BodySpec& second, const Hulls& hulls,
                                               std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  constexpr std::array kShares{0.0, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 1.001, 1.02};
  constexpr std::array kTilts{0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.05};
  std::vector<BodyPair> pairs;
  while (pairs.size() < count) {
    const std::size_t k = pairs.size();
    BodyPair pair{first, second};
    pair.first.orientation = random_orientation(random);
    pair.second.orientation = random_orientation(random);
    dvec3 n = random_orientation(random) * dvec3(0, 0, 1);
    if (k % 2 == 0) {
      // A face of each against each other, but for a small tilt.
      const auto a = solid_of(pair.first, hulls), b = solid_of(pair.second, hulls);
      const dvec3 of_a = a.faces[random() % a.faces.size()].normal, of_b = -b.faces[random() % b.faces.size()].normal;
      const dvec3 across = glm::cross(of_b, of_a);
      const double angle = std::atan2(glm::length(across), glm::dot(of_b, of_a));
      if (glm::length(across) > 1e-9) pair.second.orientation = turn(across, angle) * pair.second.orientation;
      const dvec3 aside{unit(random) - 0.5, unit(random) - 0.5, unit(random) - 0.5};
      pair.second.orientation = glm::normalize(turn(aside, kTilts[k / 2 % 6]) * pair.second.orientation);
      if (k % 4 == 0) n = -of_a;
    }
    const auto a = solid_of(pair.first, hulls), b = solid_of(pair.second, hulls);
    const double size = a.reach(-n) + b.reach(n);
    pair.first.position = dvec3(unit(random), unit(random), unit(random)) * 100.0;
    pair.second.position = pair.first.position - n * (size * kShares[k / 3 % kShares.size()]);
    const dvec3 aside = glm::cross(n, random_orientation(random) * dvec3(0, 0, 1));
    if (k % 7 > 1) pair.second.position += aside * ((a.reach(-aside) + b.reach(aside)) * unit(random));
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace oclide::test
