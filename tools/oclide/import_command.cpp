// oclide import: writes a scene file of other programs' meshes: as they are, as convex hulls, or as spheres; or of a
// robot.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <utility>

#include "commands.hpp"
#include "files/mesh_import.hpp"
#include "files/scene_file.hpp"
#include "files/sphere_cover.hpp"
#include "hulls/convex_hull.hpp"
#include "json.hpp"
#include "meshes/triangle_mesh.hpp"
#include "oclide/oclide.hpp"
#include "python_package.hpp"
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
  std::size_t hulls = 0;                  // with --decompose
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
  if (options.spheres || options.decompose) return Shape::compound;
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
    if (options.decompose) std::cout << "; made up of " << counted(row.hulls, "convex hull", "convex hulls");
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
  if (options.decompose) json["hulls"] = row.hulls;
  return json;
}

void write_scene(const Scene& scene, const std::string& file) {
  const std::size_t bodies = scene.bodies.count();
  std::vector<double> position(3 * bodies, 0.0), orientation(4 * bodies, 0.0);
  for (std::size_t i = 0; i < bodies; ++i) orientation[4 * i] = 1.0;
  SceneWriter writer(file, scene, 1);
  writer.append({position, orientation});
  writer.finish();
}

// A file that is gone when this is.
struct TemporaryFile {
  std::string name = (std::filesystem::temp_directory_path() / ("oclide_import_" + std::to_string(::getpid()) + ".h5"));
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(name, ignored);
  }
};

// Compounds of hulls in place of the scene's meshes, of which each row has one.
void write_decomposed(const ImportOptions& options, const Scene& scene, std::vector<ImportRow>& rows) {
  const TemporaryFile meshes;
  write_scene(scene, meshes.name);
  std::vector<std::string> arguments{"decompose", meshes.name, "-o", options.output};
  if (options.threshold) arguments.insert(arguments.end(), {"--threshold", text_of(Json(*options.threshold))});
  if (options.max_hulls) arguments.insert(arguments.end(), {"--max-hulls", std::to_string(*options.max_hulls)});
  const Json made = ask_python(arguments, "import: --decompose");
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k].hulls = made.at("hulls").at(k).get<std::size_t>();
}

bool is_model(const std::string& file) {
  std::string end = std::filesystem::path(file).extension().string();
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return end == ".xml" || end == ".mjcf" || end == ".urdf";
}

// A robot.
int import_model(const ImportOptions& options) {
  const std::string& file = options.files[0];
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::invalid_input, "import: " + what); };
  if (options.files.size() > 1) refuse(file + ": MJCF and URDF are imported one at a time");
  if (options.hull || options.solid || options.scale != 1.0 || !options.up.empty() || options.weld || options.spheres ||
      options.decompose)
    refuse(file + ": of the options for meshes MJCF and URDF take none but --meshes");
  std::vector<std::string> arguments{"import", file, "-o", options.output};
  if (!options.meshes.empty()) arguments.insert(arguments.end(), {"--meshes", options.meshes});
  Json made = ask_python(arguments, "import: a robot");
  made["scene"] = options.output;
  if (options.json) {
    std::cout << text_of(made) << "\n";
    return kDone;
  }
  std::cout << clean_text(options.output) << ": " << counted(made.at("bodies").get<std::size_t>(), "body", "bodies")
            << ", " << counted(made.at("hulls").get<std::size_t>(), "hull", "hulls") << ", "
            << counted(made.at("meshes").get<std::size_t>(), "mesh", "meshes") << "\n";
  for (const auto& [list, before] : {std::pair{"left_out", "left out: "}, std::pair{"notes", "note: "}})
    for (const Json& line : made.at(list)) std::cout << before << clean_text(line.get<std::string>()) << "\n";
  return kDone;
}

}  // namespace

int run_import(const ImportOptions& options) {
  if (std::any_of(options.files.begin(), options.files.end(), is_model)) return import_model(options);
  if (!options.meshes.empty()) throw Error(ErrorKind::invalid_input, "import: --meshes is for MJCF and URDF");
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
  if (options.decompose)
    write_decomposed(options, scene, rows);
  else
    write_scene(scene, options.output);

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
