#include "contacts/frame_writer.hpp"

#include <algorithm>
#include <limits>

#include "scene/body_filters.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

constexpr std::size_t kBodies = PairList::kBodiesOfPart;
constexpr std::size_t kAhead = 8;  // pairs whose contacts are fetched early

// All of a contact but who touches, without negative zeros: devices may give a zero either sign. `origin`: the body
// whose centre the point is relative to.
template <class Record>
void write_geometry(const Record& from, const Poses& poses, std::size_t origin, Contact& to) {
  for (std::size_t a = 0; a < 3; ++a) {
    to.point[a] = (poses.position[3 * origin + a] + static_cast<double>(from.point[a])) + 0.0;
    to.normal[a] = from.normal[a] + 0.0F;
  }
  to.depth = from.depth + 0.0F;
  to.feature = from.feature;
}

void write_names(std::size_t body_a, std::uint32_t body_b, std::uint32_t manifold, std::uint8_t flags, Contact& to) {
  to.flags = flags;
  to.body_a = static_cast<std::uint32_t>(body_a);
  to.body_b = body_b;
  to.manifold = manifold;
}

// Of contact c of a pair.
void write_triangle(const TouchingPair& pair, std::uint32_t c, Contact& to) {
  to.material = pair.tags != nullptr ? static_cast<std::uint8_t>(pair.tags[c].material) : 0;
  to.element = pair.tags != nullptr ? pair.tags[c].element : kNone;
}

std::uint8_t material_of(const ContactRecord& record) {
  return static_cast<std::uint8_t>(record.material);
}

}  // namespace

void FrameWriter::set_scene(const Bodies& bodies) {
  is_half_space_.clear();
  is_mesh_.clear();
  for (const Shape shape : bodies.shape) {
    is_half_space_.push_back(shape == Shape::half_space ? 1 : 0);
    is_mesh_.push_back(shape == Shape::triangle_mesh ? 1 : 0);
  }
  is_sensor_.clear();
  for (std::size_t i = 0; i < bodies.flags.size(); ++i) is_sensor_.push_back((bodies.flags[i] & kSensor) != 0 ? 1 : 0);
  if (std::find(is_sensor_.begin(), is_sensor_.end(), 1) == is_sensor_.end()) is_sensor_.clear();
  parts_ = std::vector<Part>((bodies.count() + kBodies - 1) / kBodies);
  first_on_terrain_.assign(bodies.count(), 0);
}

void FrameWriter::change(const Bodies& bodies, std::span<const std::uint32_t> rows) {
  for (const std::uint32_t i : rows) {
    is_half_space_[i] = bodies.shape[i] == Shape::half_space ? 1 : 0;
    is_mesh_[i] = bodies.shape[i] == Shape::triangle_mesh ? 1 : 0;
    const bool is_sensor = (flags_of(bodies, i) & kSensor) != 0;
    if (is_sensor && is_sensor_.empty()) is_sensor_.assign(bodies.count(), 0);
    if (!is_sensor_.empty()) is_sensor_[i] = is_sensor ? 1 : 0;
  }
}

std::size_t FrameWriter::end_of(std::size_t part) const {
  return std::min(is_half_space_.size(), (part + 1) * kBodies);
}

// What a part has.
void FrameWriter::count(const Work& work, std::size_t p) {
  Part& part = parts_[p];
  const std::vector<TouchingPair>& pairs = work.pairs.parts()[p].pairs;
  part.contacts = part.on_terrain = 0;
  part.manifolds = pairs.size();
  for (const TouchingPair& pair : pairs) part.contacts += pair.count;
  for (std::size_t i = p * kBodies; i < end_of(p); ++i) {
    const TerrainContactList::OfBody terrain = work.terrain.of_body(i);
    part.contacts += terrain.count;
    part.manifolds += terrain.manifolds;
    part.on_terrain += terrain.count > 0 ? 1 : 0;
  }
}

// Where all parts begin, and how far that is from where they were. The number of contacts.
std::uint64_t FrameWriter::place(const Work& work) {
  std::uint64_t contacts = 0, manifolds = 0, on_terrain = 0;
  for (Part& part : parts_) {
    part.further = static_cast<std::int64_t>(contacts - part.first_contact);
    part.more_manifolds = static_cast<std::uint32_t>(manifolds - part.first_manifold);
    part.first_contact = contacts;
    part.first_manifold = manifolds;
    contacts += part.contacts;
    manifolds += part.manifolds;
    on_terrain += part.on_terrain;
  }
  work.frame.body_pairs = work.pairs.count();
  work.frame.pairs = work.frame.body_pairs + on_terrain;
  return contacts;
}

// Moves the contacts of the parts that are not to be written to where they go, with the numbers of their manifolds:
// each part within the indices that it had, and what leaves them, at its beginning or end, to `leaving`.
void FrameWriter::move_parts(std::span<Contact> contacts) {
  parallel_for(parts_.size(), [&](std::size_t p) {
    Part& part = parts_[p];
    part.leaving.clear();
    if (part.is_whole || (part.further == 0 && part.more_manifolds == 0)) return;
    const std::span<Contact> own =
        contacts.subspan(static_cast<std::size_t>(static_cast<std::int64_t>(part.first_contact) - part.further),
                         static_cast<std::size_t>(part.contacts));
    for (Contact& contact : own) contact.manifold += part.more_manifolds;
    const std::size_t leaving = std::min<std::size_t>(own.size(), static_cast<std::size_t>(std::abs(part.further)));
    if (part.further > 0) {
      part.leaving.assign(own.end() - static_cast<std::ptrdiff_t>(leaving), own.end());
      std::move_backward(own.begin(), own.end() - static_cast<std::ptrdiff_t>(leaving), own.end());
    } else {
      part.leaving.assign(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(leaving));
      std::move(own.begin() + static_cast<std::ptrdiff_t>(leaving), own.end(), own.begin());
    }
  });
}

// All contacts of a part, noting where they are.
void FrameWriter::write_part(const Work& work, std::size_t p) {
  Part& part = parts_[p];
  const std::vector<TouchingPair>& pairs = work.pairs.parts()[p].pairs;
  part.first_of_pair.resize(pairs.size());
  Contact* const first = work.frame.contacts.data() + part.first_contact;
  Contact* to = first;
  const auto index = [&] { return static_cast<std::uint32_t>(to - first); };
  auto manifold = static_cast<std::uint32_t>(part.first_manifold);
  std::size_t k = 0;
  for (std::size_t i = p * kBodies; i < end_of(p); ++i) {
    work.terrain.prefetch_after(i);
    for (; k < pairs.size() && pairs[k].body_a == i; ++k, ++manifold) {
      const TouchingPair& pair = pairs[k];
      const std::size_t origin = is_far(i) ? pair.body_b : i;
      part.first_of_pair[k] = index();
      const std::uint8_t of_pair = flags(i, pair.body_b);
      for (std::uint32_t c = 0; c < pair.count; ++c, ++to) {
        write_geometry(pair.contacts[c], work.poses, origin, *to);
        write_names(i, pair.body_b, manifold, of_pair, *to);
        write_triangle(pair, c, *to);
      }
    }
    const TerrainContactList::OfBody terrain = work.terrain.of_body(i);
    first_on_terrain_[i] = index();
    for (const ContactRecord& c : terrain.contacts()) {
      write_geometry(c, work.poses, i, *to);
      write_names(i, kTerrain, manifold + c.manifold, flags(i, kTerrain), *to);
      to->material = material_of(c);
      to->element = kNone;
      ++to;
    }
    manifold += terrain.manifolds;
  }
}

// The contacts of a part that are new: all are where those before them were.
void FrameWriter::write_moved(const Work& work, std::size_t p, std::span<const std::uint32_t> moved) {
  const PairList::Part& own = work.pairs.parts()[p];
  Contact* const first = work.frame.contacts.data() + parts_[p].first_contact;
  // They lie anywhere: fetched early.
  for (std::size_t r = 0; r < own.updated.size(); ++r) {
    if (r + kAhead < own.updated.size()) {
      const std::uint32_t later = own.updated[r + kAhead];
      __builtin_prefetch(own.pairs[later].contacts);
      __builtin_prefetch(first + parts_[p].first_of_pair[later], 1);
    }
    const std::uint32_t k = own.updated[r];
    const TouchingPair& pair = own.pairs[k];
    const std::size_t origin = is_far(pair.body_a) ? pair.body_b : pair.body_a;
    Contact* to = first + parts_[p].first_of_pair[k];
    const std::uint8_t of_pair = flags(pair.body_a, pair.body_b);
    for (std::uint32_t c = 0; c < pair.count; ++c, ++to) {
      write_geometry(pair.contacts[c], work.poses, origin, *to);
      write_triangle(pair, c, *to);
      to->flags = of_pair;
    }
  }
  for (const std::uint32_t i : moved) {
    Contact* to = first + first_on_terrain_[i];
    for (const ContactRecord& c : work.terrain.of_body(i).contacts()) {
      write_geometry(c, work.poses, i, *to);
      to->material = material_of(c);
      to->flags = flags(i, kTerrain);
      ++to;
    }
  }
}

void FrameWriter::write(const Poses& poses, const TerrainContactList& terrain, const PairList& pairs,
                        FrameContacts& frame) {
  const Work work{poses, terrain, pairs, frame};
  parallel_for(parts_.size(), [&](std::size_t p) { count(work, p); });
  frame.contacts.resize(place(work));
  parallel_for(parts_.size(), [&](std::size_t p) { write_part(work, p); });
}

void FrameWriter::rewrite(const Poses& poses, std::span<const std::uint32_t> moved, const TerrainContactList& terrain,
                          const PairList& pairs, FrameContacts& frame) {
  const Work work{poses, terrain, pairs, frame};
  // Indices in a part that has more are not known.
  for (Part& part : parts_) part.is_whole = part.contacts > std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t body : terrain.topology_changed()) parts_[body / kBodies].is_whole = true;
  parallel_for(parts_.size(), [&](std::size_t p) {
    parts_[p].is_whole = parts_[p].is_whole || pairs.parts()[p].topology_changed;
    if (parts_[p].is_whole) count(work, p);
  });
  const std::size_t total = place(work);
  frame.contacts.resize(std::max(frame.contacts.size(), total));
  move_parts(frame.contacts);
  parallel_for(parts_.size(), [&](std::size_t p) {
    const Part& part = parts_[p];
    if (part.is_whole) return write_part(work, p);
    const std::size_t at = part.first_contact + (part.further > 0 ? part.contacts - part.leaving.size() : 0);
    std::copy(part.leaving.begin(), part.leaving.end(), frame.contacts.data() + at);
    const auto begin = std::lower_bound(moved.begin(), moved.end(), p * kBodies);
    write_moved(work, p, {begin, std::lower_bound(begin, moved.end(), (p + 1) * kBodies)});
  });
  frame.contacts.resize(total);
}

}  // namespace oclide
