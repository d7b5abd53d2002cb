#include <bit>

#include "oclide/oclide.hpp"

namespace oclide {

namespace {

// FNV-1a (Fowler, Noll, Vo) over 64-bit words, with a final avalanche (Stafford's variant 13 constants), so that the
// hash depends on every bit and on the order, and on nothing of the machine.
class Hash {
 public:
  explicit Hash(std::uint64_t seed) : h_(seed == 0 ? 0xCBF29CE484222325ULL : seed) {}
  void word(std::uint64_t w) { h_ = (h_ ^ w) * 0x100000001B3ULL, h_ ^= h_ >> 29; }
  void two(std::uint32_t lo, std::uint32_t hi) { word(std::uint64_t{hi} << 32 | lo); }
  void number(double x) { word(std::bit_cast<std::uint64_t>(x)); }
  void two(float lo, float hi) { two(std::bit_cast<std::uint32_t>(lo), std::bit_cast<std::uint32_t>(hi)); }
  [[nodiscard]] std::uint64_t value() const {
    std::uint64_t h = (h_ ^ (h_ >> 30)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL;
    return h ^ (h >> 31);
  }

 private:
  std::uint64_t h_;
};

}  // namespace

std::uint64_t contact_hash(std::span<const Contact> contacts, std::uint64_t seed) {
  Hash h(seed);
  for (const Contact& c : contacts) {
    for (const double p : c.point) h.number(p);
    h.two(c.normal[0], c.normal[1]);
    h.two(c.normal[2], c.depth);
    h.two(c.body_a, c.body_b);
    h.two(c.manifold, c.feature);
    h.word(std::uint64_t{c.shape_b} << 32 | std::uint64_t{c.shape_a} << 16 | std::uint64_t{c.flags} << 8 | c.material);
    if (c.element != kNone) h.word(c.element);
  }
  return h.value();
}

std::uint64_t hit_hash(std::span<const Hit> hits, std::uint64_t seed) {
  Hash h(seed);
  for (const Hit& hit : hits) {
    for (const double p : hit.point) h.number(p);
    h.number(hit.distance);
    h.two(hit.normal[0], hit.normal[1]);
    h.two(hit.normal[2], 0.0F);
    h.two(hit.body, hit.element);
    h.word(std::uint64_t{hit.shape} << 16 | hit.material);
  }
  return h.value();
}

std::uint64_t impact_hash(std::span<const Impact> impacts, std::uint64_t seed) {
  Hash h(seed);
  for (const Impact& impact : impacts) {
    for (const double p : impact.point) h.number(p);
    h.number(impact.time);
    h.two(impact.normal[0], impact.normal[1]);
    h.two(impact.normal[2], 0.0F);
    h.two(impact.body_a, impact.body_b);
    h.two(impact.element, impact.feature);
    h.word(std::uint64_t{impact.shape_b} << 32 | std::uint64_t{impact.shape_a} << 16 | impact.material);
  }
  return h.value();
}

}  // namespace oclide
