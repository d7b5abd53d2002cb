#include "hulls/convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "hulls/coplanar_faces.hpp"
#include "hulls/flat_loop.hpp"
#include "hulls/qhull_facets.hpp"
#include "oclide/oclide.hpp"

namespace oclide {
namespace {

using glm::dvec3;
using glm::vec3;

constexpr double kFarthestHullVertex = 1e9;  // [m]

// Parts of the greatest coordinate: less than float32 can tell, and how far a face is from flat; the latter is at most
// kMostFlatSlack [m].
constexpr double kFlatPart = 1.0 / (1 << 21), kMostFlatSlack = 2e-5;

// A hull for which the slack is too coarse is built again with this part of it, so often, the last time with none.
constexpr double kFinerSlack = 0.125;
constexpr int kFinerTries = 6;

[[noreturn]] void refuse_hull(const std::string& message) {
  throw Error(ErrorKind::invalid_input, message);
}

std::string coordinate_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

// In order, each once.
std::vector<vec3> rounded_points_of(std::span<const std::array<double, 3>> points, const std::string& name) {
  if (points.size() < 4)
    refuse_hull(name + ": a convex hull needs at least 4 points, this one has " + std::to_string(points.size()));
  std::vector<vec3> all;
  all.reserve(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    vec3 p;
    for (int a = 0; a < 3; ++a) {
      const double x = points[k][static_cast<std::size_t>(a)];
      if (!(std::abs(x) <= kFarthestHullVertex))
        refuse_hull(name + "[" + std::to_string(k) + "][" + std::to_string(a) +
                    "] must be finite and at most 1e9 m from the origin, got " + coordinate_text(x));
      p[a] = static_cast<float>(x) + 0.0F;  // no negative zeros
    }
    all.push_back(p);
  }
  std::sort(all.begin(), all.end(), [](const vec3& p, const vec3& q) {
    return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.z < q.z;
  });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

double greatest_coordinate(const std::vector<vec3>& points) {
  float greatest = 0.0F;
  for (const vec3& p : points) greatest = std::max({greatest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  return greatest;
}

// Ends with an error where the points span no volume that float32 can tell.
void check_spans_volume(const std::vector<vec3>& points, std::size_t given, double least, const std::string& name) {
  const auto from_first = [&](const vec3& p) { return dvec3(p) - dvec3(points.front()); };
  const auto farthest = [&](auto distance, const char* all_are) {
    const vec3* best = &points.front();
    for (const vec3& p : points)
      if (distance(from_first(p)) > distance(from_first(*best))) best = &p;
    if (!(distance(from_first(*best)) > least))
      refuse_hull(name + ": all " + std::to_string(given) + " points " + all_are);
    return from_first(*best);
  };
  const dvec3 u = glm::normalize(farthest([](dvec3 d) { return glm::length(d); }, "are at one point"));
  const dvec3 second = farthest([&](dvec3 d) { return glm::length(glm::cross(u, d)); }, "are on a line");
  const dvec3 normal = glm::normalize(glm::cross(u, second));
  farthest([&](dvec3 d) { return std::abs(glm::dot(normal, d)); }, "are in a plane");
}

// From the middle of their box, so that doubles lose nothing far from the origin.
dvec3 middle_of(const std::vector<vec3>& points) {
  vec3 lower = points.front(), upper = points.front();
  for (const vec3& p : points) lower = glm::min(lower, p), upper = glm::max(upper, p);
  return 0.5 * (dvec3(lower) + dvec3(upper));
}
std::vector<dvec3> moved_points(const std::vector<vec3>& points, dvec3 by) {
  std::vector<dvec3> out;
  out.reserve(points.size());
  for (const vec3& p : points) out.push_back(dvec3(p) + by);
  return out;
}

struct HullSurface {
  std::vector<vec3> vertices;
  std::vector<FaceLoop> loops;
  std::vector<vec3> dropped;  // points of the surface that are no vertices
};

// Of each point whether it is a vertex: three faces or more have it, and it is a corner of each.
std::vector<bool> vertices_among(std::span<const dvec3> points, const std::vector<FaceLoop>& loops) {
  std::vector<std::uint32_t> in_loops(points.size(), 0), corner_of(points.size(), 0);
  for (const FaceLoop& loop : loops) {
    const dvec3 area = loop_area(points, loop);
    if (!(glm::length(area) > 0.0)) refuse_hull("Qhull cannot build the hull: a facet has no area");
    for (const std::uint32_t p : loop) ++in_loops[p];
    for (const std::size_t k : loop_corners(points, loop, glm::normalize(area))) ++corner_of[loop[k]];
  }
  std::vector<bool> is_vertex(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) is_vertex[p] = corner_of[p] >= 3 && corner_of[p] == in_loops[p];
  return is_vertex;
}

// Docs, steps 2 to 4, until no point drops out. Empty where the slack is too coarse for so small a solid.
std::optional<HullSurface> surface_of(std::vector<vec3> points, double slack) {
  HullSurface surface;
  for (;;) {
    const std::vector<dvec3> centred = moved_points(points, -middle_of(points));
    const HullFacets facets = qhull_facets(centred);
    surface.loops = coplanar_faces(centred, facets, slack);
    const std::vector<bool> is_vertex = vertices_among(centred, surface.loops);
    std::vector<bool> on_surface(points.size(), false);
    for (const FacetEdge& edge : facets.edges)
      for (const std::uint32_t p : edge.points) on_surface[p] = true;
    surface.vertices.clear();
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (is_vertex[p])
        surface.vertices.push_back(points[p]);
      else if (on_surface[p])
        surface.dropped.push_back(points[p]);
    }
    if (surface.vertices.size() < 4) return std::nullopt;
    if (surface.vertices.size() == points.size()) return surface;
    points = surface.vertices;
  }
}

void set_faces(ConvexHull& hull, std::vector<FaceLoop>& loops) {
  const dvec3 middle = middle_of(hull.vertices);
  const std::vector<dvec3> centred = moved_points(hull.vertices, -middle);
  for (FaceLoop& loop : loops) std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  std::sort(loops.begin(), loops.end());
  hull.faces.clear(), hull.corners.clear();
  for (const FaceLoop& loop : loops) {
    const dvec3 normal = glm::normalize(loop_area(centred, loop));
    double offset = -HUGE_VAL;
    for (const std::uint32_t v : loop) offset = std::max(offset, glm::dot(normal, centred[v]));
    hull.faces.push_back({normal, offset + glm::dot(normal, middle), static_cast<std::uint32_t>(hull.corners.size()),
                          static_cast<std::uint32_t>(loop.size())});
    hull.corners.insert(hull.corners.end(), loop.begin(), loop.end());
  }
}

// No point is farther above a face.
bool rises_at_most(const ConvexHull& hull, const std::vector<vec3>& points, double height) {
  return std::all_of(hull.faces.begin(), hull.faces.end(), [&](const HullFace& face) {
    return std::all_of(points.begin(), points.end(),
                       [&](const vec3& p) { return glm::dot(face.normal, dvec3(p)) - face.offset <= height; });
  });
}

// False where the slack is too coarse for so thin a solid: its vertices are flat, or what dropped out sticks out.
bool set_surface(ConvexHull& hull, const std::vector<vec3>& points, double slack) {
  try {
    std::optional<HullSurface> surface = surface_of(points, slack);
    if (!surface) return false;
    hull.vertices = std::move(surface->vertices);
    set_faces(hull, surface->loops);
    return rises_at_most(hull, surface->dropped, 2.0 * hull.flat_slack);
  } catch (const Error&) {
    if (slack == 0.0) throw;
    return false;
  }
}

void set_edges(ConvexHull& hull) {
  struct Side {
    std::array<std::uint32_t, 2> vertices;
    bool backward;
    std::uint32_t face;
  };
  std::vector<Side> sides;
  for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
    const std::span<const std::uint32_t> loop = hull.loop(f);
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const std::uint32_t from = loop[k], to = loop[(k + 1) % loop.size()];
      sides.push_back({{std::min(from, to), std::max(from, to)}, from > to, f});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.vertices != b.vertices ? a.vertices < b.vertices : a.backward < b.backward;
  });
  for (std::size_t k = 0; k < sides.size(); k += 2) {
    if (k + 1 == sides.size() || sides[k].vertices != sides[k + 1].vertices || sides[k].backward ||
        !sides[k + 1].backward)
      refuse_hull("Qhull cannot build the hull: its surface is not closed");
    hull.edges.push_back({sides[k].vertices, {sides[k].face, sides[k + 1].face}});
  }
  if (hull.vertices.size() + hull.faces.size() != hull.edges.size() + 2)
    refuse_hull("Qhull cannot build the hull: its surface is not one sphere");
}

void set_neighbours(ConvexHull& hull) {
  std::vector<std::array<std::uint32_t, 2>> ways;
  for (const HullEdge& edge : hull.edges)
    ways.push_back(edge.vertices), ways.push_back({edge.vertices[1], edge.vertices[0]});
  std::sort(ways.begin(), ways.end());
  hull.first_neighbour.assign(hull.vertices.size() + 1, 0);
  for (const auto& [from, to] : ways) ++hull.first_neighbour[from + 1], hull.neighbours.push_back(to);
  for (std::size_t v = 0; v < hull.vertices.size(); ++v) hull.first_neighbour[v + 1] += hull.first_neighbour[v];
}

// Volume and centroid from the tetrahedra between the box's middle and the faces' triangles.
void set_measures(ConvexHull& hull) {
  const dvec3 middle = middle_of(hull.vertices);
  const std::vector<dvec3> centred = moved_points(hull.vertices, -middle);
  hull.lower = hull.upper = dvec3(hull.vertices.front());
  hull.bounding_radius = 0.0;
  for (const vec3& v : hull.vertices) {
    hull.lower = glm::min(hull.lower, dvec3(v));
    hull.upper = glm::max(hull.upper, dvec3(v));
    hull.bounding_radius = std::max(hull.bounding_radius, glm::length(dvec3(v)));
  }
  hull.volume = 0.0;
  dvec3 moment(0.0);
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const std::span<const std::uint32_t> loop = hull.loop(f);
    for (std::size_t k = 1; k + 1 < loop.size(); ++k) {
      const dvec3 a = centred[loop[0]], b = centred[loop[k]], c = centred[loop[k + 1]];
      const double part = glm::dot(a, glm::cross(b, c)) / 6.0;
      hull.volume += part;
      moment += 0.25 * part * (a + b + c);
    }
  }
  hull.centroid = middle + moment / hull.volume;
}

}  // namespace

ConvexHull build_convex_hull(std::span<const std::array<double, 3>> points, const std::string& name) {
  std::vector<vec3> own = rounded_points_of(points, name);
  const double greatest = greatest_coordinate(own), least = kFlatPart * greatest;
  check_spans_volume(own, points.size(), least, name);
  ConvexHull hull{};
  hull.flat_slack = std::min(least, kMostFlatSlack);
  try {
    double slack = hull.flat_slack;
    for (int k = 1; !set_surface(hull, own, slack); ++k) {
      if (k > kFinerTries) refuse_hull("Qhull cannot build the hull: its surface is not closed");
      slack = k < kFinerTries ? slack * kFinerSlack : 0.0;
    }
    set_edges(hull);
    set_neighbours(hull);
    set_measures(hull);
  } catch (const Error& error) {
    refuse_hull(name + ": " + error.what());
  }
  return hull;
}

}  // namespace oclide
