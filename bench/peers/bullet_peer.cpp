// Bullet 3 (Debian: libbullet-dev), set up for speed. Bodies: a dynamic AABB tree with boxes no larger than they are;
// pairs whose boxes are apart are culled before their algorithm is asked; manifolds are kept from frame to frame.
// Hulls: without a margin. Meshes: a tree of quantised boxes, no margin; called for each body as terrain is. Terrain: a
// height field with its accelerator, and one algorithm kept for each body and called without a broad phase. Bodies
// whose pose is that of the last frame sleep: their manifolds stay. One thread, as Debian builds it.
#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <LinearMath/btAabbUtil2.h>

#include <algorithm>
#include <string>

#include "peers/peer.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::bench {
namespace {

// Manifolds and algorithms of Bullet's pools; further ones come one by one from the heap.
constexpr std::size_t kMostPooled = 600'000;
constexpr btScalar kFar = 1e5;  // no body is further from the origin along an axis [m]

btDefaultCollisionConstructionInfo pools_for(std::size_t bodies) {
  btDefaultCollisionConstructionInfo info;
  const int size = static_cast<int>(std::clamp<std::size_t>(6 * bodies, 4096, kMostPooled));
  info.m_defaultMaxPersistentManifoldPoolSize = size;
  info.m_defaultMaxCollisionAlgorithmPoolSize = size;
  return info;
}

btScalar scalar(double value) {
  return static_cast<btScalar>(value);
}

// Bullet puts its margin around a hull, which makes the body larger. With its faces moved in by as much, corners are
// rounded off, and two of three contacts of stones are lost. So there is none, unless one is asked for.
std::shared_ptr<btCollisionShape> make_hull(const std::vector<std::array<double, 3>>& points,
                                            std::optional<double> margin) {
  auto hull = std::make_shared<btConvexHullShape>();
  for (const auto& p : points) hull->addPoint(btVector3(scalar(p[0]), scalar(p[1]), scalar(p[2])), false);
  hull->optimizeConvexHull();
  hull->setMargin(scalar(margin.value_or(0.0)));
  hull->recalcLocalAabb();
  return hull;
}

std::shared_ptr<btCollisionShape> make_shape(Shape shape, const std::array<double, 3>& size) {
  const auto s = [&](int a) { return scalar(size[static_cast<std::size_t>(a)]); };
  switch (shape) {
    case Shape::sphere:
      return std::make_shared<btSphereShape>(s(0));
    case Shape::box:
      return std::make_shared<btBoxShape>(btVector3(s(0), s(1), s(2)));
    case Shape::cylinder:
      return std::make_shared<btCylinderShapeZ>(btVector3(s(0), s(0), s(1)));
    case Shape::capsule:
      return std::make_shared<btCapsuleShapeZ>(s(0), 2 * s(1));
    case Shape::half_space:
      return std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
    case Shape::convex_hull:
    case Shape::compound:
    case Shape::triangle_mesh:
      break;
  }
  no_geometry("geometry in Bullet", shape);
}

bool boxes_overlap(const btBroadphasePair& pair) {
  return TestAabbAgainstAabb2(pair.m_pProxy0->m_aabbMin, pair.m_pProxy0->m_aabbMax, pair.m_pProxy1->m_aabbMin,
                              pair.m_pProxy1->m_aabbMax);
}

bool is_awake(const btBroadphaseProxy* proxy) {
  return static_cast<const btCollisionObject*>(proxy->m_clientObject)->getUserIndex2() != 0;
}

void clear(btCollisionAlgorithm& algorithm) {
  btManifoldArray manifolds;
  algorithm.getAllContactManifolds(manifolds);
  for (int m = 0; m < manifolds.size(); ++m) manifolds[m]->clearManifold();
}

// The tree's boxes have a margin; most of its pairs are apart by their own boxes. Two bodies that have not moved keep
// what they had.
void near_callback(btBroadphasePair& pair, btCollisionDispatcher& dispatcher, const btDispatcherInfo& info) {
  if (!is_awake(pair.m_pProxy0) && !is_awake(pair.m_pProxy1)) return;
  if (boxes_overlap(pair)) return btCollisionDispatcher::defaultNearCallback(pair, dispatcher, info);
  if (pair.m_algorithm != nullptr) clear(*pair.m_algorithm);
}

// Bullet clears a body's pairs by looking through all of them: quicker to drop all before.
struct DropPair final : btOverlapCallback {
  bool processOverlap(btBroadphasePair&) override { return true; }
};

// Groups, categories and masks; half spaces among themselves.
struct SceneFilter final : btOverlapFilterCallback {
  explicit SceneFilter(const Bodies& from) : bodies(from) {}
  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    const auto index = [](btBroadphaseProxy* p) {
      return static_cast<std::size_t>(static_cast<btCollisionObject*>(p->m_clientObject)->getUserIndex());
    };
    const std::size_t i = index(a), j = index(b);
    if (bodies.shape[i] == Shape::half_space && bodies.shape[j] == Shape::half_space) return false;
    return may_meet(bodies, i, j);
  }
  const Bodies& bodies;
};

// What bodies are held against one by one, where it stands.
struct Ground {
  Ground() = default;
  virtual ~Ground() = default;
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  void set_bounds() { object.getCollisionShape()->getAabb(object.getWorldTransform(), low, high); }

  btCollisionObject object;
  btVector3 low, high;
};

struct HeightField final : Ground {
  explicit HeightField(const Terrain& t) : heights(t.heights.begin(), t.heights.end()) {
    const auto [lowest, highest] = std::minmax_element(heights.begin(), heights.end());
    shape = std::make_unique<btHeightfieldTerrainShape>(static_cast<int>(t.cols), static_cast<int>(t.rows),
                                                        heights.data(), 1.0F, *lowest, *highest, 2, PHY_FLOAT, false);
    shape->setLocalScaling(btVector3(scalar(t.spacing[0]), scalar(t.spacing[1]), 1));
    shape->buildAccelerator();
    object.setCollisionShape(shape.get());
    // Bullet puts a height field's origin at the middle of its box.
    const auto centre = [&](std::size_t a, std::size_t n) {
      return scalar(t.origin[a] + 0.5 * t.spacing[a] * static_cast<double>(n - 1));
    };
    object.setWorldTransform(btTransform(btQuaternion::getIdentity(),
                                         btVector3(centre(0, t.cols), centre(1, t.rows), (*lowest + *highest) / 2)));
    set_bounds();
  }

  std::vector<float> heights;
  std::unique_ptr<btHeightfieldTerrainShape> shape;
};

struct MeshShape {
  explicit MeshShape(const Mesh& mesh) {
    for (const auto& v : mesh.vertices)
      for (const double x : v) vertices.push_back(scalar(x));
    for (const auto& t : mesh.triangles)
      for (const std::uint32_t v : t) indices.push_back(static_cast<int>(v));
    arrays = std::make_unique<btTriangleIndexVertexArray>(
        static_cast<int>(mesh.triangles.size()), indices.data(), static_cast<int>(3 * sizeof(int)),
        static_cast<int>(mesh.vertices.size()), vertices.data(), static_cast<int>(3 * sizeof(btScalar)));
    constexpr bool kQuantised = true;
    shape = std::make_unique<btBvhTriangleMeshShape>(arrays.get(), kQuantised);
    shape->setMargin(0);
  }

  std::vector<btScalar> vertices;
  std::vector<int> indices;
  std::unique_ptr<btTriangleIndexVertexArray> arrays;
  std::unique_ptr<btBvhTriangleMeshShape> shape;
};

struct MeshBody final : Ground {
  MeshBody(MeshShape& shape, std::uint32_t body) {
    object.setCollisionShape(shape.shape.get());
    object.setUserIndex(static_cast<int>(body));
  }
};

// What a body is held against without a broad phase.
struct Footing {
  Ground* ground;
  btCollisionAlgorithm* algorithm;
};

struct BulletWorld {
  BulletWorld(btDispatcher* dispatcher, btCollisionConfiguration* configuration)
      : world(dispatcher, &broad_phase, configuration) {}

  btDbvtBroadphase broad_phase;
  btCollisionWorld world;
  std::unique_ptr<SceneFilter> filter;
  World contents;
};

class BulletPeer final : public Peer {
 public:
  explicit BulletPeer(std::optional<double> margin) : margin_(margin) {}

  ~BulletPeer() override {
    for (const std::vector<Footing>& footings : footings_)
      for (const Footing& footing : footings) {
        footing.algorithm->~btCollisionAlgorithm();
        dispatcher_->freeCollisionAlgorithm(footing.algorithm);
      }
    DropPair drop;
    for (const auto& w : worlds_) w->world.getPairCache()->processAllOverlappingPairs(&drop, dispatcher_.get());
    worlds_.clear();
  }

  [[nodiscard]] PeerInfo info() const override {
    PeerInfo info;
    info.engine = "Bullet";
    const int v = btGetVersion();
    info.version = std::to_string(v / 100) + "." + std::to_string(v % 100);
    info.settings =
        "btDbvtBroadphase, manifolds kept, poses that did not change sleep; btHeightfieldTerrainShape with "
        "accelerator, btBvhTriangleMeshShape quantised and without a margin, one algorithm kept a body; one world an "
        "environment; margin of edges " +
        (margin_ ? std::to_string(*margin_) + " m" : std::string("Bullet's own")) + "; single precision";
    info.note =
        "edges and corners are rounded by the margin, so that touches there are missed; at most 4 points a pair; "
        "meshes are "
        "surfaces without an inside";
    return info;
  }

  void set_scene(const Scene& scene, const Poses& first) override {
    check_for_peers("Bullet", scene, true);
    std::vector<std::shared_ptr<btCollisionShape>> hulls;
    for (const auto& points : scene.hulls) hulls.push_back(make_hull(points, margin_));
    bodies_ = scene.bodies;
    configuration_ = std::make_unique<btDefaultCollisionConfiguration>(pools_for(bodies_.count()));
    dispatcher_ = std::make_unique<btCollisionDispatcher>(configuration_.get());
    dispatcher_->setNearCallback(near_callback);
    for (const Terrain& t : scene.terrains) grounds_.push_back(std::make_unique<HeightField>(t));
    for (const Mesh& mesh : scene.meshes) meshes_.push_back(std::make_unique<MeshShape>(mesh));
    mesh_bodies_.resize(bodies_.count());
    for (std::size_t i = 0; i < bodies_.count(); ++i) {
      const bool is_hull = bodies_.shape[i] == Shape::convex_hull;
      shapes_.push_back(is_hull ? hulls[static_cast<std::size_t>(bodies_.size[i][0])]
                                : make_shape(bodies_.shape[i], bodies_.size[i]));
      if (margin_ && (bodies_.shape[i] == Shape::box || bodies_.shape[i] == Shape::cylinder))
        shapes_.back()->setMargin(scalar(*margin_));
      objects_.push_back(std::make_unique<btCollisionObject>());
      if (bodies_.shape[i] == Shape::triangle_mesh) {
        MeshShape& mesh = *meshes_[static_cast<std::size_t>(bodies_.size[i][0])];
        mesh_bodies_[i] = std::make_unique<MeshBody>(mesh, static_cast<std::uint32_t>(i));
      }
      objects_[i]->setCollisionShape(shapes_[i].get());
      objects_[i]->setUserIndex(static_cast<int>(i));
    }
    footings_.resize(bodies_.count());
    last_.assign(7 * bodies_.count(), 0.0);  // no orientation: all poses differ from it
    for (std::size_t i = 0; i < bodies_.count(); ++i) set_pose(i, first);
    last_.assign(7 * bodies_.count(), 0.0);
    for (World& contents : split_worlds(scene)) add_world(std::move(contents));
  }

  PeerFrame collide(const Poses& poses) override {
    PeerFrame frame;
    for (const auto& w : worlds_) {
      for (const std::uint32_t i : w->contents.meshes) set_pose(i, poses);
      for (const std::uint32_t i : w->contents.bodies) {
        set_pose(i, poses);
        if (w->contents.bodies_meet && is_awake(i)) set_bounds(*w, i);
        for (const Footing& footing : footings_[i])
          if (is_awake(i) || is_awake(*footing.ground)) collide_with(footing, i);
      }
      if (!w->contents.bodies_meet) continue;
      w->world.computeOverlappingPairs();
      dispatcher_->dispatchAllCollisionPairs(w->world.getPairCache(), w->world.getDispatchInfo(), dispatcher_.get());
    }
    for (int m = 0; m < dispatcher_->getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher_->getManifoldByIndexInternal(m);
      for (int k = 0; k < manifold.getNumContacts(); ++k)
        frame.points += manifold.getContactPoint(k).getDistance() <= 0 ? 1 : 0;
    }
    return frame;
  }

  [[nodiscard]] std::vector<Touch> touching() const override {
    std::vector<Touch> touches;
    for (int m = 0; m < dispatcher_->getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher_->getManifoldByIndexInternal(m);
      double depth = -1.0;
      for (int k = 0; k < manifold.getNumContacts(); ++k)
        depth = std::max(depth, -static_cast<double>(manifold.getContactPoint(k).getDistance()));
      // The ground has no index: -1, which is kTerrain.
      if (depth >= 0.0)
        touches.push_back({{static_cast<std::uint32_t>(manifold.getBody0()->getUserIndex()),
                            static_cast<std::uint32_t>(manifold.getBody1()->getUserIndex())},
                           depth});
    }
    sort_touches(touches);
    return touches;
  }

  [[nodiscard]] std::optional<std::uint64_t> candidates() const override {
    std::uint64_t count = 0;
    for (const auto& w : worlds_) {
      const btBroadphasePairArray& pairs = w->broad_phase.getOverlappingPairCache()->getOverlappingPairArray();
      for (int k = 0; k < pairs.size(); ++k) count += boxes_overlap(pairs[k]) ? 1 : 0;
      for (const std::uint32_t i : w->contents.bodies) count += footings_[i].size();
    }
    return count;
  }

 private:
  [[nodiscard]] bool is_awake(std::size_t i) const { return objects_[i]->getUserIndex2() != 0; }
  [[nodiscard]] static bool is_awake(const Ground& ground) { return ground.object.getUserIndex2() > 0; }

  void set_pose(std::size_t i, const Poses& poses) {
    const double* p = &poses.position[3 * i];
    const double* q = &poses.orientation[4 * i];
    double* last = &last_[7 * i];
    const bool is_same = std::equal(p, p + 3, last) && std::equal(q, q + 4, last + 3);
    btCollisionObject& object = mesh_bodies_[i] ? mesh_bodies_[i]->object : *objects_[i];
    object.setUserIndex2(is_same ? 0 : 1);
    if (is_same) return;
    std::copy_n(p, 3, last);
    std::copy_n(q, 4, last + 3);
    object.setWorldTransform(btTransform(btQuaternion(scalar(q[1]), scalar(q[2]), scalar(q[3]), scalar(q[0])),
                                         btVector3(scalar(p[0]), scalar(p[1]), scalar(p[2]))));
    if (mesh_bodies_[i]) mesh_bodies_[i]->set_bounds();
  }

  // A level half space ends at its plane. Bullet's own box of it has no end, which its tree cannot take when it is
  // built anew: the size of the box is infinite, and no pair of boxes is the smallest.
  [[nodiscard]] std::array<btVector3, 2> bounds(std::size_t i) const {
    const btTransform& pose = objects_[i]->getWorldTransform();
    btVector3 low, high;
    shapes_[i]->getAabb(pose, low, high);
    if (bodies_.shape[i] == Shape::half_space) {
      const btVector3 normal = pose.getBasis().getColumn(2);
      for (int a = 0; a < 3; ++a) {
        low[a] = normal[a] < -1 + 1e-6F ? pose.getOrigin()[a] : -kFar;
        high[a] = normal[a] > 1 - 1e-6F ? pose.getOrigin()[a] : kFar;
      }
    }
    return {low, high};
  }

  void set_bounds(BulletWorld& w, std::size_t i) {
    const auto [low, high] = bounds(i);
    const btBroadphaseProxy& proxy = *objects_[i]->getBroadphaseHandle();
    if (proxy.m_aabbMin == low && proxy.m_aabbMax == high) return;  // half spaces seldom move
    w.broad_phase.setAabb(objects_[i]->getBroadphaseHandle(), low, high, dispatcher_.get());
  }

  void add_world(World contents) {
    worlds_.push_back(std::make_unique<BulletWorld>(dispatcher_.get(), configuration_.get()));
    BulletWorld& w = *worlds_.back();
    w.contents = std::move(contents);
    if (w.contents.is_filtered && w.contents.bodies_meet) {
      w.filter = std::make_unique<SceneFilter>(bodies_);
      w.world.getPairCache()->setOverlapFilterCallback(w.filter.get());
    }
    for (const std::uint32_t i : w.contents.bodies) {
      if (w.contents.bodies_meet) add_to_tree(w, i);
      if (bodies_.shape[i] == Shape::half_space) continue;
      if (w.contents.terrain >= 0) put_on(*grounds_[static_cast<std::size_t>(w.contents.terrain)], i);
      for (const std::uint32_t mesh : w.contents.meshes)
        if (may_meet(bodies_, i, mesh)) put_on(*mesh_bodies_[mesh], i);
    }
    if (w.contents.bodies_meet) w.broad_phase.optimize();
  }

  void add_to_tree(BulletWorld& w, std::size_t i) {
    btCollisionObject& body = *objects_[i];
    if (bodies_.shape[i] != Shape::half_space) return w.world.addCollisionObject(&body);
    constexpr int kGroup = btBroadphaseProxy::StaticFilter, kMask = btBroadphaseProxy::AllFilter ^ kGroup;
    body.setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
    w.world.addCollisionObject(&body, kGroup, kMask);
    // The tree does not make a box smaller. So the box is taken out, and one that ends is put in.
    const auto [low, high] = bounds(i);
    w.broad_phase.destroyProxy(body.getBroadphaseHandle(), dispatcher_.get());
    body.setBroadphaseHandle(
        w.broad_phase.createProxy(low, high, STATIC_PLANE_PROXYTYPE, &body, kGroup, kMask, dispatcher_.get()));
  }

  static btCollisionObjectWrapper wrapped(const btCollisionObject& object) {
    return {nullptr, object.getCollisionShape(), &object, object.getWorldTransform(), -1, -1};
  }

  void put_on(Ground& ground, std::size_t i) {
    const btCollisionObjectWrapper a = wrapped(*objects_[i]), b = wrapped(ground.object);
    footings_[i].push_back({&ground, dispatcher_->findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS)});
  }

  void collide_with(const Footing& footing, std::size_t i) {
    const Ground& ground = *footing.ground;
    const btCollisionObject& body = *objects_[i];
    btVector3 low, high;
    body.getCollisionShape()->getAabb(body.getWorldTransform(), low, high);
    if (!TestAabbAgainstAabb2(low, high, ground.low, ground.high)) return clear(*footing.algorithm);
    const btCollisionObjectWrapper a = wrapped(body), b = wrapped(ground.object);
    btManifoldResult out(&a, &b);
    footing.algorithm->processCollision(&a, &b, terrain_info_, &out);
  }

  std::optional<double> margin_;
  Bodies bodies_;
  std::unique_ptr<btDefaultCollisionConfiguration> configuration_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  btDispatcherInfo terrain_info_;
  std::vector<std::shared_ptr<btCollisionShape>> shapes_;  // hulls shared
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
  std::vector<std::unique_ptr<HeightField>> grounds_;
  std::vector<std::unique_ptr<MeshShape>> meshes_;
  std::vector<std::unique_ptr<MeshBody>> mesh_bodies_;  // of each body, none where it is no mesh
  std::vector<std::vector<Footing>> footings_;          // of each body
  std::vector<double> last_;                            // position and orientation of each body in the last frame
  std::vector<std::unique_ptr<BulletWorld>> worlds_;
};

}  // namespace

std::unique_ptr<Peer> make_bullet_peer(const PeerOptions& options) {
  return std::make_unique<BulletPeer>(options.bullet_margin);
}

}  // namespace oclide::bench
