#include "byte_count.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include "oclide/oclide.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

struct Unit {
  const char* name;
  double bytes;
};
constexpr std::array<Unit, 10> kUnits{{{"", 1.0},
                                       {"b", 1.0},
                                       {"kb", 1e3},
                                       {"mb", 1e6},
                                       {"gb", 1e9},
                                       {"tb", 1e12},
                                       {"kib", 0x1p10},
                                       {"mib", 0x1p20},
                                       {"gib", 0x1p30},
                                       {"tib", 0x1p40}}};

}  // namespace

std::uint64_t parse_byte_count(const std::string& text, const char* option) {
  const auto refuse = [&]() {
    throw Error(ErrorKind::invalid_input,
                std::string(option) + " " + text + ": is no number of bytes; write one like 1000000, 512MiB or 2GB");
  };
  double number = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error != std::errc{}) refuse();
  std::string unit(rest, end);
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto* const found = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& u) { return unit == u.name; });
  if (found == kUnits.end()) refuse();
  const double bytes = std::floor(number * found->bytes);
  if (!(bytes >= 1.0) || !(bytes < 0x1p63)) refuse();
  return static_cast<std::uint64_t>(bytes);
}

std::string byte_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kNames{"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto number = static_cast<double>(bytes);
  std::size_t k = 0;
  for (; number >= 1024.0 && k + 1 < kNames.size(); ++k) number /= 1024.0;
  return fixed(number, k == 0 ? 0 : 1) + " " + kNames[k];
}

}  // namespace oclide::command
