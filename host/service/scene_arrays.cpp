#include "service/scene_arrays.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace oclide::service {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are sent as they lie in memory");

template <class T>
constexpr ArrayType type_of() {
  if constexpr (std::is_same_v<T, double>) {
    return ArrayType::f64;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return ArrayType::u32;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return ArrayType::i32;
  } else {
    static_assert(sizeof(T) == 1);
    return ArrayType::u8;
  }
}

const char* name_of(ArrayType type) {
  switch (type) {
    case ArrayType::f64:
      return "float64";
    case ArrayType::f32:
      return "float32";
    case ArrayType::u32:
      return "uint32";
    case ArrayType::i32:
      return "int32";
    case ArrayType::u8:
      return "uint8";
  }
  return "of an unknown type";
}

std::string text_of(std::span<const std::uint64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

class Reader {
 public:
  explicit Reader(const SceneArrays& arrays) : arrays_(arrays) {}

  [[nodiscard]] bool has(const std::string& name) const { return arrays_.contains(name); }

  /// The numbers of an array of `rank` axes, the last of which is `columns` long (0: any length). `shape`: what it has.
  template <class T>
  std::vector<T> take(const std::string& name, std::size_t rank, std::uint64_t columns,
                      std::vector<std::uint64_t>* shape = nullptr) {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) throw Error(ErrorKind::invalid_input, name + " is missing");
    taken_.insert(name);
    const NamedArray& array = found->second;
    if (array.type != type_of<T>())
      throw Error(ErrorKind::invalid_input, name + " is " + name_of(array.type) + ", not " + name_of(type_of<T>()));
    if (array.shape.size() != rank || (columns > 0 && array.shape.back() != columns))
      throw Error(ErrorKind::invalid_input, name + " has the shape " + text_of(array.shape) + "; it has " +
                                                std::to_string(rank) + (rank == 1 ? " axis" : " axes") +
                                                (columns > 0 ? ", the last " + std::to_string(columns) + " long" : ""));
    std::uint64_t bytes = sizeof(T);
    for (const std::uint64_t axis : array.shape)
      if (__builtin_mul_overflow(bytes, axis, &bytes)) bytes = ~std::uint64_t{0};
    if (bytes != array.data.size())
      throw Error(ErrorKind::invalid_input, name + " has the shape " + text_of(array.shape) + " and " +
                                                std::to_string(array.data.size()) + " bytes");
    if (shape != nullptr) *shape = array.shape;
    std::vector<T> numbers(array.data.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), array.data.data(), array.data.size());
    return numbers;
  }
  template <class T>
  std::vector<T> take_if(const std::string& name) {
    return has(name) ? take<T>(name, 1, 0) : std::vector<T>{};
  }
  template <class T, std::size_t N>
  std::vector<std::array<T, N>> rows(const std::string& name) {
    const std::vector<T> numbers = take<T>(name, 2, N);
    std::vector<std::array<T, N>> rows(numbers.size() / N);
    if (!rows.empty()) std::memcpy(rows.data(), numbers.data(), numbers.size() * sizeof(T));
    return rows;
  }
  template <class T, std::size_t N>
  std::array<T, N> fixed(const std::string& name) {
    const std::vector<T> numbers = take<T>(name, 1, N);
    std::array<T, N> values{};
    std::memcpy(values.data(), numbers.data(), sizeof(values));
    return values;
  }
  template <class T>
  T one_of(const std::string& name, T usual) {
    return has(name) ? fixed<T, 1>(name)[0] : usual;
  }
  std::vector<std::uint8_t> cells(const std::string& name, std::uint64_t rows, std::uint64_t cols) {
    if (!has(name)) return {};
    std::vector<std::uint64_t> shape;
    std::vector<std::uint8_t> cells = take<std::uint8_t>(name, 2, 0, &shape);
    if (shape[0] + 1 != rows || shape[1] + 1 != cols)
      throw Error(ErrorKind::invalid_input, name + " has the shape " + text_of(shape) + " for " + std::to_string(rows) +
                                                " x " + std::to_string(cols) + " heights");
    return cells;
  }

  void check_all_taken(const char* of) const {
    for (const auto& [name, array] : arrays_)
      if (!taken_.contains(name)) throw Error(ErrorKind::invalid_input, name + " is no array of " + of);
  }

 private:
  const SceneArrays& arrays_;
  std::set<std::string> taken_;
};

std::string path(const char* folder, std::size_t index, const char* name) {
  return std::string("/") + folder + "/" + std::to_string(index) + "/" + name;
}

std::vector<Shape> shapes_of(const std::vector<std::uint8_t>& numbers) {
  std::vector<Shape> shapes(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) shapes[i] = static_cast<Shape>(numbers[i]);
  return shapes;
}

Terrain take_terrain(Reader& reader, const char* folder, std::size_t k) {
  Terrain terrain;
  std::vector<std::uint64_t> shape;
  terrain.heights = reader.take<double>(path(folder, k, "heights"), 2, 0, &shape);
  terrain.rows = shape[0];
  terrain.cols = shape[1];
  terrain.origin = reader.fixed<double, 2>(path(folder, k, "origin"));
  terrain.spacing = reader.fixed<double, 2>(path(folder, k, "spacing"));
  terrain.holes = reader.cells(path(folder, k, "holes"), shape[0], shape[1]);
  terrain.material = reader.cells(path(folder, k, "material"), shape[0], shape[1]);
  terrain.group = reader.one_of(path(folder, k, "group"), terrain.group);
  terrain.category = reader.one_of(path(folder, k, "category"), terrain.category);
  terrain.mask = reader.one_of(path(folder, k, "mask"), terrain.mask);
  terrain.tile_of = reader.one_of(path(folder, k, "tile_of"), terrain.tile_of);
  // Which of them there are, the check of the scene says.
  terrain.diagonal = static_cast<Diagonal>(std::min(reader.one_of(path(folder, k, "diagonal"), 0U), 255U));
  return terrain;
}

// As many as there are heights of.
std::vector<Terrain> take_terrains(Reader& reader, const char* folder) {
  std::vector<Terrain> terrains;
  for (std::size_t k = 0; reader.has(path(folder, k, "heights")); ++k)
    terrains.push_back(take_terrain(reader, folder, k));
  return terrains;
}

Mesh take_mesh(Reader& reader, std::size_t k) {
  Mesh mesh;
  mesh.vertices = reader.rows<double, 3>(path("meshes", k, "vertices"));
  mesh.triangles = reader.rows<std::uint32_t, 3>(path("meshes", k, "triangles"));
  mesh.material = reader.take_if<std::uint8_t>(path("meshes", k, "material"));
  mesh.solid = reader.fixed<std::uint8_t, 1>(path("meshes", k, "solid"))[0] != 0;
  return mesh;
}

std::vector<CompoundPart> take_compound(Reader& reader, std::size_t k) {
  const std::vector<Shape> shape = shapes_of(reader.take<std::uint8_t>(path("compounds", k, "shape"), 1, 0));
  const auto size = reader.rows<double, 3>(path("compounds", k, "size"));
  const auto position = reader.rows<double, 3>(path("compounds", k, "position"));
  const auto orientation = reader.rows<double, 4>(path("compounds", k, "orientation"));
  if (size.size() != shape.size() || position.size() != shape.size() || orientation.size() != shape.size())
    throw Error(ErrorKind::invalid_input, path("compounds", k, "shape") + " has " + std::to_string(shape.size()) +
                                              " parts, its size, position or orientation another number");
  std::vector<CompoundPart> parts(shape.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = {shape[i], size[i], position[i], orientation[i]};
  return parts;
}

Bodies take_bodies(Reader& reader, const std::string& folder) {
  Bodies bodies;
  bodies.shape = shapes_of(reader.take<std::uint8_t>(folder + "/shape", 1, 0));
  bodies.size = reader.rows<double, 3>(folder + "/size");
  bodies.environment = reader.take_if<std::uint32_t>(folder + "/environment");
  bodies.group = reader.take_if<std::int32_t>(folder + "/group");
  bodies.category = reader.take_if<std::uint32_t>(folder + "/category");
  bodies.mask = reader.take_if<std::uint32_t>(folder + "/mask");
  bodies.flags = reader.take_if<std::uint32_t>(folder + "/flags");
  bodies.margin = reader.take_if<double>(folder + "/margin");
  if (reader.has(folder + "/excluded")) bodies.excluded = reader.rows<std::uint32_t, 2>(folder + "/excluded");
  bodies.either_mask = reader.one_of<std::uint8_t>(folder + "/either_mask", 0) != 0;
  return bodies;
}

class Writer {
 public:
  template <class T>
  void put(const std::string& name, const std::vector<T>& numbers, std::vector<std::uint64_t> shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t axis : shape) count *= axis;
    if (count != numbers.size())
      throw Error(ErrorKind::invalid_input,
                  name + ": " + std::to_string(numbers.size()) + " values for the shape " + text_of(shape));
    put_bytes(name, type_of<T>(), std::move(shape), numbers.data(), numbers.size() * sizeof(T));
  }
  template <class T>
  void put_some(const std::string& name, const std::vector<T>& numbers) {
    if (!numbers.empty()) put(name, numbers, {numbers.size()});
  }
  template <class T>
  void put_one(const std::string& name, T number) {
    put_bytes(name, type_of<T>(), {1}, &number, sizeof(T));
  }
  /// Numbers, or rows of them.
  template <class Rows>
  void put_rows(const std::string& name, const Rows& container) {
    const std::span rows(container);
    using Row = typename Rows::value_type;
    if constexpr (std::is_same_v<Row, Shape>)
      put_bytes(name, ArrayType::u8, {rows.size()}, rows.data(), rows.size_bytes());
    else if constexpr (std::is_arithmetic_v<Row>)
      put_bytes(name, type_of<Row>(), {rows.size()}, rows.data(), rows.size_bytes());
    else
      put_bytes(name, type_of<typename Row::value_type>(), {rows.size(), std::tuple_size_v<Row>}, rows.data(),
                rows.size_bytes());
  }
  [[nodiscard]] SceneArrays take() { return std::move(arrays_); }

 private:
  void put_bytes(const std::string& name, ArrayType type, std::vector<std::uint64_t> shape, const void* data,
                 std::size_t bytes) {
    arrays_[name] = {type, std::move(shape), std::string(static_cast<const char*>(data), bytes)};
  }

  SceneArrays arrays_;
};

void put_terrains(Writer& writer, const char* folder, const std::vector<Terrain>& terrains) {
  for (std::size_t k = 0; k < terrains.size(); ++k) {
    const Terrain &terrain = terrains[k], usual;
    writer.put(path(folder, k, "heights"), terrain.heights, {terrain.rows, terrain.cols});
    writer.put_rows(path(folder, k, "origin"), terrain.origin);
    writer.put_rows(path(folder, k, "spacing"), terrain.spacing);
    const std::vector<std::uint64_t> cells{terrain.rows - 1, terrain.cols - 1};
    if (!terrain.holes.empty()) writer.put(path(folder, k, "holes"), terrain.holes, cells);
    if (!terrain.material.empty()) writer.put(path(folder, k, "material"), terrain.material, cells);
    if (terrain.group != usual.group) writer.put_one(path(folder, k, "group"), terrain.group);
    if (terrain.category != usual.category) writer.put_one(path(folder, k, "category"), terrain.category);
    if (terrain.mask != usual.mask) writer.put_one(path(folder, k, "mask"), terrain.mask);
    if (terrain.tile_of != usual.tile_of) writer.put_one(path(folder, k, "tile_of"), terrain.tile_of);
    if (terrain.diagonal != usual.diagonal)
      writer.put_one(path(folder, k, "diagonal"), static_cast<std::uint32_t>(terrain.diagonal));
  }
}

void put_bodies(Writer& writer, const std::string& folder, const Bodies& bodies) {
  writer.put_rows(folder + "/shape", bodies.shape);
  writer.put_rows(folder + "/size", bodies.size);
  writer.put_some(folder + "/environment", bodies.environment);
  writer.put_some(folder + "/group", bodies.group);
  writer.put_some(folder + "/category", bodies.category);
  writer.put_some(folder + "/mask", bodies.mask);
  writer.put_some(folder + "/flags", bodies.flags);
  writer.put_some(folder + "/margin", bodies.margin);
  if (!bodies.excluded.empty()) writer.put_rows(folder + "/excluded", bodies.excluded);
  if (bodies.either_mask) writer.put_one(folder + "/either_mask", std::uint8_t{1});
}

}  // namespace

Scene scene_of(const SceneArrays& arrays) {
  Reader reader(arrays);
  Scene scene;
  scene.terrains = take_terrains(reader, "terrains");
  scene.environment_terrain = reader.take_if<std::int32_t>("/environments/terrain");
  for (std::size_t k = 0; reader.has(path("hulls", k, "vertices")); ++k)
    scene.hulls.push_back(reader.rows<double, 3>(path("hulls", k, "vertices")));
  for (std::size_t k = 0; reader.has(path("meshes", k, "vertices")); ++k) scene.meshes.push_back(take_mesh(reader, k));
  for (std::size_t k = 0; reader.has(path("compounds", k, "shape")); ++k)
    scene.compounds.push_back(take_compound(reader, k));
  scene.bodies = take_bodies(reader, "/bodies");
  reader.check_all_taken("a scene");
  return scene;
}

BodyChanges changes_of(const SceneArrays& arrays) {
  Reader reader(arrays);
  const auto handles = [&](const char* name) {
    std::vector<BodyHandle> found;
    if (reader.has(name))
      for (const auto& [row, generation] : reader.rows<std::uint32_t, 2>(name)) found.push_back({row, generation});
    return found;
  };
  BodyChanges changes;
  changes.removed = handles("/removed");
  changes.changed = handles("/changed");
  const auto pairs = [&](const char* name) {
    std::vector<std::array<BodyHandle, 2>> found;
    if (reader.has(name))
      for (const auto& [a, of_a, b, of_b] : reader.rows<std::uint32_t, 4>(name))
        found.push_back({BodyHandle{a, of_a}, BodyHandle{b, of_b}});
    return found;
  };
  changes.allowed = pairs("/allowed");
  changes.excluded = pairs("/excluded");
  if (reader.has("/become/shape")) changes.become = take_bodies(reader, "/become");
  if (reader.has("/added/shape")) changes.added = take_bodies(reader, "/added");
  reader.check_all_taken("a change");
  return changes;
}

std::vector<Terrain> tiles_of(const SceneArrays& arrays) {
  Reader reader(arrays);
  std::vector<Terrain> tiles = take_terrains(reader, "added");
  reader.check_all_taken("a change of tiles");
  return tiles;
}

SceneArrays arrays_of(const Scene& scene) {
  Writer writer;
  put_terrains(writer, "terrains", scene.terrains);
  writer.put_some("/environments/terrain", scene.environment_terrain);
  for (std::size_t k = 0; k < scene.hulls.size(); ++k) writer.put_rows(path("hulls", k, "vertices"), scene.hulls[k]);
  for (std::size_t k = 0; k < scene.meshes.size(); ++k) {
    const Mesh& mesh = scene.meshes[k];
    writer.put_rows(path("meshes", k, "vertices"), mesh.vertices);
    writer.put_rows(path("meshes", k, "triangles"), mesh.triangles);
    writer.put_some(path("meshes", k, "material"), mesh.material);
    writer.put_one(path("meshes", k, "solid"), std::uint8_t{mesh.solid});
  }
  for (std::size_t k = 0; k < scene.compounds.size(); ++k) {
    std::vector<Shape> shape;
    std::vector<std::array<double, 3>> size, position;
    std::vector<std::array<double, 4>> orientation;
    for (const CompoundPart& part : scene.compounds[k]) {
      shape.push_back(part.shape);
      size.push_back(part.size);
      position.push_back(part.position);
      orientation.push_back(part.orientation);
    }
    writer.put_rows(path("compounds", k, "shape"), shape);
    writer.put_rows(path("compounds", k, "size"), size);
    writer.put_rows(path("compounds", k, "position"), position);
    writer.put_rows(path("compounds", k, "orientation"), orientation);
  }
  put_bodies(writer, "/bodies", scene.bodies);
  return writer.take();
}

SceneArrays arrays_of(const BodyChanges& changes) {
  Writer writer;
  const auto put_handles = [&](const char* name, const std::vector<BodyHandle>& handles) {
    std::vector<std::array<std::uint32_t, 2>> rows;
    for (const BodyHandle& handle : handles) rows.push_back({handle.row, handle.generation});
    if (!rows.empty()) writer.put_rows(name, rows);
  };
  put_handles("/removed", changes.removed);
  put_handles("/changed", changes.changed);
  put_bodies(writer, "/become", changes.become);
  put_bodies(writer, "/added", changes.added);
  const auto put_pairs = [&](const char* name, const std::vector<std::array<BodyHandle, 2>>& pairs) {
    std::vector<std::array<std::uint32_t, 4>> rows;
    for (const auto& [a, b] : pairs) rows.push_back({a.row, a.generation, b.row, b.generation});
    if (!rows.empty()) writer.put_rows(name, rows);
  };
  put_pairs("/allowed", changes.allowed);
  put_pairs("/excluded", changes.excluded);
  return writer.take();
}

SceneArrays arrays_of(const std::vector<Terrain>& tiles) {
  Writer writer;
  put_terrains(writer, "added", tiles);
  return writer.take();
}

std::string digest_of(const SceneArrays& arrays) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  bool done = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  const auto add = [&](const void* bytes, std::size_t count) {
    done = done && EVP_DigestUpdate(context.get(), bytes, count) == 1;
  };
  const auto add_number = [&](std::uint64_t number) { add(&number, sizeof(number)); };
  for (const auto& [name, array] : arrays) {
    add_number(name.size());
    add_number(array.shape.size());
    add_number(array.data.size());
    add(name.data(), name.size());
    add(&array.type, 1);
    add(array.shape.data(), array.shape.size() * sizeof(std::uint64_t));
    add(array.data.data(), array.data.size());
  }
  std::string digest(32, '\0');
  done = done && EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1;
  if (!done) throw Error(ErrorKind::device, "SHA-256 of a scene: OpenSSL failed");
  return digest;
}

}  // namespace oclide::service
