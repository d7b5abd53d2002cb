// Kind 3: vertices in or near the body.
#include <algorithm>
#include <cmath>

#include "reference/narrow_phase/mesh_contact.hpp"
#include "reference/narrow_phase/vertex_contact.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

constexpr double kInCone = 1e-5;  // slack of a component of m

// Of a core, which is a point or a segment, with a radius: one way, in the body and outside.
std::vector<WayOut> way_off_core(const Body& body, dvec3 at) {
  dvec3 core(0.0);
  std::uint32_t side = 0;
  if (body.shape == Shape::capsule) {
    const double z = glm::dot(at, body.axis());
    core = std::clamp(z, -body.half_length(), body.half_length()) * body.axis();
    side = capsule_side(body, z);
  }
  const double distance = glm::distance(core, at);
  if (distance == 0.0) return {};
  return {{(core - at) / distance, body.radius() - distance, {}, kLengthSlack / distance, side}};
}

static_assert(CONVEX_SHAPES == (1U << SHAPE_SPHERE | 1U << SHAPE_BOX | 1U << SHAPE_CYLINDER | 1U << SHAPE_CAPSULE |
                                1U << SHAPE_CONVEX_HULL),
              "ways_out() has a case for each");
std::vector<WayOut> ways_out(const Body& body, dvec3 at) {
  if (body.shape == Shape::sphere || body.shape == Shape::capsule) return way_off_core(body, at);
  std::vector<WayOut> ways;
  Conditions inside, outside;
  const double distance = body.signed_distance(at);
  inside.length(-distance), outside.length(distance);
  if (inside.possible()) {
    if (body.shape == Shape::box) ways = box_ways_out(body, at);
    if (body.shape == Shape::cylinder) ways = cylinder_ways_out(body, at);
    if (body.shape == Shape::convex_hull) ways = convex_hull_ways_out(body, at, kLengthSlack);
    for (WayOut& way : ways) {
      way.conditions.also(inside);
      for (const WayOut& other : ways)
        if (&other != &way) require_shortest(way.conditions, body, way, other);
    }
  }
  if (outside.possible() && distance > 0.0) {
    const dvec3 p = body.nearest(at);
    ways.push_back({(p - at) / distance, -distance, outside, kLengthSlack / distance, 8});
  }
  return ways;
}

}  // namespace

void add_vertices(MeshSearch& search) {
  for (const SeenVertex& seen : search.surface.vertices) {
    const dvec3 v = seen.vertex.position;
    if (glm::length(v) > search.body.bounding_radius() + search.margin + kLengthSlack) continue;
    for (const WayOut& way : ways_out(search.body, v)) {
      Conditions conditions = seen.takes_part;
      conditions.also(way.conditions);
      for (const dvec3& e : seen.vertex.leaving)
        conditions.within(kInCone - glm::dot(way.m, e), kDirectionSlack + way.uncertainty);
      GroundContact contact;
      contact.kind = ContactKind::vertex, contact.index = way.side, contact.ground = seen.vertex.id;
      contact.normal = way.m, contact.depth = way.depth, contact.point = v - way.depth * way.m;
      contact.normal_uncertainty = way.uncertainty;
      search.add(contact, seen.triangle, conditions);
    }
  }
}

}  // namespace oclide::reference
