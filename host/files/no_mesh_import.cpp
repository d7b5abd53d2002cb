// In a build without assimp.
#include "files/mesh_import.hpp"

namespace oclide {

ImportedMesh import_mesh(const std::string& file, const MeshImportOptions& /*options*/) {
  throw Error(ErrorKind::invalid_input, file + ": this oclide reads no meshes, it was built without assimp");
}

}  // namespace oclide
