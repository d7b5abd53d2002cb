// Scene files: what is in a scene, and where every body is in every frame. Reading and writing are streams: memory
// does not grow with the number of frames. Every failure is an Error(invalid_input) of one line that names the file,
// and the dataset and index at fault.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "files/frame_motion.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

namespace hdf5 {
class InputFile;
class OutputFile;
}  // namespace hdf5

/// Poses of all bodies in one frame, owned.
struct Frame {
  std::vector<double> position;     ///< 3 * n [m]
  std::vector<double> orientation;  ///< 4 * n, w x y z

  [[nodiscard]] Poses poses() const { return {position, orientation}; }
};

/// Reads a scene file. One thread at a time.
class SceneReader {
 public:
  /// Opens the file, reads and checks all of it but the frames.
  explicit SceneReader(const std::string& file);
  ~SceneReader();

  [[nodiscard]] const Scene& scene() const;
  /// 1 for a file whose poses and motion have no frames axis.
  [[nodiscard]] std::size_t frames() const;
  /// Whether poses or motion have a frames axis. What has none holds for all frames.
  [[nodiscard]] bool has_frames() const;
  [[nodiscard]] bool has_displacement() const;
  [[nodiscard]] bool has_rotation() const;
  /// Reads and checks the poses of frame `index` < frames().
  void read_frame(std::size_t index, Frame& frame);
  /// The same of the motion; empty where the file has none.
  void read_motion(std::size_t index, FrameMotion& motion);

  /// For what a file has beside the scene, such as a recording.
  [[nodiscard]] const hdf5::InputFile& file() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How heights are kept: float32 takes half the room, float64 changes no bit of them.
enum class HeightType { float32, float64 };

/// Writes a scene file, which appears under its name only when it is complete.
class SceneWriter {
 public:
  SceneWriter(const std::string& file, const Scene& scene, std::size_t frames,
              HeightType heights = HeightType::float32);
  ~SceneWriter();

  /// For what a file has beside the scene, such as a recording.
  [[nodiscard]] hdf5::OutputFile& file();

  /// Before the first frame: /bodies/displacement and /bodies/rotation, or one of them, are written as well.
  void with_motion(bool displacement = true, bool rotation = true);

  /// The next frame, of as many as were announced. `motion`: of what with_motion() announced, 3 * n numbers each.
  void append(const Poses& poses, const Motion& motion = {});
  /// After the last frame.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Which terrains of a scene file nothing can meet, in one line that begins with its name; empty where there are none.
[[nodiscard]] std::string note_of_unused(const std::string& file, const Scene& scene);

}  // namespace oclide
