// One engine in a process of its own, which answers one timed frame at a time. All engines run like this, those in
// Python too (peers/peer_scene.py). So each has its own memory, and a crash costs one row.
//
// The engine's process reads one request a line and answers with lines:
//
//   at first         name=value lines of PeerInfo, then `ready`
//   collide K        `frame MS POINTS DEVICE_MS [STAGE=MS ...]`: frame K of the scene file, on the engine's own clock;
//                    DEVICE_MS is `-` where there is none
//   touching FILE    writes what touched in the last frame, 16 bytes each: two indices (uint32), depth (float64);
//                    `touched CANDIDATES`, `-` where unknown
//   check BODIES     oclide alone: frame 0 of at most so many bodies against the reference; `checked BODIES 1` or `0`
//                    and why
//   memory           `memory HOST_BYTES DEVICE_BYTES`, the peaks; `-` where there is no device
//
// `error TEXT` instead of any answer ends it, `refused TEXT` where the scene or an option is at fault. It ends by
// itself when its input ends.
#pragma once

#include <string>

#include "peers/peer.hpp"

namespace oclide::bench {

/// Serves an engine over standard input and output until the input ends; the exit status of the process.
int serve(const std::string& engine, const std::string& scene_file, const PeerOptions& options);

}  // namespace oclide::bench
