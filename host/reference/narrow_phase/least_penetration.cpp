#include "reference/narrow_phase/least_penetration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// Two searches: as near as doubles go for as long as that is cheap, then on to what must be proven.
constexpr double kFinePart = 1e-12;
constexpr std::size_t kFineCones = 1500;
constexpr std::size_t kMostCones = 400000;

// Of directions whose overlaps differ by less than this part of the size, that of a flat face is taken.
// docs/body_contacts.md allows much more, but there the deepest point may lie beside the face already.
constexpr double kEqual = 1e-9;

// Of unit vectors: a sine or cosine below this is rounding.
constexpr double kAlong = 1e-14;

// Cross products shorter than this are of parallel axes.
constexpr double kParallelEdges = 1e-9;

// The sum of two bodies, without their radii, around c.
class Sum {
 public:
  Sum(const Body& a, const Body& b, dvec3 c) : c_(c) {
    size_ = a.bounding_radius() + b.bounding_radius();
    add(a, -1.0);
    add(b, 1.0);
  }

  // The point farthest along n; where several are, the one of these that is farthest along `then`.
  [[nodiscard]] dvec3 support(dvec3 n, dvec3 then) const {
    dvec3 p = c_;
    for (int k = 0; k < segments_; ++k) {
      const dvec3 g = segment_[k];
      double along = glm::dot(g, n);
      if (std::abs(along) <= kAlong * length_[k]) along = glm::dot(g, then);
      p += along < 0.0 ? -g : g;
    }
    for (int k = 0; k < discs_; ++k) {
      dvec3 across = n - glm::dot(n, axis_[k]) * axis_[k];
      if (glm::length(across) <= kAlong) across = then - glm::dot(then, axis_[k]) * axis_[k];
      const double length = glm::length(across);
      if (length <= kAlong) continue;
      across /= length;
      p += disc_radius_[k] * (across - glm::dot(across, axis_[k]) * axis_[k]);  // what rounding left along the axis
    }
    for (const std::vector<dvec3>& points : points_)
      if (!points.empty()) p += farthest_of(points, n, then);
    return p;
  }
  [[nodiscard]] double overlap(dvec3 n) const { return glm::dot(n, support(n, n)); }
  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] double size() const { return size_; }
  [[nodiscard]] dvec3 centre() const { return c_; }

 private:
  [[nodiscard]] dvec3 farthest_of(const std::vector<dvec3>& points, dvec3 n, dvec3 then) const {
    dvec3 best = points[0];
    for (const dvec3& p : points) {
      const double farther = glm::dot(p - best, n);
      if (farther > kAlong * size_ || (farther >= -kAlong * size_ && glm::dot(p - best, then) > 0.0)) best = p;
    }
    return best;
  }
  void add_segment(dvec3 g) {
    segment_[segments_] = g;
    length_[segments_++] = glm::length(g);
  }
  void sphere_summands(const Body& body, double /*sense*/) { radius_ += body.radius(); }
  void box_summands(const Body& body, double /*sense*/) {
    for (int k = 0; k < 3; ++k) add_segment(body.size[k] * body.axes[k]);
  }
  void cylinder_summands(const Body& body, double /*sense*/) {
    add_segment(body.half_length() * body.axis());
    axis_[discs_] = glm::normalize(body.axis());
    disc_radius_[discs_++] = body.radius();
  }
  void capsule_summands(const Body& body, double /*sense*/) {
    add_segment(body.half_length() * body.axis());
    radius_ += body.radius();
  }
  // `sense` is -1 for A, which is turned round: a hull is not equal to its mirror image.
  void convex_hull_summands(const Body& body, double sense) {
    std::vector<dvec3>& points = points_[sense < 0.0 ? 0 : 1];
    for (const glm::vec3& v : body.hull->vertices) points.push_back(sense * (body.axes * dvec3(v)));
  }
  void add(const Body& body, double sense) {
#define OCLIDE_SUMMANDS(NAME, name) \
  if (body.shape == Shape::name) return name##_summands(body, sense);
    OCLIDE_CONVEX_SHAPES(OCLIDE_SUMMANDS)
#undef OCLIDE_SUMMANDS
    no_geometry("sum of segments and discs", body.shape);
  }

  dvec3 c_;
  std::array<dvec3, 6> segment_{};  // half of each [m]
  std::array<double, 6> length_{};
  std::array<dvec3, 2> axis_{};
  std::array<double, 2> disc_radius_{};
  std::array<std::vector<dvec3>, 2> points_;  // of hulls [m]
  int segments_ = 0, discs_ = 0;
  double radius_ = 0.0, size_ = 0.0;
};

// The directions between three, and a bound below which no overlap among them lies.
struct Cone {
  std::array<dvec3, 3> v;
  double bound;
  bool operator<(const Cone& other) const { return bound > other.bound; }  // the lowest bound first
};

class Search {
 public:
  Search(const Sum& sum, double stop_below) : sum_(sum), stop_below_(stop_below) {}

  void look_at(dvec3 n) {
    const double f = sum_.overlap(n);
    if (f < best_) best_ = f, best_direction_ = n;
  }

  // False when an overlap below stop_below was found.
  bool run(const dmat3& axes) {
    if (best_ < stop_below_) return false;
    for (int k = 0; k < 8; ++k) {
      const dvec3 x = k & 1 ? -axes[0] : axes[0], y = k & 2 ? -axes[1] : axes[1], z = k & 4 ? -axes[2] : axes[2];
      add({x, y, z});
    }
    while (!open_.empty() && best_ >= stop_below_) {
      const double target = (looked_at_ < kFineCones ? kFinePart : kProvenPart) * sum_.size();
      if (open_.top().bound >= best_ - target || looked_at_ > kMostCones) break;
      const auto [a, b, c] = open_.top().v;
      open_.pop();
      const dvec3 ab = glm::normalize(a + b), bc = glm::normalize(b + c), ca = glm::normalize(c + a);
      add({a, ab, ca});
      add({ab, b, bc});
      add({ca, bc, c});
      add({ab, bc, ca});
    }
    return best_ >= stop_below_;
  }

  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] dvec3 best_direction() const { return best_direction_; }
  [[nodiscard]] double uncertainty() const {
    return std::max(kFinePart * sum_.size(), open_.empty() ? 0.0 : best_ - open_.top().bound);
  }

 private:
  // The overlap along n is the greatest p.n over all points p of the sum. So for any few of its points, and any mean
  // of them, no direction between the three of a cone has less than the mean's least p.v: the best such mean of the
  // points farthest along the three and their middle is the value of a game of 4 rows and 3 columns.
  void add(const std::array<dvec3, 3>& v) {
    ++looked_at_;
    const dvec3 middle = glm::normalize(v[0] + v[1] + v[2]);
    const std::array<dvec3, 4> p{sum_.support(middle, middle), sum_.support(v[0], middle), sum_.support(v[1], middle),
                                 sum_.support(v[2], middle)};
    note(glm::dot(p[0], middle), middle);
    Rows m;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 3; ++j) m[i][j] = glm::dot(p[i], v[j]);
    for (std::size_t j = 0; j < 3; ++j) note(m[j + 1][j], v[j]);

    // A mean of three unit vectors, with weights w, has the squared length 1 - sum of w_i w_j |v_i - v_j|^2.
    const auto edge2 = [&](std::size_t i, std::size_t j) { return glm::dot(v[i] - v[j], v[i] - v[j]); };
    const double shortest = std::sqrt(1.0 - std::max({edge2(0, 1), edge2(1, 2), edge2(2, 0)}) / 3.0);
    const auto whole = [&](double value) { return value >= 0.0 ? value : value / shortest; };

    bound_ = -std::numeric_limits<double>::infinity();
    for (const auto& row : m) raise(row);
    if (whole(bound_) >= best_ - kFinePart * sum_.size()) return;
    dvec3 towards = middle;
    solve_pairs(m, v, towards);
    solve_triples(m, v, towards);
    if (const double length = glm::length(towards); length > 0.1) look_at(towards / length);
    if (const double bound = whole(bound_); bound < best_ - kFinePart * sum_.size()) open_.push({v, bound});
  }

  using Row = std::array<double, 3>;
  using Rows = std::array<Row, 4>;

  void note(double f, dvec3 n) {
    if (f < best_) best_ = f, best_direction_ = n;
  }
  bool raise(const Row& row) {
    const double least = std::min({row[0], row[1], row[2]});
    if (!(least > bound_)) return false;
    bound_ = least;
    return true;
  }

  // Means of two points that two of the directions like equally. `towards` is where these two points are as good.
  void solve_pairs(const Rows& m, const std::array<dvec3, 3>& v, dvec3& towards) {
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = i + 1; k < 4; ++k)
        for (std::size_t j = 0; j < 3; ++j) {
          const std::size_t l = (j + 1) % 3;
          const double di = m[i][l] - m[i][j], dk = m[k][j] - m[k][l];
          if (!(di * dk > 0.0)) continue;  // one is as good or better along both
          const double w = dk / (di + dk);
          Row mean;
          for (std::size_t x = 0; x < 3; ++x) mean[x] = w * m[i][x] + (1.0 - w) * m[k][x];
          if (!raise(mean)) continue;
          const double ej = m[i][j] - m[k][j], el = m[k][l] - m[i][l];
          if (ej * el > 0.0) towards = (el * v[j] + ej * v[l]) / (ej + el);
        }
  }

  // Means of three points that all three directions like equally.
  void solve_triples(const Rows& m, const std::array<dvec3, 3>& v, dvec3& towards) {
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::array<const Row*, 3> r{};
      for (std::size_t i = 0, k = 0; i < 4; ++i)
        if (i != left_out) r[k++] = &m[i];
      Row w{}, lambda{};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          const Row &r1 = *r[(i + 1) % 3], &r2 = *r[(i + 2) % 3];
          const double cofactor = r1[(j + 1) % 3] * r2[(j + 2) % 3] - r1[(j + 2) % 3] * r2[(j + 1) % 3];
          w[i] += cofactor;
          lambda[j] += cofactor;
        }
      const double sum = w[0] + w[1] + w[2];
      if (sum == 0.0) continue;
      for (double& x : w) x /= sum;
      if (!(w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0)) continue;
      Row mean;
      for (std::size_t x = 0; x < 3; ++x) mean[x] = w[0] * (*r[0])[x] + w[1] * (*r[1])[x] + w[2] * (*r[2])[x];
      if (!raise(mean)) continue;
      for (double& x : lambda) x /= sum;
      if (lambda[0] >= 0.0 && lambda[1] >= 0.0 && lambda[2] >= 0.0)
        towards = lambda[0] * v[0] + lambda[1] * v[1] + lambda[2] * v[2];
    }
  }

  const Sum& sum_;
  double stop_below_;
  double best_ = std::numeric_limits<double>::infinity();
  dvec3 best_direction_{0.0, 0.0, 1.0};
  double bound_ = 0.0;  // of the cone in hand
  std::size_t looked_at_ = 0;
  std::priority_queue<Cone> open_;
};

// The overlap is all but level around its least, so that the search knows that far better than the direction: of discs,
// one whose farthest points are millimetres beside each other. Along the least one the sum's farthest point is on the
// line along it. Newton's steps toward that, as long as they lead there: not where the sum has a corner or an edge.
dvec3 onto_farthest(const Sum& sum, dvec3 n) {
  constexpr int kMostSteps = 8;
  constexpr double kStep = 1e-7;
  for (int k = 0; k < kMostSteps; ++k) {
    const dvec3 u = glm::normalize(glm::cross(n, std::abs(n.x) < 0.6 ? dvec3(1, 0, 0) : dvec3(0, 1, 0)));
    const dvec3 w = glm::cross(n, u);
    const auto turned = [&](dvec2 x) { return n + x.x * u + x.y * w; };
    // How far the farthest point is beside that line, by u and w.
    const auto beside = [&](dvec2 x) {
      const dvec3 m = turned(x), p = sum.support(glm::normalize(m), m);
      return dvec2(glm::dot(p, u), glm::dot(p, w)) - glm::dot(p, m) / glm::dot(m, m) * x;
    };
    const dvec2 now = beside({0.0, 0.0});
    const dvec2 du = (beside({kStep, 0.0}) - now) / kStep, dw = (beside({0.0, kStep}) - now) / kStep;
    const double area = du.x * dw.y - du.y * dw.x;
    if (area == 0.0) break;
    const dvec2 step = dvec2(dw.x * now.y - dw.y * now.x, du.y * now.x - du.x * now.y) / area;
    const dvec3 next = glm::normalize(turned(step));
    if (!(glm::length(beside(step)) < 0.5 * glm::length(now) &&
          sum.overlap(next) <= sum.overlap(n) + kFinePart * sum.size()))
      break;
    n = next;
  }
  return n;
}

// Directions to begin with; the search finds all others. A shape that is not named here is round about its axis.
std::array<dvec3, 3> axes_of(const Body& body) {
  if (body.shape == Shape::box || body.shape == Shape::convex_hull) return {body.axes[0], body.axes[1], body.axes[2]};
  return {body.axis(), body.axis(), body.axis()};
}

std::vector<dvec3> box_face_normals(const Body& body) {
  const auto& [x, y, z] = std::array{body.axes[0], body.axes[1], body.axes[2]};
  return {x, -x, y, -y, z, -z};
}
std::vector<dvec3> cylinder_face_normals(const Body& body) {
  return {body.axis(), -body.axis()};
}
std::vector<dvec3> convex_hull_face_normals(const Body& body) {
  std::vector<dvec3> normals;
  for (const HullFace& face : body.hull->faces) normals.push_back(body.axes * face.normal);
  return normals;
}

}  // namespace

double overlap_along(const Body& a, const Body& b, dvec3 c, dvec3 n) {
  const Sum sum(a, b, c);
  return sum.overlap(n) + sum.radius();
}

std::vector<dvec3> face_normals(const Body& body) {
#define OCLIDE_NORMALS(NAME, name) \
  if (body.shape == Shape::name) return name##_face_normals(body);
  OCLIDE_SHARP_SHAPES(OCLIDE_NORMALS)
#undef OCLIDE_NORMALS
  return {};
}

std::optional<LeastPenetration> least_penetration(const Body& a, const Body& b, dvec3 c, double apart,
                                                  std::span<const dvec3> likely) {
  const Sum sum(a, b, c);
  Search search(sum, -apart - sum.radius());
  const auto look_both_ways = [&](dvec3 direction) {
    const double length = glm::length(direction);
    if (!(length > kParallelEdges)) return;
    search.look_at(direction / length);
    search.look_at(-direction / length);
  };
  if (const double distance = glm::length(c); distance > 0.0) look_both_ways(c / distance);
  const std::array<dvec3, 3> axes_a = axes_of(a), axes_b = axes_of(b);
  for (const dvec3& axis : axes_a) look_both_ways(axis);
  for (const dvec3& axis : axes_b) look_both_ways(axis);
  for (const dvec3& x : axes_a)
    for (const dvec3& y : axes_b) look_both_ways(glm::cross(x, y));
  for (const dvec3& direction : likely) look_both_ways(direction);

  // The cones begin with the axes of the body that has more faces, so that its edges run along theirs.
  if (!search.run(b.shape == Shape::box ? b.axes : a.axes)) return std::nullopt;
  LeastPenetration least{search.best() + sum.radius(), onto_farthest(sum, search.best_direction()),
                         search.uncertainty()};

  double best_face = search.best() + kEqual * sum.size();
  for (const Body* body : {&a, &b})
    for (const dvec3& outward : face_normals(*body)) {
      const dvec3 normal = body == &a && a.shape == Shape::convex_hull ? -outward : outward;  // others have both
      if (const double f = sum.overlap(normal); f < best_face) best_face = f, least.normal = normal;
    }
  return least;
}

}  // namespace oclide::reference
