// Box against terrain: eight rounded points of radius 0, faces and edges on the ground's convex edges, vertices of the
// ground inside.
#include <cmath>

#include "reference/narrow_phase/edge_contact.hpp"
#include "reference/narrow_phase/vertex_contact.hpp"

namespace oclide::reference {

void box_on_edge(const Body& box, const Edge& edge, const OnEdge& add) {
  for (const EdgeNormal& root : edge_normals(box, edge)) {
    Conditions no_line;  // that none of its edges lies along the ground's
    add_line_on_edge(box, edge, root, no_line, add);
    if (!no_line.possible()) continue;
    Conditions no_face = no_line;  // nor that a face looks along -m and holds a part of the edge
    for (int k = 0; k < 3; ++k) {
      const double along = glm::dot(box.axes[k], root.m);
      Conditions looks = no_line;
      looks.direction(std::abs(along) - kLooksAtEdge);
      if (!looks.possible()) continue;
      auto part_in_face = [&](dvec3 p, dvec3 d) {
        Interval part{-1e30, 1e30};
        for (int j = 0; j < 3; ++j) {
          if (j == k) continue;
          const double x = glm::dot(box.axes[j], p), slope = glm::dot(box.axes[j], d);
          if (std::abs(slope) < kLevel) {
            part.room = std::min(part.room, box.size[j] - std::abs(x));
            continue;
          }
          const double t1 = (-box.size[j] - x) / slope, t2 = (box.size[j] - x) / slope;
          part.lo = std::max(part.lo, std::min(t1, t2)), part.hi = std::min(part.hi, std::max(t1, t2));
        }
        return part;
      };
      const dvec3 f = along > 0.0 ? -box.axes[k] : box.axes[k];
      const FaceContacts face = face_contacts(edge, root.m, f, box.size[k], looks, part_in_face);
      for (const EdgeContact& contact : face.contacts) add(root, contact, contact.end);
      require_no_part(no_face, face);
    }
    if (!no_face.possible()) continue;
    // The box edge that supports at m*: the axis most nearly across m*.
    int k = 0;
    for (int j = 1; j < 3; ++j)
      if (std::abs(glm::dot(box.axes[j], root.m)) < std::abs(glm::dot(box.axes[k], root.m))) k = j;
    dvec3 middle(0.0);
    for (int j = 0; j < 3; ++j)
      if (j != k) middle += box.axes[j] * std::copysign(box.size[j], -glm::dot(box.axes[j], root.m));
    const auto crossing = crossing_along(edge, root.m, middle, box.axes[k]);
    if (!crossing) {
      // It lies along the ground's edge, by rounding not over it: its ends may be taken.
      EdgeContact contact = support_on_edge(box, edge, root.m, no_face);
      const dvec3 side = glm::normalize(glm::cross(edge.direction, root.m));
      contact.conditions.may_hold();
      contact.conditions.length(kLengthSlack - std::abs(glm::dot(contact.on_edge - edge.a, side)));
      add(root, contact, 6 + static_cast<std::uint32_t>(k));
      continue;
    }
    EdgeContact contact{edge.a + crossing->t * edge.direction, 0.0, no_face};
    contact.depth = glm::dot(contact.on_edge - (middle + crossing->u * box.axes[k]), root.m);
    require_up_to_end(contact.conditions, box.size[k] - std::abs(crossing->u));
    require_on_edge(contact.conditions, edge, crossing->t);
    add(root, contact, 6 + static_cast<std::uint32_t>(k));
  }
}

std::vector<WayOut> box_ways_out(const Body& box, dvec3 at) {
  const dvec3 x = at * box.axes;
  std::vector<WayOut> ways;
  for (int k = 0; k < 6; ++k) {
    const int a = k / 2;
    const double side = k % 2 == 0 ? -1.0 : 1.0;  // of the face it leaves by
    WayOut way{.m = -side * box.axes[a],
               .depth = box.size[a] - side * x[a],
               .conditions = {},
               .uncertainty = 0.0,
               .side = static_cast<std::uint32_t>(k)};
    for (int j = 0; j < 3; ++j)
      if (j != a) way.conditions.length(box.size[j] + kOffSide - std::abs(x[j]));
    way.conditions.length(box.size[a] + side * x[a]);
    ways.push_back(way);
  }
  return ways;
}

void box_terrain(ContactSearch& search) {
  add_rounded_points(search);
  for (const Edge& edge : search.ground.edges) {
    if (edge.kind == EdgeKind::concave || out_of_reach(search.body, edge, search.margin)) continue;
    box_on_edge(search.body, edge, [&](const EdgeNormal& root, const EdgeContact& at, std::uint32_t index) {
      add_edge_contact(search, edge, root, at, index);
    });
  }
  for (const Vertex& v : search.ground.vertices) add_shortest_way_out(search, v, box_ways_out(search.body, v.position));
}

}  // namespace oclide::reference
