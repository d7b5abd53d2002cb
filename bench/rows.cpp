#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "bench/row.hpp"
#include "bench_commit.hpp"
#include "devices/host_cpu.hpp"

namespace oclide::bench {
namespace {

constexpr double kNull = std::numeric_limits<double>::quiet_NaN();  // no number

std::vector<double> wall_times(const Measured& row) {
  std::vector<double> times;
  for (const TimedFrame& f : row.frames) times.push_back(f.milliseconds);
  return times;
}

// Every frame has the same stages; what is left of the wall time is `host`.
std::vector<command::StageRow> stages(const Measured& row) {
  std::vector<command::StageRow> list;
  if (row.frames.empty() || row.frames[0].stages.empty()) return list;
  std::vector<double> rest = wall_times(row);
  for (std::size_t s = 0; s < row.frames[0].stages.size(); ++s) {
    std::vector<double> times;
    for (std::size_t k = 0; k < row.frames.size(); ++k) {
      times.push_back(row.frames[k].stages.at(s).second);
      rest[k] = std::max(0.0, rest[k] - times.back());
    }
    list.push_back({row.frames[0].stages[s].first, command::spread_of(times), {}, {}, {}});
  }
  list.push_back({"host", command::spread_of(rest), {}, {}, {}});
  return list;
}

command::Row row_of(const WorkRows& work, const Measured& m) {
  command::Row row;
  row.engine = m.info.engine;
  row.engine_version = m.info.version;
  row.settings = m.info.settings;
  row.device = m.info.device;
  row.device_id = m.info.device_id;
  row.gpu = m.is_gpu;
  row.driver = m.info.driver;
  row.host_cpu = host_cpu();
  row.threads = m.info.threads;
  row.commit = command::kCommit;
  row.scenario = work.work;
  row.bodies = work.bodies;
  row.environments = work.environments;
  row.terrain_vertices = work.terrain_vertices;
  row.moved = work.moved;
  row.repetitions = m.frames.size();
  row.warm_up = work.warm_up;
  row.checked = m.checked;
  row.checked_bodies = m.checked_bodies;
  row.note = work.source + "; " + m.info.note;
  if (m.truth_missed)
    row.note += (m.info.note.empty() ? "" : "; ") + std::string("of what the file says that touches ") +
                std::to_string(*m.truth_missed) + " missed, " + std::to_string(*m.truth_spurious) + " more";
  row.error = m.failure;
  row.peak_device_bytes = m.memory.device_bytes;
  row.peak_host_bytes = m.memory.host_bytes;
  if (m.frames.empty()) return row;
  row.pairs = m.pairs;
  row.contacts = m.points;
  row.candidates = m.candidates;
  row.missed = m.missed;
  row.spurious = m.spurious;
  row.wall = command::spread_of(wall_times(m));
  if (m.frames[0].device_ms) {
    std::vector<double> device;
    for (const TimedFrame& f : m.frames) device.push_back(f.device_ms.value_or(kNull));
    row.device_time = command::spread_of(device);
  }
  row.stages = stages(m);
  const double seconds = row.wall->median * 1e-3;
  row.bodies_per_s = static_cast<double>(work.bodies) / seconds;
  row.pairs_per_s = static_cast<double>(m.pairs) / seconds;
  row.contacts_per_s = static_cast<double>(m.points) / seconds;
  return row;
}

template <class Number>
double or_null(const std::optional<Number>& value) {
  return value ? static_cast<double>(*value) : kNull;
}

std::string cell(double value, const char* format) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::uint64_t missing(const std::vector<Touch>& from, const std::vector<Touch>& in) {
  return static_cast<std::uint64_t>(std::count_if(from.begin(), from.end(), [&](const Touch& t) {
    return t.depth > kClearDepth && !std::binary_search(in.begin(), in.end(), t, [](const Touch& a, const Touch& b) {
             return a.bodies < b.bodies;
           });
  }));
}

double least_ms(const Measured& row) {
  return row.frames.empty() ? kNull : command::spread_of(wall_times(row)).min;
}

double median_ms(const Measured& row) {
  return row.frames.empty() ? kNull : command::spread_of(wall_times(row)).median;
}

std::string rows_file(const std::vector<WorkRows>& works) {
  std::vector<command::Row> rows;
  for (const WorkRows& work : works)
    for (const Measured& m : work.rows) rows.push_back(row_of(work, m));
  return command::text_of(command::rows_file(rows)) + "\n";
}

std::string table(const WorkRows& work) {
  const auto oclide_ms = [&](bool one_core) {
    for (const Measured& row : work.rows)
      if (row.is_oclide && row.one_core == one_core) return median_ms(row);
    return kNull;
  };
  const double ours = oclide_ms(false), ours_on_one = oclide_ms(true);
  std::vector<std::vector<std::string>> lines{{"engine", "threads", "median ms", "min ms", "x oclide",
                                               "x oclide 1 core", "touching", "points", "missed", "spurious", "truth -",
                                               "truth +", "peak MiB"}};
  for (const Measured& row : work.rows) {
    std::string engine = row.info.engine + " " + row.info.version;
    if (row.is_oclide) engine += " " + row.info.device_id;
    const double ms = median_ms(row);
    lines.push_back({engine, std::to_string(row.info.threads), cell(ms, "%.3f"), cell(least_ms(row), "%.3f"),
                     cell(ms / ours, "%.2f"), cell(ms / ours_on_one, "%.2f"),
                     cell(static_cast<double>(row.pairs), "%.0f"), cell(static_cast<double>(row.points), "%.0f"),
                     cell(or_null(row.missed), "%.0f"), cell(or_null(row.spurious), "%.0f"),
                     cell(or_null(row.truth_missed), "%.0f"), cell(or_null(row.truth_spurious), "%.0f"),
                     cell(or_null(row.memory.host_bytes) / (1024.0 * 1024.0), "%.0f")});
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  std::string text = work.work + " (" + work.source + "): " + std::to_string(work.bodies) + " bodies, " +
                     std::to_string(work.environments) + " environments, " + std::to_string(work.terrain_vertices) +
                     " terrain vertices\n";
  for (const auto& line : lines) {
    for (std::size_t k = 0; k < line.size(); ++k) {
      const std::string room(widths[k] - line[k].size() + 2, ' ');
      text += k == 0 ? "  " + line[k] + room.substr(2) : room + line[k];
    }
    text += "\n";
  }
  for (const Measured& row : work.rows)
    if (!row.failure.empty()) text += "  " + row.info.engine + ": not timed: " + row.failure + "\n";
  return text;
}

}  // namespace oclide::bench
