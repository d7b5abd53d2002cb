// Kind 1: points of the body on triangles.
#include <algorithm>
#include <cmath>

#include "reference/narrow_phase/mesh_contact.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

constexpr double kInTriangle = 4e-6;     // slack [m]
constexpr double kAsLowAsLowest = 1e-9;  // of the size of a hull

struct BodyPoint {
  RoundedPoint x;
  GroundContact named;  // kind and index of the contact that it makes
  Conditions conditions;
  double uncertainty = 0.0;  // how far rounding may move it [m]
};

BodyPoint rounded(const RoundedPoint& x, std::size_t index) {
  GroundContact named;
  named.kind = ContactKind::rounded_point, named.index = static_cast<std::uint32_t>(index);
  return {x, named, {}};
}

// All balls.
std::vector<BodyPoint> balls_toward(const Body& body, dvec3 n) {
  std::vector<BodyPoint> points;
  for (const RoundedPoint& x : body.rounded_points()) {
    points.push_back(rounded(x, points.size()));
    require_on_capsule(points.back().conditions, body, x, n);
  }
  return points;
}

// A face by what it looks along, and the numbers of its corners.
struct Facing {
  dvec3 normal;
  std::vector<std::size_t> corners;
};
// The corners of the side that looks most nearly along -n; of sides that look so equally, the first.
std::vector<BodyPoint> corners_toward(const Body& body, const std::vector<Facing>& sides, dvec3 n) {
  double most = -2.0;
  for (const Facing& side : sides) most = std::max(most, -glm::dot(side.normal, n));
  std::vector<const Facing*> as_near;
  for (const Facing& side : sides)
    if (-glm::dot(side.normal, n) > most - kDirectionSlack) as_near.push_back(&side);
  const auto chosen = std::find_if(as_near.begin(), as_near.end(),
                                   [&](const Facing* side) { return -glm::dot(side->normal, n) == most; });
  const std::vector<RoundedPoint> corners = body.rounded_points();
  std::vector<BodyPoint> points;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const auto has = [&](const Facing* side) {
      return std::find(side->corners.begin(), side->corners.end(), k) != side->corners.end();
    };
    const auto times = std::count_if(as_near.begin(), as_near.end(), has);
    if (times == 0) continue;
    points.push_back(rounded(corners[k], k));
    if (!has(*chosen)) points.back().conditions.may_hold();
    if (static_cast<std::size_t>(times) < as_near.size()) points.back().conditions.may_fail();
  }
  return points;
}

std::vector<BodyPoint> sphere_points_toward(const Body& body, dvec3 n, dvec3 /*along*/) {
  return balls_toward(body, n);
}
std::vector<BodyPoint> capsule_points_toward(const Body& body, dvec3 n, dvec3 /*along*/) {
  return balls_toward(body, n);
}
std::vector<BodyPoint> box_points_toward(const Body& body, dvec3 n, dvec3 /*along*/) {
  std::vector<Facing> sides;
  for (std::size_t a = 0; a < 3; ++a)
    for (const bool upper : {false, true}) {
      Facing side{upper ? body.axes[static_cast<int>(a)] : -body.axes[static_cast<int>(a)], {}};
      for (std::size_t k = 0; k < 8; ++k)  // bit a of a corner's number: it is at the upper end of axis a
        if (((k >> a & 1U) != 0) == upper) side.corners.push_back(k);
      sides.push_back(side);
    }
  return corners_toward(body, sides, n);
}
std::vector<BodyPoint> convex_hull_points_toward(const Body& body, dvec3 n, dvec3 /*along*/) {
  // The faces at the lowest vertices; further ones where rounding may take other vertices for the lowest.
  const dvec3 lowest = body.support(-n);
  std::vector<Facing> lowest_sides, low_sides;
  for (std::size_t f = 0; f < body.hull->faces.size(); ++f) {
    const auto loop = body.hull->loop(f);
    const auto has_corner_within = [&](double height) {
      return std::any_of(loop.begin(), loop.end(), [&](std::uint32_t v) {
        return glm::dot(body.axes * dvec3(body.hull->vertices[v]) - lowest, n) <= height;
      });
    };
    if (!has_corner_within(kLengthSlack)) continue;
    low_sides.push_back({body.axes * body.hull->faces[f].normal, {loop.begin(), loop.end()}});
    if (has_corner_within(kAsLowAsLowest * body.bounding_radius())) lowest_sides.push_back(low_sides.back());
  }
  std::vector<BodyPoint> points = corners_toward(body, lowest_sides, n);
  if (low_sides.size() == lowest_sides.size()) return points;
  const std::vector<BodyPoint> others = corners_toward(body, low_sides, n);
  const auto is_among = [](const BodyPoint& point, const std::vector<BodyPoint>& all) {
    return std::any_of(all.begin(), all.end(), [&](const BodyPoint& p) { return p.named.index == point.named.index; });
  };
  for (BodyPoint& point : points)
    if (!is_among(point, others)) point.conditions.may_fail();
  for (BodyPoint other : others) {
    if (is_among(other, points)) continue;
    other.conditions.may_hold();
    points.push_back(other);
  }
  return points;
}
std::vector<BodyPoint> cylinder_points_toward(const Body& body, dvec3 n, dvec3 along) {
  std::vector<BodyPoint> points;
  for (const RimPoint& rim : rim_points(body, n, along)) {
    GroundContact named;
    named.kind = ContactKind::rim, named.index = rim.index;
    points.push_back({{rim.point, 0.0}, named, rim.conditions, rim.uncertainty});
  }
  return points;
}

std::vector<BodyPoint> points_toward(const Body& body, dvec3 n, dvec3 along) {
#define OCLIDE_POINTS(NAME, name) \
  if (body.shape == Shape::name) return name##_points_toward(body, n, along);
  OCLIDE_CONVEX_SHAPES(OCLIDE_POINTS)
#undef OCLIDE_POINTS
  no_geometry("point toward a triangle", body.shape);
}

// The foot is in the triangle. Beyond a flat edge the other triangle has it, so that rounding there decides nothing but
// which of the two.
Conditions in_triangle(const SeenTriangle& t, dvec3 foot, double distance, double uncertainty) {
  Conditions conditions;
  for (std::size_t k = 0; k < 3; ++k) {
    const double inside = glm::dot(foot - t.plane.v[k], t.plane.inward[k]) + kInTriangle;
    if (!t.flat[k]) {
      conditions.within(inside, kLengthSlack + uncertainty);
    } else if (const double beyond = inside + kFlatSine * distance; beyond < 0.0) {
      conditions.within(beyond, kLengthSlack + uncertainty);
    }
  }
  return conditions;
}

// Of a cylinder that stands on a triangle rounding decides which way its base's points lie: a direction that depends on
// the mesh's axes and the triangle's normal alone.
dvec3 along_triangle(const MeshView& view, dvec3 n) {
  const dvec3 in_mesh = n * view.axes;
  const dvec3 axis = std::abs(in_mesh.x) < 0.9 ? view.axes[0] : view.axes[1];
  return glm::normalize(axis - glm::dot(axis, n) * n);
}

}  // namespace

void add_points(MeshSearch& search) {
  for (const SeenTriangle& t : search.surface.triangles) {
    const dvec3 n = t.plane.normal;
    if (const dvec3 lowest = search.body.support(-n); t.plane.depth_of(lowest) < -search.margin - kLengthSlack)
      continue;
    Conditions reached;
    reached.length(search.margin - t.plane.depth_of(search.body.support(n)));
    if (!reached.possible()) continue;
    const Conditions in_body = is_in_body(search, t);
    for (const BodyPoint& point : points_toward(search.body, n, along_triangle(search.surface.view, n))) {
      const double s = t.plane.depth_of(point.x.centre);
      GroundContact contact = point.named;
      contact.normal = n, contact.depth = point.x.radius + s, contact.point = point.x.centre - point.x.radius * n;
      contact.ground = t.plane.id;
      Conditions conditions = t.takes_part;
      conditions.also(reached);
      conditions.also(point.conditions);
      Conditions shallow;
      shallow.length(kTouch - contact.depth);
      if (!search.eye.in_solid) conditions.also_either(shallow, in_body);
      conditions.also(in_triangle(t, point.x.centre + s * n, std::abs(s), point.uncertainty));
      search.add(contact, t.triangle, conditions);
    }
  }
}

}  // namespace oclide::reference
