#include "measures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace oclide::simulation {
namespace {

struct Column {
  const char* name;
  double (*value)(const Step&);
};
constexpr std::array kColumns{
    Column{"collision", [](const Step& s) { return s.collision_ms; }},
    Column{"collision_cpu", [](const Step& s) { return s.collision_cpu_ms; }},
    Column{"upload", [](const Step& s) { return s.stages.upload; }},
    Column{"broad_phase", [](const Step& s) { return s.stages.broad_phase; }},
    Column{"narrow_phase", [](const Step& s) { return s.stages.narrow_phase; }},
    Column{"contact_reduction", [](const Step& s) { return s.stages.contact_reduction; }},
    Column{"download", [](const Step& s) { return s.stages.download; }},
    Column{"solver", [](const Step& s) { return s.solver_ms; }},
};

struct Named {
  Activity activity;
  const char* name;
};
constexpr std::array kActivities{Named{Activity::moving, "moving"}, Named{Activity::settling, "settling"},
                                 Named{Activity::at_rest, "at_rest"}};

std::string format(const char* pattern, auto... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

}  // namespace

std::span<const Step> Measures::last_second() const {
  const auto count = static_cast<std::size_t>(std::lround(1.0 / dt_));
  return std::span(steps_).last(std::min(steps_.size(), count));
}

double Measures::rest_since() const {
  std::size_t first = steps_.size();
  while (first > 0 && steps_[first - 1].awake == 0) --first;
  return first == steps_.size() ? -1.0 : dt_ * static_cast<double>(first);
}

double Measures::largest_rise() const {
  double least = std::numeric_limits<double>::infinity();
  double rise = 0.0;
  for (const Step& step : steps_) {
    least = std::min(least, step.energy);
    rise = std::max(rise, step.energy - least);
  }
  const double lost = steps_.empty() ? 0.0 : steps_.front().energy - least;
  return lost > 0.0 ? rise / lost : 0.0;
}

Activity Measures::activity(const Step& step) const {
  return step.moved == 0 ? Activity::at_rest : 4 * step.moved > bodies_ ? Activity::moving : Activity::settling;
}

Times Measures::times(Activity wanted, Value value) const {
  std::vector<double> values;
  // The first step compiles kernels and makes buffers.
  for (std::size_t k = 1; k < steps_.size(); ++k)
    if (activity(steps_[k]) == wanted) values.push_back(value(steps_[k]));
  Times result;
  result.steps = values.size();
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  result.percentile_5 = values[values.size() / 20];
  result.median = values[values.size() / 2];
  result.percentile_95 = values[std::min(values.size() - 1, values.size() * 95 / 100)];
  return result;
}

nlohmann::ordered_json Measures::json() const {
  nlohmann::ordered_json json;
  for (const auto& [kind, name] : kActivities) {
    nlohmann::ordered_json& part = json["milliseconds"][name];
    part["steps"] = times(kind, kColumns[0].value).steps;
    for (const Column& column : kColumns) {
      const Times t = times(kind, column.value);
      part[column.name] = {{"percentile_5", t.percentile_5}, {"median", t.median}, {"percentile_95", t.percentile_95}};
    }
  }
  std::size_t contacts = 0;
  std::size_t joints = 0;
  double deepest = 0.0;
  for (const Step& step : steps_) {
    contacts = std::max(contacts, step.contacts);
    joints = std::max(joints, step.joints);
    deepest = std::max(deepest, step.deepest);
  }
  double deepest_last = 0.0;
  double speed_last = 0.0;
  std::size_t changes_last = 0;
  for (const Step& step : last_second()) {
    deepest_last = std::max(deepest_last, step.deepest);
    speed_last = std::max(speed_last, step.mean_speed);
    changes_last += step.pairs_begun + step.pairs_ended;
  }
  const Step last = steps_.empty() ? Step{} : steps_.back();
  json["most_contacts"] = contacts;
  json["most_joints"] = joints;
  json["deepest"] = deepest;
  json["rest_since"] = rest_since();
  json["energy"] = {
      {"first", steps_.empty() ? 0.0 : steps_.front().energy}, {"last", last.energy}, {"largest_rise", largest_rise()}};
  json["last_second"] = {
      {"deepest", deepest_last}, {"mean_speed", speed_last}, {"pair_changes", changes_last}, {"awake", last.awake}};
  json["contacts"] = last.contacts;
  json["pairs"] = last.pairs;
  return json;
}

std::string Measures::text() const {
  std::string text;
  for (const auto& [kind, name] : kActivities) {
    const Times collision = times(kind, kColumns.front().value);
    const Times solver = times(kind, kColumns.back().value);
    if (collision.steps == 0) continue;
    text += format("  %-8s %5zu steps   collision %7.2f ms (5 %%: %.2f, 95 %%: %.2f)   solver %7.2f ms (95 %%: %.2f)\n",
                   name, collision.steps, collision.median, collision.percentile_5, collision.percentile_95,
                   solver.median, solver.percentile_95);
    text += "           of collision:";
    for (std::size_t k = 1; k + 1 < kColumns.size(); ++k)
      text += format(" %s %.2f", kColumns[k].name, times(kind, kColumns[k].value).median);
    text += "\n";
  }
  // Ten lines of how the run went.
  text += "  time [s]  awake  contacts   pairs  +pairs  -pairs  deepest [mm]  mean speed [mm/s]    energy [J]\n";
  for (std::size_t k = 1; k <= 10 && !steps_.empty(); ++k) {
    const std::size_t at = std::max<std::size_t>(1, steps_.size() * k / 10) - 1;
    const Step& s = steps_[at];
    text += format("  %8.2f %6zu %9zu %7llu %7zu %7zu %13.3f %18.3f %13.0f\n", dt_ * static_cast<double>(at + 1),
                   s.awake, s.contacts, static_cast<unsigned long long>(s.pairs), s.pairs_begun, s.pairs_ended,
                   1e3 * s.deepest, 1e3 * s.mean_speed, s.energy);
  }
  const double since = rest_since();
  text += since < 0.0 ? "  still moving at the end\n" : format("  at rest from %.2f s on\n", since);
  return text;
}

}  // namespace oclide::simulation
