// A row of timings: one engine on one device with so many cores, on one scene. The same for `oclide bench` and for the
// programs in bench/peers, as a JSON object in a file {"format": "oclide-bench", "version": 1, "rows": [...]}.
// docs/benchmarks.md says what each member means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"

namespace oclide::command {

/// Milliseconds over the repetitions.
struct Spread {
  double min = 0.0;
  double median = 0.0;
};
/// Of at least one value.
[[nodiscard]] Spread spread_of(std::vector<double> milliseconds);

struct StageRow {
  std::string name;
  Spread milliseconds;
  std::optional<double> bytes;            ///< compulsory traffic of a frame
  std::optional<double> operations;       ///< of a frame
  std::optional<double> bandwidth_share;  ///< bytes / median time / copy bandwidth
};

struct Row {
  std::string engine = "oclide";
  std::string engine_version;
  std::string settings;
  std::string device;
  std::string device_id;
  std::string driver;
  std::string host_cpu;
  std::string commit;
  std::string scenario;
  std::string note;
  std::string error;  ///< why it was not timed; empty where it was
  std::uint64_t threads = 1;
  std::uint64_t bodies = 0;
  std::uint64_t environments = 1;
  std::uint64_t terrain_vertices = 0;
  std::uint64_t repetitions = 0;
  std::uint64_t warm_up = 0;
  std::uint64_t checked_bodies = 0;  ///< of the scene that was validated
  bool checked = false;
  bool gpu = false;
  double moved = 1.0;  ///< share of the bodies whose pose changes from one repetition to the next
  std::optional<std::uint64_t> hulls, mesh_triangles;  ///< of the scene, each shape once however many bodies share it
  std::optional<std::uint64_t> pairs, contacts, candidates;
  std::optional<std::uint64_t> missed, spurious;
  std::optional<std::uint64_t> peak_device_bytes, peak_host_bytes;
  std::optional<Spread> wall, device_time;
  std::optional<double> copy_gb_per_s;
  std::optional<double> bodies_per_s, pairs_per_s, contacts_per_s, terrain_cells_per_s;
  std::vector<StageRow> stages;
};

[[nodiscard]] Json json_of(const Row& row);
/// Throws Error(invalid_input) that begins with `where` for what is no row. Members that it does not know are ignored.
[[nodiscard]] Row row_of(const Json& json, const std::string& where);

/// The whole file.
[[nodiscard]] Json rows_file(const std::vector<Row>& rows);
/// Throws Error(invalid_input) that names the file, and the row and member at fault.
[[nodiscard]] std::vector<Row> read_rows(const std::string& file);

/// RFC 4180: a header and one line a row, stages side by side; numbers that a row does not have are empty.
[[nodiscard]] std::string csv_of(const std::vector<Row>& rows);

}  // namespace oclide::command
