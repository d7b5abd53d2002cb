#include "support/contacts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

namespace oclide::test {

dvec3 point_of(const Contact& c) {
  return {c.point[0], c.point[1], c.point[2]};
}
dvec3 normal_of(const Contact& c) {
  return {c.normal[0], c.normal[1], c.normal[2]};
}

namespace {

std::string text(dvec3 point, dvec3 normal, double depth) {
  char line[200];
  std::snprintf(line, sizeof line, "point %.6f %.6f %.6f  normal %.6f %.6f %.6f  depth %.7f\n", point.x, point.y,
                point.z, normal.x, normal.y, normal.z, depth);
  return line;
}

std::string text(const std::vector<ExpectedContact>& contacts) {
  std::string lines;
  for (const ExpectedContact& c : contacts) lines += "  " + text(c.point, c.normal, c.depth);
  return lines;
}

}  // namespace

std::string text(const Contact& c) {
  return "body " + std::to_string(c.body_a) + " manifold " + std::to_string(c.manifold) + "  " +
         text(point_of(c), normal_of(c), static_cast<double>(c.depth));
}

std::string text(std::span<const Contact> contacts) {
  std::string lines;
  for (const Contact& c : contacts) lines += "  " + text(c);
  return lines.empty() ? "  none\n" : lines;
}

bool matches(const Contact& found, const ExpectedContact& expected, Tolerance tolerance) {
  return glm::distance(point_of(found), expected.point) <= tolerance.length &&
         glm::distance(normal_of(found), expected.normal) <= tolerance.normal &&
         std::abs(static_cast<double>(found.depth) - expected.depth) <= tolerance.length;
}

testing::AssertionResult contain(std::span<const Contact> found, const std::vector<ExpectedContact>& expected,
                                 Tolerance tolerance) {
  for (const ExpectedContact& e : expected)
    if (std::none_of(found.begin(), found.end(), [&](const Contact& c) { return matches(c, e, tolerance); }))
      return testing::AssertionFailure() << "missing:\n" << text({e}) << "found:\n" << text(found);
  return testing::AssertionSuccess();
}

testing::AssertionResult same_contacts(std::span<const Contact> found, const std::vector<ExpectedContact>& expected,
                                       Tolerance tolerance) {
  if (const auto result = contain(found, expected, tolerance); !result) return result;
  for (const Contact& c : found)
    if (std::none_of(expected.begin(), expected.end(),
                     [&](const ExpectedContact& e) { return matches(c, e, tolerance); }))
      return testing::AssertionFailure() << "not expected:\n  " << text(c) << "expected:\n" << text(expected);
  if (found.size() != expected.size())
    return testing::AssertionFailure() << "expected " << expected.size() << ", found:\n" << text(found);
  return testing::AssertionSuccess();
}

testing::AssertionResult same_bits(std::span<const Contact> a, std::span<const Contact> b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " contacts against " << b.size();
  for (std::size_t k = 0; k < a.size(); ++k) {
    const bool same = std::memcmp(a[k].point.data(), b[k].point.data(), sizeof a[k].point) == 0 &&
                      std::memcmp(a[k].normal.data(), b[k].normal.data(), sizeof a[k].normal) == 0 &&
                      std::memcmp(&a[k].depth, &b[k].depth, sizeof a[k].depth) == 0 && a[k].body_a == b[k].body_a &&
                      a[k].body_b == b[k].body_b && a[k].manifold == b[k].manifold && a[k].feature == b[k].feature &&
                      a[k].material == b[k].material && a[k].shape_a == b[k].shape_a && a[k].shape_b == b[k].shape_b &&
                      a[k].flags == b[k].flags;
    if (!same)
      return testing::AssertionFailure() << "contact " << k << " differs:\n  " << text(a[k]) << "  " << text(b[k]);
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult same_but_for_names(std::span<const Contact> a, std::span<const Contact> b) {
  // What is called otherwise may stand in another order, where names alone decide.
  const auto in_order = [](std::span<const Contact> contacts) {
    std::vector<Contact> sorted(contacts.begin(), contacts.end());
    for (Contact& c : sorted)
      if (c.body_b == kTerrain) c.manifold = 0;
    std::sort(sorted.begin(), sorted.end(), [](const Contact& one, const Contact& other) {
      return std::tie(one.body_a, one.body_b, one.normal, one.point, one.depth) <
             std::tie(other.body_a, other.body_b, other.normal, other.point, other.depth);
    });
    return sorted;
  };
  std::vector<Contact> found = in_order(a);
  const std::vector<Contact> expected = in_order(b);
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> there, back;  // by body and name
  for (std::size_t k = 0; k < found.size() && k < expected.size(); ++k) {
    const Contact &one = found[k], &other = expected[k];
    if (one.body_b != kTerrain || other.body_b != kTerrain || one.body_a != other.body_a) continue;
    if (there.try_emplace({one.body_a, one.feature}, other.feature).first->second != other.feature ||
        back.try_emplace({one.body_a, other.feature}, one.feature).first->second != one.feature)
      return testing::AssertionFailure() << "called otherwise than others:\n  " << text(one) << "  " << text(other);
    found[k].feature = other.feature;
  }
  return same_bits(found, expected);
}

double deepest(std::span<const Contact> contacts) {
  double depth = -1e30;
  for (const Contact& c : contacts) depth = std::max(depth, static_cast<double>(c.depth));
  return depth;
}

std::vector<Contact> of_body(std::span<const Contact> contacts, std::uint32_t body) {
  std::vector<Contact> some;
  for (const Contact& c : contacts)
    if (c.body_a == body) some.push_back(c);
  return some;
}

}  // namespace oclide::test
