#include "film.hpp"

#include <filesystem>

namespace oclide::simulation {

Film::Film(const std::string& name, const World& world, std::size_t frames)
    : scene_(name + ".h5", world.scene(), frames),
      contacts_(name + "_contacts.h5", world.device().name, std::filesystem::path(name + ".h5").filename().string()) {
  if (!world.scene().compounds.empty()) contacts_.with_shapes();
  if (!world.scene().meshes.empty()) contacts_.with_elements();
}

void Film::append(const World& world) {
  scene_.append(world.poses());
  contacts_.append(world.contacts());
}

void Film::finish() {
  scene_.finish();
  contacts_.finish();
}

}  // namespace oclide::simulation
