#include "peers/coal_pairs.hpp"

#include <coal/collision.h>
#include <coal/shape/geometric_shapes.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace oclide::bench {
namespace {

constexpr int kPasses = 7;

std::shared_ptr<coal::ConvexBase> make_hull(const std::vector<std::array<double, 3>>& points) {
  auto vertices = std::make_shared<std::vector<coal::Vec3s>>();
  for (const auto& p : points) vertices->emplace_back(p[0], p[1], p[2]);
  return std::shared_ptr<coal::ConvexBase>(
      coal::ConvexBase::convexHull(vertices, static_cast<unsigned>(vertices->size()), true, "Qt"));
}

coal::Transform3s pose_of(const scenario::PlacedBody& body) {
  const Eigen::Quaterniond turn(body.orientation.w, body.orientation.x, body.orientation.y, body.orientation.z);
  return {turn.toRotationMatrix(), coal::Vec3s(body.position.x, body.position.y, body.position.z)};
}

struct Pose {
  coal::Transform3s first, second;
};

}  // namespace

CoalTime coal_hull_pairs(const std::vector<std::array<scenario::PlacedBody, 2>>& pairs,
                         const scenario::HullPoints& hulls) {
  std::vector<std::shared_ptr<coal::ConvexBase>> shapes;
  for (const auto& points : hulls) shapes.push_back(make_hull(points));
  std::vector<Pose> poses;
  for (const auto& [first, second] : pairs) poses.push_back({pose_of(first), pose_of(second)});
  coal::CollisionRequest request;
  request.enable_contact = true;
  request.num_max_contacts = 1;
  CoalTime time;
  for (int pass = 0; pass <= kPasses; ++pass) {
    std::size_t touching = 0;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      coal::CollisionResult result;
      touching +=
          coal::collide(shapes[static_cast<std::size_t>(pairs[k][0].size[0])].get(), poses[k].first,
                        shapes[static_cast<std::size_t>(pairs[k][1].size[0])].get(), poses[k].second, request, result);
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    const double each = taken.count() / static_cast<double>(pairs.size());
    // The first pass warms up.
    if (pass == 1 || (pass > 1 && each < time.nanoseconds)) time.nanoseconds = each;
    time.touching = static_cast<double>(touching) / static_cast<double>(pairs.size());
  }
  return time;
}

}  // namespace oclide::bench
