#include <bit>

#include "oclide/oclide.hpp"

namespace oclide {

// FNV-1a (Fowler, Noll, Vo) over 64-bit words, with a final avalanche (Stafford's variant 13 constants), so that the
// hash depends on every bit and on the order, and on nothing of the machine.
std::uint64_t contact_hash(std::span<const Contact> contacts, std::uint64_t seed) {
  std::uint64_t h = seed == 0 ? 0xCBF29CE484222325ULL : seed;
  auto word = [&h](std::uint64_t w) { h = (h ^ w) * 0x100000001B3ULL, h ^= h >> 29; };
  auto two = [&](std::uint32_t lo, std::uint32_t hi) { word(std::uint64_t{hi} << 32 | lo); };
  for (const Contact& c : contacts) {
    for (double p : c.point) word(std::bit_cast<std::uint64_t>(p));
    two(std::bit_cast<std::uint32_t>(c.normal[0]), std::bit_cast<std::uint32_t>(c.normal[1]));
    two(std::bit_cast<std::uint32_t>(c.normal[2]), std::bit_cast<std::uint32_t>(c.depth));
    two(c.body_a, c.body_b);
    two(c.manifold, c.feature);
    word(std::uint64_t{c.shape_b} << 32 | std::uint64_t{c.shape_a} << 16 | c.material);
    if (c.element != kNone) word(c.element);
  }
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL;
  return h ^ (h >> 31);
}

}  // namespace oclide
