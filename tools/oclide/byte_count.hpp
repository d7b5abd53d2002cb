// Numbers of bytes as people write them.
#pragma once

#include <cstdint>
#include <string>

namespace oclide::command {

/// "1000000", "1.5GB", "512MiB": kB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024. Throws
/// Error(invalid_input), which names `option`, where the text is none of these or less than one byte.
[[nodiscard]] std::uint64_t parse_byte_count(const std::string& text, const char* option);

/// 536870912 as "512.0 MiB".
[[nodiscard]] std::string byte_text(std::uint64_t bytes);

}  // namespace oclide::command
