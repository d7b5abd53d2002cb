// What a comparison measured: as a rows file, which `oclide bench --rows` reads, and as a table to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "child.hpp"
#include "scenes.hpp"

namespace oclide::bench {

/// One engine's times and counts on one work.
struct Measured {
  PeerInfo info;
  bool is_oclide = false;
  bool is_gpu = false;
  bool one_core = false;
  std::vector<TimedFrame> frames;  ///< timed, in order
  std::uint64_t pairs = 0;         ///< touching, of two bodies or of a body and terrain
  std::uint64_t points = 0;
  std::optional<std::uint64_t> candidates;
  PeakMemory memory;
  bool checked = false;            ///< contacts held against the reference
  std::size_t checked_bodies = 0;  ///< of how many bodies
  std::string failure;             ///< why it was not timed; empty where it was
  /// Against oclide's set of what touches deeper than kClearDepth; none for oclide itself
  std::optional<std::uint64_t> missed, spurious;
  /// Against what the file says that touches
  std::optional<std::uint64_t> truth_missed, truth_spurious;
};

struct WorkRows {
  std::string work, source;
  std::size_t bodies = 0, environments = 1, terrain_vertices = 0, warm_up = 0;
  double moved = 1.0;  ///< share of the poses that change from frame to frame
  std::vector<Measured> rows;
};

/// Depth from which a touch that one side has must be the other's too [m].
constexpr double kClearDepth = 1e-4;

/// Those of `from`, deeper than kClearDepth, that are not in `in`; both sorted by bodies.
std::uint64_t missing(const std::vector<Touch>& from, const std::vector<Touch>& in);

double least_ms(const Measured& row);
double median_ms(const Measured& row);

/// {"format": "oclide-bench", "version": 1, "rows": [...]}
std::string rows_file(const std::vector<WorkRows>& works);
/// Rows of one work with ratios to oclide's.
std::string table(const WorkRows& work);

}  // namespace oclide::bench
