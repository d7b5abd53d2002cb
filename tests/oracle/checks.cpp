#include "checks.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>

namespace oracle {

std::string format(const char* pattern, ...) {
  char text[2048];
  va_list list;
  va_start(list, pattern);
  std::vsnprintf(text, sizeof text, pattern, list);
  va_end(list);
  return text;
}

const char* shape_name(int shape) {
  switch (shape) {
    case kSphere:
      return "sphere";
    case kBox:
      return "box";
    case kCylinder:
      return "cylinder";
    case kCapsule:
      return "capsule";
    case kConvexHull:
      return "convex_hull";
    case kHalfSpace:
      return "half_space";
    default:
      return "unknown";
  }
}

namespace {

struct Box {
  Vec lo, hi;  ///< world
};
Box bounds(const Body& b) {
  const Vec lo{support(b, {-1, 0, 0}), support(b, {0, -1, 0}), support(b, {0, 0, -1})};
  const Vec hi{support(b, {1, 0, 0}), support(b, {0, 1, 0}), support(b, {0, 0, 1})};
  return {b.centre - lo, b.centre + hi};
}

/// Calls visit(i, j, which, triangle relative to the body's centre) for elements that the body's columns meet.
template <typename Visit>
void each_element(const Body& b, const Ground& g, double reach, Visit visit) {
  const Box box = bounds(b);
  g.each_cell(box.lo.x - reach, box.hi.x + reach, box.lo.y - reach, box.hi.y + reach,
              [&](std::ptrdiff_t i, std::ptrdiff_t j) {
                if (g.cell_top(i, j) < box.lo.z - reach) return;
                for (int k = 0; k < 2; ++k) visit(i, j, k, g.triangle(i, j, k, b.centre));
              });
}

/// In the plane and on the line of the first two constraints; see least_translation.
bool on_line(const std::vector<Vec>& n, const std::vector<double>& d, std::size_t i, std::size_t j, Vec& t) {
  const double c = dot(n[i], n[j]), det = 1.0 - c * c;
  if (det < 1e-14) return c > 0.0;  // parallel: the same plane, or none
  const Vec point = ((d[i] - c * d[j]) / det) * n[i] + ((d[j] - c * d[i]) / det) * n[j];
  const Vec along = unit(cross(n[i], n[j]));
  Interval range;
  for (std::size_t k = 0; k < j; ++k) {
    const double value = dot(n[k], point) - d[k], slope = dot(n[k], along);
    if (std::abs(slope) < 1e-12) {
      if (value < -1e-7) return false;
    } else if (slope > 0.0) {
      range.lo = std::max(range.lo, -value / slope);
    } else {
      range.hi = std::min(range.hi, -value / slope);
    }
  }
  if (range.lo > range.hi + 1e-7) return false;
  t = point + std::clamp(0.0, std::min(range.lo, range.hi), range.hi) * along;
  return true;
}

bool on_plane(const std::vector<Vec>& n, const std::vector<double>& d, std::size_t i, Vec& t) {
  t = d[i] * n[i];
  for (std::size_t j = 0; j < i; ++j) {
    if (dot(n[j], t) < d[j] - 1e-10 && !on_line(n, d, i, j, t)) return false;
  }
  return true;
}

std::string describe(const Body& b, const Ground* g) {
  const Vec a = b.axis[2];
  std::string s = format("%s size %.6g %.6g %.6g at %.9g %.9g %.9g, z axis %.6g %.6g %.6g", shape_name(b.shape),
                         b.size[0], b.size[1], b.size[2], b.centre.x, b.centre.y, b.centre.z, a.x, a.y, a.z);
  if (g == nullptr) return s + ", no terrain";
  const double j = std::floor((b.centre.x - g->origin[0]) / g->spacing[0]),
               i = std::floor((b.centre.y - g->origin[1]) / g->spacing[1]);
  s += format("; grid %tdx%td spacing %.6g %.6g, centre over cell (%.0f, %.0f)", g->rows, g->cols, g->spacing[0],
              g->spacing[1], i, j);
  if (g->solid(static_cast<std::ptrdiff_t>(std::clamp(i, -1.0, 1e9)),
               static_cast<std::ptrdiff_t>(std::clamp(j, -1.0, 1e9)))) {
    const auto r = static_cast<std::ptrdiff_t>(i), c = static_cast<std::ptrdiff_t>(j);
    s += format(" corners %.6g %.6g %.6g %.6g", g->height(r, c), g->height(r, c + 1), g->height(r + 1, c),
                g->height(r + 1, c + 1));
  } else {
    s += " open";
  }
  return s;
}

/// True, with the plane's normal and height over the centre, where all ground in reach of the box is one plane.
bool planar(const Ground& g, const Box& box, Vec centre, Vec& normal, double& height) {
  const double x1 = g.origin[0] + static_cast<double>(g.cols - 1) * g.spacing[0];
  const double y1 = g.origin[1] + static_cast<double>(g.rows - 1) * g.spacing[1];
  if (box.lo.x < g.origin[0] || box.lo.y < g.origin[1] || box.hi.x > x1 || box.hi.y > y1) return false;
  const auto index = [](double p, double o, double s) { return static_cast<std::ptrdiff_t>(std::floor((p - o) / s)); };
  const std::ptrdiff_t i0 = index(box.lo.y, g.origin[1], g.spacing[1]), i1 = index(box.hi.y, g.origin[1], g.spacing[1]);
  const std::ptrdiff_t j0 = index(box.lo.x, g.origin[0], g.spacing[0]), j1 = index(box.hi.x, g.origin[0], g.spacing[0]);
  bool first = true;
  for (std::ptrdiff_t i = i0; i <= std::min(i1, g.rows - 2); ++i) {
    for (std::ptrdiff_t j = j0; j <= std::min(j1, g.cols - 2); ++j) {
      if (!g.solid(i, j)) return false;
      for (int k = 0; k < 2; ++k) {
        const Triangle t = g.triangle(i, j, k, centre);
        const Vec n = t.normal();
        if (first) normal = n, height = dot(n, t.v[0]), first = false;
        if (length(n - normal) > 1e-7) return false;
        for (const Vec& v : t.v) {
          if (std::abs(dot(normal, v) - height) > 1e-7) return false;
        }
      }
    }
  }
  return !first;
}

}  // namespace

void Findings::add(const Findings& other) {
  violations.insert(violations.end(), other.violations.begin(), other.violations.end());
  for (const auto& [name, count] : other.counts) counts[name] += count;
  for (const auto& [name, values] : other.statistics) {
    auto& mine = statistics[name];
    mine.insert(mine.end(), values.begin(), values.end());
  }
}

bool least_translation(const std::vector<Vec>& normals, const std::vector<double>& depths, Vec& t) {
  // Grow the set of constraints; a new one that the current optimum breaks is active in the next optimum.
  t = {};
  std::vector<std::size_t> order(normals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depths[a] > depths[b]; });
  std::vector<Vec> n;
  std::vector<double> d;
  for (const std::size_t i : order) n.push_back(unit(normals[i])), d.push_back(depths[i]);
  for (std::size_t i = 0; i < n.size(); ++i) {
    if (dot(n[i], t) < d[i] - 1e-10 && !on_plane(n, d, i, t)) return false;
  }
  return true;
}

Overlap overlap_of(const Body& b, const Ground& g) {
  Overlap best;
  const double low = -support(b, {0, 0, -1});
  each_element(b, g, 0.0, [&](std::ptrdiff_t i, std::ptrdiff_t j, int k, const Triangle& t) {
    const double floor = std::max(0.0, std::min(best.gap, best.depth));
    if (std::max({t.v[0].z, t.v[1].z, t.v[2].z}) - low <= floor) return;
    const Gap found = greatest_gap(b, t, floor);
    if (found.gap <= 0.0) return;
    best.gap = std::max(best.gap, found.gap);
    const double depth = found.gap * t.normal().z;
    if (depth > best.depth) best.depth = depth, best.point = found.point, best.row = i, best.col = j, best.which = k;
  });
  return best;
}

double least_penetration_of(const Body& b, const Ground& g, double above, const Body* before) {
  std::vector<std::pair<double, Triangle>> deep;
  each_element(b, g, 0.0, [&](std::ptrdiff_t i, std::ptrdiff_t j, int k, const Triangle& t) {
    const double depth = greatest_gap(b, t, 0.0).gap * t.normal().z;
    if (depth <= above) return;
    if (before != nullptr && greatest_gap(*before, g.triangle(i, j, k, before->centre), 0.0).gap <= 0.0) return;
    deep.emplace_back(depth, t);
  });
  std::sort(deep.begin(), deep.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = 0.0;
  for (std::size_t k = 0; k < std::min<std::size_t>(deep.size(), 24); ++k) {
    if (deep[k].first > best) best = std::max(best, std::min(deep[k].first, least_penetration(b, deep[k].second)));
  }
  return best;
}

double distance_of(const Body& b, const Ground& g, double reach) {
  double best = kInfinity;
  each_element(b, g, reach, [&](std::ptrdiff_t, std::ptrdiff_t, int, const Triangle& t) {
    if (best > 0.0) best = std::min(best, distance_to_column(b, t));
  });
  return best <= reach ? best : kInfinity;
}

Findings check_order(const SceneFile& scene, const ContactFile& c) {
  Findings f;
  const auto bad = [&](const char* category, std::size_t row, const std::string& text) {
    f.violations.push_back({category, 0, row < c.rows.size() ? c.rows[row].body_a : 0, row, 0.0, text});
  };
  const auto& offset = c.frame_offset;
  if (offset.empty() || offset.front() != 0 || offset.back() != c.rows.size() ||
      !std::is_sorted(offset.begin(), offset.end())) {
    bad("OFFSETS", 0, "frame_offset does not run from 0 to the number of contacts");
    return f;
  }
  if (offset.size() != scene.frames + 1) {
    bad("OFFSETS", 0, format("frame_offset has %zu entries, the scene %zu frames", offset.size(), scene.frames));
  }
  for (std::size_t frame = 0; frame + 1 < offset.size(); ++frame) {
    for (std::size_t r = offset[frame]; r < offset[frame + 1]; ++r) {
      const ContactRow& row = c.rows[r];
      const double sum =
          row.point.x + row.point.y + row.point.z + row.normal.x + row.normal.y + row.normal.z + row.depth;
      if (!std::isfinite(sum)) bad("NOT_FINITE", r, "point, normal or depth is not finite");
      if (row.body_a >= scene.bodies || (row.body_b != kTerrain && row.body_b >= scene.bodies)) {
        bad("BODY_INDEX", r, format("body %u against %u of %zu", row.body_a, row.body_b, scene.bodies));
      }
      if (r == offset[frame]) continue;
      const ContactRow& last = c.rows[r - 1];
      if (std::tie(last.body_a, last.body_b, last.manifold) > std::tie(row.body_a, row.body_b, row.manifold)) {
        bad("ORDER", r, "not ordered by body_a, body_b, manifold");
      }
      const bool same_pair = last.body_a == row.body_a && last.body_b == row.body_b;
      if (!same_pair && last.manifold >= row.manifold) {
        bad("MANIFOLD_NUMBER", r,
            format("manifold %u follows manifold %u of another pair", row.manifold, last.manifold));
      }
    }
  }
  return f;
}

namespace {

struct BodyCheck {
  const SceneFile& scene;
  const ContactFile& contacts;
  std::size_t frame, index;
  std::size_t first, last;  ///< its rows against terrain
  Findings& out;

  Body body;
  const Ground* ground = nullptr;

  void bad(const char* category, std::size_t row, double excess, const std::string& text) const {
    out.violations.push_back(
        {category, frame, index, row, std::min(excess, 1e9), text + " | " + describe(body, ground)});
  }
  void judge(const char* category, std::size_t row, double value, double limit, const char* what) const {
    if (!(value <= limit)) bad(category, row, value - limit, format("%s %.6g, allowed %.6g", what, value, limit));
  }

  void run() {
    const int shape = scene.shape[index];
    if (shape > kConvexHull) {
      if (shape == 5 && last > first) {
        out.violations.push_back({"FALSE", frame, index, first, 1.0, "a half space meets the terrain"});
      }
      ++out.counts["bodies of shapes not checked"];
      return;
    }
    body = scene.body(index, frame);
    ground = scene.ground_of(index);
    ++out.counts["bodies"];
    if (ground == nullptr) {
      if (last > first) bad("FALSE", first, 1.0, "contacts in an environment without terrain");
      return;
    }
    double deepest = -kInfinity;
    for (std::size_t r = first; r < last; ++r) deepest = std::max(deepest, contacts.rows[r].depth);
    const Overlap overlap = overlap_of(body, *ground);
    if (overlap.gap > 0.0) ++out.counts["bodies in overlap"];
    if (last > first) ++out.counts["bodies with contacts"];

    check_presence(overlap, deepest);
    for (std::size_t r = first; r < last; ++r) check_contact(r);
    check_manifolds();
    if (last > first) {
      check_clearing(overlap, deepest);
      check_plane(deepest);
      check_deepest(overlap, deepest);
    }
  }

  void check_presence(const Overlap& overlap, double deepest) const {
    if (overlap.depth > kMetres + 1e-7 && last == first) {
      const double least = least_penetration_of(body, *ground, kMetres);
      if (least > kMetres + 1e-7) {
        bad("MISSED", static_cast<std::size_t>(-1), least,
            format(
                "overlap %.6g below the element's plane, least penetration %.6g, vertical gap %.6g, at element (%td, "
                "%td, %d), no contact",
                overlap.depth, least, overlap.gap, overlap.row, overlap.col, overlap.which));
      } else {
        ++out.counts["overlaps without contact, within tolerance"];
      }
    }
    if (overlap.gap <= 0.0 && deepest > 0.0) {
      const double distance = distance_of(body, *ground, 0.25);
      if (distance > kMetres + 1e-7) {
        bad("FALSE", first, std::min(distance, 1e9),
            format("contact of depth %.6g, body %s%.6g m away", deepest, distance < kInfinity ? "" : "more than ",
                   std::min(distance, 0.25)));
      }
    }
    if (!scene.truth.empty() && frame == 0) {
      const bool reported = deepest > 0.0, truth = scene.truth[index] != 0, exact = overlap.gap > 0.0;
      if (truth != exact) ++out.counts["truth of the scene differs from this oracle"];
      if (truth != reported) {
        bad("TRUTH", first, overlap.gap,
            format("the scene says %s, the contacts say %s (gap %.6g)", truth ? "touches" : "apart",
                   reported ? "touches" : "apart", overlap.gap));
      }
    }
  }

  void check_contact(std::size_t r) const {
    const ContactRow& c = contacts.rows[r];
    const double rounding = contacts.float_points
                                ? 1.2e-7 * std::max({std::abs(c.point.x), std::abs(c.point.y), std::abs(c.point.z)})
                                : 1e-8;
    const double near = kMetres + rounding, allowed = near + kFraction * std::abs(c.depth);
    const Ground& g = *ground;
    ++out.counts["contacts"];

    const double off_body = std::abs(signed_distance(body, c.point - body.centre));
    if (!(off_body <= near)) {
      bad("POINT_OFF_BODY", r, off_body - near,
          format("point %.9g %.9g %.9g is %.6g off the body; normal %.6g %.6g %.6g depth %.6g", c.point.x, c.point.y,
                 c.point.z, off_body, c.normal.x, c.normal.y, c.normal.z, c.depth));
    }
    judge("NORMAL_NOT_UNIT", r, std::abs(length(c.normal) - 1.0), 1e-5, "normal's length off 1 by");
    judge("NORMAL_DOWN", r, -c.normal.z, 1e-6, "normal points down by");

    // The point is in the ground.
    const double outside = distance_to_solid(g, c.point, std::max(1.0, 2.0 * allowed));
    if (c.depth > near && outside > near) {
      bad(c.depth < 0.2 * body.width() ? "POINT_NOT_IN_GROUND" : "POINT_NOT_IN_GROUND_DEEP", r, outside - near,
          format("point %.9g %.9g %.9g is %.6g outside the ground; normal %.6g %.6g %.6g depth %.6g", c.point.x,
                 c.point.y, c.point.z, outside, c.normal.x, c.normal.y, c.normal.z, c.depth));
    }

    // point + depth * normal is on the ground's surface.
    const Vec foot = c.point + c.depth * c.normal;
    double off = distance_to_surface(g, foot, allowed);
    if (off > allowed) off = std::min(1e9, distance_to_surface(g, foot, std::max(2.0, 10.0 * allowed)));
    judge("FOOT_OFF_GROUND", r, off, allowed, "point + depth * normal off the ground's surface by");
    if (c.depth > 0.0) out.statistics["foot off the surface / allowed"].push_back(off / allowed);

    // Along the normal the ray leaves the ground after `depth`.
    if (c.depth > near && outside <= near) {
      const double reach = 2.0 * c.depth + 0.1;
      const auto in = solid_along_ray(g, c.point, c.normal, reach);
      double exit = 0.0;
      bool later = false;
      if (!in.empty() && in[0].lo <= near) exit = in[0].hi;
      for (const Interval& part : in) later = later || std::abs(part.hi - c.depth) <= allowed;
      // A ray that leaves through a slit thinner than the tolerance is still within.
      std::size_t k = 0;
      while (k + 1 < in.size() && in[k].lo <= near && in[k + 1].lo - in[k].hi <= kMetres && exit < c.depth) {
        exit = in[++k].hi;
      }
      const double error = std::abs(exit - c.depth);
      if (error > allowed && outside <= 0.0) {
        // Past an earlier way out the depth is still that under the element, which is what deep bodies may report.
        if (later && c.depth >= 0.2 * body.width()) {
          ++out.counts["deep contacts whose ray leaves the ground before their element"];
        } else {
          bad(later ? "DEPTH_LATER_EXIT" : "DEPTH_RAY", r, error - allowed,
              format("depth %.6g, the ray leaves the ground at %.6g%s, normal %.6g %.6g %.6g, point %.9g %.9g %.9g",
                     c.depth, exit, exit >= reach ? " or later" : "", c.normal.x, c.normal.y, c.normal.z, c.point.x,
                     c.point.y, c.point.z));
        }
      }
      out.statistics["ray depth error / allowed"].push_back(error / allowed);
    }
    const Under above = under_surface(g, c.point);
    if (above.gap > 0.0 && c.depth > 0.0) {
      out.statistics["|depth - depth under the element above| / allowed"].push_back(
          std::abs(above.gap * above.normal.z - c.depth) / allowed);
    }

    // The material is that of a cell at the point, its foot, or between.
    bool known = g.material.empty() && c.material == 0;
    const auto same = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
      if (!g.material.empty() && g.material[g.cell(i, j)] == c.material) known = true;
    };
    g.each_cell(std::min(c.point.x, foot.x) - 2 * allowed, std::max(c.point.x, foot.x) + 2 * allowed,
                std::min(c.point.y, foot.y) - 2 * allowed, std::max(c.point.y, foot.y) + 2 * allowed, same);
    if (!known) bad("MATERIAL", r, 0.0, format("material %d is of no cell here", c.material));

    // A normal that the ground cannot give at the foot, nor the body at the point.
    if (c.depth > near && off <= near) {
      constexpr double kStep = 5e-3;
      const double ground_side = distance_to_solid(g, foot + kStep * c.normal, 2 * kStep);
      const double body_side = signed_distance(body, c.point - body.centre - kStep * c.normal);
      if (ground_side < 0.9 * kStep - kMetres) {
        ++out.counts[body_side < 0.9 * kStep - kMetres ? "normals neither of the ground nor of the body (ghosts?)"
                                                       : "normals of the body only"];
      } else {
        ++out.counts["normals of the ground"];
      }
    }
  }

  void check_manifolds() const {
    std::size_t manifolds = 0;
    std::vector<Vec> normals;
    for (std::size_t r = first; r < last;) {
      std::size_t end = r;
      while (end < last && contacts.rows[end].manifold == contacts.rows[r].manifold) ++end;
      if (end - r > 4)
        bad("MANIFOLD_SIZE", r, static_cast<double>(end - r), format("%zu points in a manifold", end - r));
      for (std::size_t k = r + 1; k < end; ++k) {
        const double angle = length(contacts.rows[k].normal - contacts.rows[r].normal);
        judge("MANIFOLD_NORMAL", k, angle, 1.5e-3, "angle to the manifold's first normal [rad]");
      }
      normals.push_back(contacts.rows[r].normal);
      ++manifolds;
      r = end;
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(normals.size(), 200); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (length(normals[i] - normals[j]) < 1e-6) {
          ++out.counts["bodies with two manifolds of one normal"];
          i = normals.size();
          break;
        }
      }
    }
    if (manifolds > 0) out.statistics["manifolds of a touching body"].push_back(static_cast<double>(manifolds));
  }

  void check_clearing(const Overlap& overlap, double deepest) const {
    std::vector<Vec> normals;
    std::vector<double> depths;
    for (std::size_t r = first; r < last; ++r) {
      if (!(contacts.rows[r].depth > 0.0)) continue;
      normals.push_back(contacts.rows[r].normal), depths.push_back(contacts.rows[r].depth);
    }
    const bool shallow = overlap.depth < 0.2 * body.width();
    const double allowed = 1e-3 + 0.05 * std::max(deepest, 0.0);
    Vec t;
    if (!least_translation(normals, depths, t)) {
      if (shallow) {
        bad("NO_WAY_OUT", first, overlap.depth,
            format("no translation satisfies all %zu contacts (deepest %.6g, overlap "
                   "%.6g)",
                   last - first, deepest, overlap.depth));
      } else {
        ++out.counts["deep bodies whose contacts no translation satisfies"];
      }
      return;
    }
    Body moved = body;
    moved.centre = body.centre + t;
    double left = std::max(0.0, overlap_of(moved, *ground).depth);
    if (left > allowed) {
      // Ground that the body did not touch before is no matter of these contacts.
      left = least_penetration_of(moved, *ground, allowed, &body);
      if (left <= allowed) ++out.counts["bodies cleared into ground they did not touch before"];
    }
    if (shallow) {
      if (left > allowed) {
        bad("CLEARING", first, left - allowed,
            format("after moving out by %.6g %.6g %.6g (%zu contacts, deepest %.6g, "
                   "overlap %.6g at element (%td, %td, %d), body's point %.9g %.9g %.9g) %.6g is left, allowed %.6g",
                   t.x, t.y, t.z, last - first, deepest, overlap.depth, overlap.row, overlap.col, overlap.which,
                   body.centre.x + overlap.point.x, body.centre.y + overlap.point.y, body.centre.z + overlap.point.z,
                   left, allowed));
      }
      out.statistics["shallow: left after clearing / allowed"].push_back(left / allowed);
      if (overlap.depth > 1e-3) {
        out.statistics["shallow: length of the way out / overlap"].push_back(length(t) / overlap.depth);
      }
    } else {
      out.statistics["deep: left after clearing / allowed"].push_back(left / allowed);
      out.statistics["deep: left after clearing / overlap"].push_back(left / overlap.depth);
    }
  }

  /// Where all ground in reach is one plane the answer is known exactly.
  void check_plane(double deepest) const {
    Box box = bounds(body);
    for (std::size_t r = first; r < last; ++r) {
      const ContactRow& c = contacts.rows[r];
      const Vec foot = c.point + c.depth * c.normal;
      box.lo = {std::min(box.lo.x, foot.x), std::min(box.lo.y, foot.y), box.lo.z};
      box.hi = {std::max(box.hi.x, foot.x), std::max(box.hi.y, foot.y), box.hi.z};
    }
    Vec normal;
    double height = 0.0;
    if (!planar(*ground, box, body.centre, normal, height)) return;
    // The foot of the deepest point must be on the same plane, too.
    const double exact = height + support(body, -normal);
    const Vec foot = support_point(body, -normal) + exact * normal + body.centre;
    box.lo = {std::min(box.lo.x, foot.x) - 1e-6, std::min(box.lo.y, foot.y) - 1e-6, box.lo.z};
    box.hi = {std::max(box.hi.x, foot.x) + 1e-6, std::max(box.hi.y, foot.y) + 1e-6, box.hi.z};
    if (!planar(*ground, box, body.centre, normal, height)) return;
    ++out.counts["bodies over one plane"];
    const double allowed = kMetres + kFraction * std::abs(exact);
    if (std::abs(exact - deepest) > allowed) {
      bad("PLANE_DEPTH", first, std::abs(exact - deepest) - allowed,
          format("over a plane: deepest contact %.6g, exact %.6g", deepest, exact));
    }
    for (std::size_t r = first; r < last; ++r) {
      judge("PLANE_NORMAL", r, length(contacts.rows[r].normal - normal), 1e-3,
            "over a plane: normal off the plane's by");
    }
    if (contacts.rows[first].manifold != contacts.rows[last - 1].manifold) {
      bad("PLANE_MANIFOLDS", first, 1.0, "over a plane: more than one manifold");
    }
  }

  /// The greatest depth under any element along its normal, where the way up lies in solid ground.
  void check_deepest(const Overlap& overlap, double deepest) const {
    if (!(overlap.gap > 0.0)) return;
    double exact = 0.0;
    std::size_t elements = 0;
    const Box box = bounds(body);
    const double reach = std::min(overlap.depth, 5.0);
    ground->each_cell(box.lo.x - reach, box.hi.x + reach, box.lo.y - reach, box.hi.y + reach,
                      [&](std::ptrdiff_t i, std::ptrdiff_t j) {
                        if (++elements > 4000) return;
                        for (int k = 0; k < 2; ++k) {
                          const Triangle t = ground->triangle(i, j, k, body.centre);
                          const Gap found = greatest_depth_along_normal(body, t, exact);
                          if (!(found.gap > exact)) continue;
                          const auto in =
                              solid_along_ray(*ground, body.centre + found.point, t.normal(), found.gap + 1.0);
                          if (!in.empty() && in[0].lo <= 1e-6 && in[0].hi >= found.gap - 1e-6) exact = found.gap;
                        }
                      });
    if (elements > 4000 || exact <= 0.0) return;
    const bool shallow = overlap.depth < 0.2 * body.width();
    const double allowed = kMetres + kFraction * exact, error = (deepest - exact) / allowed;
    const std::string name = shallow ? "shallow" : "deep";
    out.statistics[name + ": (deepest reported - deepest under an element) / allowed"].push_back(error);
    if (std::abs(error) > 1.0) ++out.counts[name + " bodies whose deepest contact is not the deepest under an element"];
  }
};

}  // namespace

Findings check_frame(const SceneFile& scene, const ContactFile& contacts, std::size_t frame, unsigned threads) {
  // Rows of each body against terrain: contiguous, as the order check demands.
  std::vector<std::pair<std::size_t, std::size_t>> range(scene.bodies, {0, 0});
  for (std::size_t r = contacts.frame_offset[frame]; r < contacts.frame_offset[frame + 1]; ++r) {
    const ContactRow& row = contacts.rows[r];
    if (row.body_b != kTerrain || row.body_a >= scene.bodies) continue;
    auto& [first, last] = range[row.body_a];
    if (first == last) first = r;
    last = r + 1;
  }
  Findings all;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> pool;
  for (unsigned k = 0; k < std::max(1U, threads); ++k) {
    pool.emplace_back([&] {
      Findings mine;
      for (std::size_t b = next++; b < scene.bodies; b = next++) {
        if (scene.shape[b] == kHalfSpace) continue;  // meets no terrain
        BodyCheck check{scene, contacts, frame, b, range[b].first, range[b].second, mine, {}, nullptr};
        check.run();
      }
      const std::scoped_lock lock(mutex);
      all.add(mine);
    });
  }
  for (std::thread& t : pool) t.join();
  return all;
}

}  // namespace oracle
