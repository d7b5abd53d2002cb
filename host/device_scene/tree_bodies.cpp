#include "device_scene/tree_bodies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "device_scene/quantile.hpp"
#include "scene/body_filters.hpp"
#include "scene/body_margin.hpp"
#include "shapes/bounding_radius.hpp"
#include "shapes/device_size.hpp"
#include "shapes/shape_list.hpp"

namespace oclide {
namespace {

constexpr double kClassFactor = 4.0;  // from one size class to the next, and from small bodies to the second

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

// Something but environment and shape keeps the body from meeting others.
bool has_filter(const PairBody& r) {
  return r.shape != SHAPE_NONE && (r.group != 0 || r.category != 1 || r.mask != 0xFFFFFFFFU || r.rules != 0);
}

// Too small for a float of full precision: 0, as devices may take it for.
float margin_of(const Bodies& bodies, std::size_t body) {
  const auto margin = static_cast<float>(own_margin(bodies, body));
  return margin < std::numeric_limits<float>::min() ? 0.0F : margin;
}

std::uint32_t environment_of(const Bodies& bodies, std::size_t body) {
  return bodies.environment.empty() ? 0U : bodies.environment[body];
}

}  // namespace

SizeClasses::SizeClasses(std::vector<double> radii) {
  if (!radii.empty()) small_ = quantile(radii, 0.1);
  for (const double radius : radii) rank_[class_of(radius)] = 1;
  for (std::uint64_t& rank : rank_) rank = rank == 1 ? count_++ : 0;
}

unsigned SizeClasses::bits() const {
  return static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(count_, 1) - 1));
}

std::size_t SizeClasses::class_of(double radius) const {
  const double above = std::log(radius / (kClassFactor * small_)) / std::log(kClassFactor);
  return static_cast<std::size_t>(std::clamp(std::ceil(above), 0.0, kMostClasses - 1.0));
}

TreeBodies::TreeBodies(opencl::Device& device)
    : records(device, "bodies of the tree"),
      half_space_offsets(device, "half space offsets"),
      half_space_list(device, "half spaces"),
      excluded(device, "excluded pairs"),
      margins(device, "margins of bodies") {}

// What is in the record of a body, or of a row without one.
PairBody TreeBodies::record_of(const Bodies& b, const Geometry& geometry, std::size_t i,
                               std::uint32_t environment) const {
  PairBody r{};
  r.body = static_cast<cl_uint>(i);
  r.environment = environment;
  r.key = std::uint64_t{environment} << classes_.bits();
  r.shape = SHAPE_NONE;
  if (!is_active(b, i)) return r;
  r.shape = static_cast<cl_uint>(b.shape[i]);
  r.group = b.group.empty() ? 0U : static_cast<cl_uint>(b.group[i]);
  r.category = b.category.empty() ? 1U : b.category[i];
  r.mask = b.mask.empty() ? 0xFFFFFFFFU : b.mask[i];
  r.rules = (b.either_mask ? RULE_EITHER : 0U) | (flags_of(b, i) & RULE_STATIC) |
            (!is_excluded_.empty() && is_excluded_[i] != 0 ? RULE_EXCLUDED : 0U);
  if (!is_bounded(b.shape[i])) return r;
  write_device_size(b.shape[i], b.size[i], geometry.hulls.size(), r.size);
  r.key |= classes_.rank_of(bounding_radius(b.shape[i], b.size[i], geometry));
  return r;
}

void TreeBodies::set_excluded(const Bodies& b) {
  excluded_pairs_ = b.excluded;
  is_excluded_.assign(b.excluded.empty() ? 0 : b.count(), 0);
  for (const auto& [first, second] : b.excluded) is_excluded_[first] = is_excluded_[second] = 1;
  excluded.assign(excluded_table(b));
}

// For all rows and those that may come without new room; nothing where no body has a margin.
void TreeBodies::set_margins(const Bodies& b) {
  margins.free();
  if (std::none_of(b.margin.begin(), b.margin.end(), [](double margin) { return margin > 0.0; })) return;
  std::vector<float> host(record_of_body.size() + spare_.size(), 0.0F);
  for (std::size_t i = 0; i < b.count(); ++i) host[i] = margin_of(b, i);
  margins.assign(host);
}

void TreeBodies::set(const Bodies& b, const Geometry& geometry, std::size_t spare) {
  const std::size_t n = b.count();
  const EnvironmentRanks ranks(b);
  environments = ranks.all();
  const auto is_leaf = [&](std::size_t i) { return is_bounded(b.shape[i]) || !is_active(b, i); };
  std::vector<double> radii;
  leaves = static_cast<std::uint32_t>(spare);
  for (std::size_t i = 0; i < n; ++i) {
    leaves += is_leaf(i) ? 1 : 0;
    if (is_bounded(b.shape[i]) && is_active(b, i)) radii.push_back(bounding_radius(b.shape[i], b.size[i], geometry));
  }
  classes_ = SizeClasses(std::move(radii));
  cell = static_cast<float>(2.0 * classes_.small());
  high_bits = static_cast<unsigned>(std::bit_width(ranks.count() - 1)) + classes_.bits();

  set_excluded(b);
  std::vector<PairBody> host;
  host.reserve(n + spare);
  record_of_body.assign(n, 0);
  half_space_bodies.clear();
  half_space_environments_.clear();
  spare_.clear();
  offsets_.assign(ranks.count() + 1, 0);
  filters = b.either_mask;
  for (const bool is_half_space : {false, true}) {
    for (std::size_t i = 0; i < n; ++i) {
      if (is_leaf(i) == is_half_space) continue;
      const PairBody r = record_of(b, geometry, i, ranks.of(i));
      filters = filters || has_filter(r);
      if (is_half_space) {
        ++offsets_[r.environment + 1];
        half_space_bodies.push_back(r.body);
        half_space_environments_.push_back(r.environment);
      }
      record_of_body[i] = static_cast<std::uint32_t>(host.size());
      host.push_back(r);
    }
    if (is_half_space) break;
    // Those without a row have the pose of body 0, which counts for nothing.
    PairBody none{};
    none.shape = SHAPE_NONE;
    for (std::size_t k = 0; k < spare; ++k) {
      spare_.push_back(static_cast<std::uint32_t>(host.size()));
      host.push_back(none);
    }
  }
  half_spaces = static_cast<std::uint32_t>(n + spare) - leaves;
  group_ = n > 0 ? host.front().group : 0;
  one_group =
      group_ != 0 && std::all_of(host.begin(), host.end(), [&](const PairBody& r) { return r.group == group_; });
  records.assign(host);
  set_margins(b);

  std::vector<std::uint32_t> list(half_spaces);
  for (std::size_t e = 0; e < ranks.count(); ++e) offsets_[e + 1] += offsets_[e];
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (std::uint32_t k = 0; k < half_spaces; ++k) list[next[host[leaves + k].environment]++] = k;
  half_space_offsets.assign(offsets_);
  half_space_list.assign(list);
}

void TreeBodies::add_environments(const Bodies& b, std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> came;
  for (const std::uint32_t i : rows)
    if (environment_of(b, i) > environments.back()) came.push_back(environment_of(b, i));
  if (came.empty()) return;
  std::sort(came.begin(), came.end());
  came.erase(std::unique(came.begin(), came.end()), came.end());
  environments.insert(environments.end(), came.begin(), came.end());
  high_bits = static_cast<unsigned>(std::bit_width(environments.size() - 1)) + classes_.bits();
  offsets_.resize(environments.size() + 1, half_spaces);  // none is in them
  half_space_offsets.assign(offsets_);
}

bool TreeBodies::change(const Bodies& b, const Geometry& geometry, std::span<const std::uint32_t> rows) {
  if (b.count() > record_of_body.size() + spare_.size()) return false;
  if (b.excluded != excluded_pairs_)
    set_excluded(b);
  else if (!is_excluded_.empty())
    is_excluded_.resize(b.count(), 0);
  changed_records.clear();
  changed.clear();
  changed_margins.clear();
  add_environments(b, rows);
  // Environments that nobody is in any more are left out when all is set anew.
  if (environments.size() > 2 * records.size()) return false;
  for (const std::uint32_t i : rows) {
    const auto rank = std::lower_bound(environments.begin(), environments.end(), environment_of(b, i));
    if (rank == environments.end() || *rank != environment_of(b, i)) return false;
    const bool is_new = i >= record_of_body.size();
    const bool is_half_space = is_active(b, i) && !is_bounded(b.shape[i]);
    if (is_half_space != (!is_new && record_of_body[i] >= leaves)) return false;
    const PairBody r = record_of(b, geometry, i, static_cast<std::uint32_t>(rank - environments.begin()));
    if (one_group && r.group != group_) return false;
    filters = filters || has_filter(r);
    if (is_half_space) {
      // It stays in the list of its environment.
      if (half_space_environments_[record_of_body[i] - leaves] != r.environment) return false;
      records.upload({&r, 1}, record_of_body[i]);
      if (margins.size() == 0 && margin_of(b, i) > 0.0F) return false;
      if (const float margin = margin_of(b, i); margins.size() > 0) margins.upload({&margin, 1}, i);
      continue;
    }
    if (is_new) {
      record_of_body.push_back(spare_.back());
      spare_.pop_back();
    }
    changed_records.push_back(record_of_body[i]);
    changed.push_back(r);
    changed_margins.push_back(margin_of(b, i));
  }
  if (margins.size() == 0 && std::any_of(changed_margins.begin(), changed_margins.end(), [](float m) { return m > 0; }))
    set_margins(b);
  return true;
}

}  // namespace oclide
