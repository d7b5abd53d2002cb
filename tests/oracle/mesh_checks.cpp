#include "mesh_checks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

#include "pair_checks.hpp"

namespace oracle {
namespace {

constexpr double kTurned = 0.01;       // of a normal [rad]
constexpr double kFlat = 2.5e-4;       // between the normals of two triangles of a face [rad]
constexpr double kOneManifold = 2e-3;  // between the normals of one manifold [rad]
constexpr double kPlaceError = 4e-5;   // of a place: turns a normal between places that are near to each other [m]
constexpr double kPushedPart = 0.85;   // a tenth of a depth may be left, and a little more by what is measured how

// Exact in the body; of a hull outside a lower bound that is less costly, and convex as well.
double inner_distance(const Body& b, Vec p) {
  if (b.shape != kConvexHull) return signed_distance(b, p);
  const Vec q = b.to_local(p);
  double above = -kInfinity;
  for (const Hull::Plane& plane : b.hull->planes) above = std::max(above, dot(plane.normal, q) - plane.offset);
  return above;
}

// The least value of a convex function on [0, 1].
template <typename Function>
double least_of(const Function& f) {
  constexpr double kGolden = 0.6180339887498949;
  double lo = 0.0, hi = 1.0, x = 1.0 - kGolden, y = kGolden, fx = f(x), fy = f(y);
  double least = std::min({f(0.0), f(1.0), fx, fy});
  for (int k = 0; k < 34; ++k) {
    if (fx < fy) {
      hi = y, y = x, fy = fx, x = hi - kGolden * (hi - lo), fx = f(x);
    } else {
      lo = x, x = y, fx = fy, y = lo + kGolden * (hi - lo), fy = f(y);
    }
    least = std::min({least, fx, fy});
  }
  return least;
}

double radius_of(const Body& b) {
  switch (b.shape) {
    case kSphere:
      return b.size[0];
    case kBox:
      return std::hypot(b.size[0], b.size[1], b.size[2]);
    case kCylinder:
      return std::hypot(b.size[0], b.size[1]);
    case kCapsule:
      return b.size[0] + b.size[1];
    case kConvexHull:
      return b.hull->size;
    default:
      return no_such_shape(b.shape);
  }
}

Vec normal_of(const Corners& t) {
  return unit(cross(t[1] - t[0], t[2] - t[0]));
}
double angle_between(Vec a, Vec b) {
  return std::atan2(length(cross(a, b)), dot(a, b));
}

Vec nearest_on_segment(Vec p, Vec from, Vec to) {
  const Vec along = to - from;
  return from + std::clamp(dot(p - from, along) / dot(along, along), 0.0, 1.0) * along;
}

// A point that is surely in the body, and in the middle of it.
Vec middle_of(const Body& b) {
  if (b.shape != kConvexHull) return {};
  Vec sum;
  for (const Vec p : b.hull->points) sum = sum + p;
  return b.to_frame((1.0 / static_cast<double>(b.hull->points.size())) * sum);
}

// One contact as the body sees it: P on the body, m from the mesh to the body.
struct Seen {
  Vec p, q, m;
  double depth;
  std::uint32_t manifold, element;
  int material;
  std::size_t row;
};

class MeshPairCheck {
 public:
  MeshPairCheck(const SceneFile& scene, std::size_t body, std::size_t mesh, std::size_t frame, double margin,
                Findings& out)
      : frame_(frame), index_(body), margin_(margin), body_(scene.body(body, frame)), out_(out) {
    const Body other = scene.body(mesh, frame);
    mesh_ = &scene.meshes.at(static_cast<std::size_t>(scene.size[3 * mesh]));
    mesh_index_ = mesh;
    for (const auto& t : mesh_->triangles) {
      Corners corners;
      for (std::size_t k = 0; k < 3; ++k)
        corners[k] = other.to_frame(mesh_->vertices.at(t[k])) + other.centre - body_.centre;
      surface_.push_back(corners);
    }
  }

  [[nodiscard]] Seen seen(const ContactRow& row, std::size_t number) const {
    const bool turned = row.body_a == mesh_index_;
    const Vec at = row.point - body_.centre, other = at + row.depth * row.normal;
    return {turned ? other : at,
            turned ? at : other,
            turned ? -row.normal : row.normal,
            row.depth,
            row.manifold,
            row.element,
            row.material,
            number};
  }

  void run(const std::vector<Seen>& contacts) {
    const Vec middle = middle_of(body_);
    inside_ = mesh_->solid && winding(middle, surface_) > 0.5;
    if (contacts.empty()) return check_nothing_missed();
    ++out_.counts["pairs with contacts"];
    for (const Seen& c : contacts) check_contact(c);
    check_manifolds(contacts);
    // Of a hull the definition's middle is another.
    if (inside_ && body_.shape != kConvexHull) check_pushed_out(contacts, middle);
  }

 private:
  void bad(const char* category, std::size_t row, double excess, const std::string& text) {
    out_.violations.push_back({category, frame_, index_, row, excess,
                               text + format(" | %s of %.4g %.4g %.4g and mesh %zu", shape_name(body_.shape),
                                             body_.size[0], body_.size[1], body_.size[2], mesh_index_)});
  }

  void check_nothing_missed() {
    constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);
    if (inside_) return bad("MISSED_INSIDE", kNoRow, 1.0, "its middle is in the solid, and it has no contact");
    double deepest = 0.0;
    for (const Corners& t : surface_)
      if (length(nearest_point({}, t)) < radius_of(body_)) deepest = std::max(deepest, -deepest_in(body_, t));
    if (deepest > kMetres)
      bad("MISSED", kNoRow, deepest, format("a triangle is %.6g m in it, and it has no contact", deepest));
  }

  void check_contact(const Seen& c) {
    ++out_.counts["contacts"];
    const double tolerance = kMetres + kFraction * std::abs(c.depth);
    const auto judge = [&](const char* category, double value, double limit, const char* what) {
      if (!(value <= limit)) bad(category, c.row, value - limit, format("%s %.6g, allowed %.6g", what, value, limit));
    };
    judge("NORMAL_LENGTH", std::abs(length(c.m) - 1.0), 1e-5, "normal's length is off by");
    judge("BEYOND_MARGIN", -c.depth, margin_ + kMetres, "apart by");
    judge("NOT_ON_BODY", std::abs(signed_distance(body_, c.p)), kMetres, "point is off the body by");
    if (c.element >= surface_.size())
      return bad("ELEMENT", c.row, 1.0, format("element %u of %zu", c.element, surface_.size()));
    if (c.material != mesh_->material[c.element])
      bad("MATERIAL", c.row, 1.0, format("material %d, the triangle's %d", c.material, mesh_->material[c.element]));
    const Corners& t = surface_[c.element];
    double off = kInfinity;
    for (const Corners& any : surface_) off = std::min(off, length(nearest_point(c.q, any) - c.q));
    judge("NOT_ON_MESH", off, tolerance, "point + depth * normal is off the mesh by");
    // A foot may be as far beyond a flat edge as the two normals differ.
    judge("NOT_ON_MESH", length(nearest_point(c.q, t) - c.q), tolerance + kFlat * radius_of(body_),
          "point + depth * normal is off its triangle by");
    if (!inside_) judge("APART", distance_of_face(t), margin_ + kMetres, "its face is apart by");
    check_normal(c, tolerance);
  }

  // Of the body and the triangles in the plane of one: the foot of a point may be in another of a face than its way.
  [[nodiscard]] double distance_of_face(const Corners& t) const {
    double least = distance_of(body_, t);
    const Vec n = normal_of(t);
    for (const Corners& other : surface_) {
      if (least <= margin_ + kMetres) return least;
      const bool in_plane = std::all_of(other.begin(), other.end(), [&](Vec v) {
        return std::abs(dot(v - t[0], n)) <= kFlat * length(v - t[0]) + 1e-6;
      });
      if (in_plane) least = std::min(least, distance_of(body_, other));
    }
    return least;
  }

  // The normal is that of a triangle at Q, or in the cone of normals there: away from all triangles at Q.
  void check_normal(const Seen& c, double tolerance) {
    double between = kInfinity;  // of the places that the normal leads from and to
    if (body_.shape == kSphere || body_.shape == kCapsule) between = std::abs(body_.radius() - c.depth);
    if (c.depth < 0.0) between = std::min(between, -c.depth);
    const double turned = kTurned + kPlaceError / std::max(between, 1e-9);
    if (turned > 1.0) return;
    std::vector<Corners> at;
    for (const Corners& t : surface_)
      if (length(nearest_point(c.q, t) - c.q) <= tolerance) at.push_back(t);
    const auto leads_into = [&](const Corners& t) {
      double most = -kInfinity;
      for (const Vec v : t)
        if (const double far = length(v - c.q); far > tolerance)
          most = std::max(most, (dot(c.m, v - c.q) - 2.0 * tolerance) / far);
      return most;
    };
    double toward = -kInfinity;
    for (const Corners& t : at) {
      const Vec n = normal_of(t);
      if (angle_between(c.m, n) <= turned || (!mesh_->solid && angle_between(c.m, -n) <= turned)) return;
      toward = std::max(toward, leads_into(t));
    }
    // An edge at Q: its own triangles alone, in the plane across it.
    for (const Corners& t : at)
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec from = t[k], to = t[(k + 1) % 3];
        if (length(nearest_on_segment(c.q, from, to) - c.q) > tolerance) continue;
        if (std::abs(dot(c.m, unit(to - from))) > turned) continue;
        double most = -kInfinity;
        for (const Corners& other : at) {
          const auto has = [&](Vec v) {
            return std::any_of(other.begin(), other.end(), [&](Vec w) { return length(v - w) < 1e-12; });
          };
          if (has(from) && has(to)) most = std::max(most, leads_into(other));
        }
        if (most <= turned) return;
      }
    // Out of a solid toward the nearest place of its surface, which may be in a notch.
    if (inside_ && at.size() > 1) return;
    if (toward > turned)
      bad("NORMAL", c.row, toward - turned,
          format("the normal leads into a triangle at its place by %.6g rad", toward));
  }

  void check_manifolds(const std::vector<Seen>& contacts) {
    for (std::size_t first = 0, next = 0; first < contacts.size(); first = next) {
      for (next = first; next < contacts.size() && contacts[next].manifold == contacts[first].manifold;) ++next;
      if (next - first > 4) bad("MANIFOLD", contacts[first].row, 1.0, format("%zu points", next - first));
      for (std::size_t k = first; k < next; ++k)
        if (const double turned = angle_between(contacts[k].m, contacts[first].m); turned > kOneManifold)
          bad("MANIFOLD", contacts[k].row, turned, format("normals of a manifold differ by %.6g rad", turned));
    }
  }

  // To be out, the middle has to go as far as to the surface.
  void check_pushed_out(const std::vector<Seen>& contacts, Vec middle) {
    double to_surface = kInfinity, deepest = 0.0;
    for (const Corners& t : surface_) to_surface = std::min(to_surface, length(nearest_point(middle, t) - middle));
    for (const Seen& c : contacts) deepest = std::max(deepest, c.depth);
    if (deepest < kPushedPart * to_surface - kMetres)
      bad("NOT_PUSHED_OUT", contacts[0].row, to_surface - deepest,
          format("its middle is %.6g in the solid, the deepest contact has %.6g", to_surface, deepest));
  }

  std::size_t frame_, index_, mesh_index_ = 0;
  double margin_;
  Body body_;
  const MeshFile* mesh_ = nullptr;
  std::vector<Corners> surface_;
  bool inside_ = false;
  Findings& out_;
};

}  // namespace

double deepest_in(const Body& body, const Corners& t) {
  const Vec middle = (1.0 / 3.0) * (t[0] + t[1] + t[2]);
  double reach = 0.0;
  for (const Vec v : t) reach = std::max(reach, length(v - middle));
  const double least = std::min({inner_distance(body, middle), inner_distance(body, t[0]), inner_distance(body, t[1]),
                                 inner_distance(body, t[2])});
  if (inner_distance(body, middle) > reach) return least;
  return std::min(least, least_of([&](double u) {
                    return least_of([&](double part) {
                      const double v = part * (1.0 - u);
                      return inner_distance(body, t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]));
                    });
                  }));
}

double distance_of(const Body& body, const Corners& t) {
  return distance_from_origin([&](Vec d) {
    Vec q = t[0];
    for (const Vec v : t)
      if (dot(v, d) < dot(q, d)) q = v;
    return support_point(body, d) - q;
  });
}

Vec nearest_point(Vec p, const Corners& t) {
  const Vec n = cross(t[1] - t[0], t[2] - t[0]);
  bool over = true;
  Vec best = t[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec from = t[k], along = t[(k + 1) % 3] - from;
    if (dot(cross(along, p - from), n) < 0.0) over = false;
    if (const Vec q = nearest_on_segment(p, from, t[(k + 1) % 3]); length(q - p) < length(best - p)) best = q;
  }
  return over ? p - (dot(p - t[0], n) / dot(n, n)) * n : best;
}

double winding(Vec p, const std::vector<Corners>& surface) {
  double sum = 0.0;
  for (const Corners& t : surface) {
    const Vec a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const double la = length(a), lb = length(b), lc = length(c);
    sum += 2.0 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4.0 * 3.14159265358979323846);
}

Findings check_meshes(const SceneFile& scene, const ContactFile& contacts, std::size_t frame, double margin,
                      unsigned threads) {
  struct Work {
    std::size_t body, mesh;
    std::vector<std::size_t> rows;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> rows;
  for (std::size_t r = contacts.frame_offset[frame]; r < contacts.frame_offset[frame + 1]; ++r)
    rows[{contacts.rows[r].body_a, contacts.rows[r].body_b}].push_back(r);
  Findings all;
  std::vector<Work> work;
  for (std::size_t mesh = 0; mesh < scene.bodies; ++mesh) {
    if (scene.shape[mesh] != kMesh) continue;
    for (std::size_t body = 0; body < scene.bodies; ++body) {
      if (scene.shape[body] > kConvexHull) continue;
      auto& of_pair = rows[{std::min(body, mesh), std::max(body, mesh)}];
      if (oracle::meet(scene, body, mesh))
        work.push_back({body, mesh, of_pair});
      else if (!of_pair.empty())
        all.violations.push_back(
            {"DO_NOT_MEET", frame, body, of_pair[0], 1.0, "bodies that do not meet have a contact"});
    }
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::vector<std::thread> pool;
  for (unsigned k = 0; k < std::max(threads, 1U); ++k)
    pool.emplace_back([&] {
      Findings found;
      for (std::size_t i = next++; i < work.size(); i = next++) {
        MeshPairCheck check(scene, work[i].body, work[i].mesh, frame, margin, found);
        std::vector<Seen> seen;
        for (const std::size_t r : work[i].rows) seen.push_back(check.seen(contacts.rows[r], r));
        check.run(seen);
      }
      const std::lock_guard lock(mutex);
      all.add(found);
    });
  for (std::thread& thread : pool) thread.join();
  std::stable_sort(all.violations.begin(), all.violations.end(), [](const Violation& a, const Violation& b) {
    return std::tie(a.body, a.row) < std::tie(b.body, b.row);
  });
  return all;
}

}  // namespace oracle
