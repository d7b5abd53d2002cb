// What a run looked like: every so many steps the poses and contacts, as a scene file and a contact file. A compound
// body is written as one body a part, so that whatever reads scene files can draw it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contact_file.hpp"
#include "scene_file.hpp"
#include "world.hpp"

namespace oclide::simulation {

class Film {
 public:
  /// Writes NAME.h5 and NAME_contacts.h5.
  Film(const std::string& name, const World& world, std::size_t frames);
  /// The poses that the last step's contacts were found at, and these.
  void append(const World& world);
  void finish();

 private:
  // A body of the file.
  struct Part {
    std::uint32_t body;
    const CompoundPart* shape;  // nothing: the body is no compound
  };
  [[nodiscard]] static std::vector<Part> parts_of(const Scene& scene);
  [[nodiscard]] static Scene flattened(const Scene& scene);

  std::vector<Part> parts_;
  std::vector<std::uint32_t> first_part_;  // of each body
  SceneWriter scene_;
  ContactWriter contacts_;
};

}  // namespace oclide::simulation
