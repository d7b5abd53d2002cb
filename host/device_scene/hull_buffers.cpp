#include "device_scene/hull_buffers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>

#include "shared/hulls.h"
#include "shared/meshes.h"

namespace oclide {
namespace {

using glm::dvec3;

std::uint32_t bits(double number) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}
float up(double number) {
  const auto nearest = static_cast<float>(number);
  return nearest < number ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}
float down(double number) {
  return -up(-number);
}

// A point well within, as floats have it, and the radius of a ball about it.
struct InnerBall {
  dvec3 middle;
  double radius;
};
InnerBall inner_ball(const ConvexHull& hull) {
  InnerBall ball{dvec3(glm::vec3(hull.centroid)), std::numeric_limits<double>::infinity()};
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    // The lowest vertex of the face: planes lie a little above some.
    double height = std::numeric_limits<double>::infinity();
    for (const std::uint32_t v : hull.loop(f))
      height = std::min(height, glm::dot(hull.faces[f].normal, dvec3(hull.vertices[v]) - ball.middle));
    ball.radius = std::min(ball.radius, height);
  }
  // Less what merged faces and the rounding of kernels may be off.
  ball.radius = std::max(0.0, ball.radius * (1.0 - 1e-5) - 2.0 * hull.flat_slack);
  return ball;
}

// Writes records behind each other; rows begin at multiples of four words.
class Writer {
 public:
  explicit Writer(std::vector<std::uint32_t>& words) : words_(words) {}

  void begin(std::size_t words) {
    fill_row();
    record_ = words_.size();
    words_.resize(record_ + words, 0);
  }
  [[nodiscard]] std::uint32_t first_row() const { return static_cast<std::uint32_t>(record_ / 4); }
  void set(std::size_t word, std::uint32_t value) { words_[record_ + word] = value; }
  void set(std::size_t word, float value) { set(word, std::bit_cast<std::uint32_t>(value)); }
  void set(std::size_t word, dvec3 value) {
    for (int a = 0; a < 3; ++a) set(word + static_cast<std::size_t>(a), bits(value[a]));
  }
  // Rows, or words, begin here.
  void begin_rows(std::size_t word) {
    fill_row();
    set(word, static_cast<std::uint32_t>((words_.size() - record_) / 4));
  }
  void begin_words(std::size_t word) { set(word, static_cast<std::uint32_t>(words_.size() - record_)); }
  void add(std::uint32_t value) { words_.push_back(value); }
  void add(std::span<const float> values) {
    for (const float value : values) add(std::bit_cast<std::uint32_t>(value));
  }
  void add_row(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t w) {
    words_.insert(words_.end(), {x, y, z, w});
  }

 private:
  void fill_row() { words_.resize((words_.size() + 3) / 4 * 4, 0); }

  std::vector<std::uint32_t>& words_;
  std::size_t record_ = 0;
};

// The vertices of a hull or a mesh, each with its first neighbour; a last row holds the end of the neighbours.
void write_vertices(const auto& shape, std::size_t word, Writer& to) {
  to.begin_rows(word);
  for (std::size_t v = 0; v < shape.vertices.size(); ++v) {
    const glm::vec3 p = shape.vertices[v];
    to.add_row(bits(p.x), bits(p.y), bits(p.z), shape.first_neighbour[v]);
  }
  to.add_row(0, 0, 0, shape.first_neighbour.back());
}

std::uint32_t count_of(const auto& list) {
  return static_cast<std::uint32_t>(list.size());
}

void write(const ConvexHull& hull, Writer& to) {
  to.begin(HULL_WORDS);
  to.set(HULL_VERTICES, count_of(hull.vertices));
  to.set(HULL_FACES, count_of(hull.faces));
  to.set(HULL_EDGES, count_of(hull.edges));
  std::uint32_t most_corners = 0;
  for (const HullFace& face : hull.faces) most_corners = std::max(most_corners, face.corner_count);
  to.set(HULL_MOST_CORNERS, most_corners);
  to.set(HULL_RADIUS, up(hull.bounding_radius));
  to.set(HULL_FLAT_SLACK, up(hull.flat_slack));
  to.set(HULL_LOWER, hull.lower);
  to.set(HULL_UPPER, hull.upper);
  const InnerBall ball = inner_ball(hull);
  to.set(HULL_MIDDLE, ball.middle);
  to.set(HULL_INNER_RADIUS, down(ball.radius));

  write_vertices(hull, HULL_FIRST_VERTEX, to);
  to.begin_rows(HULL_FIRST_FACE);
  for (const HullFace& face : hull.faces) {
    to.add_row(bits(face.normal.x), bits(face.normal.y), bits(face.normal.z),
               std::bit_cast<std::uint32_t>(up(face.offset)));
    to.add_row(face.first_corner, face.corner_count, 0, 0);
  }
  to.begin_rows(HULL_FIRST_EDGE);
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> edge_of;
  for (std::size_t e = 0; e < hull.edges.size(); ++e) {
    const HullEdge& edge = hull.edges[e];
    to.add_row(edge.vertices[0], edge.vertices[1], edge.faces[0], edge.faces[1]);
    edge_of[edge.vertices] = static_cast<std::uint32_t>(e);
  }
  to.begin_words(HULL_FIRST_CORNER);
  for (const std::uint32_t v : hull.corners) to.add(v);
  to.begin_words(HULL_FIRST_SIDE);
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const auto loop = hull.loop(f);
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const std::uint32_t p = loop[k], q = loop[(k + 1) % loop.size()];
      to.add(edge_of.at({std::min(p, q), std::max(p, q)}));
    }
  }
  to.begin_words(HULL_FIRST_NEIGHBOUR);
  for (const std::uint32_t v : hull.neighbours) to.add(v);
}

std::uint32_t flags_of(const MeshTriangle& t) {
  std::uint32_t flags = std::uint32_t{t.material} << MESH_FLAG_MATERIAL;
  for (std::uint32_t k = 0; k < 3; ++k) {
    flags |= static_cast<std::uint32_t>(t.edges[k]) << MESH_FLAG_EDGE(k);
    if (t.owns_edge[k]) flags |= MESH_FLAG_OWNS_EDGE << k;
    if (t.owns_vertex[k]) flags |= MESH_FLAG_OWNS_VERTEX << k;
    if (t.sharp_vertex[k]) flags |= MESH_FLAG_SHARP_VERTEX << k;
  }
  return flags;
}
static_assert(static_cast<unsigned>(MeshEdge::flat) == MESH_EDGE_FLAT &&
              static_cast<unsigned>(MeshEdge::convex) == MESH_EDGE_CONVEX &&
              static_cast<unsigned>(MeshEdge::concave) == MESH_EDGE_CONCAVE &&
              static_cast<unsigned>(MeshEdge::border) == MESH_EDGE_BORDER && kNone == MESH_NONE);

// Of a mesh's record, at most.
std::uint64_t words_of(const TriangleMesh& mesh) {
  std::uint64_t rows = MESH_WORDS / 4 + 8 + mesh.vertices.size() + 1 +
                       std::uint64_t{MESH_ROWS_OF_TRIANGLE} * mesh.triangles.size() + mesh.neighbours.size() / 4 + 1 +
                       (mesh.vertices.size() + 3 * mesh.triangles.size()) / 4 + 1;
  for (const std::vector<MeshGroup>& level : mesh.levels) rows += std::uint64_t{MESH_ROWS_OF_GROUP} * level.size();
  return 4 * rows;
}

// Throws where words of a record, or of all records, are more than there are numbers for.
void reserve_for_meshes(std::vector<std::uint32_t>& words, const std::vector<TriangleMesh>& meshes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t count = words.size();
  for (std::size_t k = 0; k < meshes.size(); ++k) {
    count += words_of(meshes[k]);
    if (words_of(meshes[k]) > kMost || count / 4 > kMost)
      throw Error(ErrorKind::invalid_input,
                  "meshes/" + std::to_string(k) + "/triangles: they are more than a device can tell apart");
  }
  words.reserve(count);
}

void write(const TriangleMesh& mesh, Writer& to) {
  to.begin(MESH_WORDS);
  to.set(MESH_TRIANGLES, count_of(mesh.triangles));
  to.set(MESH_VERTICES, count_of(mesh.vertices));
  to.set(MESH_LEVELS, count_of(mesh.levels));
  to.set(MESH_IS_SOLID, std::uint32_t{mesh.solid});
  to.set(MESH_RADIUS, up(mesh.bounding_radius));
  to.set(MESH_CORNERS, 8U);
  to.begin_rows(MESH_FIRST_CORNER);
  for (unsigned k = 0; k < 8; ++k) {
    const auto at = [&](int axis) {
      return std::bit_cast<std::uint32_t>((k >> axis & 1U) != 0 ? up(mesh.upper[axis]) : down(mesh.lower[axis]));
    };
    to.add_row(at(0), at(1), at(2), 0);
  }
  write_vertices(mesh, MESH_FIRST_VERTEX, to);
  to.begin_rows(MESH_FIRST_TRIANGLE);
  for (const MeshTriangle& t : mesh.triangles) {
    to.add_row(t.vertices[0], t.vertices[1], t.vertices[2], t.element);
    to.add_row(t.neighbours[0], t.neighbours[1], t.neighbours[2], t.face);
    to.add_row(bits(t.normal.x), bits(t.normal.y), bits(t.normal.z), flags_of(t));
  }
  for (std::size_t level = 0; level < mesh.levels.size(); ++level) {
    to.begin_rows(MESH_LEVEL + level);
    for (const MeshGroup& group : mesh.levels[level])
      for (const auto* corners : {&group.lower, &group.upper})
        for (const std::array<float, 8>& axis : *corners) to.add(axis);
  }
  to.begin_words(MESH_FIRST_NEIGHBOUR);
  for (const std::uint32_t v : mesh.neighbours) to.add(v);
  to.begin_words(MESH_FIRST_RIDGE);
  for (const std::uint32_t ridge : mesh.vertex_ridge) to.add(ridge);
  for (const MeshTriangle& t : mesh.triangles)
    for (const MeshRidge& ridge : t.ridges) to.add(ridge.first | (ridge.turned ? MESH_RIDGE_TURNED : 0U));
}

}  // namespace

std::vector<std::uint32_t> hull_words(const Geometry& geometry) {
  std::vector<std::uint32_t> words(std::max<std::size_t>(geometry.hulls.size() + geometry.meshes.size(), 4), 0);
  reserve_for_meshes(words, geometry.meshes);
  Writer writer(words);
  for (std::size_t k = 0; k < geometry.hulls.size(); ++k) {
    write(geometry.hulls[k], writer);
    words[k] = writer.first_row();
  }
  for (std::size_t k = 0; k < geometry.meshes.size(); ++k) {
    write(geometry.meshes[k], writer);
    words[geometry.hulls.size() + k] = writer.first_row();
  }
  return words;
}

void HullBuffers::set(const Geometry& geometry) {
  words.assign(hull_words(geometry));
  mesh_levels = 0;
  for (const TriangleMesh& mesh : geometry.meshes)
    mesh_levels = std::max(mesh_levels, static_cast<std::uint32_t>(mesh.levels.size()));
}

}  // namespace oclide
