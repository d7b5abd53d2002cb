// What bodies and records look like, wherever they are drawn, as 0xRRGGBB: the command's pages and pictures, and Rerun.
#pragma once

#include <array>
#include <cstdint>

#include "shapes/shape_list.hpp"

namespace oclide {

[[nodiscard]] inline std::uint32_t shape_colour(Shape shape) {
  switch (shape) {
    case Shape::sphere:
      return 0x2f7fd6;
    case Shape::box:
      return 0xf28e2b;
    case Shape::cylinder:
      return 0x2f9e44;
    case Shape::capsule:
      return 0x9c4fc4;
    case Shape::convex_hull:
      return 0xb08d57;
    case Shape::half_space:
      return 0xb9bdc2;
    case Shape::compound:
      return 0x888888;
    case Shape::triangle_mesh:
      return 0x9aa5b1;
  }
  no_geometry("colour", shape);
}
/// Of materials, again from the first one on after the last.
inline constexpr std::array<std::uint32_t, 8> kMaterialColours{0xccc4ad, 0x9ea0a8, 0xd6d1c7, 0xe6ccb3,
                                                               0xb7c4a1, 0xc2aeb9, 0xa8bfc6, 0xc9b48a};
/// Of contacts, from depth 0 to the deepest.
inline constexpr std::array<std::uint32_t, 5> kDepthColours{0xffe44d, 0xff9f1c, 0xe63946, 0xb5179e, 0x560bad};
inline constexpr std::uint32_t kApartColour = 0x8a94a0;   ///< of contacts within a margin
inline constexpr std::uint32_t kSensorColour = 0x6cbf1d;  ///< of contacts that push nothing, and of sensors
inline constexpr std::uint32_t kImpactColour = 0x00a8b5;
inline constexpr std::uint32_t kRayColour = 0x189a5a;
inline constexpr std::uint32_t kMissColour = 0x9a9a9a;
inline constexpr std::uint32_t kPathColour = 0xc22fb0;

}  // namespace oclide
