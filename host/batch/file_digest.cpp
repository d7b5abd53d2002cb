#include "batch/file_digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {
namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  return std::rotl(hash ^ (word * kOdd), 29) * 0xD6E8FEB86659FD93ULL;
}

}  // namespace

FileDigest file_digest(const std::string& file) {
  // Four lanes of eight bytes, which do not wait for each other.
  constexpr std::size_t kLanes = 4, kStep = kLanes * sizeof(std::uint64_t);
  constexpr std::size_t kPart = 1U << 16U;
  std::ifstream stream(file, std::ios::binary);
  std::array<std::uint64_t, kLanes> lanes{1, 2, 3, 4};
  std::vector<char> part(kPart);
  FileDigest digest;
  while (stream.read(part.data(), kPart), stream.gcount() > 0) {
    const auto count = static_cast<std::size_t>(stream.gcount());
    digest.bytes += count;
    // The last step is filled up with zeros: the number of bytes is part of the hash.
    const std::size_t steps = (count + kStep - 1) / kStep;
    std::fill(part.begin() + static_cast<std::ptrdiff_t>(count),
              part.begin() + static_cast<std::ptrdiff_t>(steps * kStep), '\0');
    for (std::size_t at = 0; at < steps * kStep; at += kStep) {
      std::array<std::uint64_t, kLanes> words{};
      std::memcpy(words.data(), part.data() + at, kStep);
      for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = mixed(lanes[k], words[k]);
    }
  }
  if (!stream.eof()) throw Error(ErrorKind::invalid_input, file + ": cannot be read: " + std::strerror(errno));
  digest.hash = digest.bytes;
  for (const std::uint64_t lane : lanes) digest.hash = mixed(digest.hash, lane);
  digest.hash ^= digest.hash >> 32U;
  return digest;
}

}  // namespace oclide
