// A work-group's reduction of many contacts against a single work-item's: the same contacts, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "opencl/launch.hpp"
#include "primitives/primitive_fixture.hpp"
#include "shared/abi.h"

namespace oclide::test {
namespace {

struct Reduced {
  std::vector<std::uint32_t> kept, manifolds, unreduced;
  std::vector<ContactRecord> contacts;
};

// The parameter is the group size.
class GroupReductions : public Primitive {
 protected:
  // One body more, with these contacts: a box of 2 x 1.6 x 1.2 m, upright.
  void add(const std::vector<ContactRecord>& contacts) {
    contacts_.insert(contacts_.end(), contacts.begin(), contacts.end());
    offsets_.push_back(static_cast<std::uint32_t>(contacts_.size()));
  }

  float unit() { return std::uniform_real_distribution<float>(0.0F, 1.0F)(random_); }
  float coordinate() { return 2.0F * unit() - 1.0F; }

  // Contacts with so many normals, points on a lattice of so many steps (0: anywhere), depths of so many steps, and
  // some that are lifts or of walls.
  std::vector<ContactRecord> random_contacts(std::size_t count, int normals, int steps, int depths, float lifts,
                                             float walls) {
    std::vector<std::array<float, 3>> directions;
    for (int k = 0; k < normals; ++k) {
      const float x = 0.3F * coordinate(), y = 0.3F * coordinate();
      const float length = std::sqrt(x * x + y * y + 1.0F);
      directions.push_back({x / length, y / length, 1.0F / length});
    }
    const auto on_lattice = [&](float value) {
      return steps == 0 ? value : std::round(value * static_cast<float>(steps)) / static_cast<float>(steps);
    };
    std::vector<ContactRecord> contacts(count);
    for (std::size_t k = 0; k < count; ++k) {
      ContactRecord& c = contacts[k];
      const std::array<float, 3>& n = directions[random_() % directions.size()];
      for (int a = 0; a < 3; ++a) {
        c.point[a] = on_lattice(coordinate());
        c.normal[a] = n[a];
      }
      c.depth = std::round(unit() * static_cast<float>(depths)) / static_cast<float>(depths) * 0.5F - 0.05F;
      c.feature = static_cast<std::uint32_t>(k);  // no two are alike
      c.material = static_cast<std::uint32_t>(random_() % 4);
      if (unit() < walls) c.material |= CONTACT_WALL;
      if (unit() < lifts) {
        c.material = random_() % 4 | CONTACT_LIFT;
        c.normal[0] = c.normal[1] = 0.0F;
        c.normal[2] = 1.0F;
        c.depth = 0.01F + 2.0F * unit();
      }
    }
    std::shuffle(contacts.begin(), contacts.end(), random_);
    return contacts;
  }

  [[nodiscard]] std::uint32_t slots() const { return static_cast<std::uint32_t>(offsets_.size()) - 1; }

  // All bodies by the kernel of this name, which takes those of more (or of no more) than `many`.
  Reduced reduce(const std::string& name, cl_uint many, std::size_t items, std::size_t group) {
    BodyRecord body{};
    body.shape = SHAPE_BOX;
    body.size[0] = 1.0F;
    body.size[1] = 0.8F;
    body.size[2] = 0.6F;
    GridPose grid_pose{};
    grid_pose.orientation[0] = 1.0F;
    opencl::Buffer<BodyRecord> bodies(*device_, "bodies");
    opencl::Buffer<GridPose> grid_poses(*device_, "grid poses");
    opencl::Buffer<std::uint32_t> hulls(*device_, "hulls");  // of none of the bodies
    opencl::Buffer<std::uint32_t> first(*device_, "first"), offsets(*device_, "offsets"), kept(*device_, "kept"),
        outcomes(*device_, "outcomes");
    opencl::Buffer<ContactRecord> contacts(*device_, "contacts");
    std::vector<std::uint32_t> identity(offsets_.size());
    std::iota(identity.begin(), identity.end(), 0U);
    bodies.assign(std::vector<BodyRecord>(slots(), body));
    grid_poses.assign(std::vector<GridPose>(slots(), grid_pose));
    hulls.assign(std::vector<std::uint32_t>(4));
    first.assign(identity);
    offsets.assign(offsets_);
    contacts.assign(contacts_);
    kept.assign(std::vector<std::uint32_t>(slots(), 7777));
    const std::size_t words = OUTCOME_TOTALS(slots());
    outcomes.assign(std::vector<std::uint32_t>(words, 7777));
    cl::Kernel kernel = device_->kernel("contact_reduction/body_contacts", name);
    opencl::launch(*device_, kernel, nullptr, opencl::Stage::contact_reduction, items,
                   device_->work_group_size(kernel, group), cl_uint{0}, slots(), bodies, grid_poses, hulls, first,
                   offsets, static_cast<cl_uint>(contacts_.size()), many, contacts, kept, outcomes);
    const std::vector<std::uint32_t> out = read(outcomes, words);
    const auto manifolds = out.begin() + OUTCOME_MANIFOLDS(slots()),
               unreduced = out.begin() + OUTCOME_UNREDUCED(slots());
    return {read(kept, slots()), {manifolds, unreduced}, {unreduced, out.end()}, read(contacts, contacts_.size())};
  }

  void expect_the_same() {
    ASSERT_GT(slots(), 0U);
    constexpr cl_uint kAll = std::numeric_limits<cl_uint>::max();
    const Reduced by_item = reduce("contact_reduction_body_contacts", kAll, slots(), 1);
    const Reduced by_group =
        reduce("contact_reduction_many_contacts", 0, GetParam() * std::max(1U, slots() / 2), GetParam());
    for (std::uint32_t slot = 0; slot < slots(); ++slot) {
      if (offsets_[slot] == offsets_[slot + 1]) {  // none: left alone
        EXPECT_EQ(by_item.kept[slot], 0U);
        EXPECT_EQ(by_group.kept[slot], 7777U);
        continue;
      }
      ASSERT_GT(by_item.kept[slot], 0U);
      ASSERT_EQ(by_group.kept[slot], by_item.kept[slot]) << slot;
      EXPECT_EQ(by_group.manifolds[slot], by_item.manifolds[slot]) << slot;
      EXPECT_EQ(by_group.unreduced[slot], by_item.unreduced[slot]) << slot;
      EXPECT_EQ(std::memcmp(&by_group.contacts[offsets_[slot]], &by_item.contacts[offsets_[slot]],
                            by_item.kept[slot] * sizeof(ContactRecord)),
                0)
          << slot;
      total_kept_ += by_item.kept[slot];
    }
  }

  std::vector<ContactRecord> contacts_;
  std::vector<std::uint32_t> offsets_{0};
  std::uint64_t total_kept_ = 0;
};

TEST_P(GroupReductions, MatchOneWorkItemForEveryCount) {
  for (std::size_t count = 0; count < 70; ++count) add(random_contacts(count, 3, 0, 20, 0.1F, 0.0F));
  for (const std::size_t count : {127, 128, 129, 500}) add(random_contacts(count, 3, 0, 20, 0.1F, 0.0F));
  expect_the_same();
  EXPECT_GT(total_kept_, 300U);
}

TEST_P(GroupReductions, MatchOneWorkItemForOneNormalAndMany) {
  for (const int normals : {1, 2, 30, 200}) add(random_contacts(simulator_ ? 150 : 900, normals, 0, 1000, 0.0F, 0.0F));
  expect_the_same();
  EXPECT_GT(total_kept_, simulator_ ? 100U : 300U);
}

// Equal depths, distances and points: what the order among equals decides.
TEST_P(GroupReductions, MatchOneWorkItemForTies) {
  for (const int steps : {1, 2, 3})
    for (const int depths : {1, 2}) add(random_contacts(300, 2, steps, depths, 0.05F, 0.0F));
  expect_the_same();
}

TEST_P(GroupReductions, MatchOneWorkItemOnALineOrInAPoint) {
  for (const int kind : {0, 1}) {
    std::vector<ContactRecord> contacts = random_contacts(200, 2, 0, 1000, 0.0F, 0.0F);
    for (ContactRecord& c : contacts) {
      const float t = kind == 0 ? c.point[0] : 0.25F;
      c.point[0] = 0.5F * t;
      c.point[1] = -0.25F * t;
      c.point[2] = -0.5F;
    }
    add(contacts);
  }
  expect_the_same();
}

TEST_P(GroupReductions, MatchOneWorkItemWithLifts) {
  add(random_contacts(300, 3, 0, 1000, 1.0F, 0.0F));  // lifts alone
  add(random_contacts(300, 3, 0, 1000, 0.5F, 0.0F));
  add(random_contacts(300, 3, 0, 1000, 0.5F, 0.2F));  // a wall pushes: none is needed
  std::vector<ContactRecord> shallow = random_contacts(300, 3, 0, 1000, 0.5F, 0.0F);
  for (ContactRecord& c : shallow) c.depth = c.material & CONTACT_LIFT ? 1.0F + 0.1F * unit() : 1e-3F * unit();
  add(shallow);
  expect_the_same();
}

INSTANTIATE_TEST_SUITE_P(Groups, GroupReductions, testing::Values(1, 2, 64), group_name);

}  // namespace
}  // namespace oclide::test
