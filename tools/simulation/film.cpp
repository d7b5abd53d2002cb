#include "film.hpp"

#include <filesystem>

#include "scenarios/geometry.hpp"

namespace oclide::simulation {

std::vector<Film::Part> Film::parts_of(const Scene& scene) {
  std::vector<Part> parts;
  for (std::uint32_t i = 0; i < scene.bodies.count(); ++i) {
    if (scene.bodies.shape[i] != Shape::compound) {
      parts.push_back({i, nullptr});
      continue;
    }
    for (const CompoundPart& part : scene.compounds[static_cast<std::size_t>(scene.bodies.size[i][0])])
      parts.push_back({i, &part});
  }
  return parts;
}

Scene Film::flattened(const Scene& scene) {
  Scene flat;
  flat.terrains = scene.terrains;
  flat.environment_terrain = scene.environment_terrain;
  for (const Part& part : parts_of(scene)) {
    flat.bodies.shape.push_back(part.shape != nullptr ? part.shape->shape : scene.bodies.shape[part.body]);
    flat.bodies.size.push_back(part.shape != nullptr ? part.shape->size : scene.bodies.size[part.body]);
  }
  return flat;
}

Film::Film(const std::string& name, const World& world, std::size_t frames)
    : parts_(parts_of(world.scene())),
      scene_(name + ".h5", flattened(world.scene()), frames),
      contacts_(name + "_contacts.h5", world.device().name, std::filesystem::path(name + ".h5").filename().string()) {
  first_part_.resize(world.count());
  for (std::size_t k = parts_.size(); k > 0; --k) first_part_[parts_[k - 1].body] = static_cast<std::uint32_t>(k - 1);
}

void Film::append(const World& world) {
  Frame frame;
  frame.position.resize(3 * parts_.size());
  frame.orientation.resize(4 * parts_.size());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    glm::dvec3 position = world.position(parts_[k].body);
    glm::dquat orientation = world.orientation(parts_[k].body);
    if (const CompoundPart* part = parts_[k].shape; part != nullptr) {
      position += orientation * glm::dvec3(part->position[0], part->position[1], part->position[2]);
      const std::array<double, 4>& q = part->orientation;
      orientation = orientation * glm::dquat(q[0], q[1], q[2], q[3]);
    }
    scenario::put_pose(frame, k, position, orientation);
  }
  scene_.append(frame.poses());

  std::vector<Contact> contacts(world.contacts().begin(), world.contacts().end());
  for (Contact& contact : contacts) {
    contact.body_a = first_part_[contact.body_a] + contact.shape_a;
    if (contact.body_b != kTerrain) contact.body_b = first_part_[contact.body_b] + contact.shape_b;
    contact.shape_a = contact.shape_b = 0;
  }
  contacts_.append(contacts);
}

void Film::finish() {
  scene_.finish();
  contacts_.finish();
}

}  // namespace oclide::simulation
