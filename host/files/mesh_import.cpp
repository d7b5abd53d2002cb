#include "files/mesh_import.hpp"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "files/run_apart.hpp"

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

// Vertices in cells of a grid.
class VertexGrid {
 public:
  explicit VertexGrid(double reach) : reach_(reach), cell_(std::max(reach, kSmallestCell)) {}

  // The nearest vertex that is no farther than the reach; of equally near ones the lowest. kNone: there is none.
  [[nodiscard]] std::uint32_t find(const std::array<double, 3>& p, const Mesh& mesh) const {
    std::uint32_t best = kNone;
    double best2 = reach_ * reach_;
    const Cell middle = cell_of(p);
    for (int k = 0; k < 27; ++k) {
      const std::array<int, 3> step{k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
      const auto found = cells_.find({middle[0] + step[0], middle[1] + step[1], middle[2] + step[2]});
      if (found == cells_.end()) continue;
      for (const std::uint32_t v : found->second) {
        double distance2 = 0.0;
        for (std::size_t a = 0; a < 3; ++a) distance2 += (mesh.vertices[v][a] - p[a]) * (mesh.vertices[v][a] - p[a]);
        if (distance2 < best2 || (distance2 == best2 && v < best)) best = v, best2 = distance2;
      }
    }
    return best;
  }

  void add(std::uint32_t vertex, const std::array<double, 3>& p) { cells_[cell_of(p)].push_back(vertex); }

  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

 private:
  using Cell = std::array<double, 3>;
  static constexpr double kSmallestCell = 1e-9;  // [m]

  [[nodiscard]] Cell cell_of(const std::array<double, 3>& p) const {
    return {std::floor(p[0] / cell_), std::floor(p[1] / cell_), std::floor(p[2] / cell_)};
  }

  double reach_, cell_;
  std::map<Cell, std::vector<std::uint32_t>> cells_;
};

class Collector {
 public:
  Collector(const MeshImportOptions& options, bool y_is_up)
      : scale_(options.scale), weld_(options.weld), y_is_up_(y_is_up), grid_(options.weld) {}

  void add(const aiScene& scene) {
    std::vector<std::pair<const aiNode*, aiMatrix4x4>> left{{scene.mRootNode, aiMatrix4x4()}};
    while (!left.empty()) {
      const auto [node, above] = left.back();
      left.pop_back();
      const aiMatrix4x4 transform = above * node->mTransformation;
      for (unsigned k = 0; k < node->mNumMeshes; ++k) add(*scene.mMeshes[node->mMeshes[k]], transform);
      for (unsigned k = node->mNumChildren; k-- > 0;) left.emplace_back(node->mChildren[k], transform);
    }
  }

  ImportedMesh take() { return std::move(imported_); }

 private:
  void add(const aiMesh& part, const aiMatrix4x4& transform) {
    std::vector<std::uint32_t> number(part.mNumVertices);
    for (unsigned v = 0; v < part.mNumVertices; ++v) number[v] = vertex(transform * part.mVertices[v]);
    const bool is_mirrored = transform.Determinant() < 0.0F;
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<std::uint32_t, 3> triangle{number[face.mIndices[0]], number[face.mIndices[1]],
                                            number[face.mIndices[2]]};
      if (is_mirrored) std::swap(triangle[1], triangle[2]);
      std::array<std::uint32_t, 3> sorted = triangle;
      std::sort(sorted.begin(), sorted.end());
      const bool has_edges = sorted[0] != sorted[1] && sorted[1] != sorted[2];
      if (!has_edges && weld_ > 0.0)
        ++imported_.collapsed;
      else if (has_edges && !known_.insert(sorted).second)
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
    if (!is_new) return found->second;
    if (weld_ > 0.0) {
      const std::uint32_t near = grid_.find(p, imported_.mesh);
      if (near != VertexGrid::kNone) {
        ++imported_.joined;
        return found->second = near;
      }
      grid_.add(next, p);
    }
    imported_.mesh.vertices.push_back(p);
    return next;
  }

  double scale_, weld_;
  bool y_is_up_;
  VertexGrid grid_;
  ImportedMesh imported_;
  std::map<std::array<double, 3>, std::uint32_t> numbers_;
  std::set<std::array<std::uint32_t, 3>> known_;
};

ImportedMesh read_mesh(const std::string& file, Format format, const MeshImportOptions& options) {
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
  if (imported.mesh.triangles.empty())
    refuse_file(file, imported.collapsed == 0 ? "has no triangles" : "has no triangles that welding leaves");
  return imported;
}

// A mesh on its way out of the process that reads it.
struct Counts {
  std::size_t vertices, triangles, twice, joined, collapsed;
};
template <class Row>
void put(std::string& bytes, const Row* rows, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(rows), count * sizeof(Row));
}
template <class Row>
const char* take(const char* bytes, Row* rows, std::size_t count) {
  if (count > 0) std::memcpy(rows, bytes, count * sizeof(Row));
  return bytes + count * sizeof(Row);
}
std::string to_bytes(const ImportedMesh& imported) {
  const Mesh& mesh = imported.mesh;
  const Counts counts{mesh.vertices.size(), mesh.triangles.size(), imported.twice, imported.joined, imported.collapsed};
  std::string bytes;
  put(bytes, &counts, 1);
  put(bytes, mesh.vertices.data(), counts.vertices);
  put(bytes, mesh.triangles.data(), counts.triangles);
  return bytes;
}
ImportedMesh from_bytes(const std::string& bytes) {
  Counts counts{};
  const char* from = take(bytes.data(), &counts, 1);
  ImportedMesh imported{{}, counts.twice, counts.joined, counts.collapsed};
  imported.mesh.vertices.resize(counts.vertices);
  imported.mesh.triangles.resize(counts.triangles);
  from = take(from, imported.mesh.vertices.data(), counts.vertices);
  take(from, imported.mesh.triangles.data(), counts.triangles);
  return imported;
}

// Of the process that reads a file, whose counts may promise any number: more than any file that is whole takes.
constexpr std::size_t kMemory = std::size_t{4} << 30, kMemoryOfByte = 200;  // [bytes]
constexpr std::size_t kSeconds = 60, kBytesOfSecond = 1000000;

}  // namespace

ImportedMesh import_mesh(const std::string& file, const MeshImportOptions& options) {
  const Format format = format_of(file);
  check_is_file(file);
  std::error_code error;
  const std::size_t size = fs::file_size(file, error);
  if (error) refuse_file(file, error.message());
  const ApartLimits limits{kMemory + kMemoryOfByte * size, kSeconds + size / kBytesOfSecond};
  // assimp crashes on some damaged files, and loops on others.
  const ApartResult result = run_apart(limits, [&] { return to_bytes(read_mesh(file, format, options)); });
  if (!result.done) refuse_file(file, "cannot be read: " + result.text);
  return from_bytes(result.text);
}

}  // namespace oclide
