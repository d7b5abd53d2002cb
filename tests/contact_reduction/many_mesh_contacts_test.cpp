// The reduction of a pair's contacts with a mesh by all work-items against a single work-item's: the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "contact_reduction/mesh_reduction.hpp"
#include "device_scene/hull_buffers.hpp"
#include "opencl/stage_timer.hpp"
#include "primitives/primitive_fixture.hpp"
#include "shared/meshes.h"
#include "support/mesh_shapes.hpp"

namespace oclide::test {
namespace {

struct OfPairs {
  std::uint32_t touching;
  std::vector<std::uint32_t> kept, manifolds;  // prefix sums
  std::vector<ContactRecord> contacts, rests;
};

// What random contacts are like; 0 steps: anything.
struct PairKind {
  std::size_t count;
  int normals, depth_steps, features;
  float spread;  // of the normals: 1 all around, small near each other
  float rests, hidden;
  bool is_inside;
};

// The parameter is the group size.
class MeshReductions : public Primitive {
 protected:
  float unit() { return std::uniform_real_distribution<float>(0.0F, 1.0F)(random_); }
  float coordinate() { return 2.0F * unit() - 1.0F; }
  float stepped(float value, int steps) {
    return steps == 0 ? value : std::round(value * static_cast<float>(steps)) / static_cast<float>(steps);
  }

  // One pair more: a box of 2 x 1.6 x 1.2 m.
  void add(const PairKind& kind) {
    std::vector<std::array<float, 3>> normals;
    for (int k = 0; k < kind.normals; ++k) {
      const std::array<float, 3> v{kind.spread * coordinate(), kind.spread * coordinate(),
                                   kind.spread * coordinate() + (1.0F - kind.spread)};
      const float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 1e-9F;
      normals.push_back({v[0] / length, v[1] / length, v[2] / length});
    }
    std::vector<ContactRecord> contacts(kind.count);
    std::vector<std::uint32_t> features(kind.count);
    std::iota(features.begin(), features.end(), 0U);
    for (std::size_t k = 0; k < kind.count; ++k) {
      ContactRecord& c = contacts[k];
      const std::array<float, 3>& n = normals[random_() % normals.size()];
      const std::array<float, 3> size{1.0F, 0.8F, 0.6F};
      for (std::size_t a = 0; a < 3; ++a) {
        c.point[a] = size[a] * coordinate();
        c.normal[a] = n[a];
      }
      c.point[random_() % 3] = (random_() % 2 == 0 ? 1.0F : -1.0F) * 0.6F;
      c.depth = stepped(unit(), kind.depth_steps) * 0.3F - 0.03F;
      c.feature =
          kind.features == 0 ? static_cast<std::uint32_t>(k) : static_cast<std::uint32_t>(random_()) % kind.features;
      c.material = static_cast<std::uint32_t>(k);
      if (unit() < kind.rests) {
        c.material |= CONTACT_REST | (unit() < kind.hidden ? CONTACT_HIDDEN : 0U);
        c.depth = std::abs(c.depth) + 1e-4F;
      }
    }
    std::shuffle(contacts.begin(), contacts.end(), random_);
    contacts_.insert(contacts_.end(), contacts.begin(), contacts.end());
    offsets_.push_back(static_cast<std::uint32_t>(contacts_.size()));
    MeshPair pair{};
    pair.orientation[0] = 1.0F;
    pair.shape = SHAPE_BOX;
    pair.size[0] = 1.0F, pair.size[1] = 0.8F, pair.size[2] = 0.6F;
    if (kind.is_inside) {
      pair.is_inside = 1;
      pair.eye[2] = 0.05F + 0.1F * unit();
      pair.out[2] = 1.0F;
      pair.nearest = 17;
    }
    pairs_.push_back(pair);
  }

  OfPairs reduce(cl_uint contacts_of_one, std::size_t group) {
    const auto count = static_cast<std::uint32_t>(pairs_.size());
    opencl::Buffer<MeshPair> pairs(*device_, "pairs");
    opencl::Buffer<std::uint32_t> hulls(*device_, "hulls"), first(*device_, "first"), offsets(*device_, "offsets");
    opencl::Buffer<ContactRecord> contacts(*device_, "contacts");
    std::vector<std::uint32_t> identity(offsets_.size());
    std::iota(identity.begin(), identity.end(), 0U);
    pairs.assign(pairs_);
    // Of more triangles than there are contacts, some of them behind a body that is moved.
    Mesh sheet = flat_sheet(22, 0.1);
    for (auto& vertex : sheet.vertices) vertex[0] -= 1.1, vertex[1] -= 1.1, vertex[2] -= 0.3;
    Geometry geometry;
    geometry.meshes.push_back(build_triangle_mesh(sheet, "mesh"));
    hulls.assign(hull_words(geometry));
    first.assign(identity);
    offsets.assign(offsets_);
    contacts.assign(contacts_);
    MeshReduction reduction(*device_, hulls, contacts_of_one, group);
    opencl::StageTimer timer;
    opencl::Transfers transfers;
    reduction.begin({count, pairs, first, offsets, contacts}, transfers, timer);
    transfers.wait();
    reduction.finish({count, pairs, first, offsets, contacts}, timer);
    return {reduction.touching(), read(reduction.kept_offsets(), count + 1),
            read(reduction.manifold_offsets(), count + 1), read(contacts, contacts_.size()),
            read(reduction.rests(), count)};
  }

  void expect_the_same() {
    const OfPairs one = reduce(std::numeric_limits<cl_uint>::max(), 0), all = reduce(0, GetParam());
    EXPECT_EQ(all.touching, one.touching);
    ASSERT_EQ(all.kept, one.kept);
    ASSERT_EQ(all.manifolds, one.manifolds);
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      SCOPED_TRACE(pair);
      const bool has_rest = one.rests[pair].manifold != MESH_NONE;
      ASSERT_EQ(all.rests[pair].manifold != MESH_NONE, has_rest);
      if (has_rest) {
        EXPECT_EQ(std::memcmp(&all.rests[pair], &one.rests[pair], sizeof(ContactRecord)), 0);
      }
      rests_ += has_rest ? 1 : 0;
      const std::uint32_t kept = one.kept[pair + 1] - one.kept[pair] - (has_rest ? 1 : 0);
      EXPECT_EQ(std::memcmp(&all.contacts[offsets_[pair]], &one.contacts[offsets_[pair]], kept * sizeof(ContactRecord)),
                0);
      kept_ += kept;
    }
  }

  std::vector<MeshPair> pairs_;
  std::vector<ContactRecord> contacts_;
  std::vector<std::uint32_t> offsets_{0};
  std::size_t kept_ = 0, rests_ = 0;
};

TEST_P(MeshReductions, MatchOneWorkItemForEveryCount) {
  for (std::size_t count = 0; count < 80; ++count) add({count, 3, 0, 0, 1.0F, 0.3F, 0.3F, count % 5 == 4});
  for (const std::size_t count : {127, 128, 129, 700}) add({count, 40, 0, 0, 1.0F, 0.2F, 0.0F, false});
  expect_the_same();
  EXPECT_GT(kept_, 300U);
  EXPECT_GT(rests_, 5U);
}

// Normals that are near each other: which manifold takes a contact depends on which one opened first.
TEST_P(MeshReductions, MatchOneWorkItemForNormalsSideBySide) {
  for (const float spread : {1e-3F, 3e-3F, 0.01F, 0.1F, 1.0F}) {
    add({900, 700, 0, 0, spread, 0.1F, 0.0F, false});
    add({900, 200, 30, 0, spread, 0.1F, 1.0F, false});
    add({1, 1, 0, 0, spread, 0.0F, 0.0F, false});
  }
  expect_the_same();
  EXPECT_GT(kept_, 1000U);
}

// Depths and features that are equal: points decide.
TEST_P(MeshReductions, MatchOneWorkItemForTies) {
  for (const int features : {1, 7, 200}) {
    add({600, 5, 1, features, 1.0F, 0.3F, 0.5F, false});
    add({600, 60, 4, features, 1.0F, 0.3F, 0.5F, true});
    add({300, 1, 1, features, 1.0F, 0.0F, 0.0F, false});
  }
  expect_the_same();
  EXPECT_GT(kept_, 100U);
}

// Rests alone, and pairs whose manifolds clear each other one after another.
TEST_P(MeshReductions, MatchOneWorkItemForRestsAndClearing) {
  for (int k = 0; k < 12; ++k) {
    add({400, 20, 0, 0, 1.0F, 1.0F, k % 2 == 0 ? 0.0F : 1.0F, k % 3 == 0});
    add({300, 300, 0, 0, 1.0F, 0.5F, 0.2F, k % 3 == 0});
    add({60, 6, 0, 0, 0.6F, 0.7F, 0.2F, k % 4 == 0});
  }
  expect_the_same();
  EXPECT_GT(rests_, 10U);
}

INSTANTIATE_TEST_SUITE_P(Groups, MeshReductions, ::testing::Values(1, 7, 64));

}  // namespace
}  // namespace oclide::test
