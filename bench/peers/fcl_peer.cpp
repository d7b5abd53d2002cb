// FCL (Debian: libfcl-dev), set up for speed. Bodies: a dynamic AABB tree that is refitted each frame, with all
// contacts in one result. Meshes and terrain: under a tree of oriented boxes, the kind that FCL need not copy to move.
// It is called for each body without a broad phase. One thread: FCL has no more.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/config.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>

#include <cmath>
#include <string>

#include "peers/peer.hpp"
#include "shapes/scene_geometry.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::bench {
namespace {

constexpr std::size_t kMostPoints = 1'000'000'000;  // of all pairs: no limit

using Object = fcl::CollisionObjectd;
using Surface = fcl::BVHModel<fcl::OBB<double>>;

// FCL fits an oriented box to a hull, but takes the hull's own axes for it, which culls triangles that touch
// (ComputeBVImpl of OBB and Convex, FCL 0.7). So a hull is made in the axes of its box: `turn` is the way back.
std::shared_ptr<fcl::CollisionGeometryd> make_hull(const ConvexHull& hull, fcl::Quaterniond& turn) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const glm::vec3& v : hull.vertices) vertices->emplace_back(v.x, v.y, v.z);
  fcl::OBB<double> box;
  fcl::fit(vertices->data(), static_cast<int>(vertices->size()), box);
  if (box.axis.determinant() < 0) box.axis.col(2) *= -1;
  turn = fcl::Quaterniond(box.axis);
  for (fcl::Vector3d& v : *vertices) v = turn.conjugate() * v;
  auto faces = std::make_shared<std::vector<int>>();
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    faces->push_back(static_cast<int>(hull.loop(f).size()));
    for (const std::uint32_t v : hull.loop(f)) faces->push_back(static_cast<int>(v));
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.faces.size()), faces);
}

std::shared_ptr<fcl::CollisionGeometryd> make_geometry(Shape shape, const std::array<double, 3>& s) {
  switch (shape) {
    case Shape::sphere:
      return std::make_shared<fcl::Sphered>(s[0]);
    case Shape::box:
      return std::make_shared<fcl::Boxd>(2 * s[0], 2 * s[1], 2 * s[2]);
    case Shape::cylinder:
      return std::make_shared<fcl::Cylinderd>(s[0], 2 * s[1]);
    case Shape::capsule:
      return std::make_shared<fcl::Capsuled>(s[0], 2 * s[1]);
    case Shape::half_space:
      return std::make_shared<fcl::Halfspaced>(fcl::Vector3d(0, 0, 1), 0.0);
    case Shape::convex_hull:
    case Shape::compound:
    case Shape::triangle_mesh:
      break;
  }
  no_geometry("geometry in FCL", shape);
}

// A body's index is its geometry's user data: contacts name geometries.
void set_index(fcl::CollisionGeometryd& geometry, std::uint32_t i) {
  geometry.setUserData(reinterpret_cast<void*>(static_cast<std::uintptr_t>(i)));
}
std::uint32_t index_of(const fcl::CollisionGeometryd* geometry) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(geometry->getUserData()));
}

std::shared_ptr<Surface> make_surface(const std::vector<fcl::Vector3d>& vertices,
                                      const std::vector<fcl::Triangle>& triangles) {
  auto surface = std::make_shared<Surface>();
  surface->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
  surface->addSubModel(vertices, triangles);
  surface->endModel();
  return surface;
}

std::shared_ptr<Surface> make_mesh(const Mesh& mesh) {
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  for (const auto& v : mesh.vertices) vertices.emplace_back(v[0], v[1], v[2]);
  for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  return make_surface(vertices, triangles);
}

std::unique_ptr<Object> make_ground(const Terrain& t) {
  std::vector<fcl::Vector3d> vertices;
  std::vector<fcl::Triangle> triangles;
  for (std::size_t i = 0; i < t.rows; ++i)
    for (std::size_t j = 0; j < t.cols; ++j) {
      vertices.emplace_back(t.origin[0] + static_cast<double>(j) * t.spacing[0],
                            t.origin[1] + static_cast<double>(i) * t.spacing[1], t.heights[i * t.cols + j]);
      if (i + 1 == t.rows || j + 1 == t.cols) continue;
      const std::size_t v0 = i * t.cols + j, v1 = v0 + 1, v2 = v0 + t.cols, v3 = v2 + 1;
      triangles.emplace_back(v0, v1, v2);
      triangles.emplace_back(v3, v2, v1);
    }
  const auto surface = make_surface(vertices, triangles);
  set_index(*surface, kTerrain);
  return std::make_unique<Object>(surface);
}

struct FclWorld {
  fcl::DynamicAABBTreeCollisionManagerd tree;
  World contents;
};

class FclPeer final : public Peer {
 public:
  FclPeer() {
    request_.num_max_contacts = kMostPoints;
    request_.enable_contact = true;
    request_.gjk_solver_type = fcl::GST_LIBCCD;
  }

  [[nodiscard]] PeerInfo info() const override {
    PeerInfo info;
    info.engine = "FCL";
    info.version = FCL_VERSION;
    info.settings =
        "DynamicAABBTreeCollisionManager refitted each frame, libccd, contacts enabled; terrain and meshes as BVHModel "
        "of OBB, called for each body; one tree an environment; double precision";
    info.note = "terrain and meshes are surfaces without an inside; curved shapes give one point a triangle or pair";
    return info;
  }

  void set_scene(const Scene& scene, const Poses& first) override {
    check_for_peers("FCL", scene, true);
    const SharedGeometry geometry = build_geometry(scene);
    bodies_ = scene.bodies;
    turns_.assign(bodies_.count(), fcl::Quaterniond::Identity());
    for (const Terrain& t : scene.terrains) grounds_.push_back(make_ground(t));
    for (std::size_t i = 0; i < bodies_.count(); ++i) {
      // Contacts name geometries, so that no two bodies share one.
      const auto number = static_cast<std::size_t>(bodies_.size[i][0]);
      std::shared_ptr<fcl::CollisionGeometryd> shape;
      if (bodies_.shape[i] == Shape::convex_hull)
        shape = make_hull(geometry->hulls[number], turns_[i]);
      else if (bodies_.shape[i] == Shape::triangle_mesh)
        shape = make_mesh(scene.meshes[number]);
      else
        shape = make_geometry(bodies_.shape[i], bodies_.size[i]);
      set_index(*shape, static_cast<std::uint32_t>(i));
      objects_.push_back(std::make_unique<Object>(shape));
      set_pose(i, first);
    }
    for (World& contents : split_worlds(scene)) {
      worlds_.push_back(std::make_unique<FclWorld>());
      FclWorld& w = *worlds_.back();
      w.contents = std::move(contents);
      if (!w.contents.bodies_meet) continue;
      std::vector<Object*> members;
      for (std::size_t k = w.contents.half_spaces; k < w.contents.bodies.size(); ++k)
        members.push_back(objects_[w.contents.bodies[k]].get());
      w.tree.registerObjects(members);
      w.tree.setup();
    }
  }

  PeerFrame collide(const Poses& poses) override {
    result_.clear();
    candidates_ = 0;
    const auto meet = [](Object* a, Object* b, void* self) { return static_cast<FclPeer*>(self)->meet(a, b); };
    for (const auto& w : worlds_) {
      const std::vector<std::uint32_t>& members = w->contents.bodies;
      for (const std::uint32_t i : members) set_pose(i, poses);
      if (w->contents.terrain >= 0) {
        const Object* ground = grounds_[static_cast<std::size_t>(w->contents.terrain)].get();
        for (std::size_t k = w->contents.half_spaces; k < members.size(); ++k) {
          const Object* body = objects_[members[k]].get();
          if (!body->getAABB().overlap(ground->getAABB())) continue;
          ++candidates_;
          fcl::collide(ground, body, request_, result_);
        }
      }
      for (const std::uint32_t mesh : w->contents.meshes) {
        set_pose(mesh, poses);
        for (std::size_t k = w->contents.half_spaces; k < members.size(); ++k) {
          if (!may_meet(bodies_, mesh, members[k])) continue;
          const Object *surface = objects_[mesh].get(), *body = objects_[members[k]].get();
          if (!body->getAABB().overlap(surface->getAABB())) continue;
          ++candidates_;
          fcl::collide(surface, body, request_, result_);
        }
      }
      if (!w->contents.bodies_meet) continue;
      is_filtered_ = w->contents.is_filtered;
      w->tree.update();
      w->tree.setup();
      w->tree.collide(this, meet);
      // A half space's box mostly has no end, so that it is no part of the tree.
      for (std::size_t k = 0; k < w->contents.half_spaces; ++k) w->tree.collide(objects_[members[k]].get(), this, meet);
    }
    PeerFrame frame;
    frame.points = result_.numContacts();
    return frame;
  }

  [[nodiscard]] std::vector<Touch> touching() const override {
    std::vector<Touch> touches;
    for (std::size_t k = 0; k < result_.numContacts(); ++k) {
      const fcl::Contactd& c = result_.getContact(k);
      // Whatever is reported overlaps; a sphere's depth in a triangle has the other sign.
      touches.push_back({{index_of(c.o1), index_of(c.o2)}, std::abs(c.penetration_depth)});
    }
    sort_touches(touches);
    return touches;
  }

  [[nodiscard]] std::optional<std::uint64_t> candidates() const override { return candidates_; }

 private:
  // False: go on with the next pair.
  bool meet(Object* a, Object* b) {
    if (is_filtered_ &&
        !may_meet(bodies_, index_of(a->collisionGeometry().get()), index_of(b->collisionGeometry().get())))
      return false;
    ++candidates_;
    fcl::collide(a, b, request_, result_);
    return false;
  }

  void set_pose(std::size_t i, const Poses& poses) {
    const double* p = &poses.position[3 * i];
    const double* q = &poses.orientation[4 * i];
    objects_[i]->setTransform(fcl::Quaterniond(q[0], q[1], q[2], q[3]) * turns_[i], fcl::Vector3d(p[0], p[1], p[2]));
    objects_[i]->computeAABB();
  }

  Bodies bodies_;
  fcl::CollisionRequestd request_;
  fcl::CollisionResultd result_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::vector<fcl::Quaterniond> turns_;  // from the axes of each body's geometry to its own
  std::vector<std::unique_ptr<Object>> grounds_;
  std::vector<std::unique_ptr<FclWorld>> worlds_;
  bool is_filtered_ = false;
  std::uint64_t candidates_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_fcl_peer() {
  return std::make_unique<FclPeer>();
}

}  // namespace oclide::bench
