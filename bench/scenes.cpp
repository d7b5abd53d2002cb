#include "scenes.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "scenarios/scenario.hpp"

namespace oclide::bench {
namespace {

constexpr double kCloudVolume = 60.0;  // of space for each body of a cloud [m^3]; smaller: more of them touch
constexpr double kAside = 2.0;         // between two copies of a scene [m]

// Before a SceneReader has the file: HDF5 opens no file twice in different ways.
std::vector<IndexPair> read_touching_pairs(const std::string& file) {
  std::vector<IndexPair> pairs;
  const hid_t f = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (f < 0) return pairs;
  if (H5Lexists(f, "/truth", H5P_DEFAULT) > 0 && H5Lexists(f, "/truth/touching_pairs", H5P_DEFAULT) > 0) {
    const hid_t d = H5Dopen2(f, "/truth/touching_pairs", H5P_DEFAULT);
    const hid_t space = H5Dget_space(d);
    pairs.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) / 2);
    if (H5Dread(d, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, pairs.data()) < 0) pairs.clear();
    H5Sclose(space);
    H5Dclose(d);
  }
  H5Fclose(f);
  for (IndexPair& p : pairs) std::sort(p.begin(), p.end());
  return pairs;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

BodyScene read_bodies(const std::string& file, std::size_t copies) {
  const std::vector<IndexPair> truth = read_touching_pairs(file);
  SceneReader reader(file);
  const Bodies& source = reader.scene().bodies;
  Frame one;
  reader.read_frame(0, one);
  const bool has_half_space = std::count(source.shape.begin(), source.shape.end(), Shape::half_space) > 0;
  if (copies > 1 && has_half_space)
    throw Error(ErrorKind::invalid_input, file + ": copies of half spaces would lie in each other");

  // Copies stand in a square grid, clear of each other.
  std::array<double, 2> step{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double low = 0.0, high = 0.0;
    for (std::size_t i = 0; i < source.count(); ++i) {
      const double x = one.position[3 * i + axis];
      const double reach = scenario::bounding_radius(source.shape[i], source.size[i]);
      low = i == 0 ? x - reach : std::min(low, x - reach);
      high = i == 0 ? x + reach : std::max(high, x + reach);
    }
    step[axis] = high - low + kAside;
  }
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(copies))));
  BodyScene s;
  s.name = std::filesystem::path(file).filename();
  for (std::size_t c = 0; c < copies; ++c) {
    const auto first = static_cast<std::uint32_t>(c * source.count());
    append(s.scene.bodies.shape, source.shape);
    append(s.scene.bodies.size, source.size);
    append(s.scene.bodies.group, source.group);
    append(s.scene.bodies.category, source.category);
    append(s.scene.bodies.mask, source.mask);
    append(s.frame.position, one.position);
    append(s.frame.orientation, one.orientation);
    for (std::size_t i = first; i < first + source.count(); ++i) {
      s.frame.position[3 * i] += step[0] * static_cast<double>(c % columns);
      s.frame.position[3 * i + 1] += step[1] * static_cast<double>(c / columns);
    }
    for (const IndexPair& p : truth) s.truth.push_back({p[0] + first, p[1] + first});
  }
  s.scene.environment_terrain = {-1};
  std::sort(s.truth.begin(), s.truth.end());
  return s;
}

BodyScene make_pile(std::size_t bodies) {
  ScenarioRequest request;
  request.name = "pile";
  request.bodies = bodies;
  request.frames = 1;
  const std::unique_ptr<Scenario> pile = make_scenario(request);
  BodyScene s;
  s.name = "pile";
  s.scene = pile->scene();
  s.frame.position.resize(3 * bodies);
  s.frame.orientation.resize(4 * bodies);
  pile->pose(0, s.frame);
  return s;
}

BodyScene make_cloud(std::size_t bodies) {
  constexpr std::array kShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};
  BodyScene s;
  s.name = "cloud";
  s.scene.environment_terrain = {-1};
  s.frame.position.resize(3 * bodies);
  s.frame.orientation.resize(4 * bodies);
  const double side = std::cbrt(kCloudVolume * static_cast<double>(bodies));
  scenario::Random random(1);
  for (std::size_t i = 0; i < bodies; ++i) {
    scenario::PlacedBody body = random_body(kShapes[random.below(kShapes.size())], random);
    for (int a = 0; a < 3; ++a) body.position[a] = random.uniform(0.0, side);
    s.scene.bodies.shape.push_back(body.shape);
    s.scene.bodies.size.push_back(body.size);
    scenario::put_pose(s.frame, i, body.position, body.orientation);
  }
  return s;
}

scenario::PlacedBody random_body(Shape shape, scenario::Random& random) {
  scenario::PlacedBody body;
  body.shape = shape;
  const std::size_t numbers = shape == Shape::half_space ? 0 : shape == Shape::sphere ? 1 : shape == Shape::box ? 3 : 2;
  for (std::size_t a = 0; a < numbers; ++a) body.size[a] = random.uniform(0.2, 0.5);
  body.orientation = random.rotation();
  if (random.chance(0.3))
    body.orientation = scenario::rotation_about(glm::dvec3(0.0, 0.0, 1.0), random.uniform(0.0, 6.28));
  return body;
}

Frame moved(const BodyScene& scene, double distance, std::uint64_t seed) {
  Frame frame = scene.frame;
  scenario::Random random(seed, 1);
  for (std::size_t i = 0; i < scene.scene.bodies.count(); ++i)
    for (std::size_t a = 0; a < 3 && scene.scene.bodies.shape[i] != Shape::half_space; ++a)
      frame.position[3 * i + a] += random.uniform(-distance, distance);
  return frame;
}

}  // namespace oclide::bench
