// Triangle meshes from files of modelling programs: OBJ, STL, PLY, glTF and COLLADA.
#pragma once

#include <cstddef>
#include <string>

#include "oclide/oclide.hpp"

namespace oclide {

struct MeshImportOptions {
  enum class Up { of_format, y, z };
  double scale = 1.0;     ///< from the file's lengths to metres, positive
  Up up = Up::of_format;  ///< axis of the file that becomes z; of_format: y for glTF and COLLADA, else z
  /// A vertex that is no farther than this from one that came before it becomes that one [m]: none moves by more, and
  /// no two are left that are as near. 0: only those at the same point are one.
  double weld = 0.0;
};

struct ImportedMesh {
  Mesh mesh;                  ///< a sheet without material
  std::size_t twice = 0;      ///< triangles left out, whose three vertices another one has
  std::size_t joined = 0;     ///< positions of vertices that `weld` has moved to another one's
  std::size_t collapsed = 0;  ///< triangles left out, two of whose vertices are one: of what is welded
};

/// All triangles of the file where its nodes put them, each vertex once. Throws Error(invalid_input) of one line that
/// names the file, where it cannot be read, is of another format or has no triangle.
[[nodiscard]] ImportedMesh import_mesh(const std::string& file, const MeshImportOptions& options = {});

}  // namespace oclide
