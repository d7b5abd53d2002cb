#include "shapes/scene_geometry.hpp"

#include <exception>
#include <string>

#include "shared/hulls.h"
#include "threads/parallel_for.hpp"

namespace oclide {

SharedGeometry build_geometry(const Scene& scene) {
  const std::size_t hulls = scene.hulls.size(), count = hulls + scene.meshes.size();
  if (count > MOST_HULLS)
    throw Error(ErrorKind::invalid_input, "hulls, meshes: there are " + std::to_string(count) + ", and no more than " +
                                              std::to_string(MOST_HULLS) + " can be told apart");
  auto geometry = std::make_shared<Geometry>();
  geometry->hulls.resize(hulls);
  geometry->meshes.resize(scene.meshes.size());
  // Which of several that are refused is named does not depend on which thread comes first.
  std::vector<std::exception_ptr> errors(count);
  parallel_for(count, [&](std::size_t k) {
    try {
      if (k < hulls)
        geometry->hulls[k] = build_convex_hull(scene.hulls[k], "hulls/" + std::to_string(k) + "/vertices");
      else
        geometry->meshes[k - hulls] =
            build_triangle_mesh(scene.meshes[k - hulls], "meshes/" + std::to_string(k - hulls));
    } catch (...) {
      errors[k] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return geometry;
}

}  // namespace oclide
