// Kind 5: bodies whose centre is beyond the border, or over an open cell, against the vertical sides of the solid.
#include "reference/narrow_phase/ground_contact.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {

void add_walls(ContactSearch& search) {
  const Body& body = search.body;
  Conditions centre;
  centre.length(-search.ground.view.inside_solid(dvec2(body.middle())));
  if (!centre.possible()) return;
  for (const Edge& edge : search.ground.edges) {
    if (!edge.border) continue;
    const dvec3 w = edge.n2;
    // The edge has a point in common with the body's bounding rectangle.
    Conditions under = centre;
    under.also(search.under_body(edge.a, edge.b));
    auto add = [&](std::uint32_t index, dvec3 p, Conditions conditions, bool ball_outside) {
      conditions.also(under);
      const double s = glm::dot(edge.a - p, w);
      conditions.length(s);
      if (s <= 0.0) conditions.may_hold();
      const dvec2 ab(edge.b - edge.a);
      const double run = glm::length(ab), t = glm::dot(dvec2(p - edge.a), ab) / run;
      conditions.length(t);
      conditions.length(run - t);
      conditions.length(edge.a.z + t / run * (edge.b.z - edge.a.z) - p.z);
      if (!conditions.possible()) return;
      if (!ball_outside) search.require_below(conditions, p, s);
      search.add({.point = p,
                  .normal = w,
                  .depth = s,
                  .kind = ContactKind::wall,
                  .index = index,
                  .ground = edge.id,
                  .material = edge.material},
                 conditions, ball_outside ? WayOutRule::free : WayOutRule::in_ground);
    };
    std::uint32_t index = 0;
    for (const RoundedPoint& x : body.rounded_points()) {
      // A ball whose centre is outside the wall has no shorter way but straight out of it.
      const double beyond = x.radius > 0.0 ? glm::dot(x.centre - edge.a, w) : -2.0 * kLengthSlack;
      Conditions outside;
      require_on_capsule(outside, body, x, w);
      Conditions inside = outside;
      outside.length(beyond), inside.length(-beyond);
      // One that is all but on the wall's plane may be found on either side of it.
      if (beyond == 0.0) inside.may_hold();
      if (outside.possible()) add(index, x.centre - x.radius * w, outside, true);
      if (inside.possible()) add(index, x.centre - x.radius * w, inside, false);
      ++index;
    }
    static_assert(SHARP_SHAPES == (1u << SHAPE_BOX | 1u << SHAPE_CYLINDER | 1u << SHAPE_CONVEX_HULL),
                  "of sharp shapes cylinders alone have rims");
    if (body.shape == Shape::cylinder)
      for (const RimPoint& p : rim_points(body, w, {0.0, 0.0, 1.0})) add(index++, p.point, p.conditions, false);
  }
}

}  // namespace oclide::reference
