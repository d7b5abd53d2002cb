// Contact files: the contacts of all frames of a scene, written frame by frame.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "oclide/oclide.hpp"

namespace oclide {

/// Writes a contact file, which appears under its name only when it is complete: without finish() nothing is left.
/// One thread at a time. Every failure is an Error(invalid_input) that names the file.
class ContactWriter {
 public:
  /// `device` and `scene` are kept as attributes: the device's name and the scene file's name.
  ContactWriter(const std::string& file, const std::string& device, const std::string& scene);
  ~ContactWriter();

  /// Contacts of the next frame.
  void append(std::span<const Contact> contacts);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Removes a contact or scene file that is being written and not complete. For a signal handler that ends the process.
void remove_unfinished_output() noexcept;

}  // namespace oclide
