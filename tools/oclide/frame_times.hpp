// Milliseconds by stage of many frames, as a command sums them up.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "json.hpp"
#include "terminal.hpp"

namespace oclide::command {

/// Medians are of the last so many frames, so that memory does not grow with their number.
inline constexpr std::size_t kFramesOfMedian = 65536;

template <class Times>
struct StageOf {
  const char* name;
  double Times::*milliseconds;
};

/// The times of frames. Those for which kernels were compiled count only where there are no others.
template <class Times>
class FrameTimes {
 public:
  void add(const Times& times, bool compiled) { (compiled ? with_compilation_ : others_).add(times); }

  /// The medians contain the compilation of kernels: something was compiled for each of the frames.
  [[nodiscard]] bool with_compilation() const { return others_.last.empty() && !with_compilation_.last.empty(); }

  [[nodiscard]] double median(double Times::*stage) const {
    const std::vector<Times>& last = (with_compilation() ? with_compilation_ : others_).last;
    if (last.empty()) return 0.0;
    std::vector<double> values;
    for (const Times& t : last) values.push_back(t.*stage);
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(values.begin(), middle));
  }

 private:
  struct LastTimes {
    std::vector<Times> last;
    std::size_t count = 0;

    void add(const Times& times) {
      if (last.size() < kFramesOfMedian)
        last.push_back(times);
      else
        last[count % kFramesOfMedian] = times;
      ++count;
    }
  };
  LastTimes others_, with_compilation_;
};

template <class Times, std::size_t kCount>
[[nodiscard]] Json json_of(const FrameTimes<Times>& times, const std::array<StageOf<Times>, kCount>& stages) {
  Json json;
  for (const StageOf<Times>& stage : stages) json[stage.name] = times.median(stage.milliseconds);
  return json;
}

template <class Times, std::size_t kCount>
void print(const FrameTimes<Times>& times, const std::array<StageOf<Times>, kCount>& stages) {
  line("milliseconds",
       times.with_compilation() ? "median of a frame, compilation of kernels included" : "median of a frame");
  for (const StageOf<Times>& stage : stages)
    line((std::string("  ") + stage.name).c_str(), fixed(times.median(stage.milliseconds), 3));
}

}  // namespace oclide::command
