// oclide view: a page that shows a scene and what was found of it. The page has all in itself (docs/view.md).
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <utility>

#include "commands.hpp"
#include "files/whole_file.hpp"
#include "hulls/convex_hull.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "output_file.hpp"
#include "page_text.hpp"
#include "shapes/colours.hpp"
#include "shown_files.hpp"
#include "terminal.hpp"
#include "view/packed_arrays.hpp"
#include "view/view_parts.hpp"

namespace oclide::command {
namespace {

// Vertices of all terrains that a page shows at most; of larger ones every second, third, ...
constexpr std::size_t kMostTerrainVertices = 2'000'000;
// A body's number stands in three bytes of a picture.
constexpr std::size_t kMostBodies = (1U << 24U) - 2;

using Point = std::array<double, 3>;

// Numbers of any type as floats, three by three less the page's origin.
class Floats {
 public:
  explicit Floats(const Point& origin) : origin_(origin) {}

  void add_point(const double* p) {
    for (std::size_t a = 0; a < 3; ++a) values_.push_back(static_cast<float>(p[a] - origin_[a]));
  }
  template <class Range>
  void add(const Range& numbers) {
    for (const auto v : numbers) values_.push_back(static_cast<float>(v));
  }
  [[nodiscard]] const std::vector<float>& values() const { return values_; }

 private:
  Point origin_;
  std::vector<float> values_;
};

// What the page is made of.
class PageData {
 public:
  PageData(const ShownFiles& files, const Point& origin) : files_(files), scene_(files.scene()), origin_(origin) {}

  void add_scene() {
    add_names_and_colours();
    add_bodies();
    add_hulls();
    add_meshes();
    add_compounds();
    add_terrains();
    const Paths& paths = files_.paths();
    if (paths.offset.empty()) return;
    Floats points(origin_);
    for (const PathPoint& p : paths.points) points.add_point(p.point.data());
    std::vector<std::uint32_t> offset(paths.offset.begin(), paths.offset.end());
    data_["paths"] = {{"offset", pack(offset)}, {"point", pack(points)}};
  }

  void add_frame(std::size_t index, const ShownFrame& frame) {
    const std::size_t n = scene_.bodies.count();
    Floats position(origin_), orientation({});
    for (std::size_t i = 0; i < n; ++i) position.add_point(frame.poses.position.data() + 3 * i);
    orientation.add(frame.poses.orientation);
    Json json{{"number", index}, {"position", pack(position)}, {"orientation", pack(orientation)}};
    const auto add_motion = [&](const char* name, const std::vector<double>& numbers) {
      if (numbers.empty()) return;
      Floats of_all({});
      of_all.add(numbers);
      json[name] = pack(of_all);
    };
    add_motion("displacement", frame.motion.displacement);
    add_motion("rotation", frame.motion.rotation);
    if (files_.has_contacts()) {
      Json& to = json["contacts"] = touches(frame.contacts);
      to["depth"] = column<float>(frame.contacts, &Contact::depth);
      to["manifold"] = column<std::uint32_t>(frame.contacts, &Contact::manifold);
      if (std::any_of(frame.contacts.begin(), frame.contacts.end(), [](const Contact& c) { return c.flags != 0; }))
        to["flags"] = column<std::uint8_t>(frame.contacts, &Contact::flags);
      for (const Contact& c : frame.contacts) depths_.push_back(c.depth);
    }
    if (files_.has_impacts()) {
      Json& to = json["impacts"] = touches(frame.impacts);
      to["time"] = column<float>(frame.impacts, &Impact::time);
    }
    if (files_.has_hits()) {
      Floats start(origin_), end(origin_);
      std::vector<std::uint32_t> body;
      for (std::size_t i = 0; i < frame.hits.size(); ++i) {
        const RayEnds ray = ends_of(frame, i);
        start.add_point(ray.start.data());
        end.add_point(ray.end.data());
        body.push_back(frame.hits[i].body);
      }
      json["rays"] = {{"start", pack(start)}, {"end", pack(end)}, {"body", pack(body)}};
    }
    frames_.push_back(std::move(json));
  }

  [[nodiscard]] std::string page(const ShownOptions& options) {
    const auto name = [](const std::string& file) { return std::filesystem::path(file).filename().string(); };
    data_["scene"] = name(options.scene);
    data_["device"] = files_.device();
    data_["origin"] = origin_;
    data_["all_frames"] = files_.frames();
    data_["deep"] = deep_of(std::move(depths_));
    data_["frames"] = std::move(frames_);
    const std::string json = in_script(text_of(data_));
    const std::string blobs = arrays_.elements();
    const std::array<std::pair<std::string_view, std::string_view>, 6> parts{
        {{"{{style}}", view_part("view.css")},
         {"{{three}}", three_part("three.min.js")},
         {"{{controls}}", three_part("OrbitControls.js")},
         {"{{data}}", json},
         {"{{blobs}}", blobs},
         {"{{script}}", view_part("view.js")}}};
    return filled(view_part("view.html"), parts);
  }

  [[nodiscard]] std::size_t terrain_stride() const { return stride_; }

 private:
  Json pack(const Floats& numbers) { return arrays_.add(std::span(numbers.values())); }
  template <class Value>
  Json pack(const std::vector<Value>& numbers) {
    return arrays_.add(std::span(numbers));
  }
  template <class To, class Record, class Value>
  Json column(const std::vector<Record>& records, Value Record::*member) {
    std::vector<To> values;
    values.reserve(records.size());
    for (const Record& r : records) values.push_back(static_cast<To>(r.*member));
    return pack(values);
  }

  // What contacts and impacts have in common.
  template <class Record>
  Json touches(const std::vector<Record>& records) {
    Floats point(origin_), normal({});
    bool has_shapes = false, has_elements = false;
    for (const Record& r : records) {
      point.add_point(r.point.data());
      normal.add(r.normal);
      has_shapes = has_shapes || r.shape_a != 0 || r.shape_b != 0;
      has_elements = has_elements || r.element != kNone;
    }
    Json json{{"body_a", column<std::uint32_t>(records, &Record::body_a)},
              {"body_b", column<std::uint32_t>(records, &Record::body_b)},
              {"point", pack(point)},
              {"normal", pack(normal)},
              {"material", column<std::uint8_t>(records, &Record::material)}};
    if (has_shapes) {
      json["shape_a"] = column<std::uint16_t>(records, &Record::shape_a);
      json["shape_b"] = column<std::uint16_t>(records, &Record::shape_b);
    }
    if (has_elements) json["element"] = column<std::uint32_t>(records, &Record::element);
    return json;
  }

  void add_bodies() {
    const Bodies& bodies = scene_.bodies;
    std::vector<std::uint8_t> shape;
    for (const Shape s : bodies.shape) shape.push_back(static_cast<std::uint8_t>(s));
    Floats size({});
    for (const Point& s : bodies.size) size.add(s);
    data_["bodies"] = {{"count", bodies.count()}, {"shape", pack(shape)}, {"size", pack(size)}};
    if (!bodies.environment.empty()) data_["bodies"]["environment"] = pack(bodies.environment);
    if (!bodies.flags.empty()) data_["bodies"]["flags"] = pack(bodies.flags);
  }

  // Surfaces one after another, with the index of each one's first vertex and triangle, and one more for the end.
  struct Surfaces {
    Floats vertices{{}};
    std::vector<std::uint32_t> triangles, first_vertex{0}, first_triangle{0};
    std::vector<std::uint8_t> material;

    void end_one() {
      first_vertex.push_back(static_cast<std::uint32_t>(vertices.values().size() / 3));
      first_triangle.push_back(static_cast<std::uint32_t>(triangles.size() / 3));
    }
  };
  Json pack(const Surfaces& s) {
    Json json{{"vertices", pack(s.vertices)},
              {"triangles", pack(s.triangles)},
              {"first_vertex", pack(s.first_vertex)},
              {"first_triangle", pack(s.first_triangle)}};
    if (!s.material.empty()) json["material"] = pack(s.material);
    return json;
  }

  void add_names_and_colours() {
    Json& shapes = data_["shapes"] = Json::array();
    for (const ShapeRow& row : kShapes)
      shapes.push_back({{"name", row.name}, {"number", row.number}, {"colour", shape_colour(row.shape)}});
    data_["colours"] = {{"materials", kMaterialColours}, {"depths", kDepthColours}, {"apart", kApartColour},
                        {"sensor", kSensorColour},       {"impact", kImpactColour}, {"ray", kRayColour},
                        {"miss", kMissColour},           {"path", kPathColour}};
  }

  void add_hulls() {
    Surfaces surfaces;
    for (std::size_t k = 0; k < scene_.hulls.size(); ++k) {
      const ConvexHull hull = build_convex_hull(scene_.hulls[k], "/hulls/" + std::to_string(k) + "/vertices");
      for (const auto& v : hull.vertices) surfaces.vertices.add(Point{v.x, v.y, v.z});
      for (std::size_t f = 0; f < hull.faces.size(); ++f) {
        const std::span<const std::uint32_t> loop = hull.loop(f);
        for (std::size_t c = 2; c < loop.size(); ++c)
          surfaces.triangles.insert(surfaces.triangles.end(), {loop[0], loop[c - 1], loop[c]});
      }
      surfaces.end_one();
    }
    data_["hulls"] = pack(surfaces);
  }

  void add_meshes() {
    Surfaces surfaces;
    const bool has_material = std::any_of(scene_.meshes.begin(), scene_.meshes.end(),
                                          [](const Mesh& mesh) { return !mesh.material.empty(); });
    for (const Mesh& mesh : scene_.meshes) {
      for (const Point& v : mesh.vertices) surfaces.vertices.add(v);
      for (const auto& t : mesh.triangles) surfaces.triangles.insert(surfaces.triangles.end(), t.begin(), t.end());
      surfaces.material.insert(surfaces.material.end(), mesh.material.begin(), mesh.material.end());
      if (has_material) surfaces.material.resize(surfaces.triangles.size() / 3);
      surfaces.end_one();
    }
    data_["meshes"] = pack(surfaces);
  }

  void add_compounds() {
    std::vector<std::uint8_t> shape;
    Floats size({}), position({}), orientation({});
    std::vector<std::uint32_t> first{0};
    for (const std::vector<CompoundPart>& parts : scene_.compounds) {
      for (const CompoundPart& part : parts) {
        shape.push_back(static_cast<std::uint8_t>(part.shape));
        size.add(part.size);
        position.add(part.position);
        orientation.add(part.orientation);
      }
      first.push_back(static_cast<std::uint32_t>(shape.size()));
    }
    data_["compounds"] = {{"first", pack(first)},
                          {"shape", pack(shape)},
                          {"size", pack(size)},
                          {"position", pack(position)},
                          {"orientation", pack(orientation)}};
  }

  // Every stride-th row and column, and the last ones.
  static std::size_t shown(std::size_t vertices, std::size_t stride) { return (vertices - 2 + stride) / stride + 1; }

  void add_terrains() {
    const auto vertices = [&] {
      std::size_t all = 0;
      for (const Terrain& t : scene_.terrains) all += shown(t.rows, stride_) * shown(t.cols, stride_);
      return all;
    };
    while (vertices() > std::max(kMostTerrainVertices, 4 * scene_.terrains.size())) ++stride_;
    Json& list = data_["terrains"] = Json::array();
    for (const Terrain& t : scene_.terrains) list.push_back(terrain(t));
    data_["terrain_stride"] = stride_;
    std::vector<std::int32_t> of_environment = scene_.environment_terrain;
    data_["environment_terrain"] = pack(of_environment);
  }

  Json terrain(const Terrain& t) {
    const std::size_t rows = shown(t.rows, stride_), cols = shown(t.cols, stride_);
    const auto at = [&](std::size_t k, std::size_t all) { return std::min(k * stride_, all - 1); };
    std::vector<float> heights;
    heights.reserve(rows * cols);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j)
        heights.push_back(static_cast<float>(t.heights[at(i, t.rows) * t.cols + at(j, t.cols)] - origin_[2]));
    Json json{{"rows", t.rows},
              {"cols", t.cols},
              {"origin", {t.origin[0] - origin_[0], t.origin[1] - origin_[1]}},
              {"spacing", t.spacing},
              {"diagonal", static_cast<int>(t.diagonal)},
              {"heights", pack(heights)}};
    if (t.holes.empty() && t.material.empty()) return json;
    // A cell that stands for many is open where all of them are, and of the material of the first that is not.
    std::vector<std::uint8_t> open, material;
    for (std::size_t i = 0; i + 1 < rows; ++i)
      for (std::size_t j = 0; j + 1 < cols; ++j) {
        bool all_open = true;
        std::uint8_t of_first = 0;
        for (std::size_t r = at(i, t.rows); r < at(i + 1, t.rows) && all_open; ++r)
          for (std::size_t c = at(j, t.cols); c < at(j + 1, t.cols) && all_open; ++c) {
            const std::size_t cell = r * (t.cols - 1) + c;
            all_open = !t.holes.empty() && t.holes[cell] != 0;
            if (!t.material.empty()) of_first = t.material[cell];
          }
        open.push_back(all_open ? 1 : 0);
        material.push_back(of_first);
      }
    if (!t.holes.empty()) json["open"] = pack(open);
    if (!t.material.empty()) json["material"] = pack(material);
    return json;
  }

  const ShownFiles& files_;
  const Scene& scene_;
  Point origin_;
  PackedArrays arrays_;
  Json data_ = Json::object(), frames_ = Json::array();
  std::vector<float> depths_;
  std::size_t stride_ = 1;
};

}  // namespace

int run_view(const ShownOptions& options) {
  if (three_part("three.min.js").empty())
    throw Error(ErrorKind::invalid_input,
                "this build has no viewer: install three.js (Debian: libjs-three), then configure and build again");
  need_writable("-o", options.output);
  ShownFiles files(options);
  need_ending(options.output, {".html", ".htm"}, "a page is written as HTML: .html or .htm; oclide picture writes PNG");
  const Scene& scene = files.scene();
  if (scene.bodies.count() > kMostBodies)
    throw Error(ErrorKind::invalid_input, options.scene + ": a page shows " + std::to_string(kMostBodies) +
                                              " bodies at most, got " + std::to_string(scene.bodies.count()));
  std::uint64_t contacts = 0, impacts = 0, rays = 0;
  ShownFrame frame;
  files.read(files.range().first, frame);
  PageData data(files, middle_of(scene, frame.poses));
  data.add_scene();
  Progress progress("frames");
  for (std::size_t f = files.range().first; f < files.range().end; ++f) {
    if (f > files.range().first) files.read(f, frame);
    data.add_frame(f, frame);
    contacts += frame.contacts.size();
    impacts += frame.impacts.size();
    rays += frame.hits.size();
    progress.show(f + 1 - files.range().first, files.range().count());
  }
  const std::string page = data.page(options);
  write_file(options.output, page);
  const std::size_t paths = files.paths().offset.empty() ? 0 : files.paths().offset.size() - 1;
  if (options.json) {
    const Json json{{"scene", options.scene},
                    {"bodies", scene.bodies.count()},
                    {"frames", files.range().count()},
                    {"contacts", contacts},
                    {"impacts", impacts},
                    {"rays", rays},
                    {"paths", paths},
                    {"terrain_stride", data.terrain_stride()},
                    {"bytes", page.size()},
                    {"output", options.output}};
    std::cout << text_of(json) << "\n";
    return kDone;
  }
  line("scene", options.scene + ": " + counted(scene.bodies.count(), "body", "bodies") + ", " +
                    counted(scene.terrains.size(), "terrain", "terrains") + ", " +
                    counted(files.range().count(), "frame", "frames"));
  if (files.has_contacts()) line("contacts", grouped(contacts));
  if (files.has_impacts()) line("impacts", grouped(impacts));
  if (files.has_hits()) line("rays", grouped(rays));
  if (!options.paths.empty()) line("paths", grouped(paths));
  if (data.terrain_stride() > 1)
    line("terrain", "one of " + std::to_string(data.terrain_stride()) + " rows and columns is shown");
  line("written to", options.output + ", " + byte_text(page.size()));
  return kDone;
}

}  // namespace oclide::command
