#include "reference/motion/first_touch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "reference/motion/convex_distance.hpp"

namespace oclide::reference {
namespace {

// How near to the distance from above the one from below comes, as a part of it: so the last step before a touch still
// gains the difference of the limits less this.
constexpr double kError = 0.01;

// By how much a direction between two nearest points may be off, seen at the points farthest along it [m].
constexpr double kRoundedTouch = 1e-6;

// What turns farther than this in a frame is looked at turn by turn [rad].
constexpr double kManyTurns = 40.0;

// Turns that are looked at as one at most.
constexpr int kMostTurnsTogether = 64;

// Steps of a pair at most.
constexpr int kMostAdvances = 1 << 20;

// How often a step is halved to find how far it may go: the last is within 1/16 of that.
constexpr int kHalvings = 4;

// What a gap is at least, `after` some time from now on: gap + after * change is less than that of no two points, as
// they go on now; `bend` is the most that it bends, and `speed` the most that it closes, at any time from now on.
template <typename Straight>
double safe_step(double gap, double touching, double speed, double bend, double longest, const Straight& straight) {
  const auto is_safe = [&](double after) { return straight(after) - 0.5 * bend * after * after >= touching; };
  // The bound is concave: where it is safe at the end, it is so on the way.
  if (is_safe(longest)) return longest;
  double safe = speed > 0.0 ? std::min(longest, (gap - touching) / speed) : longest;
  if (safe == longest) return safe;
  double unsafe = longest;
  while (2.0 * safe < unsafe) {
    if (!is_safe(2.0 * safe)) {
      unsafe = 2.0 * safe;
      break;
    }
    safe *= 2.0;
  }
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (safe + unsafe);
    (is_safe(middle) ? safe : unsafe) = middle;
  }
  return safe;
}

// No time is so fine that a step would not end later.
double later(double t, double step, double to) {
  return std::min(to, std::max(t + step, std::nextafter(t, 2.0)));
}

// A body that turns by a whole turn stands as it stood before, but for its displacement. So what one turn, of the one
// of two that turns faster, or some of them have shown holds for later turns, for as long as displacements, and what
// the other one turns meanwhile, leave some of each step's gap along the direction of that step.
class WholeTurns {
 public:
  // `reach`: how far from the axis of its spin a point of it may be [m].
  struct Turning {
    double rate;  // [rad a frame]
    double reach;
  };
  WholeTurns(Turning a, Turning b, double from) : begin_(from) {
    if (a.rate * a.reach == 0.0) a.rate = 0.0;
    if (b.rate * b.reach == 0.0) b.rate = 0.0;
    if (a.rate < b.rate) std::swap(a, b);
    if (a.rate <= kManyTurns) return;
    // After some turns the other one mostly is near to a whole number of its own, too: that many are looked at as one.
    const double ratio = b.rate / a.rate;
    double least = 1.0;
    for (int turns = 1; turns <= kMostTurnsTogether; ++turns) {
      const double slip = std::abs(turns * ratio - std::round(turns * ratio)) / turns;  // of a turn, in each
      if (turns > 1 && slip >= 0.1 * least) continue;
      least = slip;
      period_ = turns * 2.0 * std::numbers::pi / a.rate;
      other_ = slip * a.rate * b.reach;
    }
  }
  // Of a step that keeps no more than `touching`: what it has to keep of the gap for later turns to learn from it.
  [[nodiscard]] double kept(double gap, double touching) const {
    return period_ > 0.0 && is_told_ ? std::max(touching, 0.5 * (gap + touching)) : touching;
  }
  // A step has kept this gap, which displacements close at this speed [m a frame].
  void add(double kept, double touching, double closing) {
    if (period_ == 0.0 || !is_told_) return;
    const double nearer = std::max(closing, 0.0) + other_;
    if (nearer > 0.0) lasts_ = std::min(lasts_, (kept - touching) / nearer);
    is_told_ = lasts_ > period_;
  }
  // The time to go on at.
  [[nodiscard]] double next(double t) {
    if (period_ == 0.0 || t < begin_ + period_) return t;
    if (is_told_) t = std::max(t, begin_ + (1.0 + std::floor(lasts_ / period_)) * period_);
    begin_ = t, lasts_ = 1.0, is_told_ = true;
    return t;
  }

 private:
  double period_ = 0.0, other_ = 0.0;
  double begin_, lasts_ = 1.0;  // of the turn that is looked at; for how long what it has shown holds
  bool is_told_ = true;         // of at least one more turn
};

// A direction along which the two are farther apart, by trial of those around; for where rounding of numbers keeps
// convex_distance() from proving enough.
dvec3 widened(const PlacedSolid& a, const PlacedSolid& b, dvec3 n, double& gap) {
  for (double turn = 0.1; turn > 1e-13;) {
    const dvec3 x = glm::normalize(glm::cross(n, std::abs(n.x) < 0.7 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
    const dvec3 y = glm::cross(n, x);
    bool better = false;
    for (const dvec3 way : {x, -x, y, -y}) {
      const dvec3 other = glm::normalize(n + turn * way);
      if (const double wider = gap_along(a, b, other); wider > gap) gap = wider, n = other, better = true;
    }
    if (!better) turn *= 0.5;
  }
  return n;
}

// For how long two that are `gap` apart along n stay so but for `touching`.
double step_along(const PlacedSolid& a, const PlacedSolid& b, dvec3 n, double gap, double touching, double longest) {
  const SolidMotion &motion_a = a.solid->motion, &motion_b = b.solid->motion;
  const double closing = glm::dot(n, motion_b.velocity - motion_a.velocity);
  // A point q from the pivot moves by spin x q, along n by q . (n x spin).
  const dvec3 turn_a = glm::cross(n, motion_a.spin), turn_b = glm::cross(n, motion_b.spin);
  const double speed_a = glm::length(turn_a) * a.solid->reach, speed_b = glm::length(turn_b) * b.solid->reach;
  const double bend = speed_a * glm::length(motion_a.spin) + speed_b * glm::length(motion_b.spin);
  const double between = glm::dot(n, a.pivot - b.pivot) - a.solid->rounding - b.solid->rounding;
  return safe_step(gap, touching, closing + speed_a + speed_b, bend, longest, [&](double after) {
    const dvec3 of_a = -(n + after * turn_a), of_b = n + after * turn_b;
    return between - after * closing - glm::dot(of_a, a.arm(of_a)) - glm::dot(of_b, b.arm(of_b));
  });
}

std::optional<double> first_time(const MovingSolid& a, const MovingSolid& b, double from, double to,
                                 const TouchLimits& limits) {
  WholeTurns turns({glm::length(a.motion.spin), a.reach}, {glm::length(b.motion.spin), b.reach}, from);
  double t = from;
  for (int step = 0; step < kMostAdvances; ++step) {
    const PlacedSolid placed_a(a, t), placed_b(b, t);
    const ConvexDistance distance = convex_distance(placed_a, placed_b, kError, limits.near_enough);
    const double rounding = a.rounding + b.rounding;
    if (distance.upper - rounding <= limits.near_enough) return t;
    dvec3 n = distance.normal;
    double gap = distance.lower - rounding;
    if (n == dvec3(0.0)) n = glm::normalize(distance.on_a - distance.on_b), gap = gap_along(placed_a, placed_b, n);
    if (!(gap > (1.0 + kError) * limits.touching)) n = widened(placed_a, placed_b, n, gap);
    if (!(gap > limits.touching)) return t;  // nothing proves that they are apart
    if (t >= to) return std::nullopt;
    const double kept = turns.kept(gap, limits.touching);
    t = later(t, step_along(placed_a, placed_b, n, gap, kept, to - t), to);
    turns.add(kept, limits.touching, glm::dot(n, b.motion.velocity - a.motion.velocity));
    t = turns.next(t);
    if (t >= to) return std::nullopt;
  }
  throw TooManySteps();
}

// From a time on.
std::optional<Touch> plane_touch(const MovingSolid& a, dvec3 up, const SolidMotion& b, double from,
                                 const TouchLimits& limits) {
  // The gap is u . x of the lowest point x of A from B's pivot; u turns with B.
  const dvec3 velocity = a.motion.velocity - b.velocity;
  const double spin_a = glm::length(a.motion.spin), spin_b = glm::length(b.spin);
  const double farthest =
      a.radius + std::max(glm::length(a.motion.pivot - b.pivot), glm::length(a.motion.pivot - b.pivot + velocity));
  WholeTurns turns({spin_a, a.reach}, {spin_b, farthest}, from);
  double t = from;
  for (int step = 0; step < kMostAdvances; ++step) {
    const PlacedSolid placed(a, t);
    const dvec3 u = b.turn_at(t) * up, between = placed.pivot - b.pivot_at(t);
    const auto lowest = [&](dvec3 direction) { return glm::dot(direction, placed.arm(-direction)); };
    const double gap = glm::dot(u, between) + lowest(u) - a.rounding;
    if (gap <= limits.near_enough) {
      const dvec3 on_a = placed.support(-u) - a.rounding * u;
      return Touch{t, u, on_a, on_a - gap * u};
    }
    if (t >= 1.0) return std::nullopt;

    const dvec3 turning = glm::cross(b.spin, u), turn_a = glm::cross(u, a.motion.spin);
    const double rate = glm::length(turning);
    const double far = std::max(glm::length(between), glm::length(between + (1.0 - t) * velocity)) + a.radius;
    const double speed = rate > 0.0 ? rate * far + glm::length(velocity) + spin_a * a.reach
                                    : -glm::dot(u, velocity) + glm::length(turn_a) * a.reach;
    const double bend =
        spin_b * rate * far + 2.0 * rate * (glm::length(velocity) + spin_a * a.reach) + spin_a * spin_a * a.reach;
    const double change = glm::dot(turning, between) + glm::dot(u, velocity);
    const double kept = turns.kept(gap, limits.touching);
    const double by = safe_step(gap, kept, speed, bend, 1.0 - t, [&](double after) {
      return glm::dot(u, between) + after * change + lowest(u + after * (turning + turn_a)) - a.rounding;
    });
    // Over the step u turns.
    const double closing = std::min(rate * by, 2.0) * glm::length(velocity) - glm::dot(u, velocity);
    turns.add(kept, limits.touching, closing);
    t = std::min(1.0, turns.next(later(t, by, 1.0)));
  }
  throw TooManySteps();
}

}  // namespace

double gap_along(const PlacedSolid& a, const PlacedSolid& b, dvec3 n) {
  return glm::dot(n, a.pivot - b.pivot) + glm::dot(n, a.arm(-n)) - glm::dot(n, b.arm(n)) - a.solid->rounding -
         b.solid->rounding;
}

Touch touch_at(const MovingSolid& a, const MovingSolid& b, double t, double& distance) {
  const PlacedSolid placed_a(a, t), placed_b(b, t);
  const ConvexDistance found = convex_distance(placed_a, placed_b, 1e-9, -std::numeric_limits<double>::infinity());
  distance = std::max(0.0, found.upper - a.rounding - b.rounding);
  dvec3 n = found.upper > 0.0 ? found.normal : dvec3(0.0);
  if (n == dvec3(0.0) && found.upper > 0.0) {
    // So near that rounding leaves nothing proven: from point to point, unless they overlap along that.
    n = glm::normalize(found.on_a - found.on_b);
    if (!(gap_along(placed_a, placed_b, n) >= -kRoundedTouch)) n = dvec3(0.0);
  }
  if (n == dvec3(0.0)) distance = 0.0;
  return {t, n, found.on_a - a.rounding * n, found.on_b + b.rounding * n};
}

std::optional<double> first_time_of_spun(const MovingSolid& a, const MovingSolid& b, double from, double to,
                                         const TouchLimits& limits) {
  if (a.motion.spin == dvec3(0.0) && b.motion.spin == dvec3(0.0)) return from;
  return first_time(spun(a), spun(b), from, to, limits);
}

std::optional<Touch> first_touch(const MovingSolid& a, const MovingSolid& b, double from, double to,
                                 const TouchLimits& limits) {
  const std::optional<double> begins = first_time_of_spun(a, b, from, to, limits);
  if (!begins) return std::nullopt;
  const std::optional<double> t = first_time(a, b, *begins, to, limits);
  if (!t) return std::nullopt;
  double distance = 0.0;
  return touch_at(a, b, *t, distance);
}

std::optional<Touch> first_touch_of_plane(const MovingSolid& a, dvec3 up, const SolidMotion& b,
                                          const TouchLimits& limits) {
  double from = 0.0;
  if (a.motion.spin != dvec3(0.0)) {
    const auto begins = plane_touch(spun(a), up, b, from, limits);
    if (!begins) return std::nullopt;
    from = begins->time;
  }
  return plane_touch(a, up, b, from, limits);
}

}  // namespace oclide::reference
