// oclide.Scene (a Python class of arrays, host/python/oclide/_scene.py) as the library's Scene and back.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>

#include "arrays.hpp"
#include "hulls/convex_hull.hpp"
#include "objects.hpp"
#include "scene/scene_check.hpp"
#include "shapes/colours.hpp"
#include "shapes/shape_list.hpp"
#include "text/clean_text.hpp"

namespace oclide::python {
namespace {

using Index = std::ptrdiff_t;

template <class Value>
void copy(const Array<Value>& from, std::vector<Value>& to) {
  const std::span<const Value> values = values_of(from);
  to.assign(values.begin(), values.end());
}

// Rows of `Width` numbers.
template <std::size_t Width, class Value>
void copy_rows(const Array<Value>& from, std::vector<std::array<Value, Width>>& to) {
  to.resize(from.shape(0));
  if (!to.empty()) std::memcpy(to.data(), from.data(), from.nbytes());
}

std::array<double, 2> pair(nb::handle object, const std::string& name) {
  const auto values = to_array<double>(object, name, {2});
  return {values.data()[0], values.data()[1]};
}

// An object of this class of oclide._scene.
nb::handle need(nb::handle object, const char* type, const std::string& name) {
  if (!nb::isinstance(object, nb::module_::import_("oclide._scene").attr(type)))
    throw nb::type_error((name + " must be an oclide." + type).c_str());
  return object;
}

// An array that need not be there.
template <class Value>
void copy_optional(nb::handle object, const std::string& name, std::initializer_list<Index> shape,
                   std::vector<Value>& to) {
  if (!object.is_none()) copy(to_array<Value>(object, name, shape), to);
}

// Numbers that are no shape are check()'s to refuse.
std::vector<Shape> shapes(nb::handle object, const std::string& name) {
  const auto numbers = to_array<std::uint8_t>(object, name, {kAny});
  std::vector<Shape> to;
  to.reserve(numbers.size());
  for (const std::uint8_t number : values_of(numbers)) to.push_back(static_cast<Shape>(number));
  return to;
}

Mesh to_mesh(nb::handle object, const std::string& name) {
  Mesh mesh;
  copy_rows(to_array<double>(object.attr("vertices"), name + "/vertices", {kAny, 3}), mesh.vertices);
  copy_rows(to_array<std::uint32_t>(object.attr("triangles"), name + "/triangles", {kAny, 3}), mesh.triangles);
  copy_optional(object.attr("material"), name + "/material", {static_cast<Index>(mesh.triangles.size())},
                mesh.material);
  mesh.solid = nb::cast<bool>(object.attr("solid"));
  return mesh;
}

std::vector<CompoundPart> to_compound(nb::handle object, const std::string& name) {
  const std::vector<Shape> shape = shapes(object.attr("shape"), name + "/shape");
  const auto n = static_cast<Index>(shape.size());
  std::vector<std::array<double, 3>> size, position;
  std::vector<std::array<double, 4>> orientation;
  copy_rows(to_array<double>(object.attr("size"), name + "/size", {n, 3}), size);
  copy_rows(to_array<double>(object.attr("position"), name + "/position", {n, 3}), position);
  copy_rows(to_array<double>(object.attr("orientation"), name + "/orientation", {n, 4}), orientation);
  std::vector<CompoundPart> parts(shape.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = {shape[i], size[i], position[i], orientation[i]};
  return parts;
}

void read_bodies(nb::handle object, const std::string& name, Bodies& bodies) {
  bodies.shape = shapes(object.attr("shape"), name + "/shape");
  const auto n = static_cast<Index>(bodies.count());
  copy_rows(to_array<double>(object.attr("size"), name + "/size", {n, 3}), bodies.size);
  copy_optional(object.attr("environment"), name + "/environment", {n}, bodies.environment);
  copy_optional(object.attr("group"), name + "/group", {n}, bodies.group);
  copy_optional(object.attr("category"), name + "/category", {n}, bodies.category);
  copy_optional(object.attr("mask"), name + "/mask", {n}, bodies.mask);
  copy_optional(object.attr("flags"), name + "/flags", {n}, bodies.flags);
  copy_optional(object.attr("margin"), name + "/margin", {n}, bodies.margin);
  if (!object.attr("excluded").is_none())
    copy_rows(to_array<std::uint32_t>(object.attr("excluded"), name + "/excluded", {kAny, 2}), bodies.excluded);
  bodies.either_mask = nb::cast<bool>(object.attr("either_mask"));
}

std::string numbered(const char* list, std::size_t k) {
  return list + std::string("/") + std::to_string(k);
}

// What an array that need not be there is in Python.
template <class Value>
nb::object optional_array(std::vector<Value>&& values, std::vector<std::size_t> shape) {
  if (values.empty()) return nb::none();
  return take_vector<Value>(std::move(values), std::move(shape));
}
nb::object optional_array(std::vector<std::array<std::uint32_t, 2>>&& pairs, std::vector<std::size_t> shape) {
  if (pairs.empty()) return nb::none();
  return take_vector<std::uint32_t>(std::move(pairs), std::move(shape));
}

std::vector<std::uint8_t> numbers_of(const std::vector<Shape>& shape) {
  std::vector<std::uint8_t> numbers;
  numbers.reserve(shape.size());
  for (const Shape s : shape) numbers.push_back(static_cast<std::uint8_t>(s));
  return numbers;
}

nb::object from_compound(const std::vector<CompoundPart>& parts, nb::handle type) {
  const std::size_t n = parts.size();
  std::vector<std::uint8_t> shape;
  std::vector<std::array<double, 3>> size, position;
  std::vector<std::array<double, 4>> orientation;
  for (const CompoundPart& part : parts) {
    shape.push_back(static_cast<std::uint8_t>(part.shape));
    size.push_back(part.size);
    position.push_back(part.position);
    orientation.push_back(part.orientation);
  }
  return type(take_vector<std::uint8_t>(std::move(shape), {n}), take_vector<double>(std::move(size), {n, 3}),
              take_vector<double>(std::move(position), {n, 3}), take_vector<double>(std::move(orientation), {n, 4}));
}

}  // namespace

Terrain to_terrain(nb::handle given, const std::string& name) {
  const nb::handle object = need(given, "Terrain", name);
  Terrain terrain;
  const auto heights = to_heights(object.attr("heights"), name + "/heights");
  terrain.rows = heights.shape(0);
  terrain.cols = heights.shape(1);
  copy(heights, terrain.heights);
  terrain.origin = pair(object.attr("origin"), name + "/origin");
  terrain.spacing = pair(object.attr("spacing"), name + "/spacing");
  const auto rows = static_cast<Index>(terrain.rows) - 1, cols = static_cast<Index>(terrain.cols) - 1;
  if (rows > 0 && cols > 0) {
    copy_optional(object.attr("holes"), name + "/holes", {rows, cols}, terrain.holes);
    copy_optional(object.attr("material"), name + "/material", {rows, cols}, terrain.material);
  }
  terrain.group = nb::cast<std::int32_t>(object.attr("group"));
  terrain.category = nb::cast<std::uint32_t>(object.attr("category"));
  terrain.mask = nb::cast<std::uint32_t>(object.attr("mask"));
  if (const nb::object tile_of = object.attr("tile_of"); !tile_of.is_none())
    terrain.tile_of = nb::cast<std::int32_t>(tile_of);
  const auto diagonal = nb::cast<std::string>(object.attr("diagonal"));
  const auto* row = std::find_if(kDiagonalNames.begin(), kDiagonalNames.end(),
                                 [&](const DiagonalName& named) { return named.name == diagonal; });
  if (row == kDiagonalNames.end())
    throw Error(ErrorKind::invalid_input, name + ": diagonal is " + clean_text(diagonal) +
                                              ", but must be one of falling, rising, alternating_rising, "
                                              "alternating_falling");
  terrain.diagonal = row->diagonal;
  return terrain;
}

Scene to_scene(const SceneLike& like) {
  const nb::handle object = need(like.object, "Scene", "scene");
  Scene scene;
  std::size_t k = 0;
  for (const nb::handle terrain : object.attr("terrains"))
    scene.terrains.push_back(to_terrain(terrain, numbered("terrains", k++)));
  copy_optional(object.attr("environment_terrain"), "environments/terrain", {kAny}, scene.environment_terrain);
  k = 0;
  for (const nb::handle hull : object.attr("hulls"))
    copy_rows(to_array<double>(hull, numbered("hulls", k++) + "/vertices", {kAny, 3}), scene.hulls.emplace_back());
  k = 0;
  for (const nb::handle mesh : object.attr("meshes")) {
    const std::string name = numbered("meshes", k++);
    scene.meshes.push_back(to_mesh(need(mesh, "Mesh", name), name));
  }
  k = 0;
  for (const nb::handle compound : object.attr("compounds")) {
    const std::string name = numbered("compounds", k++);
    scene.compounds.push_back(to_compound(need(compound, "Compound", name), name));
  }
  read_bodies(need(object.attr("bodies"), "Bodies", "bodies"), "bodies", scene.bodies);
  return scene;
}

Bodies to_bodies(const OptionalBodiesLike& object, const std::string& name) {
  Bodies bodies;
  if (!object.object.is_none()) read_bodies(need(object.object, "Bodies", name), name, bodies);
  return bodies;
}

namespace {

nb::object from_terrain(Terrain terrain) {
  const std::size_t rows = terrain.rows, cols = terrain.cols;
  return nb::module_::import_("oclide._scene")
      .attr("Terrain")(take_vector<double>(std::move(terrain.heights), {rows, cols}),
                       nb::arg("origin") = nb::make_tuple(terrain.origin[0], terrain.origin[1]),
                       nb::arg("spacing") = nb::make_tuple(terrain.spacing[0], terrain.spacing[1]),
                       nb::arg("holes") = optional_array(std::move(terrain.holes), {rows - 1, cols - 1}),
                       nb::arg("material") = optional_array(std::move(terrain.material), {rows - 1, cols - 1}),
                       nb::arg("group") = terrain.group, nb::arg("category") = terrain.category,
                       nb::arg("mask") = terrain.mask,
                       nb::arg("tile_of") = terrain.tile_of < 0 ? nb::object(nb::none()) : nb::cast(terrain.tile_of),
                       nb::arg("diagonal") = name_of(terrain.diagonal));
}

nb::object from_bodies(Bodies bodies) {
  const std::size_t n = bodies.count();
  return nb::module_::import_("oclide._scene")
      .attr("Bodies")(take_vector<std::uint8_t>(numbers_of(bodies.shape), {n}),
                      take_vector<double>(std::move(bodies.size), {n, 3}),
                      nb::arg("environment") = optional_array(std::move(bodies.environment), {n}),
                      nb::arg("group") = optional_array(std::move(bodies.group), {n}),
                      nb::arg("category") = optional_array(std::move(bodies.category), {n}),
                      nb::arg("mask") = optional_array(std::move(bodies.mask), {n}),
                      nb::arg("flags") = optional_array(std::move(bodies.flags), {n}),
                      nb::arg("margin") = optional_array(std::move(bodies.margin), {n}),
                      nb::arg("excluded") = optional_array(std::move(bodies.excluded), {bodies.excluded.size(), 2}),
                      nb::arg("either_mask") = bodies.either_mask);
}

}  // namespace

nb::object from_scene(Scene scene) {
  const nb::module_ module = nb::module_::import_("oclide._scene");
  nb::list terrains, hulls, meshes, compounds;
  for (Terrain& terrain : scene.terrains) terrains.append(from_terrain(std::move(terrain)));
  for (auto& hull : scene.hulls) {
    const std::size_t points = hull.size();
    hulls.append(take_vector<double>(std::move(hull), {points, 3}));
  }
  for (Mesh& mesh : scene.meshes) {
    const std::size_t vertices = mesh.vertices.size(), triangles = mesh.triangles.size();
    meshes.append(module.attr("Mesh")(take_vector<double>(std::move(mesh.vertices), {vertices, 3}),
                                      take_vector<std::uint32_t>(std::move(mesh.triangles), {triangles, 3}),
                                      nb::arg("material") = optional_array(std::move(mesh.material), {triangles}),
                                      nb::arg("solid") = mesh.solid));
  }
  for (const auto& compound : scene.compounds) compounds.append(from_compound(compound, module.attr("Compound")));
  const std::size_t environments = scene.environment_terrain.size();
  return module.attr("Scene")(
      from_bodies(std::move(scene.bodies)), nb::arg("terrains") = terrains,
      nb::arg("environment_terrain") = optional_array(std::move(scene.environment_terrain), {environments}),
      nb::arg("hulls") = hulls, nb::arg("meshes") = meshes, nb::arg("compounds") = compounds);
}

void warn_of_unused(const Scene& scene, int level) {
  for (const std::size_t k : unused_terrains(scene)) {
    const std::string text = "terrains/" + std::to_string(k) + ": nothing meets it: no environment has it";
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), level) != 0) throw nb::python_error();
  }
}

namespace {

// What the numbers of a shape's size are.
std::string size_text(const ShapeRow& row) {
  std::string text = row.meaning == SizeMeaning::index ? "size: index of the " : "size: ";
  for (std::size_t a = 0; a < row.sizes.size(); ++a) {
    text += a > 0 ? ", " : "";
    text += *row.sizes[a] != '\0' ? row.sizes[a] : "-";
  }
  if (row.meaning == SizeMeaning::nothing) text = "size unused";
  if (!is_supported(row.shape)) text += "; not supported yet: a scene with one is refused";
  return text;
}

}  // namespace

void add_scene(nb::module_& module) {
  nb::enum_<Shape> shapes(
      module, "Shape", nb::is_arithmetic(),
      "Kinds of bodies, with what their sizes are [m]. The axis of a cylinder or capsule is its "
      "local z, its half length that of the straight part; a half space is solid below local z = 0.");
#define OCLIDE_VALUE(NAME, name, number, words, meaning, size0, size1, size2) \
  shapes.value(#NAME, Shape::name, size_text(*find_shape(Shape::name)).c_str());
  OCLIDE_SHAPES(OCLIDE_VALUE)
#undef OCLIDE_VALUE
  nb::enum_<Change>(module, "Change", nb::is_arithmetic(), "What became of a manifold since the frame before.")
      .value("BEGIN", Change::begin)
      .value("PERSIST", Change::persist)
      .value("END", Change::end);
  module.def(
      "check",
      [](const SceneLike& object) {
        const Scene scene = to_scene(object);
        const nb::gil_scoped_release release;
        check(scene);
      },
      nb::arg("scene"), "Raises InvalidInputError naming array and index where the scene cannot be used.");
  module.def(
      "plain_scene", [](const SceneLike& object) { return from_scene(to_scene(object)); }, nb::arg("scene"),
      nb::sig("def plain_scene(scene: oclide.Scene) -> oclide.Scene"),
      "A copy whose arrays have the library's types. Raises InvalidInputError where a type or a shape is wrong.");
  module.def(
      "warn_of_unused", [](const SceneLike& object, int level) { warn_of_unused(to_scene(object), level); },
      nb::arg("scene"), nb::arg("level"),
      "A UserWarning of each terrain of a scene that passes check() which nothing meets. level: whose line it names.");
  module.def(
      "plain_bodies",
      [](const OptionalBodiesLike& object, const std::string& name) { return from_bodies(to_bodies(object, name)); },
      nb::arg("bodies"), nb::arg("name"),
      nb::sig("def plain_bodies(bodies: typing.Optional[oclide.Bodies], name: str) -> oclide.Bodies"),
      "Likewise; none for None.");
  module.def(
      "plain_terrain",
      [](const nb::object& object, const std::string& name) { return from_terrain(to_terrain(object, name)); },
      nb::arg("terrain"), nb::arg("name"),
      nb::sig("def plain_terrain(terrain: oclide.Terrain, name: str) -> oclide.Terrain"), "Likewise.");
  module.def(
      "hull_surface",
      [](const ArrayLike& object) {
        std::vector<std::array<double, 3>> points;
        copy_rows(to_array<double>(object.object, "points", {kAny, 3}), points);
        const ConvexHull hull = build_convex_hull(points, "points");
        std::vector<std::array<double, 3>> vertices;
        for (const glm::vec3& v : hull.vertices) vertices.push_back({v.x, v.y, v.z});
        std::vector<std::array<std::uint32_t, 3>> triangles;
        for (std::size_t f = 0; f < hull.faces.size(); ++f) {
          const std::span<const std::uint32_t> loop = hull.loop(f);
          for (std::size_t c = 2; c < loop.size(); ++c) triangles.push_back({loop[0], loop[c - 1], loop[c]});
        }
        const std::size_t n = vertices.size(), t = triangles.size();
        return nb::make_tuple(take_vector<double>(std::move(vertices), {n, 3}),
                              take_vector<std::uint32_t>(std::move(triangles), {t, 3}));
      },
      nb::arg("points"),
      nb::sig("def hull_surface(points: numpy.typing.ArrayLike) -> tuple[numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.uint32]]"),
      "The surface of a hull of points: vertices (m, 3) and triangles (t, 3), counter-clockwise seen from outside.");
  const auto rgb = [](std::uint32_t colour) { return nb::make_tuple(colour >> 16, colour >> 8 & 255, colour & 255); };
  module.def(
      "shape_colour", [rgb](Shape shape) { return rgb(shape_colour(shape)); }, nb::arg("shape"),
      nb::sig("def shape_colour(shape: Shape) -> tuple[int, int, int]"), "Red, green and blue of bodies of a shape.");
  module.def(
      "depth_colours",
      [rgb] {
        nb::list colours;
        for (const std::uint32_t colour : kDepthColours) colours.append(rgb(colour));
        return colours;
      },
      nb::sig("def depth_colours() -> list[tuple[int, int, int]]"),
      "Red, green and blue of contacts, from depth 0 to the deepest.");
  module.def(
      "ray_colours", [rgb] { return nb::make_tuple(rgb(kImpactColour), rgb(kRayColour), rgb(kMissColour)); },
      nb::sig("def ray_colours() -> tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]"),
      "Red, green and blue of impacts, of rays that hit, and of rays that do not.");
}

}  // namespace oclide::python
