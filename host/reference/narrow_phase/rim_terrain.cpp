// Kind 2: the lowest points of a cylinder's rims, and of a capsule's side, on the planes of elements.
//
//            ________            v   axis          For a plane with normal n: A1 and A2 are the lowest points of the
//           /   C2   \  A2       |                 rims, B1 is across from A1 on the lower base, the two D1 lie
//          |    |     |          n (plane)         between them. B1 and D1 matter where the base looks at the plane.
//           B1__C1___/ A1
#include <cmath>

#include "reference/narrow_phase/ground_contact.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

constexpr double kTurned = 4e-7;     // of a direction by rounding [rad]
constexpr double kAlongAxis = 1e-5;  // sine up to which n is along the axis

std::vector<RimPoint> sphere_rim_points(const Body& /*body*/, dvec3 /*n*/, dvec3 /*along*/) {
  return {};
}
std::vector<RimPoint> convex_hull_rim_points(const Body& /*body*/, dvec3 /*n*/, dvec3 /*along*/) {
  return {};
}
std::vector<RimPoint> box_rim_points(const Body& /*body*/, dvec3 /*n*/, dvec3 /*along*/) {
  return {};
}
// What a plane with normal n and a direction `along` in it sees of the round side.
struct RoundSide {
  dvec3 c1, c2;     // middles of the ends, the lower first
  dvec3 w, across;  // across the axis toward the plane, and along the rims there, unit
  double cosine;    // of axis and normal
  double turned;    // how far rounding may have turned the points at w [m]
};

RoundSide round_side(const Body& body, dvec3 n, dvec3 along) {
  const dvec3 v = body.axis();
  const double r = body.radius(), h = body.half_length(), cosine = glm::dot(v, n);
  const double sine = glm::length(glm::cross(v, n));
  const dvec3 w = sine < kAlongAxis ? glm::normalize(along - glm::dot(along, v) * v) : glm::normalize(cosine * v - n);
  // What is left of n across the axis turns the more by rounding the less it is.
  const double turned = sine < kAlongAxis - kTurned ? 0.0 : r * std::min(2.0, kTurned / sine);
  const dvec3 c1 = cosine >= 0.0 ? -h * v : h * v;
  return {c1, -c1, w, glm::cross(v, w), cosine, turned};
}

std::vector<RimPoint> cylinder_rim_points(const Body& body, dvec3 n, dvec3 along) {
  const auto [c1, c2, w, across, cosine, turned] = round_side(body, n, along);
  const double r = body.radius();
  Conditions base;
  base.direction(std::abs(cosine) - kHalfRightAngle);
  const std::uint32_t lower = cosine >= 0.0 ? 0 : 4, upper = 4 - lower;
  return {{c1 + r * w, lower, {}, turned},
          {c2 + r * w, upper, {}, turned},
          {c1 - r * w, lower + 1, base, turned},
          {c1 + r * across, lower + 2, base, turned},
          {c1 - r * across, lower + 3, base, turned}};
}
std::vector<RimPoint> capsule_rim_points(const Body& body, dvec3 n, dvec3 along) {
  const RoundSide s = round_side(body, n, along);
  Conditions side;
  side.direction(kHalfRightAngle - std::abs(s.cosine));
  // Of a level one rounding may choose the upper end.
  Conditions upper = side, lower = side;
  upper.direction(std::abs(s.cosine));
  lower.direction(-std::abs(s.cosine));
  const bool forward = s.cosine >= 0.0;
  return {{s.c2 + body.radius() * s.w, forward ? 1u : 0u, upper, s.turned},
          {s.c1 + body.radius() * s.w, forward ? 0u : 1u, lower, s.turned}};
}

}  // namespace

std::vector<RimPoint> rim_points(const Body& body, dvec3 n, dvec3 along) {
#define OCLIDE_RIM(NAME, name) \
  if (body.shape == Shape::name) return name##_rim_points(body, n, along);
  OCLIDE_CONVEX_SHAPES(OCLIDE_RIM)
#undef OCLIDE_RIM
  no_geometry("rim", body.shape);
}

void add_rims(ContactSearch& search) {
  for (const Element& e : search.ground.elements)
    for (const RimPoint& rim : rim_points(search.body, e.normal, e.along)) {
      const dvec3 p = rim.point;
      const double s = e.depth_of(p);
      if (s <= -search.margin - kLengthSlack || !rim.conditions.possible()) continue;
      GroundContact contact{.point = p,
                            .normal = e.normal,
                            .depth = s,
                            .kind = ContactKind::rim,
                            .index = rim.index,
                            .ground = e.id,
                            .material = e.material};
      Conditions foot = rim.conditions, surface, others;
      const dvec3 q = p + s * e.normal;
      foot.within(e.inside(q, std::abs(s) * kFlatSine), foot_slack(e) + rim.uncertainty);
      search.require_near_surface(foot, e, q);
      surface.within(e.inside(q), foot_slack(e) + rim.uncertainty);
      if (foot.possible()) {
        if (s > 0.0) search.require_below(others, p, s);
        search.add_foot(contact, foot, surface, others);
      }
      Conditions under = rim.conditions;
      under.within(e.inside_outline(dvec2(p)), kLengthSlack + rim.uncertainty);
      // Each element under which a rim point stands gives another of them, so which one is near enough is a matter of
      // rounding: none of them alone must be found.
      under.may_fail();
      if (s > 0.0) search.add_nearest_beyond(contact, p, 0.0, under);
    }
}

}  // namespace oclide::reference
