#include "support/mesh_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "device_scene/hull_buffers.hpp"
#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "opencl/launch.hpp"
#include "shared/abi.h"
#include "shared/meshes.h"
#include "support/pair_runner.hpp"
#include "terrain/terrain_buffers.hpp"

namespace oclide::test {
namespace {

std::array<dvec3, 3> corners(const TriangleMesh& mesh, const MeshTriangle& triangle) {
  return {dvec3(mesh.vertices[triangle.vertices[0]]), dvec3(mesh.vertices[triangle.vertices[1]]),
          dvec3(mesh.vertices[triangle.vertices[2]])};
}

// How often the mesh goes round a point, by the solid angles of its triangles.
double winding(const TriangleMesh& mesh, dvec3 p) {
  double sum = 0.0;
  for (const MeshTriangle& triangle : mesh.triangles) {
    const auto [a, b, c] = corners(mesh, triangle);
    const dvec3 x = a - p, y = b - p, z = c - p;
    const double lx = glm::length(x), ly = glm::length(y), lz = glm::length(z);
    sum += 2.0 * std::atan2(glm::dot(x, glm::cross(y, z)),
                            lx * ly * lz + glm::dot(x, y) * lz + glm::dot(y, z) * lx + glm::dot(z, x) * ly);
  }
  return sum / (4.0 * std::acos(-1.0));
}

dvec3 nearest_of_segment(dvec3 a, dvec3 b, dvec3 p) {
  return a + (b - a) * std::clamp(glm::dot(p - a, b - a) / glm::dot(b - a, b - a), 0.0, 1.0);
}
dvec3 nearest_of_triangle(const std::array<dvec3, 3>& v, dvec3 p) {
  const dvec3 n = glm::normalize(glm::cross(v[1] - v[0], v[2] - v[0]));
  const dvec3 foot = p - n * glm::dot(p - v[0], n);
  bool inside = true;
  dvec3 nearest = v[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const dvec3 a = v[k], b = v[(k + 1) % 3], q = nearest_of_segment(a, b, p);
    inside = inside && glm::dot(glm::cross(b - a, foot - a), n) >= 0.0;
    if (glm::distance(q, p) < glm::distance(nearest, p)) nearest = q;
  }
  return inside ? foot : nearest;
}

dvec3 middle_of(const BodySpec& body) {
  return body.hull == nullptr ? body.position : body.position + glm::normalize(body.orientation) * body.hull->centroid;
}

void store(float (&to)[3], dvec3 v) {
  for (int a = 0; a < 3; ++a) to[a] = static_cast<float>(v[a]);
}

MeshPair pair_of(const TriangleMesh& mesh, const BodySpec& body) {
  MeshPair pair{};
  const dquat q = glm::normalize(body.orientation);
  pair.orientation[0] = static_cast<float>(q.w);
  pair.orientation[1] = static_cast<float>(q.x);
  pair.orientation[2] = static_cast<float>(q.y);
  pair.orientation[3] = static_cast<float>(q.z);
  pair.mesh_orientation[0] = 1.0f;
  for (int a = 0; a < 3; ++a) {
    const TwoFloatParts position = split_in_two(body.position[a]);
    pair.centre_high[a] = position.high;
    pair.centre_low[a] = position.low;
    pair.size[a] = body.hull == nullptr ? static_cast<float>(body.size[static_cast<std::size_t>(a)]) : 0.0f;
  }
  pair.shape = static_cast<std::uint32_t>(body.shape);
  pair.mesh = body.hull == nullptr ? 0 : 1;
  const dvec3 middle = middle_of(body);
  dvec3 eye = middle - body.position;
  if (is_in_solid(mesh, body)) {
    double least = std::numeric_limits<double>::infinity();
    for (const MeshTriangle& triangle : mesh.triangles) {
      const dvec3 nearest = nearest_of_triangle(corners(mesh, triangle), middle);
      const double distance = glm::distance(nearest, middle);
      if (!(distance < least)) continue;
      least = distance;
      eye = nearest - body.position;
    }
    pair.is_inside = 1;
  }
  store(pair.eye, eye);
  return pair;
}

}  // namespace

bool is_in_solid(const TriangleMesh& mesh, const BodySpec& body) {
  return mesh.solid && winding(mesh, middle_of(body)) > 0.5;
}

std::vector<std::vector<MeshContactFound>> run_mesh(std::size_t device_index, const TriangleMesh& mesh,
                                                    std::span<const BodySpec> bodies, double margin) {
  using namespace opencl;
  Device device(Settings{}, opencl_devices().at(device_index));
  const std::string stem = pair_stem(bodies.front().shape, Shape::triangle_mesh);
  cl::Kernel kernel = device.kernel("narrow_phase/" + stem, "narrow_phase_" + stem);
  const auto triangles = static_cast<cl_uint>(mesh.triangles.size());
  const auto count = static_cast<cl_uint>(bodies.size()) * triangles;
  Geometry geometry;
  geometry.meshes.push_back(mesh);
  if (bodies.front().hull != nullptr) geometry.hulls.push_back(*bodies.front().hull);
  std::vector<MeshPair> pairs;
  std::vector<cl_uint> first{0}, pair_numbers, triangle_numbers;
  for (const BodySpec& body : bodies) {
    for (cl_uint t = 0; t < triangles; ++t) {
      pair_numbers.push_back(static_cast<cl_uint>(pairs.size()));
      triangle_numbers.push_back(t);
    }
    pairs.push_back(pair_of(mesh, body));
    pairs.back().margin = static_cast<float>(margin);
    first.push_back(static_cast<cl_uint>(pair_numbers.size()));
  }
  constexpr cl_uint kBlock = 5;
  const cl_uint capacity = 64 * count + kBlock * count;
  Buffer<MeshPair> pairs_on(device, "pairs");
  Buffer<cl_uint> first_on(device, "first"), pair_numbers_on(device, "pair numbers"),
      triangle_numbers_on(device, "triangle numbers"), counts_on(device, "counts", count), stored(device, "stored"),
      store_candidates(device, "store candidates", capacity);
  Buffer<ContactRecord> store(device, "store", capacity);
  HullBuffers hulls_on(device);
  hulls_on.set(geometry);
  pairs_on.assign(pairs);
  first_on.assign(first);
  pair_numbers_on.assign(pair_numbers);
  triangle_numbers_on.assign(triangle_numbers);
  stored.assign(std::array<cl_uint, 1>{0});
  store_candidates.fill(NO_CANDIDATE);
  // On a GPU a work-item looks at one candidate, elsewhere at some.
  const cl_uint items = device.info().is_gpu ? count : count / 3 + 1;
  launch(device, kernel, nullptr, Stage::narrow_phase, items, device.work_group_size(kernel, 64), cl_uint{0},
         static_cast<cl_uint>(pairs.size()), kBlock, first_on, pair_numbers_on, triangle_numbers_on, pairs_on,
         hulls_on.words, counts_on, capacity, stored, store_candidates, store);
  const cl_uint taken = stored.read_one(0);
  if (taken > capacity) throw std::logic_error("more contacts than the test has room for");
  std::vector<ContactRecord> records(capacity);
  std::vector<cl_uint> candidates(capacity), counts(count), order;
  store.download(records);
  store_candidates.download(candidates);
  counts_on.download(counts);
  for (cl_uint k = 0; k < taken; ++k)
    if (candidates[k] != NO_CANDIDATE) order.push_back(k);
  std::sort(order.begin(), order.end(), [&](cl_uint a, cl_uint b) {
    return std::pair(candidates[a], records[a].manifold) < std::pair(candidates[b], records[b].manifold);
  });

  std::vector<std::vector<MeshContactFound>> found(bodies.size());
  std::vector<cl_uint> of_candidate(count, 0);
  for (const cl_uint k : order) {
    const ContactRecord& r = records[k];
    if (r.manifold != of_candidate[candidates[k]]++) throw std::logic_error("contacts of a candidate have gaps");
    const std::size_t body = pair_numbers[candidates[k]];
    const MeshTriangle& triangle = mesh.triangles.at(r.material & CONTACT_TRIANGLE);
    MeshContactFound contact;
    for (int a = 0; a < 3; ++a) {
      const auto at = static_cast<std::size_t>(a);
      contact.point[at] = bodies[body].position[a] + static_cast<double>(r.point[a]);
      contact.normal[at] = r.normal[a];
    }
    contact.depth = r.depth;
    contact.body_a = 0;
    contact.body_b = 1;
    contact.feature = r.feature;
    contact.element = triangle.element;
    contact.material = triangle.material;
    contact.is_rest = (r.material & CONTACT_REST) != 0;
    found[body].push_back(contact);
  }
  if (of_candidate != counts) throw std::logic_error("the kernel counts other contacts than it stores");
  return found;
}

}  // namespace oclide::test
