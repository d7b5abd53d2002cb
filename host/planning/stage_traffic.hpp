// A model of what each stage of a frame must at least move and compute on a device, from counts of the frame alone.
//
// Bytes are compulsory traffic: each stage reads every input record once and writes every output record once, at the
// sizes of kernels/shared/abi.h. Not counted are what the kernels read again, the passes of sorts and scans, and what
// lies in caches. So bytes / time is a lower bound of the bandwidth used, and its share of the copy bandwidth one of
// the share. Operations are arithmetic instructions (floating point and integer, comparisons and selections; no loads,
// stores, branches, addresses or conversions) an item, counted in a simulator by bench/operations. The items are those
// of the frame; where a frame only tells how many touched (kinds of pairs, shapes on terrain), candidates are taken to
// have the shares of those. See docs/benchmarks.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "oclide/oclide.hpp"

namespace oclide {

/// The stages in the order of StageTimes.
inline constexpr std::array<std::string_view, 5> kStageNames{"upload", "broad_phase", "narrow_phase",
                                                             "contact_reduction", "download"};

/// What one stage moves and computes in one frame.
struct StageWork {
  double bytes = 0.0;                ///< read and written
  std::optional<double> operations;  ///< none where a kind of the frame was never counted
};

/// Work of the five stages of a frame on an OpenCL device, in the order of kStageNames. `frame` holds the contacts of
/// `scene`, all of them.
[[nodiscard]] std::array<StageWork, 5> stage_work(const Scene& scene, const FrameContacts& frame);

/// The same of the reference: poses read as doubles, contacts written as Contact, pairs of indices between its stages.
/// Its operations are not counted.
[[nodiscard]] std::array<StageWork, 5> reference_stage_work(const Scene& scene, const FrameContacts& frame);

}  // namespace oclide
