// The double-precision CPU reference: the same stages as on a device, one body after another, written from
// docs/terrain_contacts.md, docs/body_contacts.md, docs/mesh_contacts.md, docs/rays.md and docs/motion.md to be
// checked by reading.
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backend.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/body_pairs.hpp"
#include "reference/broad_phase/terrain_range.hpp"
#include "reference/contact_reduction/mesh_reduction.hpp"
#include "reference/ground_faces.hpp"
#include "reference/joined_ground.hpp"
#include "reference/motion/motion_scene.hpp"
#include "reference/narrow_phase/body_pair.hpp"
#include "reference/queries/distance_scene.hpp"
#include "reference/queries/overlap_scene.hpp"
#include "reference/rays/ray_scene.hpp"
#include "reference/tracking/contact_tracking.hpp"
#include "scene/body_margin.hpp"
#include "scene/terrain_of.hpp"
#include "scene/tile_store.hpp"
#include "threads/parallel_for.hpp"

namespace oclide {
namespace {

using namespace reference;

// Wall time since the last call, in milliseconds.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

constexpr std::size_t kGrain = 16;  // bodies, pairs or rays that one thread takes in turn

Contact contact_of(dvec3 point, dvec3 normal, double depth, std::uint32_t feature) {
  Contact contact;
  contact.point = {point.x, point.y, point.z};
  contact.normal = {static_cast<float>(normal.x), static_cast<float>(normal.y), static_cast<float>(normal.z)};
  contact.depth = static_cast<float>(depth);
  contact.feature = feature;
  return contact;
}

Contact to_contact(const GroundContact& c, dvec3 centre, std::size_t body, std::uint32_t manifold) {
  Contact contact = contact_of(c.point + centre, c.normal, c.depth, c.feature);
  contact.body_a = static_cast<std::uint32_t>(body);
  contact.manifold = manifold;
  contact.material = c.material;
  return contact;
}

// What two bodies have, ready for a frame but for the number of the manifold.
using PairContacts = std::vector<std::vector<Contact>>;

PairContacts contacts_of_convex(const Body& a, const Body& b, dvec3 centre_a, dvec3 centre_b, double margin) {
  const std::optional<PairManifold> found = collide_pair(a, b, centre_b - centre_a, margin);
  if (!found) return {};
  std::vector<Contact> contacts;
  for (const PairContact& c : found->contacts)
    contacts.push_back(contact_of(c.point + centre_a, found->normal, c.depth, c.feature));
  return {contacts};
}

// The body that is not the mesh looks at it; where it is B, the normal is turned, and the point is the mesh's.
PairContacts contacts_with_mesh(const Body& a, const Body& b, dvec3 centre_a, dvec3 centre_b, double margin) {
  const bool turned = a.shape == Shape::triangle_mesh;
  const Body &body = turned ? b : a, &mesh = turned ? a : b;
  const dvec3 centre = turned ? centre_b : centre_a, to_mesh = turned ? centre_a - centre_b : centre_b - centre_a;
  PairContacts manifolds;
  for (const auto& manifold : mesh_manifolds(body, mesh.axes, mesh_contacts(body, mesh, to_mesh, margin))) {
    manifolds.emplace_back();
    for (const MeshContact& c : manifold) {
      const dvec3 at = turned ? c.point + c.depth * c.normal : c.point;
      Contact contact = contact_of(at + centre, turned ? -c.normal : c.normal, c.depth, c.feature);
      contact.element = c.element, contact.material = c.material;
      manifolds.back().push_back(contact);
    }
  }
  return manifolds;
}

// Of the pairs' contacts those that are of `body` and a later one; `next` is the first pair not looked at yet.
void append_pair_contacts(const std::vector<BodyPair>& pairs, const std::vector<PairContacts>& found,
                          std::uint32_t body, std::size_t& next, std::uint32_t& manifold_number, const Bodies& bodies,
                          FrameContacts& result) {
  for (; next < pairs.size() && pairs[next].a == body; ++next) {
    if (found[next].empty()) continue;
    const std::uint8_t flags = contact_flags(bodies, body, pairs[next].b);
    for (const std::vector<Contact>& manifold : found[next]) {
      for (Contact contact : manifold) {
        contact.body_a = body, contact.body_b = pairs[next].b;
        contact.manifold = manifold_number;
        contact.flags = flags;
        result.contacts.push_back(contact);
      }
      ++manifold_number;
      result.unreduced += manifold.size();
    }
    ++result.pairs;
    ++result.body_pairs;
  }
}

struct ReferenceGroundNames final : GroundNames {
  std::map<std::size_t, GroundFaces> grounds;
};

class ReferenceCollider final : public Collider::Backend {
 public:
  explicit ReferenceCollider(const Settings& settings) : margin_(settings.margin) {
    device_.id = "reference";
    device_.name = "CPU reference";
    device_.platform = "host";
    device_.is_reference = true;
    device_.compute_units = std::thread::hardware_concurrency();
  }

  [[nodiscard]] const DeviceInfo& device() const override { return device_; }

  void set_scene(const Scene& scene, const Bodies& bodies, const SharedGeometry& geometry) override {
    scene_.terrains = with_grounds_joined(scene.terrains);
    scene_.environment_terrain = scene.environment_terrain;
    geometry_ = geometry;
    scene_.bodies = bodies;
    faces_.clear();
    faces_.resize(scene_.terrains.size());
    keeps_names_.assign(scene_.terrains.size(), false);
    tracking_.forget();
  }

  void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                      std::size_t cols, std::span<const double> heights) override {
    write_heights(scene_.terrains[terrain], {first_row, first_col, rows, cols}, heights);
    faces_[terrain].reset();
  }

  void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                    std::size_t cols, std::span<const std::uint8_t> holes) override {
    write_cells(scene_.terrains[terrain], &Terrain::holes, {first_row, first_col, rows, cols}, holes);
    faces_[terrain].reset();
  }
  void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                       std::size_t cols, std::span<const std::uint8_t> material) override {
    write_cells(scene_.terrains[terrain], &Terrain::material, {first_row, first_col, rows, cols}, material);
  }
  void move_terrain(std::size_t terrain, std::array<double, 2> origin) override {
    scene_.terrains[terrain].origin = origin;
  }
  void set_ground(const GroundChange& change) override {
    Terrain& ground = scene_.terrains[change.ground];
    std::unique_ptr<GroundFaces>& faces = faces_[change.ground];
    const bool keeps = change.come_and_go || keeps_names_[change.ground];
    if (keeps && !faces) faces = std::make_unique<GroundFaces>(ground);
    ground = ground_of_tiles(change.tiles);
    faces = keeps ? std::make_unique<GroundFaces>(ground, *faces, change.moved.row, change.moved.col) : nullptr;
    keeps_names_[change.ground] = keeps;
  }
  [[nodiscard]] std::shared_ptr<const GroundNames> ground_names() override {
    auto names = std::make_shared<ReferenceGroundNames>();
    for (std::size_t k = 0; k < keeps_names_.size(); ++k)
      if (keeps_names_[k]) names->grounds.emplace(k, *faces_[k]);
    return names->grounds.empty() ? nullptr : names;
  }
  void set_ground_names(const GroundNames& names) override {
    const auto* all = dynamic_cast<const ReferenceGroundNames*>(&names);
    if (all == nullptr) return;
    for (const auto& [k, before] : all->grounds) {
      faces_[k] = std::make_unique<GroundFaces>(scene_.terrains[k], before, 0, 0);
      keeps_names_[k] = true;
    }
  }
  void change(const Scene& /*scene*/, const Bodies& bodies, const SharedGeometry& geometry,
              std::span<const std::uint32_t> /*rows*/, bool /*all*/) override {
    scene_.bodies = bodies;
    geometry_ = geometry;
  }

  void cast(const FramePoses& given, const Rays& rays, RayHits& hits) override {
    if (given.keep) given.keep();
    Stopwatch stage;
    const RayScene scene(scene_, *geometry_, given.poses);
    hits.hits.resize(rays.count());
    parallel_for(rays.count(), kGrain, [&](std::size_t i) { hits.hits[i] = scene.first_hit(ray_at(rays, i)); });
    hits.milliseconds.cast = stage.lap();
  }

  void sweep(const FramePoses& given, const Motion& motion, std::span<const double> pivots,
             FrameImpacts& found) override {
    if (given.keep) given.keep();
    Stopwatch stage;
    const MotionScene scene(scene_, *geometry_, given.poses, motion, pivots);
    std::vector<BodyPair> pairs = scene.pairs();
    for (std::uint32_t i = 0; i < scene_.bodies.count(); ++i)
      if (terrain_of(scene_, scene_.bodies, i) >= 0) pairs.push_back({i, kTerrain});
    found.milliseconds.broad_phase = stage.lap();
    std::vector<std::optional<Impact>> impacts(pairs.size());
    std::vector<std::uint64_t> candidates(pairs.size());
    parallel_for(pairs.size(),
                 [&](std::size_t k) { impacts[k] = scene.impact_of(pairs[k].a, pairs[k].b, candidates[k]); });
    for (const std::uint64_t count : candidates) found.candidates += count;
    for (const std::optional<Impact>& impact : impacts)
      if (impact) found.impacts.push_back(*impact);
    found.milliseconds.narrow_phase = stage.lap();
  }

  void overlap(const FramePoses& given, const QueryShapes& queries, const Compounds& compounds,
               Overlaps& found) override {
    if (given.keep) given.keep();
    Stopwatch stage;
    const OverlapScene scene(scene_, *geometry_, given.poses);
    const QueryParts parts(queries, compounds);
    std::vector<std::uint32_t> lowest(parts.count());
    parallel_for(parts.count(), kGrain, [&](std::size_t i) { lowest[i] = scene.lowest(scene.shape_of(parts, i)); });
    found.overlaps.assign(queries.count(), 0);
    found.body.assign(queries.find_lowest ? queries.count() : 0, kNothing);
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      if (lowest[i] == kNothing) continue;
      const std::size_t query = parts.query_of(i);
      found.overlaps[query] = 1;
      if (!queries.find_lowest) continue;
      std::uint32_t& body = found.body[query];
      body = body == kNothing ? lowest[i] : std::min(body, lowest[i]);
    }
    found.milliseconds.query = stage.lap();
  }

  void distance(const FramePoses& given, const QueryPoints& points, Distances& found) override {
    if (given.keep) given.keep();
    Stopwatch stage;
    const DistanceScene scene(scene_, *geometry_, given.poses);
    found.nearest.resize(points.count());
    parallel_for(points.count(), kGrain,
                 [&](std::size_t i) { found.nearest[i] = scene.nearest(query_point(points, i)); });
    found.milliseconds.query = stage.lap();
  }

  [[nodiscard]] FrameContacts& update(const FramePoses& given) override {
    frame_ = collide(given);
    return frame_;
  }
  [[nodiscard]] FrameContacts take_frame() override { return std::exchange(frame_, {}); }
  [[nodiscard]] FrameContacts collide(const FramePoses& given) override {
    const Poses& poses = given.poses;
    if (given.keep) given.keep();
    const std::size_t count = scene_.bodies.count();
    FrameContacts result;
    result.moved_bodies = count;
    Stopwatch total, stage;

    for (std::size_t k = 0; k < scene_.terrains.size(); ++k)
      if (!faces_[k] && scene_.terrains[k].rows > 0) faces_[k] = std::make_unique<GroundFaces>(scene_.terrains[k]);
    std::vector<CellRange> ranges(count);
    parallel_for(count, kGrain, [&](std::size_t i) {
      if (const int terrain = terrain_of(scene_, scene_.bodies, i); terrain >= 0)
        ranges[i] = terrain_range(view(terrain, poses, i), body_at(scene_.bodies, *geometry_, poses, i),
                                  ground_margin(margin_, scene_.bodies, i));
    });
    const std::vector<BodyPair> pairs = body_pairs(scene_.bodies, *geometry_, poses, margin_);
    result.milliseconds.broad_phase = stage.lap();

    std::vector<std::vector<GroundContact>> unreduced(count);
    parallel_for(count, kGrain, [&](std::size_t i) {
      if (ranges[i].empty()) return;
      const TerrainSurface ground(view(terrain_of(scene_, scene_.bodies, i), poses, i), ranges[i]);
      unreduced[i] = held(ground_contacts(body_at(scene_.bodies, *geometry_, poses, i), ground,
                                          ground_margin(margin_, scene_.bodies, i)));
    });
    std::vector<PairContacts> found(pairs.size());
    parallel_for(pairs.size(), kGrain, [&](std::size_t k) {
      const auto [a, b] = pairs[k];
      const auto body = [&](std::size_t i) { return body_at(scene_.bodies, *geometry_, poses, i); };
      const bool mesh = is_mesh(a) || is_mesh(b);
      found[k] = (mesh ? contacts_with_mesh : contacts_of_convex)(
          body(a), body(b), centre_of(poses, a), centre_of(poses, b), pair_margin(margin_, scene_.bodies, a, b));
    });
    result.milliseconds.narrow_phase = stage.lap();

    std::vector<std::vector<std::vector<GroundContact>>> manifolds(count);
    parallel_for(count, kGrain, [&](std::size_t i) { manifolds[i] = reduce_contacts(unreduced[i]); });
    std::uint32_t manifold_number = 0;
    std::size_t next_pair = 0;
    result.body_candidates = pairs.size();
    for (std::size_t i = 0; i < count; ++i) {
      append_pair_contacts(pairs, found, static_cast<std::uint32_t>(i), next_pair, manifold_number, scene_.bodies,
                           result);
      result.candidates += ranges[i].count();
      result.unreduced += unreduced[i].size();
      result.pairs += manifolds[i].empty() ? 0 : 1;
      for (const auto& manifold : manifolds[i]) {
        for (const GroundContact& c : manifold) {
          result.contacts.push_back(to_contact(c, centre_of(poses, i), i, manifold_number));
          result.contacts.back().flags = contact_flags(scene_.bodies, static_cast<std::uint32_t>(i), kTerrain);
        }
        ++manifold_number;
      }
    }
    result.milliseconds.contact_reduction = stage.lap();
    result.milliseconds.total = total.lap();
    return result;
  }

  void track(FrameContacts& frame) override {
    Stopwatch stage;
    tracking_.follow(frame);
    frame.milliseconds.tracking = stage.lap();
    frame.milliseconds.total += frame.milliseconds.tracking;
  }

 private:
  [[nodiscard]] TerrainView view(int terrain, const Poses& poses, std::size_t body) const {
    const auto k = static_cast<std::size_t>(terrain);
    return {scene_.terrains[k], centre_of(poses, body), faces_[k].get()};
  }

  [[nodiscard]] bool is_mesh(std::size_t body) const { return scene_.bodies.shape[body] == Shape::triangle_mesh; }

  DeviceInfo device_;
  double margin_;
  Scene scene_;  // without hulls
  SharedGeometry geometry_;
  std::vector<std::unique_ptr<GroundFaces>> faces_;  // of each terrain, found when a frame needs them
  std::vector<bool> keeps_names_;                    // of those whose tiles have changed
  FrameContacts frame_;                              // of update()
  ContactTracking tracking_;
};

}  // namespace

std::unique_ptr<Collider::Backend> make_reference_backend(const Settings& settings) {
  return std::make_unique<ReferenceCollider>(settings);
}

}  // namespace oclide
