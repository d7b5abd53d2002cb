// Feet on the edges of stairs, kerbs, blocks and stepping stones. No contact is deeper than the way straight up that
// frees the body, nor than the way off a face that it is on, however steep the sides are.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "support/on_each_device.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

// A part of the ground's surface in one plane, as seen from above convex; the ground under it is solid.
using Piece = std::vector<dvec3>;

dvec3 normal_of_piece(const Piece& piece) {
  return glm::normalize(glm::cross(piece[1] - piece[0], piece[2] - piece[0]));
}

// Flat treads of the given heights, row by row, with one row and one column of cells between two of them.
struct Treads {
  dvec2 spacing, tread;  // the tread a multiple of the spacing
  std::size_t columns;   // of treads
  std::vector<double> heights;
  Diagonal diagonal = Diagonal::falling;

  [[nodiscard]] std::size_t rows() const { return heights.size() / columns; }
  [[nodiscard]] double height(std::size_t i, std::size_t j) const { return heights[i * columns + j]; }
  [[nodiscard]] dvec3 corner(std::size_t i, std::size_t j, bool right, bool far) const {
    return {dvec2(j, i) * (tread + spacing) + dvec2(right, far) * tread, height(i, j)};
  }
  [[nodiscard]] dvec2 extent() const { return corner(rows() - 1, columns - 1, true, true); }
  [[nodiscard]] Terrain terrain() const {
    const auto vertices = [&](std::size_t k, int axis) {
      return k * (static_cast<std::size_t>(std::lround(tread[axis] / spacing[axis])) + 1);
    };
    const Grid grid{vertices(rows(), 1), vertices(columns, 0), {0.0, 0.0}, {spacing.x, spacing.y}};
    Terrain t = terrain_of(grid, [&](double x, double y) {
      const dvec2 at = dvec2(x, y) / (tread + spacing) + 1e-6;
      return height(static_cast<std::size_t>(at.y), static_cast<std::size_t>(at.x));
    });
    t.diagonal = diagonal;
    return t;
  }
  // The treads, what is between two, and the two elements between four.
  [[nodiscard]] std::vector<Piece> pieces() const {
    std::vector<Piece> all;
    for (std::size_t i = 0; i < rows(); ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const bool right = j + 1 < columns, far = i + 1 < rows();
        const dvec3 a = corner(i, j, false, true), b = corner(i, j, true, false), v0 = corner(i, j, true, true);
        all.push_back({corner(i, j, false, false), b, v0, a});
        if (right) all.push_back({b, corner(i, j + 1, false, false), corner(i, j + 1, false, true), v0});
        if (far) all.push_back({a, v0, corner(i + 1, j, true, false), corner(i + 1, j, false, false)});
        if (!right || !far) continue;
        const dvec3 v1 = corner(i, j + 1, false, true), v2 = corner(i + 1, j, true, false),
                    v3 = corner(i + 1, j + 1, false, false);
        if (diagonal == Diagonal::rising)
          all.push_back({v1, v3, v0}), all.push_back({v2, v0, v3});
        else
          all.push_back({v0, v1, v2}), all.push_back({v3, v2, v1});
      }
    return all;
  }
};

Treads in_a_row(double riser, double tread, const std::vector<double>& heights) {
  return {{riser, 2.0}, {tread, 4.0}, heights.size(), heights};
}

// The least value of a convex function, by golden section, or any that is `enough`.
template <class Function>
double least(double lo, double hi, double enough, const Function& f) {
  constexpr double kGolden = 0.6180339887498949;
  double a = hi - kGolden * (hi - lo), c = lo + kGolden * (hi - lo), fa = f(a), fc = f(c);
  for (int k = 0; k < 36 && std::min(fa, fc) > enough; ++k) {
    if (fa < fc) {
      hi = c, c = a, fc = fa;
      a = hi - kGolden * (hi - lo), fa = f(a);
    } else {
      lo = a, a = c, fa = fc;
      c = lo + kGolden * (hi - lo), fc = f(c);
    }
  }
  return std::min(fa, fc);
}

// A sole, wider below than above.
const std::vector<std::array<double, 3>> kHull{{-0.13, -0.05, -0.02}, {0.13, -0.05, -0.02}, {-0.13, 0.05, -0.02},
                                               {0.13, 0.05, -0.02},   {-0.11, -0.04, 0.02}, {0.11, -0.04, 0.02},
                                               {-0.11, 0.04, 0.02},   {0.11, 0.04, 0.02}};

class StepEdges : public OnEachDevice {
 protected:
  std::mt19937_64 random{17};
  double within(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); }

  // A body the size of a foot, its axis `tilt` from upright.
  BodySpec foot(dvec2 at, double tilt) {
    const double aside = within(0.0, 6.28);
    const dquat q =
        turn({std::cos(aside), std::sin(aside), 0}, glm::radians(tilt)) * turn({0, 0, 1}, within(0.0, 6.28));
    const dvec3 place(at, 0.0);
    switch (random() % 4) {
      case 0:
        return box({0.13, 0.05, 0.02}, place, q);
      case 1:
        return cylinder(0.06, 0.03, place, q);
      case 2:
        return capsule(0.04, 0.1, place, q * kAlongX);
      default:
        return {.shape = Shape::convex_hull, .position = place, .orientation = q};
    }
  }

  // How far a body reaches along d.
  static double support(const BodySpec& b, dvec3 d) {
    const dvec3 own = glm::conjugate(b.orientation) * d, of_box = glm::abs(own);
    double reach = -1e30;
    if (b.shape == Shape::box) reach = of_box.x * b.size[0] + of_box.y * b.size[1] + of_box.z * b.size[2];
    if (b.shape == Shape::cylinder) reach = std::hypot(own.x, own.y) * b.size[0] + of_box.z * b.size[1];
    if (b.shape == Shape::capsule) reach = glm::length(own) * b.size[0] + of_box.z * b.size[1];
    if (b.shape == Shape::convex_hull)
      for (const auto& v : kHull) reach = std::max(reach, own.x * v[0] + own.y * v[1] + own.z * v[2]);
    return glm::dot(b.position, d) + reach;
  }

  // How far a body must move along n to be past the plane of a piece, and past its highest vertex along n.
  static double way_along(const BodySpec& b, const Piece& piece, dvec3 n) {
    double most = -1e30;
    for (const dvec3& v : piece) most = std::max(most, glm::dot(v, n));
    return most + support(b, -n);
  }

  // The way straight up. A plane parts a body that is just free of a piece from what is solid there: so the way is the
  // least, over all n with n_z = 1, of the ways up that bring the body above the piece along n. It is convex in n.
  static double way_up(const BodySpec& b, const std::vector<Piece>& pieces) {
    const dvec2 low(-support(b, {-1, 0, 0}), -support(b, {0, -1, 0}));
    const dvec2 high(support(b, {1, 0, 0}), support(b, {0, 1, 0}));
    double most = -1e30;
    for (const Piece& piece : pieces) {
      dvec2 from(piece[0]), to(piece[0]);
      for (const dvec3& v : piece) from = glm::min(from, dvec2(v)), to = glm::max(to, dvec2(v));
      if (from.x > high.x || from.y > high.y || to.x < low.x || to.y < low.y) continue;
      if (way_along(b, piece, {0, 0, 1}) <= most) continue;
      most = std::max(most, least(-300.0, 300.0, most, [&](double x) {
                        return least(-300.0, 300.0, most, [&](double y) { return way_along(b, piece, {x, y, 1}); });
                      }));
    }
    return most;
  }

  // Is a point on a piece, to within a tenth of a millimetre?
  static bool is_on(const Piece& piece, dvec3 q) {
    if (std::abs(glm::dot(q - piece[0], normal_of_piece(piece))) > 1e-4) return false;
    for (std::size_t k = 0; k < piece.size(); ++k) {
      const dvec2 from(piece[k]), along = glm::normalize(dvec2(piece[(k + 1) % piece.size()]) - from);
      if (along.x * (q.y - from.y) - along.y * (q.x - from.x) < -1e-4) return false;
    }
    return true;
  }

  // The least of the ways off the planes of the one or two pieces that a point is on; any in a valley, and where more
  // pieces meet.
  static double way_off_planes(const BodySpec& b, const std::vector<Piece>& pieces, dvec3 q) {
    std::vector<Piece> around;
    std::copy_if(pieces.begin(), pieces.end(), std::back_inserter(around), [&](const Piece& p) { return is_on(p, q); });
    if (around.size() > 2) return 1e30;
    double way = 1e30;
    for (const Piece& piece : around) {
      const dvec3 n = normal_of_piece(piece);
      for (const dvec3& v : around.back())
        if (glm::dot(v - q, n) > 1e-3) return 1e30;
      way = std::min(way, way_along(b, piece, n));
    }
    return way;
  }

  // Near a corner of a tread that is no ditch, not at the border of the ground.
  dvec2 place_on(const Treads& ground) {
    const std::size_t k = random();
    std::size_t tread = 0;
    do tread = random() % ground.heights.size();
    while (ground.heights[tread] < -0.5);
    const dvec2 corner(ground.corner(tread / ground.columns, tread % ground.columns, k % 2 == 0, k % 4 < 2));
    const double x = within(-0.15, 0.15), y = within(-0.15, 0.15);
    return glm::clamp(corner + dvec2(x, y), dvec2(0.2), ground.extent() - 0.2);
  }

  // Feet at random places, each 2 to 20 mm lower than where it is free.
  void expect_no_deeper(const Treads& ground, int feet) {
    // From the highest on, most of what is lower need not be looked at.
    std::vector<Piece> pieces = ground.pieces();
    const auto top = [](const Piece& p) { return std::max({p[0].z, p[1].z, p[2].z}); };
    std::sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) { return top(a) > top(b); });
    TestScene scene(ground.terrain());
    scene.scene.hulls = {kHull};
    std::vector<BodySpec> bodies;
    std::vector<double> up;
    for (const double tilt : {0.0, 5.0, 15.0, 30.0})
      for (int k = 0; k < feet; ++k) {
        bodies.push_back(foot(place_on(ground), tilt));
        up.push_back(within(0.002, 0.02));
        bodies.back().position.z += way_up(bodies.back(), pieces) - up.back();
        scene.add(bodies.back());
      }
    const std::vector<Contact> found = contacts(scene);
    for (std::uint32_t k = 0; k < up.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "riser " << ground.spacing.x << ", body " << k << ", shape "
                                      << static_cast<int>(bodies[k].shape));
      const std::vector<Contact> own = of_body(found, k);
      EXPECT_FALSE(own.empty());
      for (const Contact& c : own) {
        EXPECT_LE(c.depth, up[k] * 1.01 + 1e-4) << text(c);
        if (c.normal[2] == 1.0F) continue;  // off a tread, or a lift
        const dvec3 q = point_of(c) + static_cast<double>(c.depth) * normal_of(c);
        EXPECT_LE(c.depth, way_off_planes(bodies[k], pieces, q) * 1.01 + 1e-4) << text(c);
      }
    }
  }
};
OCLIDE_ON_EACH_DEVICE(StepEdges);

constexpr double kRisers[] = {0.01, 0.02, 0.05, 0.1};

TEST_P(StepEdges, OfStairsGiveNoContactDeeperThanTheWayUp) {
  for (const double riser : kRisers)
    expect_no_deeper(in_a_row(riser, 0.3, {0.0, 0.17, 0.34, 0.51, 0.68, 0.51, 0.34, 0.17, 0.0}), 60);
}

TEST_P(StepEdges, OfKerbsGiveNoContactDeeperThanTheWayUp) {
  for (const double riser : kRisers) expect_no_deeper(in_a_row(riser, 0.6, {0.0, 0.12, 0.0, 0.03, 0.0, 0.3, 0.1}), 60);
}

// Blocks as narrow as a foot, with ditches as deep as a man.
TEST_P(StepEdges, OfBlocksGiveNoContactDeeperThanTheWayUp) {
  for (const double riser : kRisers)
    expect_no_deeper(in_a_row(riser, 0.1, {-1.8, 0.0, -1.8, 0.2, -1.8, 0.25, -1.8}), 60);
}

// Blocks side by side; stones that stand by themselves.
TEST_P(StepEdges, OfCornersGiveNoContactDeeperThanTheWayUp) {
  for (const double riser : kRisers)
    for (const Diagonal diagonal : {Diagonal::falling, Diagonal::rising})
      for (const bool alone : {false, true}) {
        Treads ground{dvec2(riser), dvec2(0.3), 5, {}, diagonal};
        for (std::size_t k = 0; k < 25; ++k)
          ground.heights.push_back(alone && (k % 5 % 2 == 0 || k / 5 % 2 == 0) ? -1.0 : within(0.0, 0.3));
        expect_no_deeper(ground, alone ? 60 : 15);
      }
}

}  // namespace
}  // namespace oclide::test
