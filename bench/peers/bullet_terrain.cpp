#include "peers/bullet_terrain.hpp"

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "peers/bullet_shape.hpp"

namespace oclide::bench {

struct BulletTerrain::State {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  std::vector<float> heights;
  std::unique_ptr<btHeightfieldTerrainShape> terrain_shape;
  btCollisionObject terrain;
  btVector3 terrain_low, terrain_high;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> bodies;
  std::vector<btPersistentManifold*> manifolds;
  std::vector<btCollisionAlgorithm*> algorithms;
  btDispatcherInfo info;
};

BulletTerrain::BulletTerrain(const Scene& scene) : state_(std::make_unique<State>()) {
  State& s = *state_;
  const Terrain& t = scene.terrains.at(0);
  s.heights.assign(t.heights.begin(), t.heights.end());
  const auto [low, high] = std::minmax_element(s.heights.begin(), s.heights.end());
  s.terrain_shape = std::make_unique<btHeightfieldTerrainShape>(
      static_cast<int>(t.cols), static_cast<int>(t.rows), s.heights.data(), 1.0F, *low, *high, 2, PHY_FLOAT, false);
  s.terrain_shape->setLocalScaling(
      btVector3(static_cast<btScalar>(t.spacing[0]), static_cast<btScalar>(t.spacing[1]), 1));
  s.terrain_shape->buildAccelerator();
  s.terrain.setCollisionShape(s.terrain_shape.get());
  // Bullet puts a height field's origin at the middle of its box.
  const auto centre = [&](int a, std::size_t n) {
    const auto k = static_cast<std::size_t>(a);
    return static_cast<btScalar>(t.origin[k] + 0.5 * t.spacing[k] * static_cast<double>(n - 1));
  };
  s.terrain.setWorldTransform(
      btTransform(btQuaternion::getIdentity(), btVector3(centre(0, t.cols), centre(1, t.rows), (*low + *high) / 2)));
  s.terrain_shape->getAabb(s.terrain.getWorldTransform(), s.terrain_low, s.terrain_high);
  for (std::size_t i = 0; i < scene.bodies.count(); ++i) {
    s.shapes.push_back(make_bullet_shape(scene.bodies.shape[i], scene.bodies.size[i]));
    s.bodies.push_back(std::make_unique<btCollisionObject>());
    btCollisionObject* body = s.bodies.back().get();
    body->setCollisionShape(s.shapes.back().get());
    s.manifolds.push_back(s.dispatcher.getNewManifold(body, &s.terrain));
    const btCollisionObjectWrapper a(nullptr, body->getCollisionShape(), body, body->getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper b(nullptr, s.terrain_shape.get(), &s.terrain, s.terrain.getWorldTransform(), -1, -1);
    s.algorithms.push_back(s.dispatcher.findAlgorithm(&a, &b, s.manifolds.back(), BT_CONTACT_POINT_ALGORITHMS));
  }
}

BulletTerrain::~BulletTerrain() {
  for (btCollisionAlgorithm* a : state_->algorithms) {
    a->~btCollisionAlgorithm();
    state_->dispatcher.freeCollisionAlgorithm(a);
  }
  for (btPersistentManifold* m : state_->manifolds) state_->dispatcher.releaseManifold(m);
}

BulletTerrain::Result BulletTerrain::collide(const Poses& poses) {
  State& s = *state_;
  Result result;
  result.touching.resize(s.bodies.size());
  const auto start = std::chrono::steady_clock::now();
  const btCollisionObjectWrapper ground(nullptr, s.terrain_shape.get(), &s.terrain, s.terrain.getWorldTransform(), -1,
                                        -1);
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const double* p = &poses.position[3 * i];
    const double* q = &poses.orientation[4 * i];
    const auto f = [](double v) { return static_cast<btScalar>(v); };
    btCollisionObject* body = s.bodies[i].get();
    body->setWorldTransform(
        btTransform(btQuaternion(f(q[1]), f(q[2]), f(q[3]), f(q[0])), btVector3(f(p[0]), f(p[1]), f(p[2]))));
    btVector3 low, high;
    body->getCollisionShape()->getAabb(body->getWorldTransform(), low, high);
    s.manifolds[i]->clearManifold();
    if (!TestAabbAgainstAabb2(low, high, s.terrain_low, s.terrain_high)) continue;
    const btCollisionObjectWrapper wrapper(nullptr, body->getCollisionShape(), body, body->getWorldTransform(), -1, -1);
    btManifoldResult out(&wrapper, &ground);
    out.setPersistentManifold(s.manifolds[i]);
    s.algorithms[i]->processCollision(&wrapper, &ground, s.info, &out);
    btManifoldArray manifolds;
    s.algorithms[i]->getAllContactManifolds(manifolds);
    for (int m = 0; m < manifolds.size(); ++m)
      for (int k = 0; k < manifolds[m]->getNumContacts(); ++k)
        if (manifolds[m]->getContactPoint(k).getDistance() <= 0) {
          ++result.contacts;
          result.touching[i] = 1;
        }
  }
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace oclide::bench
