// Several small scenes as one, each in environments of its own, so that one launch finds the contacts of all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::service {

/// The bodies of the scenes one after another. Scenes that are the same object share their terrains, hulls, meshes and
/// compounds. All have the same Bodies::either_mask.
[[nodiscard]] Scene merge(std::span<const Scene* const> scenes);

/// The part of a merged frame that belongs to `count` bodies from `first` on, with the indices and numbers of manifolds
/// that it has alone. `contacts` are in the order of FrameContacts.
[[nodiscard]] std::vector<Contact> contacts_of(std::span<const Contact> contacts, std::size_t first, std::size_t count);

}  // namespace oclide::service
