// Random scenes of all shapes that are asked about.
#pragma once

#include <random>

#include "support/scene.hpp"

namespace oclide::test {

struct QueryPlaceOfScene {
  double size;  // of bodies [m]
  dvec3 middle;
  bool in_line = false;  // sizes are the same, places along the axes by halves of it
};
inline const std::vector<QueryPlaceOfScene> kQueryPlaces = {{0.1, dvec3(0.0)},
                                                            {1.0, dvec3(10.0, -20.0, 5.0)},
                                                            {1.0, dvec3(-7000.3, 7000.7, 300.1)},
                                                            {20.0, dvec3(2000.0, 100.0, 0.0)},
                                                            {1.0, dvec3(0.0), true}};

/// A body or query about `size` large.
BodySpec random_query_shape(std::size_t k, const QueryPlaceOfScene& in, std::mt19937_64& random);
/// Bodies of all shapes over rough ground with holes, and a half space.
TestScene random_query_scene(const QueryPlaceOfScene& in, std::uint64_t seed);

}  // namespace oclide::test
