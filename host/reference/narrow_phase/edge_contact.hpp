// Kind 3: the body's sides on an edge of the ground.
#pragma once

#include <functional>
#include <optional>

#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {

/// An edge of a body, between two of its corners [m].
struct BodyEdge {
  dvec3 from, to;
};
/// Of a box or hull; none of others.
[[nodiscard]] std::vector<BodyEdge> lines_of(const Body& body);

/// A direction m* in which the body's lowest point passes an edge.
struct EdgeNormal {
  dvec3 m;
  Conditions conditions;
  double uncertainty;  // how far rounding may turn it [rad]
};
[[nodiscard]] std::vector<EdgeNormal> edge_normals(const Body& body, const Edge& edge);

/// A point Q of the edge, and its depth along m.
struct EdgeContact {
  dvec3 on_edge;
  double depth;
  Conditions conditions;
  std::uint32_t end = 0;  // which end of the body's part, as seen along the edge
};

/// Which end of the body the end `last` of a part is at. One that is alone where the edge begins, or ends, is where the
/// body ends: its other end is past the edge, on the next one along the same line.
[[nodiscard]] std::uint32_t end_of_body(const Edge& edge, double from, double to, bool last);

/// Takes what a body has on an edge: a contact along a root, and the number of the body's side.
using OnEdge = std::function<void(const EdgeNormal& root, const EdgeContact& at, std::uint32_t index)>;

// Of one edge that is not concave (of a cylinder any edge): all contacts along its roots, whatever else they ask for.
void box_on_edge(const Body& box, const Edge& edge, const OnEdge& add);
void cylinder_on_edge(const Body& cylinder, const Edge& edge, const OnEdge& add);
void capsule_on_edge(const Body& capsule, const Edge& edge, const OnEdge& add);
void convex_hull_on_edge(const Body& hull, const Edge& edge, const OnEdge& add);

/// No contact of kind 3 is possible: the edge is flat, or no point of it is near the body.
[[nodiscard]] bool out_of_reach(const Body& body, const Edge& edge, double margin);

struct Interval {
  double lo, hi;
  double room = 1e30;  // how far the line is inside the sides along it, negative outside [m]
};

/// What a side of the body that may look along -m has of an edge.
struct FaceContacts {
  Conditions has_part;  // it looks so, and there is a part of the edge on it
  std::vector<EdgeContact> contacts;
};
/// Both ends of the part of an edge whose image along m on the body's face {f.x = half} lies in that face.
/// `part_in_face(p, d)` cuts the line p + t d in the face's plane with the face; `looks`: that the face looks along -m.
[[nodiscard]] FaceContacts face_contacts(const Edge& edge, dvec3 m, dvec3 f, double half, const Conditions& looks,
                                         const std::function<Interval(dvec3, dvec3)>& part_in_face);
/// Makes `no_face` the condition that this face has no part of the edge either.
void require_no_part(Conditions& no_face, const FaceContacts& face);

/// Both ends of the overlap of the edge with one of the body's own that supports along m, is parallel to it and over
/// it. Makes `no_line` the condition that there is none.
void add_line_on_edge(const Body& body, const Edge& edge, const EdgeNormal& root, Conditions& no_line,
                      const OnEdge& add);

/// Where an edge, at a + t direction, crosses the line point + u direction as seen along m; empty where parallel.
struct Crossing {
  double t, u;
};
[[nodiscard]] std::optional<Crossing> crossing_along(const Edge& edge, dvec3 m, dvec3 point, dvec3 direction);

void require_on_edge(Conditions& conditions, const Edge& edge, double t);
/// The condition of a place that is past an end by rounding alone: of a corner that stands over the edge.
void require_up_to_end(Conditions& conditions, double metres);

/// The body's lowest point along m, as a contact with the edge over it.
[[nodiscard]] EdgeContact support_on_edge(const Body& body, const Edge& edge, dvec3 m, const Conditions& conditions);

/// A contact along m at a point of an edge; `uncertainty` as of an EdgeNormal, `index` of the body's side.
[[nodiscard]] GroundContact contact_on_edge(const Edge& edge, dvec3 m, double uncertainty, const EdgeContact& at,
                                            std::uint32_t index);

/// The condition that `depth` is no longer a way out than that off one of the elements, or than `other`.
void require_short_way(Conditions& conditions, const Body& body, const Edge& edge, double depth, double other);

void add_edge_contact(ContactSearch& search, const Edge& edge, const EdgeNormal& root, EdgeContact at,
                      std::uint32_t index);

}  // namespace oclide::reference
