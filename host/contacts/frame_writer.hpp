// Writes the contacts of a frame for the caller: in the scene's order of bodies, those with bodies before those with
// terrain, positions back in doubles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contacts/pair_list.hpp"
#include "contacts/terrain_contact_list.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

class FrameWriter {
 public:
  void set_scene(const Bodies& bodies);
  /// The bodies of `rows` have changed; there are no more than before.
  void change(const Bodies& bodies, std::span<const std::uint32_t> rows);
  /// Per body, 1 for half spaces.
  [[nodiscard]] std::span<const std::uint8_t> half_spaces() const { return is_half_space_; }
  [[nodiscard]] bool is_half_space(std::size_t body) const { return is_half_space_[body] != 0; }
  /// Per body, 1 for sensors; empty where there are none.
  [[nodiscard]] std::span<const std::uint8_t> sensors() const { return is_sensor_; }
  /// Per body, 1 for meshes.
  [[nodiscard]] std::span<const std::uint8_t> meshes() const { return is_mesh_; }

  /// Sets contacts, pairs and body_pairs.
  void write(const Poses& poses, const TerrainContactList& terrain, const PairList& pairs, FrameContacts& frame);
  /// The same after an update of both for the bodies `moved` (ascending), where `frame` is as the last call of
  /// write() or rewrite() left it: only what is different is written.
  void rewrite(const Poses& poses, std::span<const std::uint32_t> moved, const TerrainContactList& terrain,
               const PairList& pairs, FrameContacts& frame);

 private:
  // The bodies of a part of PairList, and where their contacts are in the frame.
  struct Part {
    std::uint64_t contacts = 0, manifolds = 0, on_terrain = 0;  // how many
    std::uint64_t first_contact = 0, first_manifold = 0;
    std::vector<std::uint32_t> first_of_pair;  // of each pair's contacts, counted from the part's
    // In rewrite():
    bool is_whole = false;             // all of it is to be written
    std::int64_t further = 0;          // its contacts go so much further than they were
    std::uint32_t more_manifolds = 0;  // before it, modulo 2^32
    std::vector<Contact> leaving;      // those that go to where other parts were
  };
  struct Work {
    const Poses& poses;
    const TerrainContactList& terrain;
    const PairList& pairs;
    FrameContacts& frame;
  };
  // Points of contact are told from the other body.
  [[nodiscard]] bool is_far(std::size_t body) const { return is_half_space_[body] != 0 || is_mesh_[body] != 0; }
  [[nodiscard]] std::size_t end_of(std::size_t part) const;
  void count(const Work& work, std::size_t part);
  std::uint64_t place(const Work& work);
  void move_parts(std::span<Contact> contacts);
  void write_part(const Work& work, std::size_t part);
  void write_moved(const Work& work, std::size_t part, std::span<const std::uint32_t> moved);

  // Contact::flags of two bodies, `b` possibly kTerrain.
  [[nodiscard]] std::uint8_t flags(std::size_t a, std::uint32_t b) const {
    if (is_sensor_.empty()) return 0;
    return is_sensor_[a] != 0 || (b != kTerrain && is_sensor_[b] != 0) ? kSensorContact : std::uint8_t{0};
  }

  std::vector<std::uint8_t> is_half_space_, is_mesh_;  // per body
  std::vector<std::uint8_t> is_sensor_;                // per body; empty: none is
  std::vector<Part> parts_;
  std::vector<std::uint32_t> first_on_terrain_;  // per body: of its contacts with terrain, counted from the part's
};

}  // namespace oclide
