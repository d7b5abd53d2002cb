// A dense pile of spheres, boxes, cylinders and capsules of 0.2 to 0.5 m, as a heap on a half space or, with terrain
// from a file, on that. Bodies touch about five others each, mostly by a centimetre or less.
//
// On a half space the first body of each environment is the half space z < 0, so that there is one body less in the
// heap; a body that is alone in its environment has none. From frame to frame every fifth body trembles.

#include <vector>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "scenarios/heap.hpp"
#include "scenarios/scenario.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace pile {

using scenario::PlacedBody;

constexpr double kWidth = 3.2;  // of terrain from a file, by the radius of the heap's outline

class Pile final : public Scenario {
 public:
  explicit Pile(const ScenarioRequest& request) : Scenario(request) {
    const scenario::HeapOutline largest = scenario::paraboloid(share(0), 0.0, 0.0);
    if (request.terrain) {
      const double width = 0.5 * kWidth * (largest.high[0] - largest.low[0]);
      set_terrain(request, width * width);
    } else {
      scene_.environment_terrain.assign(scene_.environment_terrain.size(), -1);
    }
    const scenario::GroundPlanes ground = [this](double x, double y) {
      return has_ground() ? scenario::GroundPlane{this->ground().point(x, y), this->ground().normal(x, y)}
                          : scenario::GroundPlane{{x, y, 0.0}};
    };
    std::vector<std::vector<PlacedBody>> heaps(environments_);
    parallel_for(environments_, [&](std::size_t e) {
      const std::size_t count = share(e) - (has_half_space(e) ? 1 : 0);
      heaps[e] = scenario::make_heap(count, scenario::paraboloid(count, 0.0, 0.0), ground, seed_, e);
    });
    for (std::size_t e = 0; e < environments_; ++e) {
      if (has_half_space(e)) add({Shape::half_space}, e);
      for (const PlacedBody& body : heaps[e]) add(body, e);
    }
  }

  void pose(std::size_t index, Frame& frame) const override {
    parallel_for(bodies_, [&](std::size_t i) { scenario::put_trembling(frame, i, places_[i], index, seed_ + 1); });
  }

 private:
  [[nodiscard]] bool has_half_space(std::size_t environment) const { return !has_ground() && share(environment) > 1; }

  void add(const PlacedBody& body, std::size_t environment) {
    add_body(body.shape, body.size, environment);
    places_.push_back(body);
  }

  std::vector<PlacedBody> places_;
};

}  // namespace pile

std::unique_ptr<Scenario> make_pile(const ScenarioRequest& request) {
  return std::make_unique<pile::Pile>(request);
}

}  // namespace oclide
