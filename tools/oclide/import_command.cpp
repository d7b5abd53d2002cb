// oclide import: writes a scene file of other programs' meshes: as they are, as convex hulls, or as spheres.
#include <cmath>
#include <iostream>

#include "commands.hpp"
#include "files/mesh_import.hpp"
#include "files/scene_file.hpp"
#include "files/sphere_cover.hpp"
#include "hulls/convex_hull.hpp"
#include "json.hpp"
#include "meshes/triangle_mesh.hpp"
#include "oclide/oclide.hpp"
#include "terminal.hpp"
#include "text/clean_text.hpp"

namespace oclide::command {
namespace {

constexpr std::uint64_t kMostSpheres = 65536;  // parts of a compound

// What a file became.
struct ImportRow {
  std::string file;
  std::size_t vertices = 0, triangles = 0;
  std::size_t joined = 0, collapsed = 0;  // vertices and triangles that welding took
  std::size_t dropped = 0;                // triangles without area
  std::size_t twice = 0;                  // triangles that another one stands for
  std::size_t spheres = 0;                // with --spheres
  double error = 0.0;                     // theirs [m]
};

void add_body(Scene& scene, Shape shape, std::size_t index) {
  scene.bodies.shape.push_back(shape);
  scene.bodies.size.push_back({static_cast<double>(index), 0.0, 0.0});
}

void add_spheres(const SphereCover& cover, Scene& scene, ImportRow& row) {
  row.spheres = cover.spheres.size();
  row.error = cover.error;
  std::vector<CompoundPart> parts;
  for (const CoverSphere& s : cover.spheres)
    parts.push_back({Shape::sphere, {s.radius, 0.0, 0.0}, {s.centre.x, s.centre.y, s.centre.z}});
  add_body(scene, Shape::compound, scene.compounds.size());
  scene.compounds.push_back(std::move(parts));
}

ImportRow add_file(const ImportOptions& options, const std::string& file, Scene& scene) {
  MeshImportOptions how;
  how.scale = options.scale;
  how.weld = options.weld.value_or(0.0);
  if (!options.up.empty()) how.up = options.up == "y" ? MeshImportOptions::Up::y : MeshImportOptions::Up::z;
  ImportedMesh imported = import_mesh(file, how);
  ImportRow row;
  row.file = file;
  row.joined = imported.joined;
  row.collapsed = imported.collapsed;
  row.twice = imported.twice;
  if (options.hull) {
    const ConvexHull hull = build_convex_hull(imported.mesh.vertices, file + ": vertices");
    row.vertices = hull.vertices.size();
    if (options.spheres) {
      add_spheres(cover_with_spheres(hull, *options.spheres), scene, row);
    } else {
      add_body(scene, Shape::convex_hull, scene.hulls.size());
      scene.hulls.push_back(std::move(imported.mesh.vertices));
    }
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
  if (options.spheres) {
    add_spheres(cover_with_spheres(built, *options.spheres), scene, row);
  } else {
    add_body(scene, Shape::triangle_mesh, scene.meshes.size());
    scene.meshes.push_back(std::move(imported.mesh));
  }
  return row;
}

Shape shape_of(const ImportOptions& options) {
  if (options.spheres) return Shape::compound;
  return options.hull ? Shape::convex_hull : Shape::triangle_mesh;
}

void print(const ImportOptions& options, const std::vector<ImportRow>& rows) {
  for (const ImportRow& row : rows) {
    std::cout << clean_text(row.file) << ": " << counted(row.vertices, "vertex", "vertices");
    if (!options.hull) std::cout << ", " << counted(row.triangles, "triangle", "triangles");
    if (row.dropped > 0) std::cout << ", " << grouped(row.dropped) << " of them without area";
    if (row.twice > 0) std::cout << ", " << grouped(row.twice) << " left out that are there twice";
    if (options.weld)
      std::cout << "; joined " << counted(row.joined, "vertex", "vertices") << " to others, which left out "
                << counted(row.collapsed, "triangle", "triangles");
    if (options.spheres)
      std::cout << "; covered by " << counted(row.spheres, "sphere", "spheres") << ", no farther than "
                << fixed(row.error, 4) << " m outside of it";
    std::cout << "\n";
  }
}

Json json_of(const ImportOptions& options, const ImportRow& row) {
  Json json{
      {"file", row.file},   {"vertices", row.vertices}, {"triangles", row.triangles}, {"without_area", row.dropped},
      {"twice", row.twice}, {"joined", row.joined},     {"collapsed", row.collapsed}};
  if (options.spheres) {
    json["spheres"] = row.spheres;
    json["error"] = row.error;
  }
  return json;
}

}  // namespace

int run_import(const ImportOptions& options) {
  if (!(options.scale > 0.0) || !std::isfinite(options.scale))
    throw Error(ErrorKind::invalid_input, "import: --scale must be positive and finite");
  if (options.weld && (!(*options.weld > 0.0) || !std::isfinite(*options.weld)))
    throw Error(ErrorKind::invalid_input, "import: --weld must be positive and finite");
  if (options.spheres && (*options.spheres < 1 || *options.spheres > kMostSpheres))
    throw Error(ErrorKind::invalid_input, "import: --spheres " + std::to_string(*options.spheres) + ": from 1 to " +
                                              std::to_string(kMostSpheres));
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
    for (const ImportRow& row : rows) list.push_back(json_of(options, row));
    std::cout << text_of({{"scene", options.output},
                          {"bodies", bodies},
                          {"shape", to_string(shape_of(options))},
                          {"solid", options.solid},
                          {"files", list}})
              << "\n";
    return kDone;
  }
  print(options, rows);
  std::cout << clean_text(options.output) << ": " << counted(bodies, "body", "bodies") << "\n";
  return kDone;
}

}  // namespace oclide::command
