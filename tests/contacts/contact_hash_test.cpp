// The hash over contacts: every bit and the order count, nothing else does.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "oclide/oclide.hpp"

namespace oclide::test {
namespace {

std::vector<Contact> some_contacts() {
  std::vector<Contact> contacts(5);
  for (std::uint32_t k = 0; k < 5; ++k) {
    contacts[k].point = {1.5 * k, -2.25, 1e-3 * k};
    contacts[k].normal = {0.0F, 0.6F, 0.8F};
    contacts[k].depth = 0.01F * static_cast<float>(k);
    contacts[k].body_a = k / 2;
    contacts[k].manifold = k;
    contacts[k].feature = 77 * k;
    contacts[k].material = static_cast<std::uint8_t>(k);
  }
  return contacts;
}

TEST(ContactHash, IsTheSameForTheSameContacts) {
  EXPECT_EQ(contact_hash(some_contacts()), contact_hash(some_contacts()));
}

TEST(ContactHash, DependsOnEveryBitOfEveryField) {
  std::set<std::uint64_t> hashes{contact_hash(some_contacts())};
  std::size_t changes = 0;
  const auto flip = [&](auto&& field_of) {
    using Field = std::remove_reference_t<decltype(field_of(std::declval<Contact&>()))>;
    for (std::size_t bit = 0; bit < 8 * sizeof(Field); ++bit) {
      std::vector<Contact> changed = some_contacts();
      unsigned char bytes[sizeof(Field)];
      std::memcpy(bytes, &field_of(changed[2]), sizeof bytes);
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << (bit % 8)));
      std::memcpy(&field_of(changed[2]), bytes, sizeof bytes);
      hashes.insert(contact_hash(changed));
      ++changes;
    }
  };
  for (std::size_t a = 0; a < 3; ++a) {
    flip([a](Contact& c) -> double& { return c.point[a]; });
    flip([a](Contact& c) -> float& { return c.normal[a]; });
  }
  flip([](Contact& c) -> float& { return c.depth; });
  flip([](Contact& c) -> std::uint32_t& { return c.body_a; });
  flip([](Contact& c) -> std::uint32_t& { return c.body_b; });
  flip([](Contact& c) -> std::uint32_t& { return c.manifold; });
  flip([](Contact& c) -> std::uint32_t& { return c.feature; });
  flip([](Contact& c) -> std::uint8_t& { return c.material; });
  EXPECT_EQ(hashes.size(), changes + 1);
}

TEST(ContactHash, DependsOnTheOrderAndOnTheNumber) {
  std::vector<Contact> contacts = some_contacts();
  const std::uint64_t before = contact_hash(contacts);
  std::swap(contacts[1], contacts[3]);
  EXPECT_NE(contact_hash(contacts), before);
  std::swap(contacts[1], contacts[3]);
  contacts.pop_back();
  EXPECT_NE(contact_hash(contacts), before);
}

TEST(ContactHash, ChainsFrames) {
  const std::vector<Contact> all = some_contacts();
  const std::span<const Contact> first(all.data(), 2), second(all.data() + 2, 3);
  const std::uint64_t forward = contact_hash(second, contact_hash(first));
  EXPECT_NE(forward, contact_hash(first, contact_hash(second)));
  EXPECT_NE(forward, contact_hash(second));
  EXPECT_NE(contact_hash({}, contact_hash(first)), contact_hash(first, contact_hash({})));
}

}  // namespace
}  // namespace oclide::test
