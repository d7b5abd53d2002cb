#include "batch/batch_table.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "files/whole_file.hpp"
#include "oclide/oclide.hpp"
#include "text/clean_text.hpp"
#include "text/csv.hpp"
#include "text/read_all.hpp"

namespace oclide {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::invalid_input, file + ": " + what);
}

// The shortest text that gives the number again.
template <class Number>
std::string text_of(Number number) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

// Reads the fields of a record one after another; what is no number is remembered.
struct Fields {
  const std::vector<std::string>& fields;
  std::size_t next = 0;
  bool sound = true;

  std::string text() { return fields[next++]; }
  template <class Number>
  void number(Number& to, int base = 10) {
    const std::string& field = fields[next++];
    std::from_chars_result result{};
    if constexpr (std::is_integral_v<Number>)
      result = std::from_chars(field.data(), field.data() + field.size(), to, base);
    else
      result = std::from_chars(field.data(), field.data() + field.size(), to);
    sound = sound && result.ec == std::errc{} && result.ptr == field.data() + field.size();
  }
};

}  // namespace

std::string base_name(const std::string& file) {
  return clean_text(std::filesystem::path(file).filename().string());
}

const std::vector<std::string>& batch_columns() {
  static const std::vector<std::string> columns{
      "file",      "status", "message", "modified", "range",    "margin",    "device",       "file_bytes",
      "file_hash", "bodies", "frames",  "pairs",    "contacts", "max_depth", "contact_hash", "milliseconds"};
  return columns;
}

std::vector<std::string> fields_of(const BatchRow& row) {
  std::vector<std::string> fields{
      clean_text(row.file), row.done ? "done" : "failed", clean_text(row.message), row.modified, row.range,
      text_of(row.margin)};
  if (row.done)
    fields.insert(fields.end(), {clean_text(row.device), text_of(row.scene.bytes), batch_hash_text(row.scene.hash),
                                 text_of(row.bodies), text_of(row.frames), text_of(row.pairs), text_of(row.contacts),
                                 text_of(row.max_depth), batch_hash_text(row.contact_hash), text_of(row.milliseconds)});
  fields.resize(batch_columns().size());
  return fields;
}

std::string batch_hash_text(std::uint64_t hash) {
  std::array<char, 16> digits{};
  const std::size_t count = static_cast<std::size_t>(
      std::to_chars(digits.data(), digits.data() + digits.size(), hash, 16).ptr - digits.data());
  return std::string(digits.size() - count, '0') + std::string(digits.data(), count);
}

bool read_batch_row(const std::vector<std::string>& fields, BatchRow& row) {
  if (fields.size() != batch_columns().size()) return false;
  Fields in{fields};
  row.file = in.text();
  const std::string status = in.text();
  row.done = status == "done";
  row.message = in.text();
  row.modified = in.text();
  row.range = in.text();
  in.number(row.margin);
  if (!row.done) return in.sound && status == "failed";
  row.device = in.text();
  in.number(row.scene.bytes);
  in.number(row.scene.hash, 16);
  in.number(row.bodies);
  in.number(row.frames);
  in.number(row.pairs);
  in.number(row.contacts);
  in.number(row.max_depth);
  in.number(row.contact_hash, 16);
  in.number(row.milliseconds);
  return in.sound;
}

std::vector<BatchRow> read_batch_table(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return {};
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (!read_all(stream, text)) refuse(file, std::string("cannot be read: ") + std::strerror(errno));
  const std::vector<std::vector<std::string>> records = read_csv(text);
  // A batch may have been ended before the first line was whole.
  if (records.empty() && csv_line(batch_columns()).starts_with(text)) return {};
  if (records.empty() || records.front() != batch_columns()) refuse(file, "is no table of oclide batch");
  std::vector<BatchRow> rows(records.size() - 1);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!read_batch_row(records[k + 1], rows[k]))
      refuse(file, "row " + std::to_string(k + 1) + " is none of oclide batch");
  return rows;
}

BatchTableWriter::BatchTableWriter(std::string file, const std::vector<BatchRow>& rows)
    : file_(std::move(file)), target_(output_target(file_)) {
  replace(rows);
}

void BatchTableWriter::append(const BatchRow& row) {
  stream_ << csv_line(fields_of(row)) << std::flush;
  if (!stream_) refuse(file_, std::string("cannot be written: ") + std::strerror(errno));
}

void BatchTableWriter::replace(const std::vector<BatchRow>& rows) {
  stream_ = {};
  const std::string beside = target_ + ".partial" + std::to_string(::getpid());
  std::ofstream to(beside, std::ios::binary | std::ios::trunc);
  to << csv_line(batch_columns());
  for (const BatchRow& row : rows) to << csv_line(fields_of(row));
  to.flush();
  if (!to || std::rename(beside.c_str(), target_.c_str()) != 0) {
    const int reason = errno;
    std::remove(beside.c_str());
    refuse(file_, std::string("cannot be written: ") + std::strerror(reason));
  }
  stream_ = std::move(to);  // at its end, under its new name
}

}  // namespace oclide
