#include "planning/stage_traffic.hpp"

#include <algorithm>
#include <string>

#include "scene/terrain_of.hpp"
#include "shapes/pair_table.hpp"
#include "shared/abi.h"

namespace oclide {
namespace {

// Arithmetic instructions an item, as bench/operations/measure counts them; that script prints these lines. Its report
// is bench/results/operations_oclgrind.json.
struct OperationCount {
  std::string_view item;
  double operations;
};
constexpr std::array<OperationCount, 24> kOperationCounts{{
    {"broad_phase terrain body", 330.8},
    {"broad_phase terrain candidate", 1447.1},
    {"contact_reduction terrain contact", 191.7},
    {"sphere_terrain", 506.3},
    {"box_terrain", 1075.5},
    {"cylinder_terrain", 1019.8},
    {"capsule_terrain", 891.5},
    {"broad_phase body", 135.4},
    {"broad_phase candidate", 299.9},
    {"contact_reduction candidate", 147.3},
    {"sphere_sphere", 191.1},
    {"sphere_box", 194.4},
    {"sphere_cylinder", 193.7},
    {"sphere_capsule", 172.7},
    {"sphere_half_space", 582.6},
    {"box_box", 873.7},
    {"box_cylinder", 950.1},
    {"box_capsule", 628.7},
    {"box_half_space", 754.8},
    {"cylinder_cylinder", 1497.7},
    {"cylinder_capsule", 691.1},
    {"cylinder_half_space", 650.8},
    {"capsule_capsule", 557.7},
    {"capsule_half_space", 630.1},
}};

std::optional<double> operations_of(std::string_view item) {
  for (const OperationCount& count : kOperationCounts)
    if (count.item == item) return count.operations;
  return std::nullopt;
}

// A sum that is lost where one of its terms is not known.
class OperationSum {
 public:
  void add(double items, std::string_view item) {
    if (items <= 0.0) return;
    const std::optional<double> each = operations_of(item);
    sum_ = sum_ && each ? std::optional(*sum_ + items * *each) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> value() const { return sum_; }

 private:
  std::optional<double> sum_ = 0.0;
};

constexpr double kPoseBytes = sizeof(PoseRecord);
constexpr double kHostPoseBytes = 7 * sizeof(double);
constexpr double kIndexBytes = sizeof(std::uint32_t);
constexpr double kSiteBytes = 2 * kIndexBytes;      // a candidate: slot and site
constexpr double kPairBytes = 2 * kIndexBytes;      // a candidate: two leaves
constexpr double kBoxBytes = 8 * sizeof(float);     // bounds and range of environments, in a group of eight
constexpr double kSphereBytes = 2 * sizeof(float);  // diameter and shape
constexpr double kHeightBytes = 4 * sizeof(float);  // the corners of a cell

// What a frame came to, by kinds.
struct Counts {
  double bodies = 0, leaves = 0, slots = 0;  // all; of the tree; that can meet terrain
  double sites = 0, pairs = 0;               // candidates of terrain, of bodies
  double touching_pairs = 0, pair_contacts = 0;
  double terrain_contacts = 0, unreduced = 0;            // with terrain, after and before reduction
  std::array<double, kTerrainShapes.size()> sites_of{};  // by shape
  std::array<double, kPairTable.size()> pairs_of{};      // by kind
};

// `all` items dealt out in the proportions of `touching`; evenly where nothing touches.
template <std::size_t N>
void deal_out(double all, const std::array<double, N>& touching, std::array<double, N>& to) {
  double sum = 0.0;
  for (const double t : touching) sum += t;
  for (std::size_t k = 0; k < N; ++k) to[k] = all * (sum > 0.0 ? touching[k] / sum : 1.0 / static_cast<double>(N));
}

Counts count(const Scene& scene, const FrameContacts& frame) {
  const Bodies& b = scene.bodies;
  Counts c;
  c.bodies = static_cast<double>(b.count());
  for (std::size_t i = 0; i < b.count(); ++i) {
    if (!is_bounded(b.shape[i])) continue;
    ++c.leaves;
    if (terrain_of(scene, b, i) >= 0) ++c.slots;
  }
  c.sites = static_cast<double>(frame.candidates);
  c.pairs = static_cast<double>(frame.body_candidates);
  c.touching_pairs = static_cast<double>(frame.body_pairs);

  std::array<double, kTerrainShapes.size()> on_terrain{};
  std::array<double, kPairTable.size()> touching{};
  const Contact* before = nullptr;
  for (const Contact& contact : frame.contacts) {
    ++(contact.body_b == kTerrain ? c.terrain_contacts : c.pair_contacts);
    const bool same = before != nullptr && before->body_a == contact.body_a && before->body_b == contact.body_b;
    before = &contact;
    if (same) continue;
    const Shape a = b.shape[contact.body_a];
    if (contact.body_b != kTerrain) {
      if (const auto kind = pair_kind(a, b.shape[contact.body_b])) ++touching[*kind];
    } else {
      for (std::size_t s = 0; s < kTerrainShapes.size(); ++s) on_terrain[s] += kTerrainShapes[s] == a ? 1.0 : 0.0;
    }
  }
  // Contacts of bodies are not reduced any further after their kernel.
  c.unreduced = std::max(0.0, static_cast<double>(frame.unreduced) - c.pair_contacts);
  deal_out(c.sites, on_terrain, c.sites_of);
  deal_out(c.pairs, touching, c.pairs_of);
  return c;
}

}  // namespace

std::array<StageWork, 5> stage_work(const Scene& scene, const FrameContacts& frame) {
  const Counts c = count(scene, frame);
  const double paired = c.pairs > 0 || c.leaves > 1 ? c.leaves : 0.0;
  std::array<StageWork, 5> work;
  auto& [upload, broad, narrow, reduction, download] = work;

  upload.bytes = c.bodies * kPoseBytes;
  upload.operations = 0.0;

  // Bodies and poses become grid poses and states, the tree's boxes and bounding spheres are written and read,
  // candidates written.
  broad.bytes =
      c.slots * (sizeof(BodyRecord) + kPoseBytes + sizeof(GridPose)) + c.sites * (kHeightBytes + kSiteBytes) +
      paired * (sizeof(PairBody) + kPoseBytes + sizeof(BodyState) + 2 * (kBoxBytes * 8.0 / 7.0 + kSphereBytes)) +
      c.pairs * (kPairBytes + 2 * kIndexBytes);
  OperationSum of_broad;
  of_broad.add(c.slots, "broad_phase terrain body");
  of_broad.add(c.sites, "broad_phase terrain candidate");
  of_broad.add(paired, "broad_phase body");
  of_broad.add(c.pairs, "broad_phase candidate");
  broad.operations = of_broad.value();

  // Candidates and what they stand for become contacts and one result a pair.
  narrow.bytes = c.slots * (sizeof(BodyRecord) + sizeof(GridPose)) +
                 c.sites * (kSiteBytes + kHeightBytes + kIndexBytes) + c.unreduced * sizeof(ContactRecord) +
                 paired * sizeof(BodyState) + c.pairs * (kPairBytes + kIndexBytes + sizeof(PairResult)) +
                 c.pair_contacts * sizeof(PairContactRecord);
  OperationSum of_narrow;
  for (std::size_t s = 0; s < kTerrainShapes.size(); ++s)
    of_narrow.add(c.sites_of[s], std::string(find_shape(kTerrainShapes[s])->name) + "_terrain");
  for (std::size_t k = 0; k < kPairTable.size(); ++k) of_narrow.add(c.pairs_of[k], kPairTable[k].stem);
  narrow.operations = of_narrow.value();

  // Contacts are read and those that stay are written in order.
  reduction.bytes = (c.unreduced + c.terrain_contacts) * sizeof(ContactRecord) + c.slots * 3 * kIndexBytes +
                    (c.pairs + c.touching_pairs) * sizeof(PairResult) + 2 * c.pair_contacts * sizeof(PairContactRecord);
  OperationSum of_reduction;
  of_reduction.add(c.unreduced, "contact_reduction terrain contact");
  of_reduction.add(c.pairs, "contact_reduction candidate");
  reduction.operations = of_reduction.value();

  download.bytes = c.terrain_contacts * sizeof(ContactRecord) + (c.slots > 0 ? c.slots * 3 * kIndexBytes : 0.0) +
                   c.touching_pairs * sizeof(PairResult) + c.pair_contacts * sizeof(PairContactRecord);
  download.operations = 0.0;
  return work;
}

std::array<StageWork, 5> reference_stage_work(const Scene& scene, const FrameContacts& frame) {
  const Counts c = count(scene, frame);
  constexpr double kBodyBytes = kHostPoseBytes + sizeof(Shape) + 3 * sizeof(double);
  constexpr double kHostHeightBytes = 4 * sizeof(double);
  std::array<StageWork, 5> work;
  auto& [upload, broad, narrow, reduction, download] = work;
  broad.bytes = c.bodies * kBodyBytes + c.pairs * kPairBytes;
  narrow.bytes = c.bodies * kBodyBytes + c.sites * kHostHeightBytes + c.pairs * kPairBytes +
                 (c.unreduced + c.pair_contacts) * sizeof(Contact);
  reduction.bytes = (c.unreduced + 2 * c.pair_contacts + c.terrain_contacts) * sizeof(Contact);
  upload.operations = download.operations = 0.0;
  return work;
}

}  // namespace oclide
