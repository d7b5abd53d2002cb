#include "peers/bullet_bodies.hpp"

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "peers/bullet_shape.hpp"

namespace oclide::bench {
namespace {

// Manifolds and algorithms of Bullet's pools; further ones come one by one from the heap.
constexpr std::size_t kMostPooled = 600'000;

btDefaultCollisionConstructionInfo pools_for(std::size_t bodies) {
  btDefaultCollisionConstructionInfo info;
  const int size = static_cast<int>(std::clamp<std::size_t>(6 * bodies, 4096, kMostPooled));
  info.m_defaultMaxPersistentManifoldPoolSize = size;
  info.m_defaultMaxCollisionAlgorithmPoolSize = size;
  return info;
}

bool boxes_overlap(const btBroadphasePair& pair) {
  return TestAabbAgainstAabb2(pair.m_pProxy0->m_aabbMin, pair.m_pProxy0->m_aabbMax, pair.m_pProxy1->m_aabbMin,
                              pair.m_pProxy1->m_aabbMax);
}

// The tree's boxes have a margin; most of its pairs are apart by their own.
void near_callback(btBroadphasePair& pair, btCollisionDispatcher& dispatcher, const btDispatcherInfo& info) {
  if (boxes_overlap(pair)) return btCollisionDispatcher::defaultNearCallback(pair, dispatcher, info);
  if (pair.m_algorithm == nullptr) return;
  btManifoldArray manifolds;
  pair.m_algorithm->getAllContactManifolds(manifolds);
  for (int m = 0; m < manifolds.size(); ++m) manifolds[m]->clearManifold();
}

// Bullet clears a body's pairs by looking through all of them: quicker to drop all before.
struct DropPair final : btOverlapCallback {
  bool processOverlap(btBroadphasePair&) override { return true; }
};

}  // namespace

struct BulletBodies::State {
  explicit State(std::size_t count) : configuration(pools_for(count)) { dispatcher.setNearCallback(near_callback); }
  ~State() {
    DropPair drop;
    world.getPairCache()->processAllOverlappingPairs(&drop, &dispatcher);
  }

  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> bodies;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btCollisionWorld world{&dispatcher, &broad_phase, &configuration};
  std::uint64_t contacts = 0;

  void set_pose(std::size_t i, const Poses& poses) {
    const double* p = &poses.position[3 * i];
    const double* q = &poses.orientation[4 * i];
    const auto f = [](double v) { return static_cast<btScalar>(v); };
    bodies[i]->setWorldTransform(
        btTransform(btQuaternion(f(q[1]), f(q[2]), f(q[3]), f(q[0])), btVector3(f(p[0]), f(p[1]), f(p[2]))));
  }

  void set_bounds(std::size_t i) {
    btCollisionObject& body = *bodies[i];
    btVector3 low, high;
    body.getCollisionShape()->getAabb(body.getWorldTransform(), low, high);
    if (body.getCollisionShape()->getShapeType() == STATIC_PLANE_PROXYTYPE) {
      // A level half space ends at its plane; Bullet's box of it has no end.
      const btVector3 normal = body.getWorldTransform().getBasis().getColumn(2);
      for (int a = 0; a < 3; ++a) {
        if (normal[a] > 1 - 1e-6F) high[a] = body.getWorldTransform().getOrigin()[a];
        if (normal[a] < -1 + 1e-6F) low[a] = body.getWorldTransform().getOrigin()[a];
      }
      // Half spaces seldom move.
      const btBroadphaseProxy& proxy = *body.getBroadphaseHandle();
      if (proxy.m_aabbMin == low && proxy.m_aabbMax == high) return;
    }
    broad_phase.setAabb(body.getBroadphaseHandle(), low, high, &dispatcher);
  }

  void add(std::size_t i) {
    const bool is_half_space = shapes[i]->getShapeType() == STATIC_PLANE_PROXYTYPE;
    btCollisionObject& body = *bodies[i];
    body.setCollisionShape(shapes[i].get());
    body.setUserIndex(static_cast<int>(i));
    body.setCollisionFlags(is_half_space ? btCollisionObject::CF_STATIC_OBJECT : 0);
    if (is_half_space)
      world.addCollisionObject(&body, btBroadphaseProxy::StaticFilter,
                               btBroadphaseProxy::AllFilter ^ btBroadphaseProxy::StaticFilter);
    else
      world.addCollisionObject(&body);
    set_bounds(i);
  }
};

BulletBodies::BulletBodies(const Scene& scene, const Poses& poses, std::optional<double> margin)
    : state_(std::make_unique<State>(scene.bodies.count())) {
  const Bodies& b = scene.bodies;
  const auto all = [](const auto& values, auto value) {
    return std::all_of(values.begin(), values.end(), [&](auto v) { return v == value; });
  };
  if (!all(b.environment, 0U) || !all(b.group, 0) || !all(b.category, 1U) || !all(b.mask, 0xFFFFFFFFU))
    throw Error(ErrorKind::invalid_input, "Bullet adapter: no environments, groups, categories and masks");
  State& s = *state_;
  for (std::size_t i = 0; i < b.count(); ++i) {
    if (b.shape[i] == Shape::half_space)
      s.shapes.push_back(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0)));
    else
      s.shapes.push_back(make_bullet_shape(b.shape[i], b.size[i]));
    if (margin && (b.shape[i] == Shape::box || b.shape[i] == Shape::cylinder))
      s.shapes.back()->setMargin(static_cast<btScalar>(*margin));
    s.bodies.push_back(std::make_unique<btCollisionObject>());
    s.set_pose(i, poses);
  }
  // Half spaces first: their box is without end until it is set.
  for (const bool half_spaces : {true, false})
    for (std::size_t i = 0; i < b.count(); ++i)
      if ((b.shape[i] == Shape::half_space) == half_spaces) s.add(i);
  s.broad_phase.optimize();
}

BulletBodies::~BulletBodies() = default;

BulletBodies::Times BulletBodies::collide(const Poses& poses) {
  using Clock = std::chrono::steady_clock;
  State& s = *state_;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    s.set_pose(i, poses);
    s.set_bounds(i);
  }
  const auto bounded = Clock::now();
  s.world.computeOverlappingPairs();
  const auto paired = Clock::now();
  s.dispatcher.dispatchAllCollisionPairs(s.world.getPairCache(), s.world.getDispatchInfo(), &s.dispatcher);
  const auto dispatched = Clock::now();
  s.contacts = 0;
  for (int m = 0; m < s.dispatcher.getNumManifolds(); ++m) {
    const btPersistentManifold& manifold = *s.dispatcher.getManifoldByIndexInternal(m);
    for (int k = 0; k < manifold.getNumContacts(); ++k)
      s.contacts += manifold.getContactPoint(k).getDistance() <= 0 ? 1 : 0;
  }
  const auto end = Clock::now();
  const auto ms = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
  return {ms(bounded - begin), ms(paired - bounded), ms(dispatched - paired), ms(end - dispatched), ms(end - begin)};
}

std::uint64_t BulletBodies::contacts() const {
  return state_->contacts;
}

std::uint64_t BulletBodies::candidates() const {
  const btBroadphasePairArray& pairs = state_->world.getPairCache()->getOverlappingPairArray();
  std::uint64_t count = 0;
  for (int k = 0; k < pairs.size(); ++k) count += boxes_overlap(pairs[k]) ? 1 : 0;
  return count;
}

std::vector<BulletBodies::Pair> BulletBodies::touching_pairs() const {
  std::vector<Pair> pairs;
  for (int m = 0; m < state_->dispatcher.getNumManifolds(); ++m) {
    const btPersistentManifold& manifold = *state_->dispatcher.getManifoldByIndexInternal(m);
    double depth = -1.0;
    for (int k = 0; k < manifold.getNumContacts(); ++k)
      depth = std::max(depth, -static_cast<double>(manifold.getContactPoint(k).getDistance()));
    const auto a = static_cast<std::uint32_t>(manifold.getBody0()->getUserIndex());
    const auto b = static_cast<std::uint32_t>(manifold.getBody1()->getUserIndex());
    if (depth >= 0.0) pairs.push_back({{std::min(a, b), std::max(a, b)}, depth});
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.bodies < b.bodies; });
  return pairs;
}

}  // namespace oclide::bench
