// Works for the benchmarks: scenes with the frames that the engines go round, and what is known to touch in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"
#include "scenarios/geometry.hpp"
#include "scenarios/heap.hpp"

namespace oclide::bench {

using IndexPair = std::array<std::uint32_t, 2>;  // of bodies, the smaller index first; or a body and kTerrain

struct Work {
  std::string name;
  std::string source;  ///< file or scenario, in words
  Scene scene;
  std::vector<Frame> frames;     ///< the first is the scene as it is; engines go round all of them
  std::vector<IndexPair> truth;  ///< what touches in the first frame, sorted
  bool has_truth = false;        ///< the file said what touches
};

struct WorkInfo {
  const char* name;
  const char* description;
  std::size_t bodies;        ///< where the request names no number
  std::size_t environments;  ///< more than one: the bodies are dealt out to so many
};
/// All works that make_works() knows.
const std::vector<WorkInfo>& known_works();

struct WorkRequest {
  std::string name;                         ///< of known_works()
  std::optional<std::string> file;          ///< a scene file in place of the scenario, taken over and over
  std::optional<std::size_t> bodies;        ///< of a file: as many copies as come to at least so many
  std::optional<std::size_t> environments;  ///< of the work `environments` alone
  double move = 0.0;                        ///< most way of a body along each axis from its place [m]
  double changed = 0.01;                    ///< part of the poses that differ from frame to frame, of `resting`
};
/// The scenes of one work, mostly one. Throws Error(invalid_input) for an unknown name, a bad file, or numbers that
/// cannot be had.
std::vector<Work> make_works(const WorkRequest& request);

/// A body like those of a pile: sizes of 0.2 to 0.5 m, some of them level. At the origin.
scenario::PlacedBody random_body(Shape shape, scenario::Random& random);

/// This many of the scene's bodies, near each other, with their poses in `frame`; all terrains.
Scene part_of(const Scene& scene, const Frame& frame, std::size_t bodies, Frame& part_frame);

}  // namespace oclide::bench
