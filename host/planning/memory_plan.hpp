// What a scene takes of a device's and the host's memory, before anything runs. The table is in buffer_table.cpp, one
// row for each named buffer: whoever adds a buffer to the pipeline adds its row there
// (tests/planning/memory_plan_test.cpp fails until then). What depends on candidates, pairs and contacts comes from
// frame_estimate().
#pragma once

#include <cstdint>
#include <vector>

#include "oclide/oclide.hpp"
#include "shapes/scene_geometry.hpp"

namespace oclide {

/// What the first frame's poses make a frame's work come to.
struct FrameEstimate {
  double sites = 0.0;             ///< lattice sites under bodies that may touch the ground
  double candidates = 0.0;        ///< of these that reach their body
  double terrain_contacts = 0.0;  ///< before contact reduction
  double lifts = 0.0;             ///< stored beside these, and dropped where no lift is needed
  double terrain_reduced = 0.0;   ///< after contact reduction
  double manifolds = 0.0;         ///< of those
  double large = 0.0;             ///< of those, of bodies that have more than tracking looks through one by one
  double pairs = 0.0;             ///< whose boxes and bounding spheres meet and whose filters let them
  double touching = 0.0;          ///< of these that touch
  double pair_contacts = 0.0;
  double mesh_pairs = 0.0;       ///< of these pairs, with a triangle mesh
  double mesh_groups = 0.0;      ///< lowest groups of their trees whose boxes meet the body's
  double mesh_candidates = 0.0;  ///< triangles of these whose boxes do
  struct Crowd {
    double pairs;   ///< touching ones whose first body one of these bodies is
    double bodies;  ///< that are like it
  };
  std::vector<Crowd> crowds = {};  ///< bodies that may have many pairs
};

/// From all bodies where they are few, else from the largest and a sample of the others, by the definitions of the
/// reference. `scene` has passed check(), `poses` check_poses(); the bodies are those of the scene, or the parts of its
/// compounds in their place.
[[nodiscard]] FrameEstimate frame_estimate(const Scene& scene, const Bodies& bodies, const Geometry& geometry,
                                           const Poses& poses, double margin);

}  // namespace oclide
