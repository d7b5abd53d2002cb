#include "device_scene/tree_bodies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "device_scene/quantile.hpp"
#include "shapes/bounding_radius.hpp"
#include "shapes/device_size.hpp"
#include "shapes/shape_list.hpp"

namespace oclide {
namespace {

constexpr double kClassFactor = 4.0;  // from one size class to the next, and from small bodies to the second
constexpr unsigned kMostClasses = 8;

// Environments by rank, so that keys stay short whatever their numbers are.
class EnvironmentRanks {
 public:
  explicit EnvironmentRanks(const Bodies& bodies) : bodies_(bodies), sorted_(bodies.environment) {
    if (sorted_.empty()) sorted_.push_back(0);
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  }
  [[nodiscard]] std::uint32_t of(std::size_t body) const {
    const std::uint32_t environment = bodies_.environment.empty() ? 0U : bodies_.environment[body];
    return static_cast<std::uint32_t>(std::lower_bound(sorted_.begin(), sorted_.end(), environment) - sorted_.begin());
  }
  [[nodiscard]] std::size_t count() const { return sorted_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& all() const { return sorted_; }

 private:
  const Bodies& bodies_;
  std::vector<std::uint32_t> sorted_;
};

// The size below which a body counts as small, and the ranks of those classes of larger ones that really occur.
class SizeClasses {
 public:
  explicit SizeClasses(std::vector<double> radii) {
    if (!radii.empty()) small_ = quantile(radii, 0.1);
    for (const double radius : radii) rank_[class_of(radius)] = 1;
    for (std::uint64_t& rank : rank_) rank = rank == 1 ? count_++ : 0;
  }
  [[nodiscard]] double small() const { return small_; }
  [[nodiscard]] std::uint64_t rank_of(double radius) const { return rank_[class_of(radius)]; }
  [[nodiscard]] unsigned bits() const {
    return static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(count_, 1) - 1));
  }

 private:
  [[nodiscard]] std::size_t class_of(double radius) const {
    const double above = std::log(radius / (kClassFactor * small_)) / std::log(kClassFactor);
    return static_cast<std::size_t>(std::clamp(std::ceil(above), 0.0, kMostClasses - 1.0));
  }

  double small_ = 1.0;
  std::uint64_t count_ = 0;
  std::array<std::uint64_t, kMostClasses> rank_{};
};

}  // namespace

TreeBodies::TreeBodies(opencl::Device& device)
    : records(device, "bodies of the tree"),
      half_space_offsets(device, "half space offsets"),
      half_space_list(device, "half spaces") {}

void TreeBodies::set(const Bodies& b, const Geometry& geometry) {
  const std::size_t n = b.count();
  const EnvironmentRanks ranks(b);
  environments = ranks.all();
  std::vector<double> radii;
  for (std::size_t i = 0; i < n; ++i)
    if (is_bounded(b.shape[i])) radii.push_back(bounding_radius(b.shape[i], b.size[i], geometry));
  leaves = static_cast<std::uint32_t>(radii.size());
  const SizeClasses classes(std::move(radii));
  cell = static_cast<float>(2.0 * classes.small());
  high_bits = static_cast<unsigned>(std::bit_width(ranks.count() - 1)) + classes.bits();

  std::vector<PairBody> host;
  host.reserve(n);
  record_of_body.assign(n, 0);
  half_space_bodies.clear();
  std::vector<std::uint32_t> offsets(ranks.count() + 1, 0);
  filters = false;
  for (const bool is_half_space : {false, true})
    for (std::size_t i = 0; i < n; ++i) {
      if (is_bounded(b.shape[i]) == is_half_space) continue;
      PairBody r{};
      r.body = static_cast<cl_uint>(i);
      r.shape = static_cast<cl_uint>(b.shape[i]);
      r.environment = ranks.of(i);
      r.group = b.group.empty() ? 0U : static_cast<cl_uint>(b.group[i]);
      r.category = b.category.empty() ? 1U : b.category[i];
      r.mask = b.mask.empty() ? 0xFFFFFFFFU : b.mask[i];
      filters = filters || r.group != 0 || r.category != 1 || r.mask != 0xFFFFFFFFU;
      if (is_half_space) {
        ++offsets[r.environment + 1];
        half_space_bodies.push_back(r.body);
      } else {
        write_device_size(b.shape[i], b.size[i], geometry.hulls.size(), r.size);
        r.key = std::uint64_t{r.environment} << classes.bits() |
                classes.rank_of(bounding_radius(b.shape[i], b.size[i], geometry));
      }
      record_of_body[i] = static_cast<std::uint32_t>(host.size());
      host.push_back(r);
    }
  half_spaces = static_cast<std::uint32_t>(n) - leaves;
  one_group = n > 0 && host.front().group != 0 &&
              std::all_of(host.begin(), host.end(), [&](const PairBody& r) { return r.group == host.front().group; });
  records.assign(host);

  std::vector<std::uint32_t> list(half_spaces);
  for (std::size_t e = 0; e < ranks.count(); ++e) offsets[e + 1] += offsets[e];
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  for (std::uint32_t k = 0; k < half_spaces; ++k) list[next[host[leaves + k].environment]++] = k;
  half_space_offsets.assign(offsets);
  half_space_list.assign(list);
}

}  // namespace oclide
