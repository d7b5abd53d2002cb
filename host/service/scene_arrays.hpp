// A scene, or changes of it, as named arrays: how they come to the service. Names and shapes are those of the scene
// file's datasets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::service {

/// As Type in oclide.proto.
enum class ArrayType : std::uint8_t { f64 = 0, f32 = 1, u32 = 2, i32 = 3, u8 = 4 };

struct NamedArray {
  ArrayType type = ArrayType::f64;
  std::vector<std::uint64_t> shape;
  std::string data;  ///< little-endian, row by row
};
/// What an array without numbers counts [bytes].
inline constexpr std::uint64_t kArrayBytes = 512;
/// By name, such as "/terrains/0/heights". Reals are f64, here and in what the digest is of.
using SceneArrays = std::map<std::string, NamedArray>;

/// Throws Error(invalid_input) naming the array: one that is not known, has another type or shape than it should, or is
/// missing. What check(scene) looks at is not looked at here.
[[nodiscard]] Scene scene_of(const SceneArrays& arrays);
/// The same of what Change in oclide.proto carries: /removed, /changed, /become/shape, /added/shape and so on.
[[nodiscard]] BodyChanges changes_of(const SceneArrays& arrays);
/// The tiles of ChangeTiles: /added/0/heights and so on.
[[nodiscard]] std::vector<Terrain> tiles_of(const SceneArrays& arrays);

/// What scene_of(), changes_of() and tiles_of() take. What is as it is by default is left out, so that equal scenes
/// have equal arrays in all clients. Throws Error(invalid_input) where arrays of one thing have different lengths.
[[nodiscard]] SceneArrays arrays_of(const Scene& scene);
[[nodiscard]] SceneArrays arrays_of(const BodyChanges& changes);
[[nodiscard]] SceneArrays arrays_of(const std::vector<Terrain>& tiles);

/// SHA-256, 32 bytes: of each array in the order of their names, the lengths of name, shape and data, then they
/// themselves (lengths and shape as 64-bit little-endian numbers, the type as one byte before the shape).
[[nodiscard]] std::string digest_of(const SceneArrays& arrays);

}  // namespace oclide::service
