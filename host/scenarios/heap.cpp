#include "scenarios/heap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "scenarios/geometry.hpp"
#include "scenarios/ground.hpp"
#include "shapes/shape_list.hpp"
#include "threads/parallel_for.hpp"

namespace oclide::scenario {
namespace {

constexpr double kSpacing = 0.85;  // of the lattice [m]; smaller: more and deeper contacts, and a higher heap
constexpr double kJitter = 0.15;   // most distance from a site along each axis [m]
constexpr double kUpright = 0.3;   // part of the bodies whose faces or axes are level
constexpr std::size_t kBodiesOfTask = 256;
constexpr double kSmallest = 0.2;     // every number of a size [m]
constexpr double kLargest = 0.5;      // [m]
constexpr double kSlopeOfHeap = 0.5;  // height of a paraboloid by its radius

constexpr int kSweeps = 96;           // fewer: deeper overlaps are left
constexpr int kSweepsOfList = 12;     // sweeps that one list of neighbours serves
constexpr double kSlack = 0.1;        // distance up to which bodies are neighbours [m]
constexpr double kRest = 0.010;       // depth that bodies draw near to or push back to [m]
constexpr double kPull = 0.02;        // gap up to which bodies draw near to each other [m]
constexpr double kShare = 0.5;        // of a push that is done in one sweep; larger: the heap does not come to rest
constexpr double kLongestPush = 0.1;  // in one sweep [m]
constexpr double kFall = 0.004;       // down in each of the first sweeps, so that gaps close [m]

constexpr std::size_t kTrembling = 5;  // one of so many bodies
constexpr double kSway = 0.005;        // most way from its place [m]
constexpr double kTurn = 0.01;         // most angle from its orientation [rad]
constexpr double kPhase = 0.7;         // of the sway, a frame [rad]

// Shape and rotation of a body, ready for many directions.
struct Solid {
  Shape shape;
  std::array<double, 3> size;
  glm::dmat3 axes;
  const std::vector<std::array<double, 3>>* points = nullptr;  // of a hull
};

Solid solid_of(const PlacedBody& body, const HullPoints& hulls) {
  const bool is_hull = body.shape == Shape::convex_hull;
  return {body.shape, body.size, glm::mat3_cast(body.orientation),
          is_hull ? &hulls[static_cast<std::size_t>(body.size[0])] : nullptr};
}

double radius_of(const Solid& s) {
  if (s.points == nullptr) return bounding_radius(s.shape, s.size);
  double radius2 = 0.0;
  for (const auto& p : *s.points) radius2 = std::max(radius2, p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  return std::sqrt(radius2);
}

// The point farthest along n, from the centre.
glm::dvec3 support(const Solid& s, const glm::dvec3& n) {
  const glm::dvec3 d = n * s.axes;  // n in the body's axes
  switch (s.shape) {
    case Shape::box:
      return s.axes *
             glm::dvec3(std::copysign(s.size[0], d.x), std::copysign(s.size[1], d.y), std::copysign(s.size[2], d.z));
    case Shape::cylinder: {
      const double across = std::sqrt(d.x * d.x + d.y * d.y);
      const double r = across > 1e-12 ? s.size[0] / across : 0.0;
      return s.axes * glm::dvec3(r * d.x, r * d.y, std::copysign(s.size[1], d.z));
    }
    case Shape::capsule:
      return s.size[0] * n + std::copysign(s.size[1], d.z) * s.axes[2];
    case Shape::sphere:
      return s.size[0] * n;
    case Shape::convex_hull: {
      const auto along = [&](const std::array<double, 3>& p) { return d.x * p[0] + d.y * p[1] + d.z * p[2]; };
      const auto& p = *std::max_element(s.points->begin(), s.points->end(),
                                        [&](const auto& a, const auto& b) { return along(a) < along(b); });
      return s.axes * glm::dvec3(p[0], p[1], p[2]);
    }
    case Shape::half_space:
    case Shape::compound:
    case Shape::triangle_mesh:
      break;
  }
  throw std::logic_error(std::string("no support point of a ") + to_string(s.shape));
}

// The point farthest along -n, mirrored in the centre. Of shapes that are symmetric that is the one along n, to the
// bit.
glm::dvec3 mirrored_support(const Solid& s, const glm::dvec3& n) {
  return s.points == nullptr ? support(s, n) : -support(s, -n);
}

// The way from one to the other along n, and where the plane that separates them touches.
struct Overlap {
  glm::dvec3 normal{};  // from B toward A
  glm::dvec3 support{};
  double depth = 0.0;
};

Overlap overlap_along(const Solid& a, const Solid& b, const glm::dvec3& between, const glm::dvec3& n) {
  const glm::dvec3 sum = mirrored_support(a, n) + support(b, n) + between;
  return {n, sum, glm::dot(n, sum)};
}

// One step downhill by an angle of `step` on the sphere of directions.
bool improve(const Solid& a, const Solid& b, const glm::dvec3& between, Overlap& overlap, double step) {
  const glm::dvec3 uphill = overlap.support - overlap.depth * overlap.normal;
  const double length = glm::length(uphill);
  if (length < 1e-9) return false;
  const Overlap other = overlap_along(a, b, between, glm::normalize(overlap.normal - (step / length) * uphill));
  if (other.depth >= overlap.depth) return false;
  overlap = other;
  return true;
}

// The best of the centres' line and the axes of both; or the first along which they are `enough` apart.
Overlap first_overlap(const Solid& a, const Solid& b, const glm::dvec3& between, double enough) {
  const double distance = glm::length(between);
  Overlap best = overlap_along(a, b, between, distance > 1e-9 ? between / -distance : glm::dvec3(0.0, 0.0, 1.0));
  const auto consider = [&](const Solid& s) {
    for (int k = s.shape == Shape::box ? 0 : 2; k < 3 && s.shape != Shape::sphere && best.depth > -enough; ++k) {
      const glm::dvec3 n = glm::dot(s.axes[k], between) > 0.0 ? -s.axes[k] : s.axes[k];
      const Overlap other = overlap_along(a, b, between, n);
      if (other.depth < best.depth) best = other;
    }
  };
  consider(a);
  consider(b);
  return best;
}

// Two neighbours, and the direction that was best so far.
struct Neighbours {
  std::uint32_t a, b;
  double step = 0.3;  // angle of the next step [rad]
  Overlap overlap;
};

class Settling {
 public:
  Settling(std::vector<PlacedBody>& bodies, const GroundPlanes& ground, const HullPoints& hulls)
      : bodies_(bodies), ground_(ground) {
    for (const PlacedBody& body : bodies) {
      solids_.push_back(solid_of(body, hulls));
      radius_.push_back(radius_of(solids_.back()));
      widest_ = std::max(widest_, radius_.back());
    }
  }

  void sweep_all() {
    for (int k = 0; k < kSweeps; ++k) {
      if (k % kSweepsOfList == 0) find_neighbours();
      // The last third only pushes.
      sweep(3 * k < 2 * kSweeps ? kFall : 0.0);
    }
  }

 private:
  // Cells of a grid as one number, z fastest.
  void find_neighbours() {
    const double cell = 2.0 * widest_ + kSlack;
    const std::size_t n = bodies_.size();
    glm::dvec3 low = bodies_[0].position;
    glm::dvec3 high = low;
    for (const PlacedBody& b : bodies_) {
      low = glm::min(low, b.position);
      high = glm::max(high, b.position);
    }
    const auto place = [&](std::size_t i, int axis) {
      return static_cast<std::uint64_t>((bodies_[i].position[axis] - low[axis]) / cell) + 1;
    };
    // A free cell on every side, so that a body's neighbours are in nine runs of three cells.
    const auto rows = static_cast<std::uint64_t>((high.y - low.y) / cell) + 3;
    const auto layers = static_cast<std::uint64_t>((high.z - low.z) / cell) + 3;
    const auto key = [&](std::size_t i) { return (place(i, 0) * rows + place(i, 1)) * layers + place(i, 2); };
    std::vector<std::pair<std::uint64_t, std::uint32_t>> cells(n);
    for (std::size_t i = 0; i < n; ++i) cells[i] = {key(i), static_cast<std::uint32_t>(i)};
    std::sort(cells.begin(), cells.end());
    const auto visit = [&](std::size_t i, const auto& found) {
      for (std::uint64_t x = 0; x < 3; ++x)
        for (std::uint64_t y = 0; y < 3; ++y) {
          const std::uint64_t first = key(i) + x * rows * layers + y * layers - (rows + 1) * layers - 1;
          auto at = std::lower_bound(cells.begin(), cells.end(), std::pair{first, std::uint32_t{0}});
          for (; at != cells.end() && at->first <= first + 2; ++at) {
            const std::size_t j = at->second;
            const glm::dvec3 between = bodies_[j].position - bodies_[i].position;
            const double reach = radius_[i] + radius_[j] + kSlack;
            if (j > i && glm::dot(between, between) < reach * reach) found(j);
          }
        }
    };
    // Counted, then written, so that the order does not depend on threads.
    std::vector<std::uint32_t> count(n + 1, 0);
    parallel_for(n, kBodiesOfTask, [&](std::size_t i) { visit(i, [&](std::size_t) { ++count[i + 1]; }); });
    for (std::size_t i = 0; i < n; ++i) count[i + 1] += count[i];
    pairs_.assign(count[n], {});
    parallel_for(n, kBodiesOfTask, [&](std::size_t i) {
      std::uint32_t at = count[i];
      visit(i, [&](std::size_t j) {
        Neighbours& pair = pairs_[at++];
        pair.a = static_cast<std::uint32_t>(i);
        pair.b = static_cast<std::uint32_t>(j);
        pair.overlap = first_overlap(solids_[i], solids_[j], bodies_[j].position - bodies_[i].position, kSlack);
      });
    });
    // Long bodies can be far apart within their bounding spheres.
    std::erase_if(pairs_, [](const Neighbours& pair) { return pair.overlap.depth < -kSlack; });
    // The pairs of each body.
    first_.assign(n + 1, 0);
    for (const Neighbours& p : pairs_) ++first_[p.a + 1], ++first_[p.b + 1];
    for (std::size_t i = 0; i < n; ++i) first_[i + 1] += first_[i];
    of_body_.resize(first_[n]);
    std::vector<std::uint32_t> at(first_.begin(), first_.end() - 1);
    for (std::uint32_t k = 0; k < pairs_.size(); ++k) {
      of_body_[at[pairs_[k].a]++] = k;
      of_body_[at[pairs_[k].b]++] = k;
    }
  }

  void sweep(double fall) {
    parallel_for(pairs_.size(), kBodiesOfTask, [&](std::size_t k) {
      Neighbours& p = pairs_[k];
      const Solid& a = solids_[p.a];
      const Solid& b = solids_[p.b];
      const glm::dvec3 between = bodies_[p.b].position - bodies_[p.a].position;
      p.overlap = overlap_along(a, b, between, p.overlap.normal);
      if (p.overlap.depth <= -kPull) return;
      for (int tries = 0; tries < 2; ++tries) {
        const bool better = improve(a, b, between, p.overlap, p.step);
        p.step = std::clamp(p.step * (better ? 1.5 : 0.5), 0.005, 0.5);
      }
    });
    parallel_for(bodies_.size(), kBodiesOfTask, [&](std::size_t i) {
      glm::dvec3 push(0.0, 0.0, 0.0);
      for (std::uint32_t k = first_[i]; k < first_[i + 1]; ++k) {
        const Neighbours& p = pairs_[of_body_[k]];
        const double half = p.overlap.depth > -kPull ? 0.5 * (p.overlap.depth - kRest) : 0.0;
        push += (p.a == i ? half : -half) * p.overlap.normal;
      }
      push *= kShare;
      PlacedBody& body = bodies_[i];
      const double length = glm::length(push);
      if (length > kLongestPush) push *= kLongestPush / length;
      body.position += push - glm::dvec3(0.0, 0.0, fall);
      // The ground does not give way.
      const GroundPlane plane = ground_(body.position.x, body.position.y);
      const double deep = glm::dot(mirrored_support(solids_[i], plane.normal), plane.normal) -
                          glm::dot(body.position - plane.point, plane.normal);
      if (deep > kRest) body.position += (deep - kRest) * plane.normal;
    });
  }

  std::vector<PlacedBody>& bodies_;
  const GroundPlanes& ground_;
  std::vector<Solid> solids_;
  std::vector<double> radius_;
  double widest_ = 0.0;
  std::vector<Neighbours> pairs_;
  std::vector<std::uint32_t> first_;  // of body i in of_body_
  std::vector<std::uint32_t> of_body_;
};

PlacedBody random_body(Random& random, const HullPoints& hulls) {
  constexpr std::array kShapes{Shape::sphere, Shape::box, Shape::cylinder, Shape::capsule};
  PlacedBody body;
  if (!hulls.empty()) {
    body.shape = Shape::convex_hull;
    body.size[0] = static_cast<double>(random.below(hulls.size()));
    body.orientation = random.rotation();
    return body;
  }
  body.shape = kShapes[random.below(kShapes.size())];
  const std::size_t numbers = find_shape(body.shape)->sizes_used();
  for (std::size_t a = 0; a < numbers; ++a) body.size[a] = random.uniform(kSmallest, kLargest);
  body.orientation = random.rotation();
  if (random.chance(kUpright)) {
    // A quarter turn or none about x, then any turn about the vertical.
    const glm::dquat quarter =
        random.chance(0.5) ? glm::dquat(1.0, 0.0, 0.0, 0.0) : glm::normalize(glm::dquat(1.0, 1.0, 0.0, 0.0));
    body.orientation = rotation_about(glm::dvec3(0.0, 0.0, 1.0), random.uniform(0.0, 6.28)) * quarter;
  }
  return body;
}

}  // namespace

double reach_along(const PlacedBody& body, const glm::dvec3& n, const HullPoints& hulls) {
  return glm::dot(support(solid_of(body, hulls), n), n);
}

double overlap_bound(const PlacedBody& a, const PlacedBody& b, const HullPoints& hulls) {
  const Solid solid_a = solid_of(a, hulls);
  const Solid solid_b = solid_of(b, hulls);
  const glm::dvec3 between = b.position - a.position;
  Overlap best = first_overlap(solid_a, solid_b, between, std::numeric_limits<double>::infinity());
  double step = 0.5;
  for (int k = 0; k < 60; ++k) step *= improve(solid_a, solid_b, between, best, step) ? 1.2 : 0.6;
  return best.depth;
}

HeapOutline paraboloid(std::size_t bodies, double x, double y) {
  // Volume of a paraboloid: pi/2 times radius^2 times height; the root by doubling and halving.
  const double volume = static_cast<double>(bodies + 1) * kSpacing * kSpacing * kSpacing;
  double radius = std::sqrt(std::sqrt(volume));
  for (int k = 0; k < 40; ++k)
    radius = (2.0 * radius + volume / (1.5707963267948966 * kSlopeOfHeap * radius * radius)) / 3.0;
  const double height = kSlopeOfHeap * radius;
  const double wide = 1.3 * radius + 2.0 * kSpacing;
  return {
      {x - wide, y - wide}, {x + wide, y + wide}, 1.3 * height + 2.0 * kSpacing, [=](double px, double py, double z) {
        return ((px - x) * (px - x) + (py - y) * (py - y)) / (radius * radius) + z / height;
      }};
}

HeapOutline scattered_heaps(std::array<double, 2> low, std::array<double, 2> high, double wavelength,
                            std::uint64_t seed) {
  const double tall = 0.4 * wavelength;
  return {low, high, tall + kSpacing,
          [=](double x, double y, double z) { return z - tall * noise(x / wavelength, y / wavelength, seed); }};
}

double scattered_area(std::size_t bodies) {
  return std::max(60.0, 1.2 * static_cast<double>(bodies));
}

std::vector<PlacedBody> make_heap(std::size_t bodies, const HeapOutline& outline, const GroundPlanes& ground,
                                  std::uint64_t seed, std::uint64_t stream, const HullPoints& hulls) {
  // The sites of the lattice with the lowest levels, in the order of the lattice.
  struct Site {
    double level;
    std::size_t index;
    glm::dvec3 place;
  };
  const auto steps = [](double length) { return std::max(1, static_cast<int>(length / kSpacing)); };
  const int columns = steps(outline.high[0] - outline.low[0]);
  const int rows = steps(outline.high[1] - outline.low[1]);
  const auto per_layer = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  const int layers = std::max(steps(outline.top), static_cast<int>((bodies + per_layer - 1) / per_layer));
  std::vector<Site> sites;
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j)
      for (int k = 0; k < layers; ++k) {
        // Every other layer stands half a step aside.
        const double shift = k % 2 == 0 ? 0.25 : 0.75;
        const glm::dvec3 place(outline.low[0] + kSpacing * (i + shift), outline.low[1] + kSpacing * (j + shift),
                               kSpacing * (k + 0.5));
        sites.push_back({outline.level(place.x, place.y, place.z), sites.size(), place});
      }
  std::nth_element(
      sites.begin(), sites.begin() + static_cast<std::ptrdiff_t>(bodies), sites.end(),
      [](const Site& a, const Site& b) { return std::tie(a.level, a.index) < std::tie(b.level, b.index); });
  sites.resize(bodies);
  std::sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) { return a.index < b.index; });

  std::vector<PlacedBody> heap;
  heap.reserve(bodies);
  for (const Site& site : sites) {
    Random random(seed, mix(stream) + heap.size());
    PlacedBody body = random_body(random, hulls);
    glm::dvec3 place = site.place;
    for (int a = 0; a < 3; ++a) place[a] += random.uniform(-kJitter, kJitter);
    body.position = place + glm::dvec3(0.0, 0.0, ground(place.x, place.y).point.z);
    heap.push_back(body);
  }
  if (!heap.empty()) Settling(heap, ground, hulls).sweep_all();

  // Bodies of a real scene are in no order.
  Random shuffle(seed, mix(stream + 1));
  for (std::size_t i = bodies; i > 1; --i) std::swap(heap[i - 1], heap[shuffle.below(i)]);
  return heap;
}

void put_trembling(Frame& frame, std::size_t number, const PlacedBody& body, std::size_t index, std::uint64_t seed) {
  glm::dvec3 position = body.position;
  glm::dquat orientation = body.orientation;
  if (number % kTrembling == 1) {
    Random random(seed, number);
    const double sine = sine_cosine(random.uniform(0.0, 6.28) + kPhase * static_cast<double>(index)).sine;
    position += random.uniform(0.0, kSway) * sine * random.direction();
    orientation = rotation_about(random.direction(), random.uniform(0.0, kTurn) * sine) * orientation;
  }
  put_pose(frame, number, position, orientation);
}

}  // namespace oclide::scenario
