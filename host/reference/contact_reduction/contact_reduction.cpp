#include "reference/contact_reduction/contact_reduction.hpp"

#include <algorithm>
#include <cmath>

namespace oclide::reference {
namespace {

constexpr double kSameLine = 1e-4;      // points nearer to a segment lie on it [m]
constexpr double kSameArea = 1e-3;      // what an area gains by less, by part, is as large
const dvec3 kOrder(1.0, 0.618, 0.382);  // what is equal but for rounding is chosen along it
constexpr double kDepthLeans = 4e-5;    // so much depths lean along it [1]
constexpr double kGainLeans = 1e-3;     // and gains, by part, of a point at the size of what is chosen

bool deeper(const GroundContact& a, const GroundContact& b) {
  return a.depth != b.depth ? a.depth > b.depth : a.feature < b.feature;
}

double greatest_part(dvec3 d) {
  return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)});
}

// At most four points of contacts that share a normal, sorted by depth. `axes`: columns, of the order.
template <typename AnyContact>
std::vector<AnyContact> choose_points(const std::vector<AnyContact>& sorted, const dmat3& axes) {
  std::vector<AnyContact> points;
  for (const AnyContact& c : sorted) {
    const auto same = std::find_if(points.begin(), points.end(),
                                   [&](const AnyContact& p) { return glm::distance(p.point, c.point) < kSamePoint; });
    if (same == points.end())
      points.push_back(c);
    else
      same->feature = std::min(same->feature, c.feature);
  }

  const dvec3 n = points.front().normal;
  auto across = [&](dvec3 d) { return d - glm::dot(d, n) * n; };
  if (points.size() <= 4) return points;
  // Takes the point with the largest value; the first, which is the deepest, where values are equal.
  std::vector<AnyContact> chosen;
  auto take_largest = [&](auto&& value) {
    const auto best = std::max_element(points.begin(), points.end(),
                                       [&](const auto& a, const auto& b) { return value(a) < value(b); });
    chosen.push_back(*best);
    points.erase(best);
  };
  auto along = [&](dvec3 d) { return glm::dot(axes * kOrder, across(d)); };
  const dvec3 opener = points.front().point;
  take_largest([&](const AnyContact& c) { return c.depth + kDepthLeans * along(c.point - opener); });

  const dvec3 a = chosen[0].point;
  // A gain with its lean; `size`: of what is chosen, in the axes' parts.
  auto leaning = [&](double gain, dvec3 p, dvec3 size) {
    const double most = greatest_part(glm::transpose(axes) * size);
    return most > 0.0 ? gain * (1.0 + kGainLeans * along(p - a) / most) : 0.0;
  };
  take_largest([&](const AnyContact& c) {
    const dvec3 d = across(c.point - a);
    return leaning(glm::dot(d, d), c.point, d);
  });

  const dvec3 b = chosen[1].point, ab = across(b - a);
  auto from_segment = [&](const AnyContact& contact) {
    const dvec3 p = contact.point, ap = across(p - a);
    const double t = std::clamp(glm::dot(ap, ab) / std::max(glm::dot(ab, ab), 1e-300), 0.0, 1.0);
    const dvec3 from = ap - t * ab;
    return leaning(glm::dot(from, from), p, ab);
  };
  auto from_line = [&](dvec3 p) {
    const dvec3 ap = across(p - a);
    return glm::length(ap - glm::dot(ap, ab) / std::max(glm::dot(ab, ab), 1e-300) * ab);
  };
  // All on one line: the end that is left, unless the deepest is it.
  if (std::all_of(points.begin(), points.end(), [&](const auto& p) { return from_line(p.point) <= kSameLine; })) {
    take_largest([&](const AnyContact& p) { return glm::length(across(p.point - b)); });
    if (glm::length(across(chosen[2].point - b)) <= glm::length(ab)) chosen.pop_back();
    return chosen;
  }
  take_largest(from_segment);

  // What a fourth point adds to the triangle: the largest triangle over one of its sides, outside of it.
  const dvec3 c = chosen[2].point;
  const double turn = glm::dot(glm::cross(b - a, c - a), n) >= 0.0 ? 1.0 : -1.0;
  auto gained = [&](const AnyContact& contact) {
    const dvec3 p = contact.point;
    auto outside = [&](dvec3 from, dvec3 to) { return -turn * glm::dot(glm::cross(to - from, p - from), n); };
    return leaning(std::max({outside(a, b), outside(b, c), outside(c, a)}), p, ab);
  };
  take_largest(gained);
  const double most = greatest_part(glm::transpose(axes) * ab);
  if (gained(chosen[3]) <= kSameArea * glm::length(glm::cross(b - a, c - a)) + kSameLine * most) chosen.pop_back();
  return chosen;
}

template <typename AnyContact>
std::vector<std::vector<AnyContact>> manifolds_of(std::vector<AnyContact> contacts, const dmat3& axes) {
  std::stable_sort(contacts.begin(), contacts.end(), deeper);
  std::vector<std::vector<AnyContact>> manifolds;
  while (!contacts.empty()) {
    const dvec3 n = contacts.front().normal;
    std::vector<AnyContact> same, rest;
    for (const AnyContact& c : contacts) (angle_between(c.normal, n) <= kSameNormal ? same : rest).push_back(c);
    manifolds.push_back(choose_points(same, axes));
    contacts = std::move(rest);
  }
  return manifolds;
}

}  // namespace

double angle_between(dvec3 a, dvec3 b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

std::vector<std::vector<GroundContact>> reduce_contacts(std::vector<GroundContact> contacts) {
  return manifolds_of(std::move(contacts), dmat3(1.0));
}

std::vector<std::vector<MeshContact>> reduce_contacts(std::vector<MeshContact> contacts, const dmat3& mesh_axes) {
  return manifolds_of(std::move(contacts), mesh_axes);
}

}  // namespace oclide::reference
