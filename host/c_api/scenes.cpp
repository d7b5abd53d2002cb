// The C API: scenes. Each call checks handles and structs, then does what its C++ namesake does.
#include <algorithm>

#include "c_api/convert.hpp"

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

const char* oclide_shape_name(uint8_t shape) {
  return oclide::to_string(static_cast<oclide::Shape>(shape));
}

oclide_status oclide_scene_create(oclide_scene** scene) {
  return create(scene, [] { return std::make_shared<SceneObject>(); });
}

oclide_status oclide_scene_destroy(oclide_scene* scene) {
  return destroy<SceneObject>(scene);
}

oclide_status oclide_scene_add_terrain(oclide_scene* scene, const oclide_terrain* terrain, size_t* index) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const std::string name = "terrains/" + std::to_string(object.scene.terrains.size());
    object.scene.terrains.push_back(to_terrain(terrain, name));
    if (index != nullptr) *index = object.scene.terrains.size() - 1;
  });
}

oclide_status oclide_scene_add_hull(oclide_scene* scene, const double* vertices, size_t vertices_count, size_t* index) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const std::string name = "hulls/" + std::to_string(object.scene.hulls.size()) + "/vertices";
    if (vertices_count % 3 != 0)
      invalid_input(name + " has " + std::to_string(vertices_count) + " numbers, not three a vertex");
    object.scene.hulls.push_back(to_arrays<3>(array(vertices, vertices_count, name.c_str())));
    if (index != nullptr) *index = object.scene.hulls.size() - 1;
  });
}

oclide_status oclide_scene_add_mesh(oclide_scene* scene, const oclide_mesh* mesh, size_t* index) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const oclide_mesh given = read_struct(mesh, "oclide_mesh");
    const std::string name = "meshes/" + std::to_string(object.scene.meshes.size());
    const auto need_threes = [&](std::size_t count, const char* array_name, const char* things) {
      if (count % 3 != 0)
        invalid_input(name + array_name + " has " + std::to_string(count) + " numbers, not three a " + things);
    };
    need_threes(given.vertices_count, "/vertices", "vertex");
    need_threes(given.triangles_count, "/triangles", "triangle");
    if (given.material_count != 0 && given.material_count != given.triangles_count / 3)
      invalid_input(name + "/material has " + std::to_string(given.material_count) + " entries for " +
                    std::to_string(given.triangles_count / 3) + " triangles");
    if (given.solid != 0 && given.solid != 1)
      invalid_input(name + ": solid is " + std::to_string(given.solid) + ", but must be 0 or 1");
    oclide::Mesh added;
    added.vertices = to_arrays<3>(array(given.vertices, given.vertices_count, (name + "/vertices").c_str()));
    added.triangles = to_arrays<3>(array(given.triangles, given.triangles_count, (name + "/triangles").c_str()));
    added.material = to_vector(given.material, given.material_count, (name + "/material").c_str());
    added.solid = given.solid == 1;
    object.scene.meshes.push_back(std::move(added));
    if (index != nullptr) *index = object.scene.meshes.size() - 1;
  });
}

oclide_status oclide_scene_add_compound(oclide_scene* scene, const oclide_compound* compound, size_t* index) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    const oclide_compound given = read_struct(compound, "oclide_compound");
    const std::string name = "compounds/" + std::to_string(object.scene.compounds.size());
    const auto numbers = [&](const double* data, std::size_t count, const char* array_name, std::size_t columns) {
      return rows(data, count, (name + array_name).c_str(), columns, given.shape_count, "parts");
    };
    const std::vector<oclide::Shape> shapes = to_shapes(given.shape, given.shape_count, (name + "/shape").c_str());
    const auto size = to_arrays<3>(numbers(given.size, given.size_count, "/size", 3));
    const auto position = to_arrays<3>(numbers(given.position, given.position_count, "/position", 3));
    std::vector<std::array<double, 4>> orientation;
    if (given.orientation_count != 0)
      orientation = to_arrays<4>(numbers(given.orientation, given.orientation_count, "/orientation", 4));
    std::vector<oclide::CompoundPart> parts(shapes.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      parts[k].shape = shapes[k];
      parts[k].size = size[k];
      parts[k].position = position[k];
      if (!orientation.empty()) parts[k].orientation = orientation[k];
    }
    object.scene.compounds.push_back(std::move(parts));
    if (index != nullptr) *index = object.scene.compounds.size() - 1;
  });
}

oclide_status oclide_scene_set_environments(oclide_scene* scene, const int32_t* terrain, size_t terrain_count) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    object.scene.environment_terrain = to_vector(terrain, terrain_count, "environments/terrain");
  });
}

oclide_status oclide_scene_set_bodies(oclide_scene* scene, const oclide_bodies* bodies) {
  return call_with<SceneObject>(scene, Use::alone,
                                [&](SceneObject& object) { object.scene.bodies = to_bodies(bodies, "bodies"); });
}

oclide_status oclide_scene_unused_terrains(const oclide_scene* scene, size_t* indices, size_t capacity, size_t* count) {
  return call_with<SceneObject>(scene, Use::alone, [&](SceneObject& object) {
    std::size_t& needed = output(count, "count");
    if (capacity != 0) output(indices, "indices");
    const std::vector<std::size_t> found = oclide::unused_terrains(object.scene);
    std::copy_n(found.begin(), std::min(capacity, found.size()), indices);
    needed = found.size();
  });
}

oclide_status oclide_scene_check(const oclide_scene* scene) {
  return call_with<SceneObject>(scene, Use::alone, [](SceneObject& object) { oclide::check(object.scene); });
}
