#include "planning/slice_plan.hpp"

#include <algorithm>
#include <string>

#include "shared/limits.h"

namespace oclide {
namespace {

using Life = BufferLife;
using When = BufferWhen;

// How many equal parts the work of each half of a frame is cut into.
struct Parts {
  std::uint64_t terrain = 1, bodies = 1;
};

// Bytes of the rows of some lives.
struct Need {
  const std::vector<BufferRow>& rows;

  [[nodiscard]] std::uint64_t of(const std::vector<Life>& lives, Parts parts = {}) const {
    std::uint64_t bytes = 0, first = 0, second = 0;
    for (const BufferRow& row : rows) {
      if (!is_among(row, lives) || row.when == When::moved || row.when == When::small) continue;
      if (row.is_shared()) {
        std::uint64_t& most = row.is_in(WorkMemory::kFirst) ? first : second;
        most = std::max(most, of(row, parts));
      } else {
        bytes += of(row, parts);
      }
    }
    return bytes + first + second;
  }
  [[nodiscard]] static std::uint64_t of(const BufferRow& row, Parts parts) {
    const std::uint64_t part = row.life == Life::terrain_slice  ? parts.terrain
                               : row.life == Life::bodies_slice ? parts.bodies
                                                                : 0;
    return part > 0 ? std::max({kSmallestBuffer, row.least * row.element, row.bytes() / part}) : row.bytes();
  }
  [[nodiscard]] std::uint64_t largest(const std::vector<Life>& lives, Parts parts) const {
    std::uint64_t most = 0;
    for (const BufferRow& row : rows)
      if (is_among(row, lives)) most = std::max(most, of(row, parts));
    return most;
  }

 private:
  [[nodiscard]] static bool is_among(const BufferRow& row, const std::vector<Life>& lives) {
    return std::find(lives.begin(), lives.end(), row.life) != lives.end();
  }
};

std::vector<Life> joined(std::vector<Life> lives, const std::vector<Life>& more) {
  lives.insert(lives.end(), more.begin(), more.end());
  return lives;
}

}  // namespace

void plan_slices(const std::vector<BufferRow>& rows, const BufferCounts& c, MemoryPlan& plan) {
  const Need need{rows};
  const std::uint64_t limit = plan.memory_limit, allocation = plan.device.largest_allocation_bytes;
  const std::vector<Life> scene{Life::scene, Life::poses};
  const std::vector<Life> terrain = joined(scene, {Life::terrain_frame, Life::terrain_slice, Life::terrain_whole});
  const std::vector<Life> bodies_alone{Life::bodies_frame, Life::bodies_slice, Life::bodies_whole};
  const std::uint64_t most_terrain = std::max<std::uint64_t>(c.slots, 1);
  const std::uint64_t most_bodies = std::max<std::uint64_t>((c.leaves + GROUP_WIDTH - 1) / GROUP_WIDTH, 1);
  const auto fits = [&](const std::vector<Life>& lives, Parts parts) {
    return need.largest(lives, parts) <= allocation && need.of(lives, parts) <= limit;
  };
  // The least number of parts, doubled from one on, with which it fits; 0: none.
  const auto least_parts = [](std::uint64_t most, const auto& fits_in) {
    for (std::uint64_t parts = 1;; parts *= 2) {
      if (fits_in(parts)) return parts;
      if (parts >= most) return std::uint64_t{0};
    }
  };

  // The two sides make room for each other where more than half of the memory is taken, and where one does not fit
  // beside what the other leaves over (host/collider/opencl_collider.cpp).
  plan.terrain_slices = least_parts(most_terrain, [&](std::uint64_t parts) { return fits(terrain, {parts, 1}); });
  const std::vector<Life> bodies = joined(scene, bodies_alone), all = joined(terrain, bodies_alone);
  plan.body_slices = 0;
  if (plan.terrain_slices > 0 && need.of(terrain, {plan.terrain_slices, 1}) <= limit / 2)
    plan.body_slices = least_parts(most_bodies, [&](std::uint64_t parts) {
      return fits(all, {plan.terrain_slices, parts});
    });
  if (plan.body_slices == 0)
    plan.body_slices = least_parts(most_bodies, [&](std::uint64_t parts) { return fits(bodies, {1, parts}); });

  // What the smallest parts leave over.
  plan.least_device_bytes = std::max(need.of(terrain, {most_terrain, 1}), need.of(bodies, {1, most_bodies}));
  plan.fits = plan.terrain_slices > 0 && plan.body_slices > 0;
  for (const BufferRow& row : rows)
    if (row.life != Life::terrain_slice && row.life != Life::bodies_slice && row.life != Life::tracking &&
        row.bytes() > allocation) {
      plan.fits = false;
      plan.problem = std::string(row.name) + " need " + std::to_string(row.bytes()) + " bytes at once, and " +
                     plan.device.name + " can give " + std::to_string(allocation);
      return;
    }
  if (!plan.fits)
    plan.problem = "even in the smallest slices some " + std::to_string(plan.least_device_bytes) +
                   " bytes of device memory are needed, and there are " + std::to_string(limit);
}

}  // namespace oclide
