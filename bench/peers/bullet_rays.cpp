#include "peers/ray_peers.hpp"

#ifndef OCLIDE_BENCH_BULLET

std::vector<RayPeer> bullet_rays(const oclide::Scene&, const oclide::Poses&) {
  return {};
}

#else

#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletCollisionCommon.h>

#include <cmath>
#include <limits>
#include <memory>

#include "shapes/shape_list.hpp"

namespace {

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase pairs;
  btCollisionWorld world{&dispatcher, &pairs, &configuration};
  std::vector<std::unique_ptr<btCollisionShape> > shapes;
  std::vector<std::unique_ptr<btCollisionObject> > objects;
  ~World() {
    for (auto& object : objects) world.removeCollisionObject(object.get());
  }
};

std::unique_ptr<btCollisionShape> shape_of(oclide::Shape shape, const std::array<double, 3>& size) {
  const auto a = static_cast<btScalar>(size[0]), b = static_cast<btScalar>(size[1]), c = static_cast<btScalar>(size[2]);
  switch (shape) {
    case oclide::Shape::sphere:
      return std::make_unique<btSphereShape>(a);
    case oclide::Shape::box:
      return std::make_unique<btBoxShape>(btVector3(a, b, c));
    case oclide::Shape::cylinder:
      return std::make_unique<btCylinderShapeZ>(btVector3(a, a, b));
    case oclide::Shape::capsule:
      return std::make_unique<btCapsuleShapeZ>(a, 2 * b);
    case oclide::Shape::half_space:
    case oclide::Shape::convex_hull:
    case oclide::Shape::compound:
    case oclide::Shape::triangle_mesh:
      break;
  }
  oclide::no_geometry("geometry in Bullet", shape);
}

}  // namespace

std::vector<RayPeer> bullet_rays(const oclide::Scene& scene, const oclide::Poses& poses) {
  const auto world = std::make_shared<World>();
  for (std::size_t k = 0; k < scene.bodies.count(); ++k) {
    world->shapes.push_back(shape_of(scene.bodies.shape[k], scene.bodies.size[k]));
    auto object = std::make_unique<btCollisionObject>();
    object->setCollisionShape(world->shapes.back().get());
    const double *p = &poses.position[3 * k], *q = &poses.orientation[4 * k];
    btQuaternion turn(static_cast<btScalar>(q[1]), static_cast<btScalar>(q[2]), static_cast<btScalar>(q[3]),
                      static_cast<btScalar>(q[0]));
    turn.normalize();
    object->setWorldTransform(btTransform(
        turn, btVector3(static_cast<btScalar>(p[0]), static_cast<btScalar>(p[1]), static_cast<btScalar>(p[2]))));
    world->world.addCollisionObject(object.get());
    world->objects.push_back(std::move(object));
  }
  world->pairs.optimize();
  const auto cast = [world](unsigned flags, std::span<const double> origin, std::span<const double> direction) {
    constexpr btScalar kLength = 100;
    std::vector<double> distance(origin.size() / 3);
    for (std::size_t k = 0; k < distance.size(); ++k) {
      const btVector3 from(static_cast<btScalar>(origin[3 * k]), static_cast<btScalar>(origin[3 * k + 1]),
                           static_cast<btScalar>(origin[3 * k + 2]));
      const btVector3 to = from + kLength * btVector3(static_cast<btScalar>(direction[3 * k]),
                                                      static_cast<btScalar>(direction[3 * k + 1]),
                                                      static_cast<btScalar>(direction[3 * k + 2]));
      btCollisionWorld::ClosestRayResultCallback closest(from, to);
      closest.m_flags |= flags;
      world->world.rayTest(from, to, closest);
      distance[k] = closest.hasHit() ? static_cast<double>(closest.m_closestHitFraction * kLength)
                                     : std::numeric_limits<double>::infinity();
    }
    return distance;
  };
  const auto with = [cast](unsigned flags) {
    return [cast, flags](std::span<const double> origin, std::span<const double> direction) {
      return cast(flags, origin, direction);
    };
  };
  return {{"bullet", with(0)}, {"bullet_gjk", with(btTriangleRaycastCallback::kF_UseGjkConvexCastRaytest)}};
}

#endif
