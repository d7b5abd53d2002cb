#include "reference/mesh_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reference/mesh_tree.hpp"

namespace oclide::reference {
namespace {

constexpr double kBehind = 1e-5;      // the eye may be this far behind a plane [m],
constexpr double kBehindPart = 1e-6;  // and this part of the distance
constexpr double kAsNearPart = 2e-6;  // of a distance: places that are nearer by less are as near
constexpr double kSamePlace = 1e-4;   // eyes this near to each other see the same [m]
constexpr std::size_t kMostEyes = 32;

// Numbers of a face, an edge and a vertex, apart from each other.
std::uint32_t face_id(std::uint32_t face) {
  return joined_feature(1, face);
}
std::uint32_t ridge_id(std::uint32_t first_edge) {
  return joined_feature(2, first_edge);
}
std::uint32_t vertex_id(const TriangleMesh& mesh, std::uint32_t v) {
  return mesh.vertex_ridge[v] == kNone ? joined_feature(3, v) : ridge_id(mesh.vertex_ridge[v]);
}

// Of edges as they are seen from the back.
MeshEdge turned(MeshEdge edge) {
  if (edge == MeshEdge::convex) return MeshEdge::concave;
  return edge == MeshEdge::concave ? MeshEdge::convex : edge;
}

// Finds out what takes part. A side is 1 for the front, -1 for the back; a solid has no back.
class Sight {
 public:
  Sight(const MeshView& view, dvec3 eye) : view_(view), eye_(eye) {}

  [[nodiscard]] MeshEdge edge(std::size_t t, std::size_t k, double side) const {
    const MeshEdge front = view_.mesh.triangles[t].edges[k];
    return side > 0.0 ? front : turned(front);
  }
  [[nodiscard]] bool joined(std::size_t t, std::size_t k) const {
    return view_.mesh.triangles[t].edges[k] != MeshEdge::border;
  }

  // The triangle, as seen from this side, takes part.
  [[nodiscard]] Conditions takes_part(std::size_t t, double side) const {
    Conditions conditions = eye_before(t, side);
    if (view_.mesh.solid) return conditions;
    for (std::size_t k = 0; k < 3; ++k)
      if (edge(t, k, side) == MeshEdge::concave)
        conditions.also(eye_before(view_.mesh.triangles[t].neighbours[k], side));
    return conditions;
  }

  // It is on this side of the triangle's plane.
  [[nodiscard]] Conditions eye_before(std::size_t t, double side) const {
    const dvec3 from = view_.vertex(view_.mesh.triangles[t].vertices[0]);
    const double before = side * glm::dot(eye_ - from, view_.normal(t));
    const double slack = kBehind + kBehindPart * glm::distance(eye_, from);
    Conditions conditions;
    if (view_.mesh.solid) {
      conditions.within(before + slack, 0.5 * slack);
    } else {
      conditions.within(before, slack);
      if (before == 0.0 && side < 0.0) conditions.may_hold();  // one side is enough
    }
    return conditions;
  }

 private:
  const MeshView& view_;
  dvec3 eye_;
};

SeenTriangle seen_triangle(const MeshView& view, std::size_t t, double side, const Conditions& takes_part) {
  const MeshTriangle& triangle = view.mesh.triangles[t];
  SeenTriangle seen{};
  seen.triangle = t, seen.takes_part = takes_part;
  seen.plane.normal = side * view.normal(t);
  for (std::size_t k = 0; k < 3; ++k) {
    // Counter-clockwise seen from this side.
    const std::size_t from = side > 0.0 ? k : (4 - k) % 3, edge = side > 0.0 ? k : (3 - k) % 3;
    seen.plane.v[k] = view.vertex(triangle.vertices[from]);
    seen.flat[k] = triangle.edges[edge] == MeshEdge::flat;
    seen.plane.flat_k[k] = seen.flat[k] ? 1.0 : 0.0;
  }
  for (std::size_t k = 0; k < 3; ++k)
    seen.plane.inward[k] = glm::normalize(glm::cross(seen.plane.normal, seen.plane.v[(k + 1) % 3] - seen.plane.v[k]));
  seen.plane.id = face_id(triangle.face), seen.plane.material = triangle.material;
  return seen;
}

// Edge k of triangle t as seen from a side of it.
SeenEdge seen_edge(const MeshView& view, const Sight& sight, std::size_t t, std::size_t k, double side) {
  const MeshTriangle& triangle = view.mesh.triangles[t];
  const std::uint32_t from = triangle.vertices[k], to = triangle.vertices[(k + 1) % 3];
  SeenEdge seen{};
  Edge& e = seen.edge;
  e.a = view.vertex(from), e.b = view.vertex(to);
  e.length = glm::distance(e.a, e.b);
  e.direction = (e.b - e.a) / e.length;
  e.n1 = side * view.normal(t);
  e.into1 = glm::normalize(glm::cross(view.normal(t), e.direction));
  e.past = kFlatSine;
  seen.triangles = {t, t};
  seen.sides[0] = sight.takes_part(t, side);
  if (sight.joined(t, k)) {
    const std::size_t other = triangle.neighbours[k];
    e.n2 = side * view.normal(other);
    e.into2 = -glm::normalize(glm::cross(view.normal(other), e.direction));
    seen.sides[1] = sight.takes_part(other, side);
    seen.triangles[1] = other;
  } else {
    // Half a turn, by way of the direction out of the triangle.
    e.n2 = -e.n1, e.into2 = e.into1, seen.border = true;
    seen.sides[1].flag(false);
  }
  e.sine = glm::length(glm::cross(e.n1, e.n2));
  e.kind = sight.edge(t, k, side) == MeshEdge::concave ? EdgeKind::concave : EdgeKind::convex;
  e.ridge = e.kind == EdgeKind::convex;
  e.border = false;
  e.id = ridge_id(triangle.ridges[k].first), e.turned = triangle.ridges[k].turned, e.material = triangle.material;
  return seen;
}

}  // namespace

std::vector<Eye> eyes_of(const Body& body, const MeshView& view) {
  const dvec3 middle = body.middle();
  const Eye outside{middle, false, dvec3(0.0)};
  if (!view.mesh.solid) return {outside};
  const dvec3 c = view.in_mesh(middle);
  const bool in_solid = winding_number(view.mesh, c) > 0;
  const double far = glm::length(c) + view.mesh.bounding_radius;
  const double slack = kLengthSlack + 1e-7 * far;
  // Beside the surface rounding decides on which side of it the middle is.
  if (!in_solid && nearest_triangles(view.mesh, c, 0.0, slack).empty()) return {outside};
  std::vector<Eye> eyes;
  if (!in_solid) eyes.push_back(outside);
  std::vector<NearestOfMesh> nearest = nearest_triangles(view.mesh, c, slack, in_solid ? 4.0 * far : slack);
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const auto& a, const auto& b) { return a.distance < b.distance; });
  for (const NearestOfMesh& n : nearest) {
    if (n.distance > nearest.front().distance * (1.0 + kAsNearPart) + slack || eyes.size() == kMostEyes) break;
    const dvec3 position = view.axes * n.position + view.centre;
    // Of eyes at one place the first; but on the surface each triangle says where out is.
    const bool known = std::any_of(eyes.begin(), eyes.end(), [&](const Eye& e) {
      return e.in_solid && glm::distance(e.position, position) < kSamePlace &&
             (n.distance > slack || glm::dot(e.out, view.normal(n.triangle)) > 1.0 - 1e-9);
    });
    if (known) continue;
    eyes.push_back(
        {position, true, n.distance > slack ? (position - middle) / n.distance : view.normal(n.triangle), n.triangle});
  }
  if (in_solid && nearest.front().distance <= slack) eyes.push_back(outside);
  return eyes;
}

MeshSurface::MeshSurface(const Body& body, const MeshView& view_, const Eye& eye, double margin) : view(view_) {
  dvec3 lower, upper;
  for (int a = 0; a < 3; ++a) {
    const dvec3 axis = view.axes[a];
    lower[a] = glm::dot(body.support(-axis) - view.centre, axis) - margin;
    upper[a] = glm::dot(body.support(axis) - view.centre, axis) + margin;
  }
  const double slack = kLengthSlack + 1e-7 * glm::length(view.centre);
  const Sight sight(view, eye.position);
  std::map<std::uint32_t, std::size_t> place_of_vertex, owner_of_vertex;
  const auto look_at = [&](std::size_t t) {
    const MeshTriangle& triangle = view.mesh.triangles[t];
    dvec3 low(std::numeric_limits<double>::infinity()), high(-low);
    for (const std::uint32_t v : triangle.vertices)
      low = glm::min(low, dvec3(view.mesh.vertices[v])), high = glm::max(high, dvec3(view.mesh.vertices[v]));
    Conditions in_box;
    for (int a = 0; a < 3; ++a)
      if (const double room = std::min(upper[a] - low[a], high[a] - lower[a]); room < 0.0) in_box.within(room, slack);
    if (!in_box.possible()) return;
    for (std::size_t k = 0; k < 3; ++k)
      if (triangle.owns_vertex[k]) owner_of_vertex[triangle.vertices[k]] = t;

    for (const double side : {1.0, -1.0}) {
      if (side < 0.0 && view.mesh.solid) continue;
      Conditions takes_part = sight.takes_part(t, side);
      for (std::size_t k = 0; k < 3; ++k) {
        const MeshEdge kind = sight.edge(t, k, side);
        // Where the edge is in the box both triangles are.
        if (kind == MeshEdge::flat || (kind != MeshEdge::border && !triangle.owns_edge[k])) continue;
        SeenEdge edge = seen_edge(view, sight, t, k, side);
        if (edge.takes_part().possible()) edges.push_back(edge);
      }
      if (Conditions before = sight.eye_before(t, side); before.possible() && !takes_part.certain()) {
        before.also(in_box);
        if (!view.mesh.solid) hidden.push_back(seen_triangle(view, t, side, before));
      }
      if (!takes_part.possible()) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        if (!triangle.sharp_vertex[k]) continue;
        const std::uint32_t v = triangle.vertices[k];
        const auto [place, is_new] = place_of_vertex.try_emplace(v, vertices.size());
        if (is_new) {
          SeenVertex seen{};
          seen.vertex.position = view.vertex(v);
          for (const std::uint32_t end : view.mesh.neighbours_of(v))
            seen.vertex.leaving.push_back(glm::normalize(view.vertex(end) - seen.vertex.position));
          seen.vertex.largest_sine = 1.0;
          seen.vertex.id = vertex_id(view.mesh, v), seen.vertex.material = triangle.material;
          // A vertex whose owner is not in the box is not in it either.
          const auto owner = owner_of_vertex.find(v);
          seen.triangle = owner == owner_of_vertex.end() ? t : owner->second;
          seen.takes_part = takes_part;
          vertices.push_back(seen);
        }
        vertices[place->second].takes_part.or_else(takes_part);
      }
      takes_part.also(in_box);
      triangles.push_back(seen_triangle(view, t, side, takes_part));
    }
  };
  visit_triangles(
      view.mesh,
      [&](dvec3 low, dvec3 high) {
        return glm::all(glm::lessThanEqual(low, upper + slack)) && glm::all(glm::greaterThanEqual(high, lower - slack));
      },
      look_at);
}

}  // namespace oclide::reference
