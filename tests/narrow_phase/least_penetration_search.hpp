// Least penetration of two bodies by brute force in double: the overlap along many directions, then local searches.
// Independent of kernels and reference: it knows nothing but f(n) of docs/body_contacts.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "support/pair_runner.hpp"

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
      if (glm::length(s) < 1e-12) continue;
      const dvec3 e = glm::normalize(s);
      const dvec3 u = glm::normalize(glm::cross(e, std::abs(e.x) < 0.7 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
      const dvec3 w = glm::cross(e, u);
      const auto at = [&](double angle) { return u * std::cos(angle) + w * std::sin(angle); };
      constexpr int kSamples = 180;
      constexpr double kStep = 2.0 * std::numbers::pi / kSamples;
      std::vector<double> f;
      for (int i = 0; i < kSamples; ++i) f.push_back(overlap(at(i * kStep)));
      Found lowest{{}, 1e300};
      for (int i = 0; i < kSamples; ++i) {
        const auto here = static_cast<std::size_t>(i);
        if (f[here] > f[(here + 1) % kSamples] || f[here] > f[(here + kSamples - 1) % kSamples]) continue;
        double low = (i - 1) * kStep, high = (i + 1) * kStep;
        for (int k = 0; k < 60; ++k) {
          const double a = low + 0.381966 * (high - low), b = high - 0.381966 * (high - low);
          (overlap(at(a)) < overlap(at(b)) ? high : low) = overlap(at(a)) < overlap(at(b)) ? b : a;
        }
        const Found found = keep(at(0.5 * (low + high)));
        if (found.overlap < lowest.overlap) lowest = found;
      }
      starts.push_back(lowest);
    }
    // The sphere: the lowest of many directions that are apart from each other, and those above.
    constexpr int kDirections = 1500;
    std::vector<Found> directions;
    for (int i = 0; i < kDirections; ++i) {
      const double z = 1.0 - (2.0 * i + 1.0) / kDirections, angle = i * 2.399963229728653;
      const double r = std::sqrt(1.0 - z * z);
      const dvec3 n(r * std::cos(angle), r * std::sin(angle), z);
      directions.push_back({n, overlap(n)});
    }
    std::sort(directions.begin(), directions.end(), [](const Found& a, const Found& b) { return a.overlap < b.overlap; });
    for (const Found& d : directions) {
      if (starts.size() >= 14) break;
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
    double f = overlap(n);
    for (double step = 0.1; step > 1e-7;) {
      const dvec3 u = glm::normalize(glm::cross(n, std::abs(n.x) < 0.7 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
      const dvec3 w = glm::cross(n, u);
      bool lower = false;
      dvec3 to = n;
      for (int k = 0; k < 8; ++k) {
        const double angle = k * std::numbers::pi / 4.0;
        const dvec3 m = glm::normalize(n + (u * std::cos(angle) + w * std::sin(angle)) * step);
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

}  // namespace oclide::test
