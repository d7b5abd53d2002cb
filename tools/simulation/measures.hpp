// What a run measured, step by step and summed up.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "world.hpp"

namespace oclide::simulation {

/// Of some steps [ms].
struct Times {
  std::size_t steps = 0;
  double percentile_5 = 0.0;  ///< about what it takes where nothing else computes
  double median = 0.0;
  double percentile_95 = 0.0;
};

/// How much moves in a step. Up to a quarter of the bodies, a Collider's frame is an incremental one.
enum class Activity {
  moving,    ///< more than a quarter of the bodies
  settling,  ///< some
  at_rest,   ///< none
};

class Measures {
 public:
  Measures(std::size_t bodies, double dt) : bodies_(bodies), dt_(dt) {}
  void add(const Step& step) { steps_.push_back(step); }

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// The last second, or all where there is less.
  [[nodiscard]] std::span<const Step> last_second() const;
  /// First time from which nothing moves to the end [s]; negative where something still does.
  [[nodiscard]] double rest_since() const;
  /// By how much the energy ever rose above its least value so far, as a share of what the run has lost.
  [[nodiscard]] double largest_rise() const;

  /// As JSON: times of collision and solver by activity, and what there was of contacts, depth and energy.
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// The same as lines to read.
  [[nodiscard]] std::string text() const;

 private:
  using Value = double (*)(const Step&);
  // Of those steps in which so many bodies moved.
  [[nodiscard]] Times times(Activity activity, Value value) const;
  [[nodiscard]] Activity activity(const Step& step) const;

  std::size_t bodies_;
  double dt_;
  std::vector<Step> steps_;
};

}  // namespace oclide::simulation
