// What `oclide view` and `oclide picture` show: a scene, with the files that other commands made of it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "files/contact_file.hpp"
#include "files/frame_range.hpp"
#include "files/hit_file.hpp"
#include "files/ray_file.hpp"
#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"
#include "oclide/trace.hpp"

namespace oclide::command {

/// One frame of all files. What there is no file of is empty.
struct ShownFrame {
  Frame poses;
  FrameMotion motion;  ///< where impacts or `with_motion` ask for it
  std::vector<Contact> contacts;
  std::vector<Impact> impacts;
  RayFrame rays;
  std::vector<Hit> hits;
};

/// Opens the files and checks that they belong together: contacts and hits have the frames of the scene, or of
/// --frames, and only name bodies of the scene. Every failure is an Error(invalid_input) in one line.
class ShownFiles {
 public:
  explicit ShownFiles(const ShownOptions& options);

  /// Tiles of a ground are one terrain in it.
  [[nodiscard]] const Scene& scene() const { return scene_; }
  [[nodiscard]] const FrameRange& range() const { return range_; }
  [[nodiscard]] std::size_t frames() const { return frames_; }  ///< of scene and rays
  [[nodiscard]] bool has_contacts() const { return contacts_ != nullptr; }
  [[nodiscard]] bool has_impacts() const { return contacts_ && contacts_->has_impacts(); }
  [[nodiscard]] bool has_hits() const { return hits_ != nullptr; }
  [[nodiscard]] bool has_motion() const;  ///< bodies move within a frame
  [[nodiscard]] std::string device() const { return contacts_ ? contacts_->device() : std::string(); }
  [[nodiscard]] const Paths& paths() const { return paths_; }

  /// Frame `index` of range().
  void read(std::size_t index, ShownFrame& frame);

 private:
  [[nodiscard]] std::size_t row_of(std::size_t index, std::size_t rows) const;
  void check_frames(const std::string& file, const char* dataset, std::size_t rows) const;
  void check_body(const std::string& file, const char* of, std::size_t index, std::size_t row,
                  std::uint32_t body) const;

  ShownOptions options_;
  SceneReader reader_;
  Scene scene_;
  std::unique_ptr<RayReader> rays_;
  std::unique_ptr<ContactReader> contacts_;
  std::unique_ptr<HitReader> hits_;
  Paths paths_;
  std::size_t frames_ = 1;
  FrameRange range_;
};

/// Start and end of a ray of a frame [m]: it ends at its hit; without one at its length, or after 10 m.
struct RayEnds {
  std::array<double, 3> start{}, end{};
};
[[nodiscard]] RayEnds ends_of(const ShownFrame& frame, std::size_t ray);

/// The depth that a scale of colours ends at: 98 of 100 of these are less deep. At least 0; those that are not finite
/// do not count.
[[nodiscard]] double deep_of(std::vector<float> depths);

/// The middle of the bodies of a frame, but for half spaces; of the terrains where there are none.
[[nodiscard]] std::array<double, 3> middle_of(const Scene& scene, const Frame& frame);

}  // namespace oclide::command
