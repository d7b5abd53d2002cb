// Lines that run beside each other for two millimetres or less, of all pairs of shapes that have some: their ends are
// contacts of their own, or one.
#include "narrow_phase/hull_pairs.hpp"
#include "reference/narrow_phase/body_pair.hpp"
#include "support/sweep.hpp"

namespace oclide::test {
namespace {

constexpr double kMargin = 2e-3;

class ShortStretch : public OnOpenCl, public testing::WithParamInterface<std::pair<Shape, Shape>> {};

// A body about its z axis, which its line is along, the line being farthest along x. Half of them are about as short as
// the stretch.
BodySpec with_line(Shape shape, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const double r = 0.05 + 0.5 * unit(random), h = unit(random) < 0.5 ? 1e-3 * unit(random) : 0.05 + unit(random);
  const dquat eighth = turn({0, 0, 1}, glm::radians(45.0));
  switch (shape) {
    case Shape::box:
      return box({r, r, h}, {}, eighth);
    case Shape::cylinder:
      return cylinder(r, h, {});
    case Shape::capsule:
      return capsule(r, h, {});
    default:
      return convex_hull(prism_hull(5, 0.25, random() % 2 == 0 ? 5e-4 : 0.5), {});
  }
}

double half_length(const BodySpec& body) {
  return body.hull != nullptr ? reach(body, {0, 0, 1}) : body.size[body.shape == Shape::box ? 2 : 1];
}

// Side by side along x, apart or overlapping, and so that they share up to 2 mm along z, or one of them ends between
// the ends of the other; b the one way up or the other, a little turned, and all of it turned.
BodyPair side_by_side(Shape first, Shape second, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  constexpr std::array kTilts{0.0, 1e-7, 1e-5, 1e-4, 5e-4, 2e-3, 0.01, 0.019};
  BodyPair pair{with_line(first, random), with_line(second, random)};
  BodySpec &a = pair.first, &b = pair.second;
  const dquat over = random() % 2 == 0 ? kUpright : turn({1, 0, 0}, glm::radians(180.0));
  b.orientation = turn({0, 0, 1}, glm::radians(180.0)) * over * b.orientation;
  const double shared = 2e-3 * unit(random), depth = kMargin * (1.2 * unit(random) - 1.0);
  const double along = random() % 2 == 0 ? half_length(a) + half_length(b) - shared
                                         : half_length(a) - half_length(b) + shared * (2.0 * unit(random) - 1.0);
  b.position = {reach(a, {1, 0, 0}) + reach(b, {-1, 0, 0}) - depth, 0, random() % 2 == 0 ? along : -along};
  const dvec3 about = random() % 2 == 0 ? dvec3(1, 0, 0) : random_orientation(random) * dvec3(0, 0, 1);
  b.orientation = turn(about, kTilts[random() % kTilts.size()]) * b.orientation;
  const dvec3 place{unit(random), unit(random), unit(random)};
  return moved(pair, random_orientation(random), 100.0 * place);
}

// Contacts that each have a feature of their own, and a place.
testing::AssertionResult are_several(const std::vector<Contact>& found) {
  for (std::size_t i = 1; i < found.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      if (found[i].feature == found[k].feature) return testing::AssertionFailure() << "one feature\n" << text(found);
      if (glm::length(glm::cross(normal_of(found[0]), point_of(found[i]) - point_of(found[k]))) < 9.5e-6)
        return testing::AssertionFailure() << "one contact twice\n" << text(found);
    }
  return testing::AssertionSuccess();
}

TEST_P(ShortStretch, EndsHaveFeaturesOfTheirOwn) {
  const auto [first, second] = GetParam();
  for (int seed = 0; seed < fuzz_seeds(3); ++seed) {
    std::mt19937_64 random(400 + static_cast<std::uint64_t>(seed));
    std::vector<BodyPair> pairs;
    for (int k = 0; k < 3000 / kSweepStep; ++k) pairs.push_back(side_by_side(first, second, random));
    const auto found = contacts_of(pairs, kMargin);
    std::size_t touching = 0, several = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto body = [](const BodySpec& b) {
        return reference::make_body(b.shape, b.size,
                                    {b.orientation.w, b.orientation.x, b.orientation.y, b.orientation.z}, b.hull);
      };
      const auto least = reference::pair_penetration(body(pairs[k].first), body(pairs[k].second),
                                                     pairs[k].second.position - pairs[k].first.position, 1.0);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", pair " + std::to_string(k));
      touching += found[k].empty() ? 0 : 1;
      several += found[k].size() > 1 ? 1 : 0;
      ASSERT_TRUE(are_several(found[k]));
      // The contract is of bodies of 5 cm and more. Of hulls other tests see to the rest.
      if (std::min(half_length(pairs[k].first), half_length(pairs[k].second)) < 0.025) continue;
      if (second == Shape::convex_hull) continue;
      ASSERT_TRUE(holds(pairs[k], found[k], kMargin, kContract, least->depth));
    }
    EXPECT_GT(touching, pairs.size() / 2);
    EXPECT_GT(several, pairs.size() / 8);
  }
}

const std::vector<std::pair<Shape, Shape>> kPairs{{Shape::box, Shape::box},
                                                  {Shape::box, Shape::cylinder},
                                                  {Shape::box, Shape::capsule},
                                                  {Shape::box, Shape::convex_hull},
                                                  {Shape::cylinder, Shape::cylinder},
                                                  {Shape::cylinder, Shape::capsule},
                                                  {Shape::capsule, Shape::capsule},
                                                  {Shape::cylinder, Shape::convex_hull},
                                                  {Shape::capsule, Shape::convex_hull},
                                                  {Shape::convex_hull, Shape::convex_hull}};
INSTANTIATE_TEST_SUITE_P(Of, ShortStretch, testing::ValuesIn(kPairs),
                         [](const auto& pair) { return pair_stem(pair.param.first, pair.param.second); });

}  // namespace
}  // namespace oclide::test
