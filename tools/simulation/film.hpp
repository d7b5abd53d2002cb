// What a run looked like: every so many steps the poses and contacts, as a scene file and a contact file.
#pragma once

#include <cstddef>
#include <string>

#include "files/contact_file.hpp"
#include "files/scene_file.hpp"
#include "world.hpp"

namespace oclide::simulation {

class Film {
 public:
  /// Writes NAME.h5 and NAME_contacts.h5.
  Film(const std::string& name, const World& world, std::size_t frames);
  /// The last step's contacts, and the poses at which they were found.
  void append(const World& world);
  void finish();

 private:
  SceneWriter scene_;
  ContactWriter contacts_;
};

}  // namespace oclide::simulation
