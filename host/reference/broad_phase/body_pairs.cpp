#include "reference/broad_phase/body_pairs.hpp"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <numeric>

#include "reference/body_contacts.hpp"
#include "scene/body_filters.hpp"
#include "scene/body_margin.hpp"
#include "shapes/pair_table.hpp"
#include "threads/parallel_for.hpp"

namespace oclide::reference {
namespace {

// By how much boxes are grown for rounding, as a part of the coordinates and sizes.
constexpr double kGrow = 1e-12;

struct BodyBounds {
  dvec3 lo, hi;
  std::uint32_t body;
};

BodyBounds bounds_of(const Bodies& bodies, const Geometry& geometry, const Poses& poses, std::size_t i, double margin) {
  const dvec3 centre = centre_of(poses, i);
  const Bounds box = body_at(bodies, geometry, poses, i).bounds();
  const dvec3 grown =
      0.5 * margin + own_margin(bodies, i) + kGrow * (glm::abs(centre) + glm::max(-box.lower, box.upper));
  return {centre + box.lower - grown, centre + box.upper + grown, static_cast<std::uint32_t>(i)};
}

// The axis along which the middles of the boxes vary most.
int axis_of_greatest_spread(const std::vector<BodyBounds>& boxes) {
  dvec3 sum(0.0), sum2(0.0);
  for (const BodyBounds& box : boxes) {
    const dvec3 middle = 0.5 * (box.lo + box.hi) - 0.5 * (boxes[0].lo + boxes[0].hi);
    sum += middle;
    sum2 += middle * middle;
  }
  const dvec3 variance = sum2 - sum * sum / static_cast<double>(boxes.size());
  return variance.x >= variance.y && variance.x >= variance.z ? 0 : variance.y >= variance.z ? 1 : 2;
}

// Pairs of one environment.
void sweep(const Bodies& bodies, const MeetRules& rules, const Geometry& geometry, const Poses& poses, double margin,
           const std::vector<std::uint32_t>& members, std::vector<std::vector<std::uint32_t>>& partners) {
  std::vector<BodyBounds> boxes;
  std::vector<std::uint32_t> half_spaces;
  for (const std::uint32_t i : members) {
    if (!is_active(bodies, i)) continue;
    if (bodies.shape[i] == Shape::half_space)
      half_spaces.push_back(i);
    else
      boxes.push_back(bounds_of(bodies, geometry, poses, i, margin));
  }
  if (boxes.empty()) return;
  const int x = axis_of_greatest_spread(boxes), y = (x + 1) % 3, z = (x + 2) % 3;
  const auto before = [x](const BodyBounds& p, const BodyBounds& q) {
    return p.lo[x] < q.lo[x] || (p.lo[x] == q.lo[x] && p.body < q.body);
  };
  tbb::parallel_sort(boxes.begin(), boxes.end(), before);

  // partners[i] belongs to box i of this sweep alone, whichever of the two indices is lower.
  parallel_for(boxes.size(), 64, [&](std::size_t k) {
    const BodyBounds& p = boxes[k];
    std::vector<std::uint32_t>& found = partners[p.body];
    for (const std::uint32_t h : half_spaces)
      if (rules.may_meet(p.body, h)) found.push_back(h);
    for (std::size_t l = k + 1; l < boxes.size() && boxes[l].lo[x] <= p.hi[x]; ++l) {
      const BodyBounds& q = boxes[l];
      if (p.lo[y] <= q.hi[y] && q.lo[y] <= p.hi[y] && p.lo[z] <= q.hi[z] && q.lo[z] <= p.hi[z] &&
          rules.may_meet(p.body, q.body))
        found.push_back(q.body);
    }
  });
}

}  // namespace

MeetRules::MeetRules(const Bodies& bodies) : bodies_(bodies), excluded_(excluded_keys(bodies)) {}

bool MeetRules::may_meet(std::size_t a, std::size_t b) const {
  const Bodies& bodies = bodies_;
  const auto at = [](const auto& array, std::size_t i, auto otherwise) { return array.empty() ? otherwise : array[i]; };
  if (at(bodies.environment, a, 0u) != at(bodies.environment, b, 0u)) return false;
  const std::int32_t group = at(bodies.group, a, 0);
  if (group != 0 && group == at(bodies.group, b, 0)) return false;
  const auto accepts = [&](std::size_t i, std::size_t j) {
    return (at(bodies.category, i, 1u) & at(bodies.mask, j, 0xFFFFFFFFu)) != 0;
  };
  if (bodies.either_mask ? !accepts(a, b) && !accepts(b, a) : !accepts(a, b) || !accepts(b, a)) return false;
  const std::uint32_t flags_a = at(bodies.flags, a, 0u), flags_b = at(bodies.flags, b, 0u);
  if ((flags_a & flags_b & kStatic) != 0 || ((flags_a | flags_b) & kInactive) != 0) return false;
  if (std::binary_search(excluded_.begin(), excluded_.end(),
                         pair_key(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b))))
    return false;
  return pair_kind(bodies.shape[a], bodies.shape[b]).has_value();
}

std::vector<BodyPair> body_pairs(const Bodies& bodies, const Geometry& geometry, const Poses& poses, double margin) {
  const std::size_t count = bodies.count();
  const MeetRules rules(bodies);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (!bodies.environment.empty())
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return bodies.environment[a] < bodies.environment[b]; });

  std::vector<std::vector<std::uint32_t>> partners(count);
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first + 1;
    while (last < count &&
           (bodies.environment.empty() || bodies.environment[order[last]] == bodies.environment[order[first]]))
      ++last;
    sweep(bodies, rules, geometry, poses, margin,
          {order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(last)},
          partners);
    first = last;
  }

  std::vector<BodyPair> pairs;
  for (std::uint32_t i = 0; i < count; ++i)
    for (const std::uint32_t j : partners[i]) pairs.push_back({std::min(i, j), std::max(i, j)});
  tbb::parallel_sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace oclide::reference
