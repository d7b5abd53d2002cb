#include "structures/scenes.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace oclide::bench::structures {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double between(double low, double high) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t v = state_;
    v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9U;
    v = (v ^ v >> 27) * 0x94D049BB133111EBU;
    v ^= v >> 31;
    return low + (high - low) * static_cast<double>(v >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

using Point = std::array<double, 3>;

void add_box(Scene& scene, const Point& centre, const Point& sides, std::uint64_t environment = 0) {
  Box b;
  for (std::size_t a = 0; a < 3; ++a) {
    b.low[a] = static_cast<float>(centre[a] - 0.5 * sides[a]);
    b.high[a] = static_cast<float>(centre[a] + 0.5 * sides[a]);
  }
  b.low[3] = b.high[3] = static_cast<float>(environment);
  scene.boxes.push_back(b);
}

// A body's longest side is `size`, the others at least 0.6 of it.
Point sides_of(Random& random, double size) {
  Point sides{};
  for (double& s : sides) s = size * random.between(0.6, 1.0);
  sides[static_cast<std::size_t>(random.between(0.0, 3.0))] = size;
  return sides;
}

// Bodies of 0.2 to 0.5 m, heaped: about one in each place of a lattice, shaken.
void add_heap(Scene& scene, Random& random, std::size_t count, const Point& base, std::size_t wide) {
  constexpr double kSpacing = 0.28;
  for (std::size_t k = 0; k < count; ++k) {
    const Point place{static_cast<double>(k % wide), static_cast<double>(k / wide % wide),
                      static_cast<double>(k / (wide * wide))};
    Point centre{};
    for (std::size_t a = 0; a < 3; ++a) centre[a] = base[a] + kSpacing * (place[a] + random.between(-0.3, 0.3));
    add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)));
  }
}

Scene pile(const char* name, std::size_t count, std::size_t wide) {
  Scene scene{name, {}};
  Random random(1);
  add_heap(scene, random, count, {0.0, 0.0, 0.0}, wide);
  return scene;
}

Scene sparse() {
  Scene scene{"sparse_100k", {}};
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const Point centre{random.between(0, 200), random.between(0, 200), random.between(0, 200)};
    add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)));
  }
  return scene;
}

Scene clusters() {
  Scene scene{"clusters_100x1000", {}};
  Random random(3);
  for (int heap = 0; heap < 100; ++heap)
    add_heap(scene, random, 1000, {random.between(0, 1e4), random.between(0, 1e4), random.between(0, 100)}, 13);
  return scene;
}

Scene sizes() {
  Scene scene{"sizes_1_to_1000_50k", {}};
  Random random(4);
  for (int i = 0; i < 50000; ++i) {
    const Point centre{random.between(0, 350), random.between(0, 350), random.between(0, 350)};
    add_box(scene, centre, sides_of(random, 0.05 * std::pow(1000.0, random.between(0, 1))));
  }
  return scene;
}

// Two layers of small bodies on a floor that is one body, 20 large ones among them.
Scene great_floor() {
  Scene scene{"floor_100k", {}};
  Random random(5);
  add_box(scene, {100.0, 100.0, -0.5}, {250.0, 250.0, 1.0});
  for (int k = 0; k < 100000; ++k) {
    const Point centre{0.9 * (k % 224) + random.between(-0.3, 0.3), 0.9 * (k / 224 % 224) + random.between(-0.3, 0.3),
                       0.1 + 0.7 * (k / (224 * 224)) + random.between(0.0, 0.1)};
    add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)));
  }
  for (int k = 0; k < 20; ++k)
    add_box(scene, {random.between(0, 200), random.between(0, 200), 20.0}, {50.0, 50.0, 50.0});
  return scene;
}

// Every environment's bodies are in the same place; they come in the order of their places, not of environments.
Scene environments() {
  Scene scene{"environments_5000x20", {}, 5000};
  Random random(6);
  for (int body = 0; body < 20; ++body)
    for (std::uint64_t e = 0; e < scene.environments; ++e) {
      const Point centre{random.between(0, 1.5), random.between(0, 1.5), random.between(0, 1.0)};
      add_box(scene, centre, sides_of(random, random.between(0.2, 0.5)), e);
    }
  return scene;
}

Scene one_point() {
  Scene scene{"one_point_3000", {}};
  Random random(7);
  for (int i = 0; i < 3000; ++i) add_box(scene, {5.0, 5.0, 5.0}, sides_of(random, random.between(0.2, 0.5)));
  return scene;
}

// Bodies are listed in no particular order.
Scene shuffled(Scene scene) {
  Random random(8);
  for (std::size_t i = scene.count(); i > 1; --i)
    std::swap(scene.boxes[i - 1], scene.boxes[static_cast<std::size_t>(random.between(0.0, static_cast<double>(i)))]);
  return scene;
}

}  // namespace

std::vector<std::pair<std::string, std::function<Scene()>>> scenes() {
  std::vector<std::pair<std::string, std::function<Scene()>>> all{
      {"pile_100k", [] { return pile("pile_100k", 100000, 63); }},
      {"sparse_100k", sparse},
      {"clusters_100x1000", clusters},
      {"sizes_1_to_1000_50k", sizes},
      {"floor_100k", great_floor},
      {"environments_5000x20", environments},
      {"one_point_3000", one_point},
      {"pile_1m", [] { return pile("pile_1m", 1000000, 136); }},
  };
  for (auto& [name, make] : all) make = [unordered = make] { return shuffled(unordered()); };
  return all;
}

}  // namespace oclide::bench::structures
