// oclide import: writes a scene file of meshes, or of convex hulls, of other programs.
#include <cmath>
#include <iostream>

#include "commands.hpp"
#include "files/mesh_import.hpp"
#include "files/scene_file.hpp"
#include "hulls/convex_hull.hpp"
#include "json.hpp"
#include "meshes/triangle_mesh.hpp"
#include "oclide/oclide.hpp"
#include "terminal.hpp"
#include "text/clean_text.hpp"

namespace oclide::command {
namespace {

// What a file became.
struct ImportRow {
  std::string file;
  std::size_t vertices = 0, triangles = 0;
  std::size_t dropped = 0;  // triangles without area
  std::size_t twice = 0;    // triangles that another one stands for
};

ImportRow add_file(const ImportOptions& options, const std::string& file, Scene& scene) {
  MeshImportOptions how;
  how.scale = options.scale;
  if (!options.up.empty()) how.up = options.up == "y" ? MeshImportOptions::Up::y : MeshImportOptions::Up::z;
  ImportedMesh imported = import_mesh(file, how);
  ImportRow row{file, 0, 0, 0, imported.twice};
  if (options.hull) {
    const ConvexHull hull = build_convex_hull(imported.mesh.vertices, file + ": vertices");
    row.vertices = hull.vertices.size();
    scene.bodies.shape.push_back(Shape::convex_hull);
    scene.bodies.size.push_back({static_cast<double>(scene.hulls.size()), 0.0, 0.0});
    scene.hulls.push_back(std::move(imported.mesh.vertices));
    return row;
  }
  if (options.solid && imported.twice > 0)
    throw Error(ErrorKind::invalid_input, file + ": " + counted(imported.twice, "triangle", "triangles") +
                                              " of the same three vertices as another: no surface of a solid");
  imported.mesh.solid = options.solid;
  const TriangleMesh built = build_triangle_mesh(imported.mesh, file + ": mesh");
  row.vertices = built.vertices.size();
  row.triangles = imported.mesh.triangles.size();
  row.dropped = built.dropped;
  scene.bodies.shape.push_back(Shape::triangle_mesh);
  scene.bodies.size.push_back({static_cast<double>(scene.meshes.size()), 0.0, 0.0});
  scene.meshes.push_back(std::move(imported.mesh));
  return row;
}

}  // namespace

int run_import(const ImportOptions& options) {
  if (!(options.scale > 0.0) || !std::isfinite(options.scale))
    throw Error(ErrorKind::invalid_input, "import: --scale must be positive and finite");
  Scene scene;
  std::vector<ImportRow> rows;
  for (const std::string& file : options.files) rows.push_back(add_file(options, file, scene));
  const std::size_t bodies = scene.bodies.count();
  std::vector<double> position(3 * bodies, 0.0), orientation(4 * bodies, 0.0);
  for (std::size_t i = 0; i < bodies; ++i) orientation[4 * i] = 1.0;
  SceneWriter writer(options.output, scene, 1);
  writer.append({position, orientation});
  writer.finish();

  if (options.json) {
    Json list = Json::array();
    for (const ImportRow& row : rows)
      list.push_back({{"file", row.file},
                      {"vertices", row.vertices},
                      {"triangles", row.triangles},
                      {"without_area", row.dropped},
                      {"twice", row.twice}});
    std::cout << text_of({{"scene", options.output},
                          {"bodies", bodies},
                          {"shape", to_string(options.hull ? Shape::convex_hull : Shape::triangle_mesh)},
                          {"solid", options.solid},
                          {"files", list}})
              << "\n";
    return kDone;
  }
  for (const ImportRow& row : rows) {
    std::cout << clean_text(row.file) << ": " << counted(row.vertices, "vertex", "vertices");
    if (!options.hull) std::cout << ", " << counted(row.triangles, "triangle", "triangles");
    if (row.dropped > 0) std::cout << ", " << grouped(row.dropped) << " of them without area";
    if (row.twice > 0) std::cout << ", " << grouped(row.twice) << " left out that are there twice";
    std::cout << "\n";
  }
  std::cout << clean_text(options.output) << ": " << counted(bodies, "body", "bodies") << "\n";
  return kDone;
}

}  // namespace oclide::command
