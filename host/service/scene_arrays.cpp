#include "service/scene_arrays.hpp"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <set>
#include <span>

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
  static constexpr std::array<const char*, 5> kNames{"float64", "float32", "uint32", "int32", "uint8"};
  return kNames.at(static_cast<std::size_t>(type));
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

  void check_all_taken() const {
    for (const auto& [name, array] : arrays_)
      if (!taken_.contains(name)) throw Error(ErrorKind::invalid_input, name + " is no array of a scene");
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

Terrain take_terrain(Reader& reader, std::size_t k) {
  Terrain terrain;
  std::vector<std::uint64_t> shape;
  terrain.heights = reader.take<double>(path("terrains", k, "heights"), 2, 0, &shape);
  terrain.rows = shape[0];
  terrain.cols = shape[1];
  terrain.origin = reader.fixed<double, 2>(path("terrains", k, "origin"));
  terrain.spacing = reader.fixed<double, 2>(path("terrains", k, "spacing"));
  terrain.holes = reader.cells(path("terrains", k, "holes"), shape[0], shape[1]);
  terrain.material = reader.cells(path("terrains", k, "material"), shape[0], shape[1]);
  terrain.group = reader.one_of(path("terrains", k, "group"), terrain.group);
  terrain.category = reader.one_of(path("terrains", k, "category"), terrain.category);
  terrain.mask = reader.one_of(path("terrains", k, "mask"), terrain.mask);
  terrain.tile_of = reader.one_of(path("terrains", k, "tile_of"), terrain.tile_of);
  return terrain;
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

}  // namespace

Scene scene_of(const SceneArrays& arrays) {
  Reader reader(arrays);
  Scene scene;
  for (std::size_t k = 0; reader.has(path("terrains", k, "heights")); ++k)
    scene.terrains.push_back(take_terrain(reader, k));
  scene.environment_terrain = reader.take_if<std::int32_t>("/environments/terrain");
  for (std::size_t k = 0; reader.has(path("hulls", k, "vertices")); ++k)
    scene.hulls.push_back(reader.rows<double, 3>(path("hulls", k, "vertices")));
  for (std::size_t k = 0; reader.has(path("meshes", k, "vertices")); ++k) scene.meshes.push_back(take_mesh(reader, k));
  for (std::size_t k = 0; reader.has(path("compounds", k, "shape")); ++k)
    scene.compounds.push_back(take_compound(reader, k));
  Bodies& bodies = scene.bodies;
  bodies.shape = shapes_of(reader.take<std::uint8_t>("/bodies/shape", 1, 0));
  bodies.size = reader.rows<double, 3>("/bodies/size");
  bodies.environment = reader.take_if<std::uint32_t>("/bodies/environment");
  bodies.group = reader.take_if<std::int32_t>("/bodies/group");
  bodies.category = reader.take_if<std::uint32_t>("/bodies/category");
  bodies.mask = reader.take_if<std::uint32_t>("/bodies/mask");
  bodies.flags = reader.take_if<std::uint32_t>("/bodies/flags");
  bodies.margin = reader.take_if<double>("/bodies/margin");
  if (reader.has("/bodies/excluded")) bodies.excluded = reader.rows<std::uint32_t, 2>("/bodies/excluded");
  bodies.either_mask = reader.one_of<std::uint8_t>("/bodies/either_mask", 0) != 0;
  reader.check_all_taken();
  return scene;
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
