#include "planning/buffer_table.hpp"

#include <algorithm>
#include <cmath>

#include "contact_reduction/mesh_reduction.hpp"
#include "contact_reduction/pair_order.hpp"
#include "device_scene/hull_buffers.hpp"
#include "frame/slice.hpp"
#include "primitives/chunks.hpp"
#include "primitives/exclusive_scan.hpp"
#include "scene/terrain_of.hpp"
#include "shapes/pair_table.hpp"
#include "shapes/shape_list.hpp"
#include "shared/abi.h"
#include "shared/limits.h"
#include "shared/meshes.h"
#include "terrain/ground_faces.hpp"
#include "terrain/terrain_buffers.hpp"
#include "upload/pose_history.hpp"

namespace oclide {
namespace {

using Life = BufferLife;
using When = BufferWhen;

constexpr double kContactsOfMeshCandidate = 0.5;  // before contact reduction
constexpr std::size_t kGpuGroup = 256;            // work-items a group that a GPU is taken to have

std::uint64_t rounded(double count) {
  return static_cast<std::uint64_t>(std::ceil(std::max(count, 0.0)));
}

// A store of a whole frame that is made with room for kFirstRoom elements and made larger, by half at least, when they
// are not enough.
std::uint64_t stored(std::uint64_t count) {
  return count <= kFirstRoom ? kFirstRoom : std::max<std::uint64_t>(count, kFirstRoom + kFirstRoom / 2);
}

}  // namespace

BufferCounts counts_of(const Scene& scene, const Bodies& b, const Geometry& geometry, const FrameEstimate& estimate) {
  BufferCounts c;
  c.hull_words = hull_words(geometry).size();
  c.terrains = scene.terrains.size();
  c.bodies = b.count();
  std::vector<std::uint32_t> environments = b.environment;
  std::sort(environments.begin(), environments.end());
  environments.erase(std::unique(environments.begin(), environments.end()), environments.end());
  c.environments = std::max<std::uint64_t>(1, environments.size());
  bool one_group = !b.group.empty() && b.group[0] != 0;
  ByShape<std::uint64_t> of_shape;
  for (std::size_t i = 0; i < b.count(); ++i) {
    if (one_group) one_group = b.group[i] == b.group[0];
    if (!is_bounded(b.shape[i])) {
      ++c.half_spaces;
      continue;
    }
    ++c.leaves;
    ++of_shape[b.shape[i]];
    if (terrain_of(scene, b, i) >= 0) ++c.slots;
  }
  c.excluded = excluded_table(b).size();
  const bool has_margin = std::any_of(b.margin.begin(), b.margin.end(), [](double margin) { return margin > 0.0; });
  c.margins = has_margin ? b.count() : 0;
  c.can_pair = c.leaves > 0 && c.bodies > 1 && !one_group;
  for (std::uint32_t k = 0; k < CONVEX_PAIR_KINDS; ++k) {
    const auto [first, second, stem] = kPairTable[k];
    if (is_kind_of(PAIR_KINDS_IN_TWO, k) && of_shape[first] > (first == second ? 1U : 0U) && of_shape[second] > 0)
      c.has_meetings = c.can_pair;
  }
  for (std::uint64_t entries = c.leaves; entries > 0;) {
    const std::uint64_t groups = (entries + GROUP_WIDTH - 1) / GROUP_WIDTH;
    c.tree_groups += groups;
    ++c.tree_levels;
    entries = groups > 1 ? groups : 0;
  }
  for (const Terrain& t : scene.terrains) {
    if (t.rows == 0) continue;  // a tile, which its ground has
    c.vertices += t.heights.size();
    const bool low = std::any_of(t.heights.begin(), t.heights.end(),
                                 [](double h) { return !std::isnan(h) && split_in_two(h).low != 0.0F; });
    c.low_vertices += low ? t.heights.size() : 0;
    c.cells += (t.rows - 1) * (t.cols - 1);
    c.material_cells += t.material.size();
    c.face_names += face_names(t.rows - 1, t.cols - 1);
    for (std::uint64_t rows = t.rows - 1, cols = t.cols - 1;;) {
      rows = ((rows - 1) >> BOUNDS_SHIFT) + 1;
      cols = ((cols - 1) >> BOUNDS_SHIFT) + 1;
      c.bounds += rows * cols;
      if (rows == 1 && cols == 1) break;
    }
  }
  c.sites = rounded(estimate.sites);
  c.chunks = (c.sites + CHUNK_SITES - 1) / CHUNK_SITES;
  c.candidates = rounded(estimate.candidates);
  c.terrain_contacts = rounded(estimate.terrain_contacts);
  c.terrain_found = rounded(estimate.terrain_contacts + estimate.lifts);
  c.terrain_reduced = rounded(estimate.terrain_reduced);
  c.pairs = c.can_pair ? rounded(estimate.pairs) : 0;
  c.touching = c.can_pair ? rounded(estimate.touching) : 0;
  if (c.can_pair) c.crowds = estimate.crowds;
  c.pair_contacts = c.can_pair ? rounded(estimate.pair_contacts) : 0;
  if (c.can_pair) {
    c.mesh_pairs = rounded(estimate.mesh_pairs);
    c.mesh_groups = rounded(estimate.mesh_groups);
    c.mesh_candidates = rounded(estimate.mesh_candidates);
    c.mesh_contacts = rounded(kContactsOfMeshCandidate * estimate.mesh_candidates);
  }
  c.contacts = c.terrain_reduced + c.pair_contacts;
  c.manifolds = rounded(estimate.manifolds) + c.touching;
  c.large = rounded(estimate.large);
  return c;
}

std::vector<BufferRow> device_rows(const BufferCounts& c, const DeviceInfo& device, bool track) {
  const primitives::Chunks scan(device, kGpuGroup, 0, primitives::ExclusiveScan::kGroupsAUnit);
  primitives::Chunks sort(device, kGpuGroup, 0);
  sort.limit_group_size(128);
  // Of 8 bytes each.
  const auto scan_sums = [&](std::uint64_t n) {
    return scan.group_size() == 1 ? static_cast<std::uint64_t>(scan.count(n))
                                  : (primitives::ExclusiveScan::words(scan) + 1) / 2;
  };
  const auto digits = [&](std::uint64_t n) {
    return static_cast<std::uint64_t>(sort.count(n)) * (sort.group_size() == 1 ? 256 : 16);
  };
  constexpr bool kExact = true, kEstimated = false;
  const std::uint64_t moved = c.bodies / kMovedPart;

  std::vector<BufferRow> rows{
      {"bodies", sizeof(BodyRecord), c.slots, kExact, Life::scene},
      {"terrain records", sizeof(TerrainRecord), c.terrains + 1, kExact, Life::scene},
      {"terrain heights", 4, c.vertices, kExact, Life::scene},
      {"terrain heights (low parts)", 4, c.low_vertices, kExact, Life::scene},
      {"terrain holes", 1, c.cells, kExact, Life::scene},
      {"terrain flags of cells", 1, c.cells, kExact, Life::scene},
      {"terrain material", 1, c.material_cells, kExact, Life::scene},
      {"terrain height bounds", sizeof(cl_float2), c.bounds, kExact, Life::scene},
      {"terrain faces", 2, c.cells, kExact, Life::scene},
      {"names of terrain faces", 4, c.face_names, kExact, Life::scene},
      {"convex hulls", 4, c.hull_words, kExact, Life::scene},
      {"bodies of the tree", sizeof(PairBody), c.bodies, kExact, Life::scene},
      {"half space offsets", 4, c.environments + 1, kExact, Life::scene},
      {"half spaces", 4, c.half_spaces, kExact, Life::scene},
      {"excluded pairs", 8, c.excluded, kExact, Life::scene},
      {"levels of the tree", 4, c.tree_levels + 1, kExact, Life::scene},
  };
  const auto add = [&](const char* name, std::uint64_t element, std::uint64_t count, bool exact, Life life,
                       When when = When::always, std::uint64_t least = 0) {
    rows.push_back({name, element, count, exact, life, when, least});
  };
  if (c.margins > 0) add("margins of bodies", 4, c.margins, kExact, Life::scene);
  // Of a radix sort with memory of its own.
  const auto add_sort = [&](std::uint64_t n, Life life, Life life_of_total) {
    add("radix sort keys", 8, n, kEstimated, life, When::large);
    add("radix sort values", 4, n, kEstimated, life, When::large);
    add("radix sort counts", 4, digits(n), kEstimated, life, When::large);
    add("radix sort offsets", 4, digits(n) + 1, kEstimated, life, When::large);
    add("radix sort total", 8, 1, kEstimated, life_of_total, When::large);
  };
  if (c.bodies > 0) {
    add("poses", sizeof(PoseRecord), c.bodies, kExact, Life::poses);
    add("moved poses", sizeof(MovedPose), moved, kEstimated, Life::poses, When::moved);
  }
  if (c.slots > 0) {
    add(WorkMemory::kFirst, sizeof(GridPose), c.slots, kEstimated, Life::terrain_frame);
    add("site counts", 4, c.slots, kExact, Life::terrain_frame);
    add("site offsets", 8, c.slots + 1, kExact, Life::terrain_frame);
    add("total", 8, 1, kEstimated, Life::terrain_frame);
    add("scan sums", 8, std::max({scan_sums(c.slots), scan_sums(c.chunks), scan_sums(c.candidates)}), kEstimated,
        Life::terrain_frame);
    add("moved bodies on terrain", sizeof(BodyRecord), moved, kEstimated, Life::terrain_frame, When::moved);
  }
  if (c.slots > 0 && c.sites > 0) {
    add("site features", CHUNK_SITES, c.chunks, kEstimated, Life::terrain_slice);
    add("chunk counts", 4, c.chunks, kEstimated, Life::terrain_slice);
    add("chunk offsets", 4, c.chunks + 1, kEstimated, Life::terrain_slice);
    add("candidate bodies", 4, c.candidates, kEstimated, Life::terrain_slice);
    add("candidate sites", 4, c.candidates, kEstimated, Life::terrain_slice);
    add("candidate offsets", 4, c.slots + 1, kEstimated, Life::terrain_whole);
    add("contact counts", 4, c.candidates, kEstimated, Life::terrain_slice);
    add("contact offsets", 4, c.candidates + 1, kEstimated, Life::terrain_slice);
    add("stored contacts", 4, 1, kEstimated, Life::terrain_whole);
    // Some slots of the stores stay empty where work-items take them in blocks.
    const std::uint64_t store_slots = stored(c.terrain_found + (device.is_gpu ? 0 : c.candidates / 8));
    const std::uint64_t least = first_room(true, c.candidates / c.slots, kStoreSlotsOfCandidate);
    add("candidates of contacts", 4, store_slots, kEstimated, Life::terrain_slice, When::always, least);
    add(WorkMemory::kSecond, sizeof(ContactRecord), store_slots, kEstimated, Life::terrain_slice, When::always, least);
    if (device.is_gpu)
      add("claims on terrain", sizeof(ClaimRecord), store_slots, kEstimated, Life::terrain_slice, When::always, least);
    add("contacts", sizeof(ContactRecord), c.terrain_found, kEstimated, Life::terrain_slice);
    add("total of kept contacts", 8, 1, kEstimated, Life::terrain_frame);
    add("reduced counts", 4, c.slots, kEstimated, Life::terrain_slice);
    add("outcomes of slots", 4, OUTCOME_TOTALS(c.slots) + TOTALS_END, kEstimated, Life::terrain_slice);
    add("reduced contacts", sizeof(ContactRecord), c.terrain_reduced, kEstimated, Life::terrain_slice);
  }
  if (c.can_pair) {
    add("keys of the tree", 8, c.leaves, kExact, Life::bodies_frame);
    add("order of the tree", 4, c.bodies, kExact, Life::bodies_frame);
    add("body states", sizeof(BodyState), c.bodies, kExact, Life::bodies_frame);
    add("boxes of the tree", 4, c.tree_groups * GROUP_FLOATS, kExact, Life::bodies_frame);
    add("bounding spheres of leaves", 4, (c.leaves + GROUP_WIDTH - 1) / GROUP_WIDTH * LEAF_SPHERE_FLOATS, kExact,
        Life::bodies_frame);
    add("leaves of bodies", 4, c.leaves, kExact, Life::bodies_frame);
    add("moved bodies", 4, moved, kEstimated, Life::bodies_frame, When::moved);
    add("moved leaves", 4, moved, kEstimated, Life::bodies_frame, When::moved);
    add(WorkMemory::kFirst, 8, c.leaves, kEstimated, Life::bodies_frame, When::large);
    add(WorkMemory::kSecond, 4, c.leaves, kEstimated, Life::bodies_frame, When::large);
    add("radix sort counts", 4, digits(c.leaves), kEstimated, Life::bodies_frame, When::large);
    add("radix sort offsets", 4, digits(c.leaves) + 1, kEstimated, Life::bodies_frame, When::large);
    add("radix sort total", 8, 1, kEstimated, Life::bodies_frame, When::large);
    add("scan sums", 8, scan_sums(digits(c.leaves)) + std::max(scan_sums(c.bodies), scan_sums(c.touching)), kEstimated,
        Life::bodies_frame, When::large);
    add("pair counts", 4, c.leaves, kExact, Life::bodies_slice);
    add("total", 8, 3, kEstimated, Life::bodies_whole, When::large);
    const std::uint64_t least = first_room(true, GROUP_WIDTH, kPairsOfLeaf);
    add("body pairs", 8, stored(c.pairs), kEstimated, Life::bodies_slice, When::always, least);
    add("kinds of body pairs", 4, stored(c.pairs), kEstimated, Life::bodies_slice, When::always, least);
    add("order of body pairs", 4, stored(c.pairs), kEstimated, Life::bodies_slice, When::always, least);
    add("counts of body pairs", 4, FOUND_END(kPairTable.size()), kExact, Life::bodies_whole);
  }
  if (c.can_pair && c.pairs > 0) {
    // Slots that stay empty: of those that work-items of a CPU take in blocks, and where a search has written what it
    // found.
    const std::uint64_t empty = device.is_gpu ? (c.has_meetings ? c.touching / 4 : 0) : c.pairs / 4;
    add(WorkMemory::kFirst, sizeof(PairContactRecord), stored(c.pair_contacts + empty), kEstimated, Life::bodies_slice,
        When::always, first_room(true, GROUP_WIDTH * c.pairs / c.leaves, kStoreSlotsOfPair));
    add(WorkMemory::kSecond, sizeof(PairResult), RESULT_HEAD + c.pairs, kEstimated, Life::bodies_slice);
    add("touching pairs of bodies", 4, c.bodies, kEstimated, Life::bodies_whole, When::large);
    add("offsets of touching pairs", 4, c.bodies + 1, kEstimated, Life::bodies_whole, When::large);
    add("contact counts of pairs", 4, c.touching, kEstimated, Life::bodies_slice, When::large);
    add("contact offsets of pairs", 4, c.touching + 1, kEstimated, Life::bodies_slice, When::large);
    add("touching pairs", sizeof(PairResult), RESULT_HEAD + c.touching, kEstimated, Life::bodies_slice, When::large);
    add("contacts of pairs", sizeof(PairContactRecord), c.pair_contacts, kEstimated, Life::bodies_slice, When::large);
    double crowd = 0.0;
    for (const auto& [pairs, bodies] : c.crowds) crowd += pairs > PairOrder::many(device) ? pairs * bodies : 0.0;
    if (const std::uint64_t n = rounded(crowd); n > 0) {
      add("offsets of bodies with many pairs", 4, c.bodies + 1, kEstimated, Life::bodies_whole, When::large);
      add("keys of bodies with many pairs", 8, n, kEstimated, Life::bodies_slice, When::large);
      add("indices of bodies with many pairs", 4, n, kEstimated, Life::bodies_slice, When::large);
      add("pairs of bodies with many pairs", sizeof(PairResult), n, kEstimated, Life::bodies_slice, When::large);
      add_sort(n, Life::bodies_slice, Life::bodies_whole);
    }
  }
  if (c.can_pair && c.mesh_pairs > 0) {
    const std::uint64_t n = c.mesh_pairs, items = std::max(c.mesh_groups, n);
    add("pairs with meshes", sizeof(MeshPair), n, kEstimated, Life::bodies_slice);
    add("mesh items, pairs", 4, items + c.mesh_candidates, kEstimated, Life::bodies_slice);
    add("mesh items, boxes", 4, items + c.mesh_candidates, kEstimated, Life::bodies_slice);
    add("mesh items, boxes met", 1, items, kEstimated, Life::bodies_slice);
    add("mesh items, counts", 4, std::max(items, c.mesh_candidates), kEstimated, Life::bodies_slice);
    add("mesh items, offsets", 4, items + 1, kEstimated, Life::bodies_slice);
    add("first mesh candidates", 4, n + 1, kEstimated, Life::bodies_slice);
    for (const char* name : {"mesh contacts stored", "touching pairs with meshes"})
      add(name, 4, 1, kEstimated, Life::bodies_whole);
    add("triangles of contacts of pairs", sizeof(MeshTag), c.pair_contacts, kEstimated, Life::bodies_whole,
        When::large);
    add("mesh contact offsets", 4, c.mesh_candidates + 1, kEstimated, Life::bodies_slice);
    add("candidates of mesh contacts", 4, stored(c.mesh_contacts), kEstimated, Life::bodies_slice);
    add("mesh contacts as found", sizeof(ContactRecord), stored(c.mesh_contacts), kEstimated, Life::bodies_slice);
    add("mesh contacts", sizeof(ContactRecord), c.mesh_contacts, kEstimated, Life::bodies_slice);
    add("mesh contacts left over", sizeof(ContactRecord), n, kEstimated, Life::bodies_slice);
    for (const char* name : {"mesh contacts kept", "mesh manifolds"}) add(name, 4, n, kEstimated, Life::bodies_slice);
    add("many mesh contacts", 4, n, kEstimated, Life::bodies_slice);
    for (const char* name : {"mesh contacts kept, offsets", "mesh manifolds, offsets", "many mesh contacts, offsets"})
      add(name, 4, n + 1, kEstimated, Life::bodies_slice);
    for (const char* name : {"total of mesh contacts as found", "total of mesh contacts", "total of mesh manifolds"})
      add(name, 8, 1, kEstimated, Life::bodies_whole);
    add("mesh items, numbers", 8, MESH_MOST_LEVELS + 1, kEstimated, Life::bodies_whole);
    // Where pairs have so many contacts on average that most are of pairs with many.
    if (const std::uint64_t many = c.mesh_contacts; many > MeshReduction::kContactsOfOne * n) {
      for (const char* name : {"many mesh contacts, keys", "many mesh contacts, order", "many mesh contacts, openers",
                               "many mesh contacts, whether they open", "many mesh contacts, manifolds before",
                               "many mesh contacts, cells", "many mesh contacts, lists", "many mesh manifolds, sizes",
                               "many mesh manifolds, fates", "many mesh manifolds, next fates",
                               "many mesh manifolds, contacts before", "many mesh manifolds, manifolds before"})
        add(name, 4, many, kEstimated, Life::bodies_slice);
      add("many mesh contacts, chosen", 4, 4 * many, kEstimated, Life::bodies_slice);
      add("many mesh contacts, sorted", sizeof(ContactRecord), many, kEstimated, Life::bodies_slice);
      add("many mesh manifolds, ways out", sizeof(cl_float4), many, kEstimated, Life::bodies_slice);
      for (const char* name : {"many mesh contacts, rests looked for", "many mesh contacts, rests found"})
        add(name, 4, n, kEstimated, Life::bodies_slice);
    }
    add("triangles of mesh contacts", sizeof(MeshTag), c.pair_contacts, kEstimated, Life::bodies_slice);
    add("scan sums", 8, scan_sums(std::max(items, c.mesh_candidates)), kEstimated, Life::bodies_frame);
    add("total", 8, 1, kEstimated, Life::bodies_whole);
  }
  if (track) {
    // Of this frame and the last one.
    add("tracked manifolds", sizeof(TrackedManifold), 2 * c.manifolds, kEstimated, Life::tracking);
    add("tracked features", 4, 2 * c.contacts, kEstimated, Life::tracking);
    add("manifolds of tracked contacts", 4, 2 * c.contacts, kEstimated, Life::tracking);
    add("names of manifolds", sizeof(TrackedName), c.manifolds, kEstimated, Life::tracking);
    add("counts of large manifolds", 4, c.manifolds, kEstimated, Life::tracking);
    add("contacts of large manifolds in all", 4, 1, kEstimated, Life::tracking);
    add("previous contacts", 4, c.contacts, kEstimated, Life::tracking);
    add("previous manifolds", 4, c.manifolds, kEstimated, Life::tracking);
    add("ended manifolds", 4, c.manifolds, kEstimated, Life::tracking);
    add("offsets of ended manifolds", 4, c.manifolds + 1, kEstimated, Life::tracking);
    add("number of ended manifolds", 8, 1, kEstimated, Life::tracking);
    add("changes of manifolds", sizeof(ManifoldChange), 2 * c.manifolds, kEstimated, Life::tracking);
    add("scan sums", 8, scan_sums(c.manifolds) + scan_sums(digits(c.large)), kEstimated, Life::tracking);
    add("offsets of large manifolds", 4, c.large > 0 ? 2 * (c.manifolds + 1) : 0, kEstimated, Life::tracking,
        When::large);
    add("contacts of large manifolds by feature", 8, 2 * c.large, kEstimated, Life::tracking, When::large);
    add("contacts of large manifolds", 4, 2 * c.large, kEstimated, Life::tracking, When::large);
    add_sort(c.large, Life::tracking, Life::tracking);
    add("total", 8, 1, kEstimated, Life::tracking, When::large);
  }
  return rows;
}

std::vector<MemoryPlan::Buffer> host_buffers(const BufferCounts& c, std::size_t pose_sets, bool compares, bool track) {
  std::vector<MemoryPlan::Buffer> buffers;
  const auto add = [&](const char* name, std::uint64_t bytes, bool exact) {
    if (bytes > 0) buffers.push_back({name, bytes, false, exact, false});
  };
  add("poses on their way", (40 + (pose_sets > 1 ? 56 : 0)) * c.bodies * pose_sets, true);
  if (compares) add("poses of the last frame", 56 * c.bodies, true);
  add("faces of terrains", 6 * c.face_names, false);
  add("slots of bodies", (sizeof(BodyRecord) + 16 + 8) * c.slots + 4 * c.bodies, false);
  add("tree of bodies", (sizeof(PairBody) + 12 + 4) * c.bodies, false);
  add("records of terrain contacts", sizeof(ContactRecord) * c.terrain_reduced, false);
  add("records of pair contacts", sizeof(PairContactRecord) * c.pair_contacts + 40 * c.touching, false);
  add("contacts of the frame", sizeof(Contact) * c.contacts + 4 * c.touching + 6 * c.bodies, false);
  if (track) {
    add("events and previous contacts", 2 * sizeof(ManifoldEvent) * c.manifolds + 4 * c.contacts, false);
    add("manifolds and features followed", 2 * (sizeof(TrackedManifold) * c.manifolds + 4 * c.contacts), false);
    add("user slots", 2 * sizeof(UserSlot) * c.contacts, false);
  }
  return buffers;
}

}  // namespace oclide
