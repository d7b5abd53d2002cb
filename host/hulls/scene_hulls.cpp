#include "hulls/scene_hulls.hpp"

#include <tbb/parallel_for.h>

#include <exception>
#include <string>

#include "shared/hulls.h"

namespace oclide {

SharedHulls build_hulls(const Scene& scene) {
  const std::size_t count = scene.hulls.size();
  if (count > MOST_HULLS)
    throw Error(ErrorKind::invalid_input, "hulls: there are " + std::to_string(count) + ", and no more than " +
                                              std::to_string(MOST_HULLS) + " can be told apart");
  auto hulls = std::make_shared<Hulls>(count);
  // Which of several that are refused is named does not depend on which thread comes first.
  std::vector<std::exception_ptr> errors(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t k) {
    try {
      (*hulls)[k] = build_convex_hull(scene.hulls[k], "hulls/" + std::to_string(k) + "/vertices");
    } catch (...) {
      errors[k] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return hulls;
}

}  // namespace oclide
