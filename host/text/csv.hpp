// Tables as text: CSV as RFC 4180 has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oclide {

/// One record, with the end of its line. Fields with commas, quotes or ends of lines stand in quotes.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// The records of a text. What stands behind the last end of a line is of a record that was not written to its end, and
/// is left out.
[[nodiscard]] std::vector<std::vector<std::string>> read_csv(std::string_view text);

}  // namespace oclide
