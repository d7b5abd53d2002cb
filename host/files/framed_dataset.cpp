#include "files/framed_dataset.hpp"

#include <cmath>
#include <sstream>

namespace oclide::hdf5 {

FramedDataset::FramedDataset(const InputFile& file, const std::string& path, hsize_t width,
                             std::optional<hsize_t> things, const std::string& why, Check check)
    : file_(file), data_(file.open_real(path)), width_(width), check_(check) {
  const std::vector<hsize_t>& extent = data_.extent;
  const std::size_t rank = extent.size();
  if ((rank != 2 && rank != 3) || extent[rank - 1] != width || (things && extent[rank - 2] != *things)) {
    const std::string rows = (things ? std::to_string(*things) : "n") + ", " + std::to_string(width) + ")";
    file.fail_extent(data_, "(" + rows + " or (frames, " + rows + why);
  }
  if (!things) file.check_written(data_);
  has_frames_ = rank == 3;
  if (has_frames_) return;
  file.make_room(data_, data_.count(), fixed_);
  file.read(data_, fixed_);
  check_frame(0, fixed_);
}

void FramedDataset::read(std::size_t index, std::vector<double>& to) const {
  if (!has_frames_) {
    to = fixed_;
    return;
  }
  file_.make_room(data_, things() * width_, to);
  file_.read_row(data_, index, to);
  check_frame(index, to);
}

void FramedDataset::check_frame(std::size_t frame, const std::vector<double>& numbers) const {
  // "/bodies/position[3][17]", the frame only where there is a frames axis.
  const auto fail = [&](std::size_t i, const std::string& what) {
    file_.fail(data_.path + (has_frames_ ? "[" + std::to_string(frame) + "]" : "") + "[" + std::to_string(i / width_) +
               "]" + what);
  };
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) {
      std::ostringstream got;
      got << numbers[i];
      fail(i, "[" + std::to_string(i % width_) + "] must be finite, got " + got.str());
    }
    if (check_ == nullptr || i % width_ != width_ - 1) continue;
    if (const std::string wrong = check_(&numbers[i + 1 - width_]); !wrong.empty()) fail(i, " " + wrong);
  }
}

}  // namespace oclide::hdf5
