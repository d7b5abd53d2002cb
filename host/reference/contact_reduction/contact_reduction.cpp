#include "reference/contact_reduction/contact_reduction.hpp"

#include <algorithm>
#include <cmath>

namespace oclide::reference {
namespace {

constexpr double kSameNormal = 1.4e-3;  // contacts of one manifold differ by no more [rad]
constexpr double kSamePoint = 1e-5;     // nearer points are one [m]
constexpr double kSameLine = 1e-4;      // points nearer to a segment lie on it [m]

bool deeper(const GroundContact& a, const GroundContact& b) {
  return a.depth != b.depth ? a.depth > b.depth : a.feature < b.feature;
}

double angle(dvec3 a, dvec3 b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

// At most four points of contacts that share a normal, sorted by depth.
template <typename AnyContact>
std::vector<AnyContact> choose_points(const std::vector<AnyContact>& sorted) {
  std::vector<AnyContact> points;
  for (const AnyContact& c : sorted)
    if (std::none_of(points.begin(), points.end(),
                     [&](const AnyContact& p) { return glm::distance(p.point, c.point) < kSamePoint; }))
      points.push_back(c);

  const dvec3 n = points.front().normal;
  auto across = [&](dvec3 d) { return d - glm::dot(d, n) * n; };
  // Takes the point with the largest value; the first, which is the deepest, where values are equal.
  std::vector<AnyContact> chosen{points.front()};
  points.erase(points.begin());
  auto take_largest = [&](auto&& value) {
    const auto best = std::max_element(points.begin(), points.end(),
                                       [&](const auto& a, const auto& b) { return value(a.point) < value(b.point); });
    chosen.push_back(*best);
    points.erase(best);
  };
  const bool few = points.size() <= 3;
  if (points.empty()) return chosen;
  const dvec3 a = chosen[0].point;
  take_largest([&](dvec3 p) { return glm::length(across(p - a)); });
  if (points.empty()) return chosen;

  const dvec3 b = chosen[1].point, ab = across(b - a);
  auto from_segment = [&](dvec3 p) {
    const dvec3 ap = across(p - a);
    const double t = std::clamp(glm::dot(ap, ab) / std::max(glm::dot(ab, ab), 1e-300), 0.0, 1.0);
    return glm::length(ap - t * ab);
  };
  auto from_line = [&](dvec3 p) {
    const dvec3 ap = across(p - a);
    return glm::length(ap - glm::dot(ap, ab) / std::max(glm::dot(ab, ab), 1e-300) * ab);
  };
  // All on one line: the end that is left, unless the deepest is it.
  if (!few &&
      std::all_of(points.begin(), points.end(), [&](const auto& p) { return from_line(p.point) <= kSameLine; })) {
    take_largest([&](dvec3 p) { return glm::length(across(p - b)); });
    if (glm::length(across(chosen[2].point - b)) <= glm::length(ab)) chosen.pop_back();
    return chosen;
  }
  take_largest(from_segment);
  if (points.empty()) return chosen;

  // What a fourth point adds to the triangle: the largest triangle over one of its sides, outside of it.
  const dvec3 c = chosen[2].point;
  const double turn = glm::dot(glm::cross(b - a, c - a), n) >= 0.0 ? 1.0 : -1.0;
  take_largest([&](dvec3 p) {
    auto outside = [&](dvec3 from, dvec3 to) { return -turn * glm::dot(glm::cross(to - from, p - from), n); };
    return std::max({outside(a, b), outside(b, c), outside(c, a)});
  });
  return chosen;
}

template <typename AnyContact>
std::vector<std::vector<AnyContact>> manifolds_of(std::vector<AnyContact> contacts) {
  std::stable_sort(contacts.begin(), contacts.end(), deeper);
  std::vector<std::vector<AnyContact>> manifolds;
  while (!contacts.empty()) {
    const dvec3 n = contacts.front().normal;
    std::vector<AnyContact> same, rest;
    for (const AnyContact& c : contacts) (angle(c.normal, n) <= kSameNormal ? same : rest).push_back(c);
    manifolds.push_back(choose_points(same));
    contacts = std::move(rest);
  }
  return manifolds;
}

}  // namespace

std::vector<std::vector<GroundContact>> reduce_contacts(std::vector<GroundContact> contacts) {
  return manifolds_of(std::move(contacts));
}

std::vector<std::vector<MeshContact>> reduce_contacts(std::vector<MeshContact> contacts) {
  return manifolds_of(std::move(contacts));
}

}  // namespace oclide::reference
