// Scenes of bodies against bodies for the benchmarks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "scenarios/geometry.hpp"
#include "scenarios/heap.hpp"
#include "scene_file.hpp"

namespace oclide::bench {

using IndexPair = std::array<std::uint32_t, 2>;  // of bodies, the smaller index first

/// Bodies alone, in one environment, with their poses.
struct BodyScene {
  std::string name;
  Scene scene;
  Frame frame;
  std::vector<IndexPair> truth;  ///< /truth/touching_pairs, sorted; empty where the file has none
};

/// The bodies of a scene file in its first frame, taken `copies` times, beside each other in a grid. Terrain is left
/// out.
BodyScene read_bodies(const std::string& file, std::size_t copies);
/// The scenario `pile`: bodies of 0.2 to 0.5 m in a heap on a half space, each touching five to six others.
BodyScene make_pile(std::size_t bodies);
/// Bodies like those of the pile, anywhere in a cube; about one in twenty touches another.
BodyScene make_cloud(std::size_t bodies);

/// A body like those of a pile: sizes of 0.2 to 0.5 m, some of them level. At the origin.
scenario::PlacedBody random_body(Shape shape, scenario::Random& random);

/// The same poses, all bodies but half spaces moved by up to `distance` [m] along each axis.
Frame moved(const BodyScene& scene, double distance, std::uint64_t seed);

}  // namespace oclide::bench
