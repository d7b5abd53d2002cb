// Recordings: a scene file with the group /recording, which keeps how its contacts were found and the hash of each
// frame's, so that another run can be held against them bit for bit. Format: docs/recording.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/scene_file.hpp"
#include "oclide/oclide.hpp"

namespace oclide {

/// What a recording says of the run that it was made of.
struct RecordingInfo {
  std::string scene;              ///< file that the frames come from
  std::uint64_t first_frame = 0;  ///< of that file, which is frame 0 of the recording
  std::string library_version;
  std::string device_id, device_name, device_version, driver;
  bool is_reference = false;
  std::string device_asked;        ///< Settings::device
  double margin = 0.0;             ///< Settings::margin [m]
  std::uint64_t memory_limit = 0;  ///< Settings::memory_limit [bytes]
};

/// What is known of a frame's contacts.
struct FrameRecord {
  std::uint64_t contacts = 0;
  std::uint64_t hash = 0;  ///< contact_hash() of this frame alone
  std::uint64_t impacts = 0;
  std::uint64_t impact_hash = 0;  ///< impact_hash() of this frame alone

  bool operator==(const FrameRecord&) const = default;
};
[[nodiscard]] FrameRecord frame_record(std::span<const Contact> contacts, std::span<const Impact> impacts = {});

/// Writes a recording, which appears under its name only when it is complete. Every failure is an Error(invalid_input)
/// that names the file.
class RecordingWriter {
 public:
  /// `with_impacts`: motion and impacts are recorded too.
  RecordingWriter(const std::string& file, const Scene& scene, std::size_t frames, const RecordingInfo& info,
                  bool with_impacts = false);

  /// The next frame, of as many as were announced. An empty array of the motion is recorded as zeros.
  void append(const Poses& poses, std::span<const Contact> contacts, const Motion& motion = {},
              std::span<const Impact> impacts = {});
  /// After the last frame.
  void finish();

 private:
  SceneWriter scene_;
  bool with_impacts_;
  std::vector<FrameRecord> frames_;
  std::uint64_t hash_ = 0, impact_hash_ = 0;  // of all frames in a chain
};

/// Reads a recording. Throws Error(invalid_input), which names file and dataset, where it is none or damaged.
class RecordingReader {
 public:
  explicit RecordingReader(const std::string& file);

  [[nodiscard]] SceneReader& scene() { return scene_; }
  [[nodiscard]] const RecordingInfo& info() const { return info_; }
  [[nodiscard]] const std::vector<FrameRecord>& frames() const { return frames_; }
  /// contact_hash() over all frames in a chain.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// Whether impacts were recorded; then the scene has motion. impact_hash() over all frames in a chain.
  [[nodiscard]] bool has_impacts() const { return has_impacts_; }
  [[nodiscard]] std::uint64_t impact_hash() const { return impact_hash_; }

 private:
  SceneReader scene_;
  RecordingInfo info_;
  std::vector<FrameRecord> frames_;
  bool has_impacts_ = false;
  std::uint64_t hash_ = 0, impact_hash_ = 0;
};

/// Holds frames against those of a recording.
class RecordingCheck {
 public:
  explicit RecordingCheck(const RecordingReader& recording) : recording_(&recording) {}

  /// Frame `index` of the recording, ascending from call to call.
  void add(std::size_t index, std::span<const Contact> contacts, std::span<const Impact> impacts = {});

  struct Difference {
    std::size_t frame = 0;
    FrameRecord recorded, found;
  };
  [[nodiscard]] const std::optional<Difference>& first() const { return first_; }
  [[nodiscard]] std::size_t frames() const { return frames_; }
  [[nodiscard]] std::size_t differing() const { return differing_; }
  /// Of the frames so far in a chain; the recording's hash() where these are all and none differs.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// The same of impacts.
  [[nodiscard]] std::uint64_t impact_hash() const { return impact_hash_; }

 private:
  const RecordingReader* recording_;
  std::optional<Difference> first_;
  std::size_t frames_ = 0, differing_ = 0;
  std::uint64_t hash_ = 0, impact_hash_ = 0;
};

/// The device that a recording is replayed on where none is named: the recorded one where it is here, else "auto".
[[nodiscard]] std::string replay_device(const RecordingInfo& info);
/// Throws Error(invalid_input) where the device cannot give the bits that were recorded: the reference is no OpenCL
/// device, and only these agree among themselves.
void check_replay_device(const RecordingInfo& info, const DeviceInfo& device, const std::string& file);

}  // namespace oclide
