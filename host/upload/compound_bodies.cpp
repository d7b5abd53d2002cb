#include "upload/compound_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "scene/quaternion.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

constexpr std::size_t kBodiesOfChunk = 1024;  // whose contacts one task names

// Beyond this squared length products of quaternions might overflow; the power of two that then scales them changes no
// bit of their directions.
constexpr double kLongSquared = 1e200;
constexpr double kShorten = 0x1p-400;

// a times b, w x y z.
void multiply(const double* a, const double* b, double* product) {
  product[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  product[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  product[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  product[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// v turned by q of squared length `length2`: v + 2 (w (u x v) + u x (u x v)) / length2, u the vector part.
void turn(const double* q, double length2, const double* v, double* turned) {
  const double* u = q + 1;
  const std::array<double, 3> across{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  const std::array<double, 3> back{u[1] * across[2] - u[2] * across[1], u[2] * across[0] - u[0] * across[2],
                                   u[0] * across[1] - u[1] * across[0]};
  for (std::size_t a = 0; a < 3; ++a) turned[a] = v[a] + 2.0 * (q[0] * across[a] + back[a]) / length2;
}

// Numbers below the least normal one are zero, as for the device (kernels/math/binary64.clh).
double normal_or_zero(double x) {
  return std::abs(x) < std::numeric_limits<double>::min() ? std::copysign(0.0, x) : x;
}

std::size_t compound_of(const Bodies& bodies, std::size_t body) {
  return static_cast<std::size_t>(bodies.size[body][0]);
}

bool is_compound_in(const Scene& scene, std::size_t body) {
  return scene.bodies.shape[body] == Shape::compound;
}

std::size_t parts_in(const Scene& scene, std::size_t body) {
  return is_compound_in(scene, body) ? scene.compounds[compound_of(scene.bodies, body)].size() : 1;
}

// Gives out group numbers that no body has, none twice.
class FreshGroups {
 public:
  explicit FreshGroups(const std::vector<std::int32_t>& groups) {
    for (const std::int32_t group : groups)
      if (group != 0) used_.push_back(static_cast<std::uint32_t>(group));
    std::sort(used_.begin(), used_.end());
    used_.erase(std::unique(used_.begin(), used_.end()), used_.end());
  }

  std::int32_t next() {
    for (++last_; at_ < used_.size() && used_[at_] == last_; ++at_) ++last_;
    return static_cast<std::int32_t>(last_);
  }

 private:
  std::vector<std::uint32_t> used_;  // as unsigned numbers, ascending
  std::size_t at_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace

// ------------------------------------------------------------------------------------------------------- the scene

bool CompoundBodies::are_in(const Scene& scene) {
  const std::vector<Shape>& shape = scene.bodies.shape;
  return !scene.compounds.empty() && std::find(shape.begin(), shape.end(), Shape::compound) != shape.end();
}

CompoundBodies::CompoundBodies(const Scene& scene) {
  local_.push_back({{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}});
  excluded_ = scene.bodies.excluded;
  for (const std::vector<CompoundPart>& compound : scene.compounds) {
    first_of_compound_.push_back(local_.size());
    for (const CompoundPart& part : compound) {
      LocalPose& local = local_.emplace_back();
      for (std::size_t a = 0; a < 3; ++a) local.position[a] = normal_or_zero(part.position[a]);
      const double length = std::sqrt(squared_length(part.orientation.data()));
      for (std::size_t a = 0; a < 4; ++a) local.orientation[a] = normal_or_zero(part.orientation[a] / length);
    }
  }
  first_part_.push_back(0);
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) put(scene, i);
}

void CompoundBodies::put(const Scene& scene, std::size_t i) {
  const bool is_compound = is_compound_in(scene, i);
  if (i == bodies()) {
    body_.insert(body_.end(), parts_in(scene, i), static_cast<std::uint32_t>(i));
    first_part_.push_back(body_.size());
    is_compound_.push_back(0);
    first_local_.push_back(0);
  }
  is_compound_[i] = is_compound ? 1 : 0;
  first_local_[i] = is_compound ? first_of_compound_[compound_of(scene.bodies, i)] : 0;
}

void CompoundBodies::put_parts(const Scene& scene, std::size_t i, Bodies& parts) const {
  const Bodies& from = scene.bodies;
  for (std::size_t k = 0; k < parts_of(i); ++k) {
    const std::size_t part = first_part_[i] + k;
    const auto put_one = [&](auto& each, const auto& value) {
      if (part == each.size())
        each.push_back(value);
      else
        each[part] = value;
    };
    const auto put_own = [&](auto& each, const auto& values) {
      if (!values.empty()) put_one(each, values[i]);
    };
    const CompoundPart* const of = is_compound(i) ? &scene.compounds[compound_of(from, i)][k] : nullptr;
    put_one(parts.shape, of != nullptr ? of->shape : from.shape[i]);
    put_one(parts.size, of != nullptr ? of->size : from.size[i]);
    put_own(parts.environment, from.environment);
    put_own(parts.category, from.category);
    put_own(parts.mask, from.mask);
    put_own(parts.flags, from.flags);
    put_own(parts.margin, from.margin);
  }
}

bool CompoundBodies::keeps_parts_of(const CompoundBodies& before) const {
  return first_part_.size() >= before.first_part_.size() &&
         std::equal(before.first_part_.begin(), before.first_part_.end(), first_part_.begin());
}

Scene CompoundBodies::expanded(const Scene& scene) const {
  Scene all;
  all.terrains = scene.terrains;
  all.environment_terrain = scene.environment_terrain;
  all.hulls = scene.hulls;
  all.meshes = scene.meshes;
  all.bodies = parts_as_bodies(scene);
  return all;
}

Bodies CompoundBodies::parts_as_bodies(const Scene& scene) const {
  const Bodies& from = scene.bodies;
  Bodies to;
  to.shape.reserve(parts());
  to.size.reserve(parts());
  for (std::size_t i = 0; i < bodies(); ++i) put_parts(scene, i, to);
  to.either_mask = from.either_mask;
  for (const auto& [a, b] : from.excluded)
    for (std::size_t i = first_part_[a]; i < first_part_[a + 1]; ++i)
      for (std::size_t j = first_part_[b]; j < first_part_[b + 1]; ++j)
        to.excluded.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});

  // Groups: only bodies of several parts need one, which neither a body nor a terrain has.
  std::vector<std::int32_t> taken = from.group;
  for (const Terrain& terrain : scene.terrains) taken.push_back(terrain.group);
  FreshGroups fresh(taken);
  std::vector<std::int32_t> group = from.group;
  for (std::size_t i = 0; i < bodies(); ++i) {
    if (parts_of(i) < 2) continue;
    if (group.empty()) group.resize(bodies(), 0);
    if (group[i] == 0) group[i] = fresh.next();
  }
  if (!group.empty())
    for (const std::uint32_t body : body_) to.group.push_back(group[body]);
  return to;
}

// Have the bodies of `rows` as many parts as before, and are there the same arrays? And is no group taken by a body
// that another one of several parts has got as its own?
bool CompoundBodies::can_change(const Scene& scene, std::span<const std::uint32_t> rows, const Bodies& parts) {
  const Bodies& from = scene.bodies;
  const auto is_alike = [](const auto& values, const auto& each) { return values.empty() == each.empty(); };
  if (from.excluded != excluded_ || !is_alike(from.environment, parts.environment) ||
      !is_alike(from.category, parts.category) || !is_alike(from.mask, parts.mask) ||
      !is_alike(from.flags, parts.flags) || !is_alike(from.margin, parts.margin))
    return false;
  const auto own_group = [&](std::size_t i) { return from.group.empty() ? 0 : from.group[i]; };
  if (!std::exchange(knows_fresh_, true))
    for (std::size_t i = 0; i < bodies() && !parts.group.empty(); ++i)
      if (parts_of(i) > 1) fresh_.insert(parts.group[first_part_[i]]);
  return std::all_of(rows.begin(), rows.end(), [&](std::uint32_t i) {
    const std::size_t count = parts_in(scene, i);
    if (i < bodies() && count != parts_of(i)) return false;
    const std::int32_t own = own_group(i);
    if (own != 0) return !parts.group.empty() && !fresh_.contains(own);
    return count == 1 || (i < bodies() && fresh_.contains(parts.group[first_part_[i]]));
  });
}

bool CompoundBodies::change(const Scene& scene, std::span<const std::uint32_t> rows, Bodies& parts) {
  if (!can_change(scene, rows, parts)) return false;
  for (const std::uint32_t i : rows) {
    put(scene, i);
    put_parts(scene, i, parts);
    if (parts.group.empty()) continue;
    parts.group.resize(this->parts(), 0);
    // Bodies of several parts without a group keep the one that they got.
    const std::int32_t own = scene.bodies.group.empty() ? 0 : scene.bodies.group[i];
    if (parts_of(i) == 1 || own != 0)
      std::fill_n(parts.group.begin() + static_cast<std::ptrdiff_t>(first_part_[i]), parts_of(i), own);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------------- the poses

void CompoundBodies::place(const Poses& poses, std::size_t body, double* position, double* orientation) const {
  const double* p = &poses.position[3 * body];
  std::array<double, 4> q{};
  std::copy_n(&poses.orientation[4 * body], 4, q.begin());
  const std::size_t first = first_part_[body], count = parts_of(body);
  if (!is_compound(body)) {
    std::copy_n(p, 3, position + 3 * first);
    std::copy_n(q.begin(), 4, orientation + 4 * first);
    return;
  }
  double length2 = squared_length(q.data());
  if (length2 > kLongSquared) {
    for (double& number : q) number *= kShorten;
    length2 = squared_length(q.data());
  }
  for (std::size_t k = 0; k < count; ++k) {
    const LocalPose& local = local_[first_local_[body] + k];
    std::array<double, 3> offset{};
    turn(q.data(), length2, local.position, offset.data());
    for (std::size_t a = 0; a < 3; ++a) position[3 * (first + k) + a] = normal_or_zero(p[a] + offset[a]);
    multiply(q.data(), local.orientation, orientation + 4 * (first + k));
  }
}

void CompoundBodies::place(const Poses& poses, std::vector<double>& position, std::vector<double>& orientation) const {
  position.resize(3 * parts());
  orientation.resize(4 * parts());
  parallel_for(bodies(), 256, [&](std::size_t i) { place(poses, i, position.data(), orientation.data()); });
}

// ------------------------------------------------------------------------------------------------------- the names

// The contacts whose A is a part of one body, which are ordered by A's part first.
void CompoundBodies::name_body(std::span<const Contact> found, Contact* named, std::uint64_t& pairs,
                               std::uint64_t& body_pairs) const {
  struct Manifold {
    std::uint32_t body_b;
    std::uint16_t shape_a, shape_b;
    std::size_t first, count;  // of its contacts
    [[nodiscard]] auto key() const { return std::tie(body_b, shape_a, shape_b, first); }
  };
  std::vector<Manifold> manifolds;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Contact& c = found[k];
    if (k > 0 && found[k - 1].manifold == c.manifold) {
      ++manifolds.back().count;
      continue;
    }
    const bool on_terrain = c.body_b == kTerrain;
    manifolds.push_back({on_terrain ? kTerrain : body_of(c.body_b), shape_of(c.body_a),
                         on_terrain ? std::uint16_t{0} : shape_of(c.body_b), k, 1});
  }
  std::sort(manifolds.begin(), manifolds.end(), [](const auto& m, const auto& n) { return m.key() < n.key(); });

  const std::uint32_t body_a = body_of(found.front().body_a), first_number = found.front().manifold;
  for (std::size_t m = 0; m < manifolds.size(); ++m) {
    const Manifold& manifold = manifolds[m];
    if (m == 0 || manifolds[m - 1].body_b != manifold.body_b) {
      ++pairs;
      body_pairs += manifold.body_b != kTerrain ? 1 : 0;
    }
    for (std::size_t k = 0; k < manifold.count; ++k, ++named) {
      *named = found[manifold.first + k];
      named->body_a = body_a;
      named->body_b = manifold.body_b;
      named->shape_a = manifold.shape_a;
      named->shape_b = manifold.shape_b;
      named->manifold = first_number + static_cast<std::uint32_t>(m);
    }
  }
}

void CompoundBodies::name(const FrameContacts& frame, FrameContacts& named) const {
  const std::span<const Contact> found = frame.contacts;
  named.contacts.resize(found.size());
  struct Counts {
    std::uint64_t pairs = 0, body_pairs = 0;
  };
  std::vector<Counts> counts((bodies() + kBodiesOfChunk - 1) / kBodiesOfChunk);
  // The first contact whose A is this part or a later one.
  const auto first_of = [&](std::size_t part) {
    return static_cast<std::size_t>(
        std::partition_point(found.begin(), found.end(), [&](const Contact& c) { return c.body_a < part; }) -
        found.begin());
  };
  parallel_for(counts.size(), [&](std::size_t chunk) {
    const std::size_t last_body = std::min(bodies(), (chunk + 1) * kBodiesOfChunk);
    const std::size_t end = first_of(first_part_[last_body]);
    for (std::size_t k = first_of(first_part_[chunk * kBodiesOfChunk]); k < end;) {
      const std::size_t end_of_body = first_part_[body_of(found[k].body_a) + 1];
      std::size_t next = k + 1;
      while (next < end && found[next].body_a < end_of_body) ++next;
      name_body(found.subspan(k, next - k), &named.contacts[k], counts[chunk].pairs, counts[chunk].body_pairs);
      k = next;
    }
  });
  named.pairs = named.body_pairs = 0;
  for (const Counts& c : counts) {
    named.pairs += c.pairs;
    named.body_pairs += c.body_pairs;
  }
  named.body_candidates = frame.body_candidates;
  named.candidates = frame.candidates;
  named.unreduced = frame.unreduced;
  named.moved_bodies = frame.moved_bodies;
  named.device_bytes = frame.device_bytes;
  named.milliseconds = frame.milliseconds;
}

}  // namespace oclide
