// Files of what rays hit, and of the paths of moving points. They appear under their names only when they are complete:
// else nothing is left. Every failure is an Error(invalid_input) that names the file; of reading also dataset and
// index.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "oclide/trace.hpp"

namespace oclide {

/// Writes a hits file frame by frame: memory does not grow with their number. One thread at a time.
class HitWriter {
 public:
  /// `device` and `scene` are kept as attributes: the device's name and the scene file's name. `with_shapes`:
  /// /hits/shape is written as well, for scenes with compounds.
  HitWriter(const std::string& file, const std::string& device, const std::string& scene, std::size_t frames,
            std::size_t rays, bool with_shapes);
  ~HitWriter();

  /// The next frame, of as many as were announced: one hit a ray.
  void append(std::span<const Hit> hits);
  /// After the last frame.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a hits file frame by frame. One thread at a time.
class HitReader {
 public:
  explicit HitReader(const std::string& file);
  ~HitReader();

  [[nodiscard]] std::size_t frames() const;
  [[nodiscard]] std::size_t rays() const;  ///< of each frame
  /// Hits of frame `index` < frames(), one a ray.
  void read_frame(std::size_t index, std::vector<Hit>& hits) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A paths file: docs/trace.md. Made first, so that what cannot be written is not computed.
class PathWriter {
 public:
  PathWriter(const std::string& file, const std::string& device, const std::string& scene);
  ~PathWriter();

  void write(const Paths& paths);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Offsets and points of a paths file, and nothing else of it.
[[nodiscard]] Paths read_paths(const std::string& file);

}  // namespace oclide
