// Real numbers of many things, such as the bodies' positions: with an axis of frames, or without it for all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "files/hdf5_file.hpp"

namespace oclide::hdf5 {

/// A dataset of extent (things, width) or (frames, things, width), whose numbers must be finite.
class FramedDataset {
 public:
  /// What is wrong with the `width` finite numbers of a thing; empty: nothing.
  using Check = std::string (*)(const double* numbers);

  /// Opens it, and reads it where it has no frames axis. `file` outlives this. `things`: as many there must be, `why`
  /// in words; without, as many as there are.
  FramedDataset(const InputFile& file, const std::string& path, hsize_t width, std::optional<hsize_t> things = {},
                const std::string& why = {}, Check check = nullptr);

  [[nodiscard]] bool has_frames() const { return has_frames_; }
  /// 1 without a frames axis.
  [[nodiscard]] std::size_t frames() const { return has_frames_ ? data_.extent[0] : 1; }
  [[nodiscard]] std::size_t things() const { return data_.extent[data_.extent.size() - 2]; }
  [[nodiscard]] const std::string& path() const { return data_.path; }

  /// Reads and checks frame `index`: things * width numbers.
  void read(std::size_t index, std::vector<double>& to) const;

 private:
  void check_frame(std::size_t frame, const std::vector<double>& numbers) const;

  const InputFile& file_;
  Dataset data_;
  std::size_t width_;
  Check check_;
  bool has_frames_ = false;
  std::vector<double> fixed_;  // where there is no frames axis
};

}  // namespace oclide::hdf5
