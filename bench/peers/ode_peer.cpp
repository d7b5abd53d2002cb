// ODE (Debian: libode-dev), set up for speed. Bodies: a hash space with levels that fit them, a simple one for few,
// none where they meet terrain alone. Terrain: ODE's height field, called directly for each body. Its y is up: its axes
// x, y, z are the world's y, z, x. One thread: ODE has threads for its solver alone.
#include <ode/ode.h>
#include <ode/version.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "peers/peer.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::bench {
namespace {

constexpr int kMostPoints = 16;         // of two bodies; ODE finds 8 at most between boxes
constexpr std::size_t kFewGeoms = 64;   // no more are quicker tested each with each
constexpr int kMostTerrainPoints = 64;  // of a body with terrain

struct OdeWorld {
  dSpaceID space = nullptr;
  std::vector<dGeomID> geoms;  // in the order of contents.bodies
  World contents;
};

class OdePeer final : public Peer {
 public:
  OdePeer() { dInitODE2(0); }

  ~OdePeer() override {
    for (const OdeWorld& w : worlds_) {
      for (dGeomID g : w.geoms) dGeomDestroy(g);
      if (w.space != nullptr) dSpaceDestroy(w.space);
    }
    for (dGeomID g : grounds_) dGeomDestroy(g);
    for (dHeightfieldDataID d : ground_data_) dGeomHeightfieldDataDestroy(d);
    dCloseODE();
  }

  [[nodiscard]] PeerInfo info() const override {
    PeerInfo info;
    info.engine = "ODE";
    info.version = dODE_VERSION;
    info.settings = "dHashSpace with levels of the bodies' sizes (dSimpleSpace for 64 or fewer), dCollide with up to " +
                    std::to_string(kMostPoints) + " points a pair; height field of " +
                    std::to_string(kMostTerrainPoints) +
                    " points a body at most, called for each body without a space; one space an environment; double "
                    "precision";
    info.note = "a height field gives few points a body and misses some bodies that touch with an edge";
    return info;
  }

  void set_scene(const Scene& scene, const Poses& first) override {
    check_for_peers("ODE", scene, false);
    // Its dxConvex meets neither cylinders nor height fields.
    if (!scene.hulls.empty()) throw Error(ErrorKind::invalid_input, "ODE: no convex hulls");
    bodies_ = scene.bodies;
    for (const Terrain& t : scene.terrains) add_ground(t);
    for (World& contents : split_worlds(scene)) add_world(std::move(contents), first);
  }

  PeerFrame collide(const Poses& poses) override {
    touched_.clear();
    count_ = 0;
    candidates_ = 0;
    for (const OdeWorld& w : worlds_) {
      for (std::size_t k = 0; k < w.geoms.size(); ++k) set_pose(w, k, poses);
      if (w.contents.terrain >= 0)
        for (std::size_t k = w.contents.half_spaces; k < w.geoms.size(); ++k)
          collide_pair(w.geoms[k], grounds_[static_cast<std::size_t>(w.contents.terrain)], kMostTerrainPoints);
      if (w.space != nullptr) {
        is_filtered_ = w.contents.is_filtered;
        dSpaceCollide(w.space, this, [](void* self, dGeomID a, dGeomID b) { static_cast<OdePeer*>(self)->meet(a, b); });
      }
    }
    PeerFrame frame;
    frame.points = count_;
    return frame;
  }

  [[nodiscard]] std::vector<Touch> touching() const override {
    std::vector<Touch> touches = touched_;
    sort_touches(touches);
    return touches;
  }

  [[nodiscard]] std::optional<std::uint64_t> candidates() const override { return candidates_; }

 private:
  static std::uint32_t index_of(dGeomID g) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(dGeomGetData(g)));
  }
  static void set_index(dGeomID g, std::uint32_t i) {
    dGeomSetData(g, reinterpret_cast<void*>(static_cast<std::uintptr_t>(i)));
  }

  void meet(dGeomID a, dGeomID b) {
    if (is_filtered_ && !may_meet(bodies_, index_of(a), index_of(b))) return;
    collide_pair(a, b, kMostPoints);
  }

  // Points go behind those that are there.
  void collide_pair(dGeomID a, dGeomID b, int most) {
    ++candidates_;
    if (points_.size() < count_ + static_cast<std::size_t>(most)) points_.resize(2 * count_ + 4096);
    const int found = dCollide(a, b, most, &points_[count_], sizeof(dContactGeom));
    if (found == 0) return;
    double depth = 0.0;
    for (int k = 0; k < found; ++k) depth = std::max(depth, static_cast<double>(points_[count_++].depth));
    touched_.push_back({{index_of(a), index_of(b)}, depth});
  }

  void set_pose(const OdeWorld& w, std::size_t k, const Poses& poses) const {
    const std::uint32_t i = w.contents.bodies[k];
    const double* p = &poses.position[3 * i];
    const dQuaternion q{poses.orientation[4 * i], poses.orientation[4 * i + 1], poses.orientation[4 * i + 2],
                        poses.orientation[4 * i + 3]};
    if (k >= w.contents.half_spaces) {
      dGeomSetPosition(w.geoms[k], p[0], p[1], p[2]);
      dGeomSetQuaternion(w.geoms[k], q);
      return;
    }
    // A plane has no pose but an equation.
    dMatrix3 r;
    dRfromQ(r, q);
    const dReal a = r[2], b = r[6], c = r[10];
    dGeomPlaneSetParams(w.geoms[k], a, b, c, a * p[0] + b * p[1] + c * p[2]);
  }

  static dGeomID make_geom(Shape shape, const std::array<double, 3>& s) {
    switch (shape) {
      case Shape::sphere:
        return dCreateSphere(nullptr, s[0]);
      case Shape::box:
        return dCreateBox(nullptr, 2 * s[0], 2 * s[1], 2 * s[2]);
      case Shape::cylinder:
        return dCreateCylinder(nullptr, s[0], 2 * s[1]);
      case Shape::capsule:
        return dCreateCapsule(nullptr, s[0], 2 * s[1]);
      case Shape::half_space:
        return dCreatePlane(nullptr, 0, 0, 1, 0);
      case Shape::convex_hull:
      case Shape::compound:
      case Shape::triangle_mesh:
        break;
    }
    no_geometry("geometry in ODE", shape);
  }

  void add_ground(const Terrain& t) {
    std::vector<double> heights(t.heights.size());
    for (std::size_t i = 0; i < t.rows; ++i)
      for (std::size_t j = 0; j < t.cols; ++j) heights[j * t.rows + i] = t.heights[i * t.cols + j];
    const double width = t.spacing[1] * static_cast<double>(t.rows - 1);
    const double depth = t.spacing[0] * static_cast<double>(t.cols - 1);
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    const dHeightfieldDataID data = dGeomHeightfieldDataCreate();
    dGeomHeightfieldDataBuildDouble(data, heights.data(), 1, width, depth, static_cast<int>(t.rows),
                                    static_cast<int>(t.cols), 1.0, 0.0, 1.0, 0);
    dGeomHeightfieldDataSetBounds(data, *low, *high);
    const dGeomID ground = dCreateHeightfield(nullptr, data, 1);
    const dMatrix3 axes{0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0};
    dGeomSetRotation(ground, axes);
    dGeomSetPosition(ground, t.origin[0] + 0.5 * depth, t.origin[1] + 0.5 * width, 0.0);
    set_index(ground, kTerrain);
    ground_data_.push_back(data);
    grounds_.push_back(ground);
  }

  void add_world(World contents, const Poses& first) {
    OdeWorld w;
    w.contents = std::move(contents);
    double smallest = 0.0, largest = 0.0;
    for (std::size_t k = 0; k < w.contents.bodies.size(); ++k) {
      const std::uint32_t i = w.contents.bodies[k];
      w.geoms.push_back(make_geom(bodies_.shape[i], bodies_.size[i]));
      set_index(w.geoms[k], i);
      set_pose(w, k, first);
      if (k < w.contents.half_spaces) continue;
      dReal box[6];
      dGeomGetAABB(w.geoms[k], box);
      const double size = std::max({box[1] - box[0], box[3] - box[2], box[5] - box[4]});
      smallest = k == w.contents.half_spaces ? size : std::min(smallest, size);
      largest = std::max(largest, size);
    }
    if (w.contents.bodies_meet) {
      if (w.geoms.size() <= kFewGeoms) {
        w.space = dSimpleSpaceCreate(nullptr);
      } else {
        w.space = dHashSpaceCreate(nullptr);
        const auto level = [](double size) { return static_cast<int>(std::ceil(std::log2(std::max(size, 1e-3)))); };
        dHashSpaceSetLevels(w.space, level(smallest), level(largest));
      }
      dSpaceSetCleanup(w.space, 0);
      for (dGeomID g : w.geoms) dSpaceAdd(w.space, g);
    }
    worlds_.push_back(std::move(w));
  }

  Bodies bodies_;
  std::vector<dHeightfieldDataID> ground_data_;
  std::vector<dGeomID> grounds_;
  std::vector<OdeWorld> worlds_;
  bool is_filtered_ = false;
  std::vector<dContactGeom> points_;  // room for more than there are
  std::size_t count_ = 0;             // of points
  std::vector<Touch> touched_;
  std::uint64_t candidates_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_ode_peer() {
  return std::make_unique<OdePeer>();
}

}  // namespace oclide::bench
