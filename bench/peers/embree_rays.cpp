#include "peers/ray_peers.hpp"

#ifndef OCLIDE_BENCH_EMBREE

std::vector<RayPeer> embree_rays(const oclide::Terrain&) {
  return {};
}

#else

#include <embree3/rtcore.h>

#include <array>
#include <limits>
#include <memory>

namespace {

struct Mesh {
  RTCDevice device = rtcNewDevice("threads=1");
  RTCScene scene = rtcNewScene(device);
  Mesh() = default;
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;
  ~Mesh() {
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
  }
};

std::shared_ptr<Mesh> triangles_of(const oclide::Terrain& t) {
  auto mesh = std::make_shared<Mesh>();
  RTCGeometry geometry = rtcNewGeometry(mesh->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                               3 * sizeof(float), t.rows * t.cols));
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) {
      *vertices++ = static_cast<float>(t.origin[0] + static_cast<double>(j) * t.spacing[0]);
      *vertices++ = static_cast<float>(t.origin[1] + static_cast<double>(i) * t.spacing[1]);
      *vertices++ = static_cast<float>(t.heights[i * t.cols + j]);
    }
  auto* corners = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), 2 * (t.rows - 1) * (t.cols - 1)));
  for (std::size_t i = 0; i + 1 < t.rows; ++i)
    for (std::size_t j = 0; j + 1 < t.cols; ++j) {
      const auto v0 = static_cast<unsigned>(i * t.cols + j), v1 = v0 + 1, v2 = v0 + static_cast<unsigned>(t.cols),
                 v3 = v2 + 1;
      for (const unsigned v : {v0, v1, v2, v3, v2, v1}) *corners++ = v;
    }
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(mesh->scene, geometry);
  rtcReleaseGeometry(geometry);
  rtcSetSceneFlags(mesh->scene, RTC_SCENE_FLAG_ROBUST);  // watertight, as ours
  rtcSetSceneBuildQuality(mesh->scene, RTC_BUILD_QUALITY_HIGH);
  rtcCommitScene(mesh->scene);
  return mesh;
}

}  // namespace

std::vector<RayPeer> embree_rays(const oclide::Terrain& terrain) {
  const std::shared_ptr<Mesh> mesh = triangles_of(terrain);
  const auto one_by_one = [mesh](std::span<const double> origin, std::span<const double> direction) {
    std::vector<double> distance(origin.size() / 3);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (std::size_t k = 0; k < distance.size(); ++k) {
      RTCRayHit r{};
      r.ray.org_x = static_cast<float>(origin[3 * k]);
      r.ray.org_y = static_cast<float>(origin[3 * k + 1]);
      r.ray.org_z = static_cast<float>(origin[3 * k + 2]);
      r.ray.dir_x = static_cast<float>(direction[3 * k]);
      r.ray.dir_y = static_cast<float>(direction[3 * k + 1]);
      r.ray.dir_z = static_cast<float>(direction[3 * k + 2]);
      r.ray.tfar = std::numeric_limits<float>::infinity();
      r.ray.mask = ~0U;
      r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      rtcIntersect1(mesh->scene, &context, &r);
      distance[k] = r.hit.geomID == RTC_INVALID_GEOMETRY_ID ? std::numeric_limits<double>::infinity() : r.ray.tfar;
    }
    return distance;
  };
  const auto packets = [mesh](std::span<const double> origin, std::span<const double> direction) {
    std::vector<double> distance(origin.size() / 3);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    const std::array<int, 8> valid{-1, -1, -1, -1, -1, -1, -1, -1};
    for (std::size_t first = 0; first + 8 <= distance.size(); first += 8) {
      alignas(32) RTCRayHit8 r{};
      for (std::size_t k = 0; k < 8; ++k) {
        const std::size_t at = 3 * (first + k);
        r.ray.org_x[k] = static_cast<float>(origin[at]);
        r.ray.org_y[k] = static_cast<float>(origin[at + 1]);
        r.ray.org_z[k] = static_cast<float>(origin[at + 2]);
        r.ray.dir_x[k] = static_cast<float>(direction[at]);
        r.ray.dir_y[k] = static_cast<float>(direction[at + 1]);
        r.ray.dir_z[k] = static_cast<float>(direction[at + 2]);
        r.ray.tfar[k] = std::numeric_limits<float>::infinity();
        r.ray.mask[k] = ~0U;
        r.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
      }
      alignas(32) std::array<int, 8> lanes = valid;
      rtcIntersect8(lanes.data(), mesh->scene, &context, &r);
      for (std::size_t k = 0; k < 8; ++k)
        distance[first + k] =
            r.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID ? std::numeric_limits<double>::infinity() : r.ray.tfar[k];
    }
    return distance;
  };
  return {{"embree", one_by_one}, {"embree_packets", packets}};
}

#endif
