// Contact files: the contacts of all frames of a scene, written and read frame by frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

/// Writes a contact file, which appears under its name only when it is complete: without finish() nothing is left.
/// One thread at a time. Every failure is an Error(invalid_input) that names the file.
class ContactWriter {
 public:
  /// `device` and `scene` are kept as attributes: the device's name and the scene file's name.
  ContactWriter(const std::string& file, const std::string& device, const std::string& scene);
  ~ContactWriter();

  /// Before the first frame: /contacts/shape_a and shape_b are written as well, for scenes with compounds.
  void with_shapes();
  /// Before the first frame: /contacts/element is written as well, for scenes with meshes.
  void with_elements();
  /// Before the first frame: /contacts/flags is written as well, for scenes whose bodies have flags.
  void with_flags();
  /// Before the first frame: /contacts/previous and /events are written as well, see docs/tracking.md.
  void with_tracking();
  /// Before the first frame, after with_shapes(): /impacts is written as well, see docs/motion.md.
  void with_impacts();

  /// Contacts of the next frame.
  void append(std::span<const Contact> contacts);
  /// With with_tracking(), after its contacts: events and previous contacts of the same frame.
  void append_tracking(const FrameContacts& frame);
  /// With with_impacts(), after its contacts: the impacts of the same frame.
  void append_impacts(std::span<const Impact> impacts);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a contact file frame by frame: memory does not grow with their number. Throws Error(invalid_input), which
/// names file, dataset and index, where it is none or damaged. Frames may be read from several threads.
class ContactReader {
 public:
  explicit ContactReader(const std::string& file);
  ~ContactReader();

  [[nodiscard]] const std::string& device() const;  ///< name of the device that found the contacts
  [[nodiscard]] const std::string& scene() const;   ///< name of the scene file
  [[nodiscard]] std::size_t frames() const;
  [[nodiscard]] std::uint64_t contacts() const;  ///< of all frames
  /// Contacts of frame `index` < frames().
  void read_frame(std::size_t index, std::vector<Contact>& contacts) const;

  /// Whether the file has impacts, and how many of all frames.
  [[nodiscard]] bool has_impacts() const;
  [[nodiscard]] std::uint64_t impacts() const;
  /// Impacts of frame `index` < frames(); none where the file has none.
  void read_impacts(std::size_t index, std::vector<Impact>& impacts) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Removes a contact or scene file that is being written and not complete. For a signal handler that ends the process.
void remove_unfinished_output() noexcept;

}  // namespace oclide
