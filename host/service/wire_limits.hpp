// What both ends of a session go by, besides oclide.proto.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oclide::service {

/// Bytes at the begin of shared memory that a client repeats in its Open, to show that the memory is its own.
inline constexpr std::size_t kProofBytes = 16;
/// A service takes no longer message, where it is not told otherwise [bytes].
inline constexpr std::uint64_t kMostMessageBytes = std::uint64_t{1} << 30;

}  // namespace oclide::service
