#include "meshes/triangle_mesh.hpp"

namespace oclide {

TriangleMesh build_triangle_mesh(const Mesh&, const std::string& name) {
  throw Error(ErrorKind::invalid_input, name + ": triangle meshes are not supported yet");
}

}  // namespace oclide
