#include "text/csv.hpp"

#include <utility>

namespace oclide {
namespace {

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t k = 0; k < fields.size(); ++k) line.append(k == 0 ? "" : ",").append(csv_field(fields[k]));
  return line + "\r\n";
}

std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool in_quotes = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    const bool quote_next = k + 1 < text.size() && text[k + 1] == '"';
    if (in_quotes && c == '"' && quote_next) {
      record.back() += '"';
      ++k;
    } else if (c == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && c == ',') {
      record.emplace_back();
    } else if (!in_quotes && c == '\n') {
      records.push_back(std::exchange(record, std::vector<std::string>(1)));
    } else if (in_quotes || c != '\r') {
      record.back() += c;
    }
  }
  return records;
}

}  // namespace oclide
