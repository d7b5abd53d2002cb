// Least penetration of two bodies by brute force in double: the overlap along many directions, then local searches.
// Independent of kernels and reference: it knows nothing but f(n) of docs/body_contacts.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "narrow_phase/pair_geometry.hpp"

namespace oclide::test {

/// The sum of two bodies moved to one centre: segments, discs and a ball.
class SumOfBodies {
 public:
  SumOfBodies(const BodySpec& a, const BodySpec& b) : p_(a.position - b.position) {
    add(a);
    add(b);
  }

  struct Found {
    dvec3 n;
    double overlap;
  };

  /// n of unit length, from b toward a.
  [[nodiscard]] double overlap(dvec3 n) const {
    double f = ball_ - glm::dot(n, p_);
    for (const dvec3& s : segments_) f += std::abs(glm::dot(s, n));
    for (const Disc& d : discs_) f += d.radius * glm::length(glm::cross(d.axis, n));
    return f;
  }

  /// A point of the sum farthest along n; of equal ones any.
  [[nodiscard]] dvec3 support(dvec3 n, std::mt19937_64& random) const {
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    dvec3 z = n * ball_;
    for (const dvec3& s : segments_) {
      const double along = glm::dot(s, n);
      z += s * (std::abs(along) > 1e-9 * glm::length(s) ? (along > 0.0 ? 1.0 : -1.0) : any(random));
    }
    for (const Disc& d : discs_) {
      const dvec3 across = n - d.axis * glm::dot(d.axis, n);
      const dvec3 on = glm::cross(d.axis, dvec3(any(random), any(random), any(random)));
      z += glm::length(across) > 1e-9 ? glm::normalize(across) * d.radius
                                      : glm::normalize(on) * d.radius * std::abs(any(random));
    }
    return z;
  }

  /// A normal of the sum: of a face (kind 0), across a segment (1) or any (2).
  [[nodiscard]] dvec3 some_normal(int kind, std::mt19937_64& random) const {
    std::normal_distribution<double> normal;
    const dvec3 any = glm::normalize(dvec3(normal(random), normal(random), normal(random)));
    if (kind == 0) {
      const std::vector<dvec3> flat = flat_normals();
      return flat[random() % flat.size()] * (random() % 2 == 0 ? 1.0 : -1.0);
    }
    return kind == 1 ? glm::normalize(glm::cross(segments_[random() % segments_.size()], any)) : any;
  }

  [[nodiscard]] Found least() const {
    Found best{{}, 1e300};
    std::vector<Found> starts;
    double reach = ball_ + glm::length(p_);
    for (const dvec3& s : segments_) reach += glm::length(s);
    for (const Disc& d : discs_) reach += d.radius;
    const auto keep = [&](dvec3 n) {
      const Found found{n, overlap(n)};
      if (found.overlap < best.overlap) best = found;
      return found;
    };
    for (const dvec3& n : flat_normals()) {
      keep(n);
      keep(-n);
    }
    starts.push_back(best);
    // Across each segment: all local minima of a circle of samples.
    for (const dvec3& s : segments_) {
      const dvec3 e = glm::normalize(s);
      const dvec3 u = glm::normalize(glm::cross(e, std::abs(e.x) < 0.7 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
      const dvec3 w = glm::cross(e, u);
      const auto at = [&](double angle) { return u * std::cos(angle) + w * std::sin(angle); };
      constexpr int kSamples = 180;
      constexpr double kStep = 2.0 * std::numbers::pi / kSamples;
      static const std::vector<dvec2> circle = points_of_circle(kSamples);
      std::vector<double> f;
      for (const dvec2 turn : circle) f.push_back(overlap(u * turn.x + w * turn.y));
      Found lowest{{}, 1e300};
      for (int i = 0; i < kSamples; ++i) {
        const auto here = static_cast<std::size_t>(i);
        if (f[here] > f[(here + 1) % kSamples] || f[here] > f[(here + kSamples - 1) % kSamples]) continue;
        // No point of the sum is farther from p than `reach`: between two samples f changes no more than this.
        if (f[here] > best.overlap + kStep * reach) continue;
        double low = (i - 1) * kStep, high = (i + 1) * kStep;
        for (int k = 0; k < 45; ++k) {
          const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
          if (overlap(at(a)) < overlap(at(b)))
            high = b;
          else
            low = a;
        }
        const Found found = keep(at(0.5 * (low + high)));
        if (found.overlap < lowest.overlap) lowest = found;
      }
      if (lowest.overlap < 1e300) starts.push_back(lowest);
    }
    // The sphere: the lowest of many directions that are apart from each other, and those above.
    std::vector<Found> directions;
    for (const dvec3& n : even_directions(1500)) directions.push_back({n, overlap(n)});
    std::sort(directions.begin(), directions.end(),
              [](const Found& a, const Found& b) { return a.overlap < b.overlap; });
    for (const Found& d : directions) {
      if (starts.size() >= 12) break;
      if (std::all_of(starts.begin(), starts.end(), [&](const Found& s) { return glm::dot(s.n, d.n) < 0.98; }))
        starts.push_back(d);
    }
    for (const Found& start : starts) keep(descend(start.n));
    return best;
  }

 private:
  struct Disc {
    dvec3 axis;
    double radius;
  };

  void add(const BodySpec& body) {
    const dvec3 z = body.orientation * dvec3(0.0, 0.0, 1.0);
    if (body.shape == Shape::box) {
      for (int k = 0; k < 3; ++k) {
        dvec3 e(0.0);
        e[k] = body.size[static_cast<std::size_t>(k)];
        segments_.push_back(body.orientation * e);
      }
      return;
    }
    segments_.push_back(z * body.size[1]);
    if (body.shape == Shape::capsule)
      ball_ += body.size[0];
    else
      discs_.push_back({z, body.size[0]});
  }

  [[nodiscard]] std::vector<dvec3> flat_normals() const {
    std::vector<dvec3> flat;
    for (const Disc& d : discs_) flat.push_back(d.axis);
    for (std::size_t i = 0; i < segments_.size(); ++i)
      for (std::size_t k = i + 1; k < segments_.size(); ++k) {
        const dvec3 n = glm::cross(segments_[i], segments_[k]);
        if (glm::length(n) > 1e-9 * glm::length(segments_[i]) * glm::length(segments_[k]))
          flat.push_back(glm::normalize(n));
      }
    return flat;
  }

  /// A pattern search with a shrinking step.
  [[nodiscard]] dvec3 descend(dvec3 n) const {
    static const std::vector<dvec2> turns = points_of_circle(8);
    double f = overlap(n);
    for (double step = 0.1; step > 1e-6;) {
      const dvec3 u = glm::normalize(glm::cross(n, std::abs(n.x) < 0.7 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
      const dvec3 w = glm::cross(n, u);
      bool lower = false;
      dvec3 to = n;
      for (const dvec2 turn : turns) {
        const dvec3 m = glm::normalize(n + (u * turn.x + w * turn.y) * step);
        const double g = overlap(m);
        if (g < f) {
          f = g;
          to = m;
          lower = true;
        }
      }
      n = to;
      step *= lower ? 1.3 : 0.4;
    }
    return n;
  }

  std::vector<dvec3> segments_;
  std::vector<Disc> discs_;
  double ball_ = 0.0;
  dvec3 p_;
};

/// Relative turns of two bodies' axes: any, parallel, perpendicular or slanted, the latter three exact or a little off.
inline dquat related_orientation(dquat orientation, std::mt19937_64& random) {
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  constexpr std::array<double, 5> kTilt{0.0, 1e-5, 1e-3, 1e-2, 0.05};
  const dquat spin = turn({0, 0, 1}, 3.0 * any(random));
  const dquat tilt = turn({any(random), any(random), any(random)}, kTilt[random() % kTilt.size()]);
  switch (random() % 6) {
    case 0:
      return orientation * tilt * spin;
    case 1:
      return orientation * tilt * turn({1, 0, 0}, 0.5 * std::numbers::pi) * spin;
    case 2:
      return orientation * tilt * turn({0, 1, 0}, 0.25 * std::numbers::pi) * spin;
    default:
      return random_orientation(random);
  }
}

/// `count` poses by the border of the sum of the two bodies: a quarter each grazing (to 1 cm in or out), shallow, at
/// any depth, and with one centre or nearly so. Sizes are those of `sizes` times up to 1.5.
inline std::vector<BodyPair> bordering_pairs(Shape first, Shape second, const SizeCase& sizes, std::size_t count,
                                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  const auto between = [&](double low, double high) { return low * std::pow(high / low, share(random)); };
  std::vector<BodyPair> pairs;
  for (std::size_t k = 0; k < count; ++k) {
    BodyPair pair;
    pair.first.shape = first;
    pair.second.shape = second;
    double width = 1e300, largest = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      pair.first.size[i] = static_cast<float>(sizes.first[i] * between(1.0, 1.5));
      pair.second.size[i] = static_cast<float>(sizes.second[i] * between(1.0, 1.5));
    }
    for (const BodySpec* body : {&pair.first, &pair.second})
      for (std::size_t i = 0; i < (body->shape == Shape::box ? 3u : 2u); ++i) {
        width = std::min(width, body->size[i]);
        largest = std::max(largest, body->size[i]);
      }
    pair.first.orientation = random_orientation(random);
    pair.second.orientation = related_orientation(pair.first.orientation, random);
    const SumOfBodies sum(pair.first, pair.second);
    const dvec3 n = sum.some_normal(static_cast<int>(random() % 3), random);
    const dvec3 border = sum.support(n, random);
    const double sign = random() % 2 == 0 ? 1.0 : -1.0;
    switch (k % 4) {
      case 0:
        pair.first.position = border + n * (sign * between(1e-5, 1e-2));
        break;
      case 1:
        pair.first.position = border + n * (sign * between(1e-3, 0.2) * width);
        break;
      case 2:
        pair.first.position = border - n * (share(random) * largest);
        break;
      default:
        pair.first.position = border * (random() % 2 == 0 ? 0.0 : 1e-2 * share(random));
        break;
    }
    pairs.push_back(pair);
  }
  return pairs;
}

/// The contacts of `count` poses of each size against the least penetration by brute force: bodies are reported where
/// they touch, with its depth and a normal that is as good.
inline void compare_with_search(Shape first, Shape second, const std::vector<SizeCase>& sizes, std::size_t count,
                                double margin_share) {
  std::uint64_t seed = 40;
  for (const SizeCase& size : sizes) {
    const std::vector<BodyPair> pairs = bordering_pairs(first, second, size, count, seed++);
    const double margin = margin_share * std::min({size.first[0], size.first[1], size.second[0], size.second[1]});
    const auto found = contacts_of(pairs, margin), again = contacts_of(pairs, margin);
    std::size_t touching = 0;
    double largest = 0.0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      SCOPED_TRACE(size.name + ", pair " + std::to_string(k) + ", margin " + std::to_string(margin));
      EXPECT_TRUE(same_bits(found[k], again[k]));
      const SumOfBodies sum(pairs[k].first, pairs[k].second);
      const double least = sum.least().overlap;
      if (found[k].empty()) {
        EXPECT_LT(least, -margin + kContract);
        continue;
      }
      ++touching;
      EXPECT_GT(least, -margin - kContract);
      const Contact& deepest = found[k].front();
      const double allowed = kContract + 0.01 * std::abs(least),
                   off = std::abs(static_cast<double>(deepest.depth) - least);
      largest = std::max(largest, off - 0.01 * std::abs(least));
      EXPECT_LT(off, allowed) << "least overlap " << least << ", contacts:\n" << text(found[k]);
      EXPECT_NEAR(glm::length(normal_of(deepest)), 1.0, 1e-6);
      EXPECT_LT(sum.overlap(glm::normalize(normal_of(deepest))), least + kContract + 0.005 * std::abs(least))
          << "least overlap " << least << ", contacts:\n"
          << text(found[k]);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(touching, pairs.size() / 3) << size.name;
    testing::Test::RecordProperty("largest error of depth beyond 1 %, " + size.name, std::to_string(largest));
  }
}

}  // namespace oclide::test
