#include "files/mesh_import.hpp"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace oclide {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::invalid_input, file + ": " + what);
}

enum class Format { obj, stl, ply, gltf, collada };

Format format_of(const std::string& file) {
  std::string end = fs::path(file).extension().string();
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  static const std::map<std::string, Format> formats{{".obj", Format::obj},  {".stl", Format::stl},
                                                     {".ply", Format::ply},  {".gltf", Format::gltf},
                                                     {".glb", Format::gltf}, {".dae", Format::collada}};
  const auto found = formats.find(end);
  if (found == formats.end())
    refuse_file(file, "is none of the formats that can be read: .obj, .stl, .ply, .gltf, .glb and .dae");
  return found->second;
}

void check_is_file(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error) refuse_file(file, error.message());
  if (!fs::is_regular_file(status)) refuse_file(file, "is not a regular file");
}

class Collector {
 public:
  Collector(const MeshImportOptions& options, bool y_is_up) : scale_(options.scale), y_is_up_(y_is_up) {}

  void add(const aiScene& scene) {
    std::vector<std::pair<const aiNode*, aiMatrix4x4>> left{{scene.mRootNode, aiMatrix4x4()}};
    while (!left.empty()) {
      const auto [node, above] = left.back();
      left.pop_back();
      const aiMatrix4x4 place = above * node->mTransformation;
      for (unsigned k = 0; k < node->mNumMeshes; ++k) add(*scene.mMeshes[node->mMeshes[k]], place);
      for (unsigned k = node->mNumChildren; k-- > 0;) left.emplace_back(node->mChildren[k], place);
    }
  }

  ImportedMesh take() { return std::move(imported_); }

 private:
  void add(const aiMesh& part, const aiMatrix4x4& place) {
    std::vector<std::uint32_t> number(part.mNumVertices);
    for (unsigned v = 0; v < part.mNumVertices; ++v) number[v] = vertex(place * part.mVertices[v]);
    const bool is_mirrored = place.Determinant() < 0.0F;
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<std::uint32_t, 3> triangle{number[face.mIndices[0]], number[face.mIndices[1]],
                                            number[face.mIndices[2]]};
      if (is_mirrored) std::swap(triangle[1], triangle[2]);
      std::array<std::uint32_t, 3> sorted = triangle;
      std::sort(sorted.begin(), sorted.end());
      if (sorted[0] != sorted[1] && sorted[1] != sorted[2] && !known_.insert(sorted).second)
        ++imported_.twice;
      else
        imported_.mesh.triangles.push_back(triangle);
    }
  }

  std::uint32_t vertex(const aiVector3D& at) {
    std::array<double, 3> p{scale_ * double{at.x}, scale_ * double{at.y}, scale_ * double{at.z}};
    if (y_is_up_) p = {p[0], -p[2], p[1]};
    const auto next = static_cast<std::uint32_t>(imported_.mesh.vertices.size());
    // What is no number is equal to nothing: build_triangle_mesh() refuses it.
    if (!std::isfinite(p[0] + p[1] + p[2])) {
      imported_.mesh.vertices.push_back(p);
      return next;
    }
    const auto [found, is_new] = numbers_.try_emplace(p, next);
    if (is_new) imported_.mesh.vertices.push_back(p);
    return found->second;
  }

  double scale_;
  bool y_is_up_;
  ImportedMesh imported_;
  std::map<std::array<double, 3>, std::uint32_t> numbers_;
  std::set<std::array<std::uint32_t, 3>> known_;
};

}  // namespace

ImportedMesh import_mesh(const std::string& file, const MeshImportOptions& options) {
  const Format format = format_of(file);
  check_is_file(file);
  Assimp::Importer importer;
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                                          aiComponent_COLORS | aiComponent_TEXCOORDS |
                                                          aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                                          aiComponent_TEXTURES | aiComponent_LIGHTS |
                                                          aiComponent_CAMERAS | aiComponent_MATERIALS);
  const aiScene* scene = importer.ReadFile(file, aiProcess_ValidateDataStructure | aiProcess_RemoveComponent |
                                                     aiProcess_Triangulate | aiProcess_SortByPType);
  if (scene == nullptr || scene->mRootNode == nullptr)
    refuse_file(file, std::string("cannot be read: ") + importer.GetErrorString());
  const bool y_is_up = options.up == MeshImportOptions::Up::of_format
                           ? format == Format::gltf || format == Format::collada
                           : options.up == MeshImportOptions::Up::y;
  Collector collector(options, y_is_up);
  collector.add(*scene);
  ImportedMesh imported = collector.take();
  if (imported.mesh.triangles.empty()) refuse_file(file, "has no triangles");
  return imported;
}

}  // namespace oclide
