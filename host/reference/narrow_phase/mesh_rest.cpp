// Kind 4: how far each triangle is in the body, against its normal.
#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/narrow_phase/mesh_contact.hpp"

namespace oclide::reference {
namespace {

constexpr double kLeastRest = 2e-5;     // [m]
constexpr double kAsGreatPart = 0.02;   // rests that are greater by less are as great
constexpr double kTieLength = 1e-6;     // [m], and
constexpr double kTiePart = 1e-6;       // of the bounding radius: what is greater by no more is no greater
constexpr double kInside = 4e-6;        // slack of a place in a triangle; so deep a place is in the body, at least [m],
constexpr double kInsidePart = 2.4e-7;  // and this much of the bounding radius,
constexpr double kInsideThin = 0.1;     // or as much of how deep its middle is

// How deep in the body a place is that is in it, at least [m].
double least_inside(const Body& body) {
  return std::min(kInside + kInsidePart * body.bounding_radius(), -kInsideThin * body.signed_distance(body.middle()));
}

// A point q of a triangle that is in the body, and how far the body goes on below it.
struct RestPlace {
  double y;  // [m]
  dvec3 q;
  Conditions conditions;
};

class RestPlaces {
 public:
  RestPlaces(const Body& body, dvec3 n) : body_(body), n_(n), least_inside_(least_inside(body)) {}

  void add(dvec3 q, Conditions conditions) { add(q, conditions, least_inside_); }
  // On the way from the eye to the lowest point: what touches the body only is not there.
  void add_on_way(dvec3 q, Conditions conditions) { add(q, conditions, 0.0); }

  std::vector<RestPlace> all;

 private:
  void add(dvec3 q, Conditions conditions, double least_inside) {
    const double outside = body_.signed_distance(q);
    conditions.length(-outside - least_inside);
    // A point on the surface, where the line along n may pass the body by.
    if (outside > -kLengthSlack) conditions.may_fail();
    if (!conditions.possible()) return;
    if (const auto line = body_.interval_on_line(q, n_)) all.push_back({-line->lo, q, conditions});
  }

  const Body& body_;
  dvec3 n_;
  double least_inside_;  // [m]
};

// The body's lowest point along n, and where rounding decides which one that is, the others.
struct LowestPlace {
  dvec3 position;
  Conditions conditions;
};
std::vector<LowestPlace> lowest_places(const Body& body, dvec3 n) {
  std::vector<LowestPlace> points{{body.support(-n), {}}};
  const dvec3 lowest = points[0].position;
  std::vector<dvec3> others;
  if (body.shape == Shape::box || body.shape == Shape::convex_hull)
    for (const RoundedPoint& corner : body.rounded_points()) others.push_back(corner.centre);
  if (body.shape == Shape::cylinder || body.shape == Shape::capsule)
    others.push_back(lowest - 2.0 * std::clamp(glm::dot(lowest, body.axis()), -body.half_length(), body.half_length()) *
                                  body.axis());
  for (const dvec3& p : others) {
    if (glm::dot(p - lowest, n) > kLengthSlack || glm::distance(p, lowest) < kSamePoint) continue;
    points[0].conditions.may_fail();
    points.push_back({p, {}});
    points.back().conditions.may_hold();
  }
  return points;
}

Conditions on_triangle(const SeenTriangle& t, dvec3 q) {
  Conditions conditions;
  conditions.length(t.plane.inside(q) + kInside);
  return conditions;
}

std::vector<RestPlace> places_of(const MeshSearch& search, const SeenTriangle& t) {
  const Body& body = search.body;
  const dvec3 n = t.plane.normal;
  RestPlaces places(body, n);
  for (const dvec3& v : t.plane.v) places.add(v, {});
  for (std::size_t k = 0; k < 3; ++k) {
    const dvec3 from = t.plane.v[k], along = t.plane.v[(k + 1) % 3] - from;
    const double length = glm::length(along);
    const auto part = body.interval_on_line(from, along / length);
    if (!part) continue;
    const double lo = std::max(part->lo, 0.0), hi = std::min(part->hi, length);
    Conditions meets;
    meets.length(hi - lo);
    places.add(from + 0.5 * (lo + hi) * along / length, meets);
  }
  const dvec3 eye = search.eye.position;
  const double eye_below = t.plane.depth_of(eye);
  for (const LowestPlace& lowest : lowest_places(body, n)) {
    const double below = t.plane.depth_of(lowest.position);
    const dvec3 foot = lowest.position + below * n;
    Conditions is_foot = on_triangle(t, foot);
    is_foot.also(lowest.conditions);
    places.add(foot, is_foot);
    if (!(below > 0.0 && below > eye_below)) continue;
    const double part = std::clamp(-eye_below / (below - eye_below), 0.0, 1.0);
    const dvec3 crossing = eye + part * (lowest.position - eye);
    Conditions crosses = on_triangle(t, crossing);
    crosses.also(lowest.conditions);
    places.add_on_way(crossing, crosses);
  }
  return std::move(places.all);
}

}  // namespace

Conditions is_in_body(const MeshSearch& search, const SeenTriangle& triangle) {
  Conditions any;
  any.flag(false);
  for (const RestPlace& place : places_of(search, triangle)) any.or_else(place.conditions);
  return any;
}

Conditions is_in_body(const Body& body, const Edge& edge) {
  Conditions conditions;
  const auto line = body.interval_on_line(edge.a, edge.direction);
  conditions.flag(line.has_value());
  if (!line) return conditions;
  const double lo = std::max(line->lo, 0.0), hi = std::min(line->hi, edge.length);
  conditions.length(hi - lo);
  conditions.length(-body.signed_distance(edge.a + 0.5 * (lo + hi) * edge.direction) - least_inside(body));
  return conditions;
}

void add_rests(MeshSearch& search) {
  const auto add = [&](const RestPlace& place, dvec3 n, std::size_t triangle, std::uint32_t ground,
                       Conditions conditions, std::optional<double> to_eye = {}) {
    GroundContact contact;
    contact.kind = ContactKind::lift, contact.ground = ground;
    contact.normal = n, contact.depth = place.y, contact.point = place.q - place.y * n;
    conditions.also(place.conditions);
    conditions.length(place.y - kLeastRest);
    search.add_rest(contact, triangle, conditions, to_eye);
  };
  const auto add_triangle = [&](const SeenTriangle& t) {
    const std::vector<RestPlace> places = places_of(search, t);
    const double tie = kTieLength + kTiePart * search.body.bounding_radius();
    const RestPlace* greatest = nullptr;
    double surely = 0.0, any = 0.0;  // the greatest of those that are certain, and of all
    for (const RestPlace& place : places) {
      any = std::max(any, place.y);
      if (place.conditions.held() && (!greatest || place.y > greatest->y + tie)) greatest = &place;
      if (place.conditions.certain()) surely = std::max(surely, place.y);
    }
    for (const RestPlace& place : places) {
      if (place.y < surely * (1.0 - kAsGreatPart) - kLengthSlack) continue;
      Conditions conditions = t.takes_part;
      if (&place != greatest) conditions.may_hold();
      // One that all but holds may be the greatest in its place.
      if (any > place.y + tie) conditions.may_fail();
      add(place, t.plane.normal, t.triangle, t.plane.id, conditions);
    }
  };
  for (const SeenTriangle& t : search.surface.hidden) add_triangle(t);
  search.hidden_rests = std::exchange(search.rests, {});
  for (const SeenTriangle& t : search.surface.triangles) add_triangle(t);
  if (!search.eye.in_solid) return;
  if (const auto line = search.body.interval_on_line(search.eye.position, search.eye.out)) {
    const MeshTriangle& on = search.surface.view.mesh.triangles[search.eye.triangle];
    add({-line->lo, search.eye.position, {}}, search.eye.out, search.eye.triangle, joined_feature(1, on.face), {},
        glm::distance(search.eye.position, search.body.middle()));
  }
}

}  // namespace oclide::reference
