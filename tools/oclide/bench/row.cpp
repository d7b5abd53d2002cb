#include "bench/row.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "oclide/oclide.hpp"
#include "text/csv.hpp"
#include "text/read_all.hpp"

namespace oclide::command {
namespace {

constexpr const char* kFormat = "oclide-bench";
constexpr int kVersion = 1;
constexpr std::array<const char*, 6> kStageNames{"upload",   "broad_phase", "narrow_phase", "contact_reduction",
                                                 "download", "host"};

template <class Value>
Json optional_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"min", spread->min}, {"median", spread->median}};
}

// Reads the members of one JSON object and says which is at fault.
class Members {
 public:
  Members(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json_.is_object()) refuse("is no object");
  }

  [[nodiscard]] std::string text(const char* key, bool needed = true) const {
    const Json* value = find(key);
    if (value == nullptr && !needed) return {};
    if (value == nullptr) refuse(std::string("has no ") + key);
    if (!value->is_string()) refuse(std::string(key) + " must be a text");
    return value->get<std::string>();
  }

  [[nodiscard]] std::optional<double> number(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : -1.0;
    if (!std::isfinite(number) || number < 0.0) refuse(std::string(key) + " must be a number that is not negative");
    return number;
  }

  [[nodiscard]] std::optional<std::uint64_t> count(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    const std::optional<double> number = this->number(key);
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    if (*number >= 0x1p63 || *number != std::floor(*number)) refuse(std::string(key) + " must be a whole number");
    return static_cast<std::uint64_t>(*number);
  }

  [[nodiscard]] std::uint64_t count_or(const char* key, std::uint64_t otherwise) const {
    return count(key).value_or(otherwise);
  }

  [[nodiscard]] bool flag(const char* key) const {
    const Json* value = find(key);
    if (value != nullptr && !value->is_boolean()) refuse(std::string(key) + " must be true or false");
    return value != nullptr && value->get<bool>();
  }

  [[nodiscard]] std::optional<Spread> spread(const char* key) const {
    const Json* value = find(key);
    if (value == nullptr) return std::nullopt;
    const Members of(*value, where_ + ": " + key);
    const std::optional<double> min = of.number("min");
    const std::optional<double> median = of.number("median");
    if (!min || !median) refuse(std::string(key) + " must have min and median");
    return Spread{*min, *median};
  }

  /// Null where it is missing or null.
  [[nodiscard]] const Json* find(const char* key) const {
    const auto at = json_.find(key);
    return at == json_.end() || at->is_null() ? nullptr : &*at;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::invalid_input, where_ + ": " + what);
  }

 private:
  const Json& json_;
  std::string where_;
};

StageRow stage_of(const Json& json, const std::string& where) {
  const Members members(json, where);
  StageRow stage;
  stage.name = members.text("name");
  const std::optional<double> min = members.number("min_ms");
  const std::optional<double> median = members.number("median_ms");
  if (!min || !median) members.refuse("must have min_ms and median_ms");
  stage.milliseconds = {*min, *median};
  stage.bytes = members.number("bytes");
  stage.operations = members.number("operations");
  stage.bandwidth_share = members.number("bandwidth_share");
  return stage;
}

// A field of a table.
std::string csv_field(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : text_of(value);
}

}  // namespace

Spread spread_of(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  const std::size_t n = milliseconds.size();
  return {milliseconds.front(), 0.5 * (milliseconds[(n - 1) / 2] + milliseconds[n / 2])};
}

Json json_of(const Row& row) {
  Json json{{"engine", row.engine},
            {"engine_version", row.engine_version},
            {"settings", row.settings},
            {"device", row.device},
            {"device_id", row.device_id},
            {"gpu", row.gpu},
            {"driver", row.driver},
            {"host_cpu", row.host_cpu},
            {"threads", row.threads},
            {"commit", row.commit},
            {"scenario", row.scenario},
            {"bodies", row.bodies},
            {"environments", row.environments},
            {"terrain_vertices", row.terrain_vertices},
            {"hulls", optional_json(row.hulls)},
            {"mesh_triangles", optional_json(row.mesh_triangles)},
            {"moved", row.moved},
            {"repetitions", row.repetitions},
            {"warm_up", row.warm_up},
            {"pairs", optional_json(row.pairs)},
            {"contacts", optional_json(row.contacts)},
            {"candidates", optional_json(row.candidates)},
            {"wall_ms", json_of(row.wall)},
            {"device_ms", json_of(row.device_time)}};
  Json stages = Json::array();
  for (const StageRow& stage : row.stages)
    stages.push_back({{"name", stage.name},
                      {"min_ms", stage.milliseconds.min},
                      {"median_ms", stage.milliseconds.median},
                      {"bytes", optional_json(stage.bytes)},
                      {"operations", optional_json(stage.operations)},
                      {"bandwidth_share", optional_json(stage.bandwidth_share)}});
  json["stages"] = std::move(stages);
  json["copy_gb_per_s"] = optional_json(row.copy_gb_per_s);
  json["bodies_per_s"] = optional_json(row.bodies_per_s);
  json["pairs_per_s"] = optional_json(row.pairs_per_s);
  json["contacts_per_s"] = optional_json(row.contacts_per_s);
  json["terrain_cells_per_s"] = optional_json(row.terrain_cells_per_s);
  json["peak_device_bytes"] = optional_json(row.peak_device_bytes);
  json["peak_host_bytes"] = optional_json(row.peak_host_bytes);
  json["checked"] = row.checked;
  json["checked_bodies"] = row.checked_bodies;
  json["missed"] = optional_json(row.missed);
  json["spurious"] = optional_json(row.spurious);
  json["note"] = row.note;
  json["error"] = row.error;
  return json;
}

Row row_of(const Json& json, const std::string& where) {
  const Members members(json, where);
  Row row;
  row.engine = members.text("engine");
  row.engine_version = members.text("engine_version", false);
  row.settings = members.text("settings", false);
  row.device = members.text("device");
  row.device_id = members.text("device_id", false);
  row.driver = members.text("driver", false);
  row.host_cpu = members.text("host_cpu", false);
  row.commit = members.text("commit", false);
  row.scenario = members.text("scenario");
  row.note = members.text("note", false);
  row.error = members.text("error", false);
  row.threads = members.count_or("threads", 1);
  row.environments = members.count_or("environments", 1);
  row.terrain_vertices = members.count_or("terrain_vertices", 0);
  row.repetitions = members.count_or("repetitions", 0);
  row.warm_up = members.count_or("warm_up", 0);
  row.checked = members.flag("checked");
  row.gpu = members.flag("gpu");
  row.moved = members.number("moved").value_or(1.0);
  const std::optional<std::uint64_t> bodies = members.count("bodies");
  if (!bodies) members.refuse("has no bodies");
  row.bodies = *bodies;
  row.checked_bodies = members.count_or("checked_bodies", row.checked ? row.bodies : 0);
  row.hulls = members.count("hulls");
  row.mesh_triangles = members.count("mesh_triangles");
  row.pairs = members.count("pairs");
  row.contacts = members.count("contacts");
  row.candidates = members.count("candidates");
  row.missed = members.count("missed");
  row.spurious = members.count("spurious");
  row.peak_device_bytes = members.count("peak_device_bytes");
  row.peak_host_bytes = members.count("peak_host_bytes");
  row.wall = members.spread("wall_ms");
  row.device_time = members.spread("device_ms");
  if (!row.wall && row.error.empty()) members.refuse("has neither wall_ms nor an error");
  row.copy_gb_per_s = members.number("copy_gb_per_s");
  row.bodies_per_s = members.number("bodies_per_s");
  row.pairs_per_s = members.number("pairs_per_s");
  row.contacts_per_s = members.number("contacts_per_s");
  row.terrain_cells_per_s = members.number("terrain_cells_per_s");
  if (const Json* stages = members.find("stages")) {
    if (!stages->is_array()) members.refuse("stages must be a list");
    for (std::size_t s = 0; s < stages->size(); ++s)
      row.stages.push_back(stage_of((*stages)[s], where + ": stages[" + std::to_string(s) + "]"));
  }
  return row;
}

Json rows_file(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(json_of(row));
  return {{"format", kFormat}, {"version", kVersion}, {"rows", std::move(list)}};
}

std::vector<Row> read_rows(const std::string& file) {
  const auto refuse = [&](const std::string& what) { throw Error(ErrorKind::invalid_input, file + ": " + what); };
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) refuse("is a folder");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(std::strerror(errno));
  std::string text;
  if (!read_all(stream, text)) refuse("cannot be read");
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) refuse("is no JSON object");
  const Members members(json, file);
  if (members.text("format") != kFormat) refuse(std::string("format is not '") + kFormat + "'");
  if (members.count("version") != std::optional<std::uint64_t>(kVersion))
    refuse("version is not " + std::to_string(kVersion));
  const Json* list = members.find("rows");
  if (list == nullptr || !list->is_array()) refuse("has no list of rows");
  std::vector<Row> rows;
  for (std::size_t r = 0; r < list->size(); ++r)
    rows.push_back(row_of((*list)[r], file + ": rows[" + std::to_string(r) + "]"));
  return rows;
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string text;
  std::vector<std::string> header;
  const Json example = json_of(Row{});
  for (const auto& [key, value] : example.items())
    if (key == "wall_ms" || key == "device_ms") {
      header.push_back(key + "_min");
      header.push_back(key + "_median");
    } else if (key == "stages") {
      for (const char* stage : kStageNames)
        for (const char* what : {"min_ms", "median_ms", "bytes", "operations", "bandwidth_share"})
          header.push_back(std::string(stage) + "_" + what);
    } else {
      header.push_back(key);
    }
  text += csv_line(header);
  for (const Row& row : rows) {
    std::vector<std::string> fields;
    const Json json = json_of(row);
    for (const auto& [key, value] : json.items())
      if (key == "wall_ms" || key == "device_ms") {
        for (const char* what : {"min", "median"}) fields.push_back(value.is_null() ? "" : csv_field(value.at(what)));
      } else if (key == "stages") {
        for (const char* name : kStageNames) {
          const auto stage =
              std::find_if(value.begin(), value.end(), [&](const Json& s) { return s.at("name") == name; });
          for (const char* what : {"min_ms", "median_ms", "bytes", "operations", "bandwidth_share"})
            fields.push_back(stage == value.end() ? "" : csv_field(stage->at(what)));
        }
      } else {
        fields.push_back(csv_field(value));
      }
    text += csv_line(fields);
  }
  return text;
}

}  // namespace oclide::command
