// Rays and moving points, which stand in a scene file or in a file of their own. Every failure is an
// Error(invalid_input) of one line that names file, dataset and index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"
#include "oclide/trace.hpp"

namespace oclide {

/// Rays of one frame, owned.
struct RayFrame {
  std::vector<double> origin, direction;         ///< 3 * r
  std::vector<double> length;                    ///< r, or empty
  std::vector<std::uint32_t> environment, mask;  ///< r, or empty

  [[nodiscard]] Rays rays() const { return {origin, direction, length, environment, mask}; }
};

/// Reads the rays of a scene. One thread at a time.
class RayReader {
 public:
  /// Opens and checks all but the frames. `file`: empty for the scene's own file. The scene outlives this.
  RayReader(const SceneReader& scene, const std::string& file);
  ~RayReader();

  [[nodiscard]] std::size_t rays() const;  ///< of each frame
  /// Of rays and poses: where only one of the two has a frames axis, the other holds for all frames.
  [[nodiscard]] std::size_t frames() const;
  /// Reads and checks frame `index` < frames().
  void read_frame(std::size_t index, RayFrame& frame);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Moving points, owned.
struct PointList {
  std::vector<double> position, displacement;  ///< 3 * p
  std::vector<std::uint32_t> environment;      ///< p, or empty

  [[nodiscard]] Points points() const { return {position, displacement, environment}; }
};

/// The moving points of a scene; `file` as of RayReader.
[[nodiscard]] PointList read_points(const SceneReader& scene, const std::string& file);

}  // namespace oclide
