#include "reference/contact_reduction/contact_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oclide::reference {
namespace {

constexpr double kSameNormal = 1.4e-3;  // contacts of one manifold differ by no more [rad]
constexpr double kSamePoint = 1e-5;     // nearer points are one [m]
constexpr double kSameLine = 1e-4;      // points nearer to a segment lie on it [m]
constexpr double kAsDeep = 1e-5;        // depths that differ by less are equal [m]
constexpr double kAsFar = 2e-5;         // and so are places along a direction [m]
constexpr double kAsGood = 1e-3;        // and distances squared and areas, by this part
const dvec3 kOrder(1.0, 0.618, 0.382);  // equally deep contacts are taken along it

bool deeper(const GroundContact& a, const GroundContact& b) {
  return a.depth != b.depth ? a.depth > b.depth : a.feature < b.feature;
}

double angle(dvec3 a, dvec3 b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

// Takes the points of a manifold one after another.
template <typename AnyContact>
class Choice {
 public:
  explicit Choice(std::vector<AnyContact> points) : points_(std::move(points)) {}

  [[nodiscard]] const std::vector<AnyContact>& chosen() const { return chosen_; }
  [[nodiscard]] dvec3 operator[](std::size_t k) const { return chosen_[k].point; }

  // The greatest value of the points that are left; below 0 where there is none.
  template <typename Value>
  [[nodiscard]] double greatest(Value&& value) const {
    double most = -1.0;
    for (const AnyContact& p : points_) most = std::max(most, value(p.point));
    return most;
  }
  // Of the points with at least this value, and at least so deep, the one with the smallest feature.
  template <typename Value>
  void take(Value&& value, double least, double deep = -std::numeric_limits<double>::infinity()) {
    auto best = points_.end();
    for (auto p = points_.begin(); p != points_.end(); ++p)
      if (p->depth >= deep && value(p->point) >= least && (best == points_.end() || p->feature < best->feature))
        best = p;
    chosen_.push_back(*best);
    points_.erase(best);
  }

 private:
  std::vector<AnyContact> points_, chosen_;
};

// Are three or more points on one line, seen along n?
template <typename AnyContact>
bool are_on_line(const std::vector<AnyContact>& points, dvec3 n) {
  if (points.size() < 3) return false;
  auto across = [&](const AnyContact& p) {
    const dvec3 d = p.point - points.front().point;
    return d - glm::dot(d, n) * n;
  };
  const dvec3 line = across(*std::max_element(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return glm::length(across(a)) < glm::length(across(b));
  }));
  return std::all_of(points.begin(), points.end(), [&](const AnyContact& p) {
    return glm::length(glm::cross(across(p), line)) <= kSameLine * glm::length(line);
  });
}

// At most four points of contacts that share a normal, sorted by depth; `order`: direction of those equally deep.
template <typename AnyContact>
std::vector<AnyContact> choose_points(const std::vector<AnyContact>& sorted, dvec3 order) {
  std::vector<AnyContact> points;
  for (const AnyContact& c : sorted) {
    const auto same = std::find_if(points.begin(), points.end(),
                                   [&](const AnyContact& p) { return glm::distance(p.point, c.point) < kSamePoint; });
    if (same == points.end())
      points.push_back(c);
    else if (c.feature < same->feature && same->depth - c.depth <= kAsDeep)
      *same = c;
  }
  const dvec3 n = sorted.front().normal;
  auto deepest_first = [](std::vector<AnyContact> chosen) {
    std::swap(chosen.front(), *std::min_element(chosen.begin(), chosen.end(), deeper));
    return chosen;
  };
  if (points.size() <= 4 && !are_on_line(points, n)) return deepest_first(std::move(points));

  const double deep = sorted.front().depth - kAsDeep;
  double farthest = -std::numeric_limits<double>::infinity();
  for (const AnyContact& p : points)
    if (p.depth >= deep) farthest = std::max(farthest, glm::dot(p.point, order));
  Choice<AnyContact> choice(std::move(points));
  choice.take([&](dvec3 p) { return glm::dot(p, order); }, farthest - kAsFar, deep);

  auto across = [&](dvec3 d) { return d - glm::dot(d, n) * n; };
  const dvec3 a = choice[0];
  auto from_first = [&](dvec3 p) {
    const dvec3 d = across(p - a);
    return glm::dot(d, d);
  };
  choice.take(from_first, choice.greatest(from_first) * (1.0 - kAsGood));

  const dvec3 b = choice[1], ab = across(b - a);
  const double length = glm::length(ab);
  auto from_segment = [&](dvec3 p) {
    const dvec3 ap = across(p - a);
    const dvec3 d = ap - std::clamp(glm::dot(ap, ab) / std::max(glm::dot(ab, ab), 1e-300), 0.0, 1.0) * ab;
    return glm::dot(d, d);
  };
  if (const double most = choice.greatest(from_segment); most > kSameLine * kSameLine) {
    choice.take(from_segment, most * (1.0 - kAsGood));
    // What a fourth point adds to the triangle: the largest triangle over one of its sides, outside of it.
    const dvec3 c = choice[2];
    const double area = glm::dot(glm::cross(b - a, c - a), n), turn = area >= 0.0 ? 1.0 : -1.0;
    auto added = [&](dvec3 p) {
      auto outside = [&](dvec3 from, dvec3 to) { return -turn * glm::dot(glm::cross(to - from, p - from), n); };
      return std::max({outside(a, b), outside(b, c), outside(c, a)});
    };
    const double longest = std::max({length, glm::length(across(c - b)), glm::length(across(a - c))});
    if (const double gain = choice.greatest(added); gain > 1e-3 * std::abs(area) && gain > kSameLine * longest)
      choice.take(added, gain * (1.0 - kAsGood));
  } else {
    // All on one line: its other end.
    auto behind = [&](dvec3 p) { return glm::dot(a - p, ab) / length; };
    if (const double back = choice.greatest(behind); back > kSamePoint) choice.take(behind, back - kAsFar);
  }
  return deepest_first(choice.chosen());
}

// Of contacts with one feature all but the first along the order get numbers of their own.
template <typename AnyContact>
void tell_apart(std::vector<AnyContact>& manifold, dvec3 order) {
  std::vector<std::uint32_t> features;
  for (const AnyContact& c : manifold) {
    const auto before = std::count_if(manifold.begin(), manifold.end(), [&](const AnyContact& other) {
      const double along = glm::dot(other.point - c.point, order);
      return other.feature == c.feature && (along < 0.0 || (along == 0.0 && &other < &c));
    });
    features.push_back(before == 0 ? c.feature : joined_feature(c.feature, static_cast<std::uint32_t>(before)));
  }
  for (std::size_t k = 0; k < manifold.size(); ++k) manifold[k].feature = features[k];
}

template <typename AnyContact>
std::vector<std::vector<AnyContact>> manifolds_of(std::vector<AnyContact> contacts, dvec3 order) {
  std::stable_sort(contacts.begin(), contacts.end(), deeper);
  std::vector<std::vector<AnyContact>> manifolds;
  while (!contacts.empty()) {
    const dvec3 n = contacts.front().normal;
    std::vector<AnyContact> same, rest;
    for (const AnyContact& c : contacts) (angle(c.normal, n) <= kSameNormal ? same : rest).push_back(c);
    manifolds.push_back(choose_points(same, order));
    tell_apart(manifolds.back(), order);
    contacts = std::move(rest);
  }
  return manifolds;
}

}  // namespace

std::vector<std::vector<GroundContact>> reduce_contacts(std::vector<GroundContact> contacts, Diagonal diagonal) {
  const dvec3 turned_back(-kOrder.y, kOrder.x, kOrder.z);
  return manifolds_of(std::move(contacts), diagonal == Diagonal::rising ? turned_back : kOrder);
}

std::vector<std::vector<MeshContact>> reduce_contacts(std::vector<MeshContact> contacts, const dmat3& mesh_axes) {
  return manifolds_of(std::move(contacts), mesh_axes * kOrder);
}

}  // namespace oclide::reference
