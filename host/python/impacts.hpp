// The impacts of one frame, whose memory lives as long as anything in Python that looks at it.
#pragma once

#include <memory>
#include <vector>

#include "arrays.hpp"
#include "oclide/oclide.hpp"

namespace oclide::python {

struct ImpactArrays {
  std::shared_ptr<FrameImpacts> found;
};

/// How bodies move over a frame, borrowed from arrays that live as long as this.
class MotionArrays {
 public:
  MotionArrays(const OptionalArrayLike& displacement, const OptionalArrayLike& rotation, std::size_t bodies);
  [[nodiscard]] Motion motion() const { return {optional_values(displacement_), optional_values(rotation_)}; }

 private:
  Array<double> displacement_, rotation_;
};

/// As an array of oclide.IMPACT_DTYPE.
[[nodiscard]] Typed<RecordsTag> impact_records(const std::shared_ptr<FrameImpacts>& found);

/// Impacts of a sweep or of a structured array, borrowed where they are of the library's layout.
class ImpactArray {
 public:
  explicit ImpactArray(const ImpactsLike& object);
  [[nodiscard]] std::span<const Impact> impacts() const {
    return {reinterpret_cast<const Impact*>(bytes_.data()), bytes_.size() / sizeof(Impact)};
  }

 private:
  Array<std::uint8_t> bytes_;
};

}  // namespace oclide::python
