#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oclide/validation.hpp"
#include "reference/body_contacts.hpp"
#include "reference/broad_phase/body_pairs.hpp"
#include "reference/broad_phase/terrain_range.hpp"
#include "reference/joined_ground.hpp"
#include "scene/body_margin.hpp"
#include "scene/body_rows.hpp"
#include "scene/scene_check.hpp"
#include "scene/terrain_of.hpp"
#include "scene/tile_store.hpp"
#include "threads/parallel_for.hpp"
#include "upload/compound_bodies.hpp"
#include "validation/frame_contacts.hpp"
#include "validation/ground_check.hpp"
#include "validation/impact_check.hpp"
#include "validation/mesh_check.hpp"
#include "validation/pair_check.hpp"
#include "validation/ray_check.hpp"

namespace oclide {

using namespace reference;
using namespace validation;

namespace {

void merge(ValidationReport& into, const ValidationReport& from) {
  into.pairs_device += from.pairs_device;
  into.pairs_reference += from.pairs_reference;
  into.only_device += from.only_device;
  into.only_reference += from.only_reference;
  into.contacts_reference += from.contacts_reference;
  into.unmatched_device += from.unmatched_device;
  into.unmatched_reference += from.unmatched_reference;
  into.undecided += from.undecided;
  into.largest_depth_error = std::max(into.largest_depth_error, from.largest_depth_error);
  into.largest_depth_error_relative = std::max(into.largest_depth_error_relative, from.largest_depth_error_relative);
  into.largest_normal_error = std::max(into.largest_normal_error, from.largest_normal_error);
  into.largest_point_error = std::max(into.largest_point_error, from.largest_point_error);
  into.deepest = std::max(into.deepest, from.deepest);
  for (const std::string& line : from.examples) add_example(into, line);
}

// What a body of the reference, which is a part where the scene has compounds, is called.
struct Names {
  const Bodies* bodies;
  const CompoundBodies* compounds;  // or nothing

  [[nodiscard]] std::string operator()(std::size_t i) const {
    const std::string shape = to_string(bodies->shape[i]);
    if (compounds == nullptr) return shape + " " + std::to_string(i);
    const std::size_t body = compounds->body_of(i);
    if (!compounds->is_compound(body)) return shape + " " + std::to_string(body);
    return "shape " + std::to_string(compounds->shape_of(i)) + " (" + shape + ") of body " + std::to_string(body);
  }
};

}  // namespace

struct Validator::State {
  SharedGeometry geometry;
  Scene scene;                              // with the parts of compounds as bodies
  std::optional<CompoundBodies> compounds;  // where there are any
  BodyRows rows;
  TileStore tiles;
  double margin = 0.0;
  ValidationReport report;
  RayReport ray_report;
  SweepReport sweep_report;

  void set_ground(const GroundChange& change) { scene.terrains[change.ground] = ground_of_tiles(change.tiles); }
  void update_cells(const char* call, std::vector<std::uint8_t> Terrain::*array, std::size_t terrain,
                    const GridPart& part, std::span<const std::uint8_t> values) {
    check_cell_update(call, tiles.sizes(), terrain, part.row, part.col, part.rows, part.cols, values.size());
    if (values.empty()) return;
    if (tiles.is_tile(terrain))
      set_ground(tiles.update_cells(array, terrain, part, values));
    else
      write_cells(scene.terrains[terrain], array, part, values);
  }
};

Validator::Validator(const Scene& scene, double margin) : state_(std::make_unique<State>()) {
  check_margin(margin);
  state_->geometry = checked_geometry(scene);
  if (CompoundBodies::are_in(scene)) state_->compounds.emplace(scene);
  state_->scene = state_->compounds ? state_->compounds->expanded(scene) : scene;
  state_->margin = margin;
  state_->rows.set(scene);
  state_->tiles.set(scene.terrains);
  state_->scene.terrains = with_grounds_joined(std::move(state_->scene.terrains));
}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

const ValidationReport& Validator::report() const {
  return state_->report;
}
const RayReport& Validator::ray_report() const {
  return state_->ray_report;
}
const SweepReport& Validator::sweep_report() const {
  return state_->sweep_report;
}

namespace {

// All pairs of bodies that may touch in the reference or do so on the device.
void check_pairs(const Scene& scene, const Geometry& geometry, const Names& names, const Poses& poses,
                 std::span<const Contact> contacts, double margin, ValidationReport& report) {
  const std::string frame = "frame " + std::to_string(report.frames);
  const std::vector<DevicePair> device = pairs_of(contacts, scene.bodies, frame, report);
  std::vector<DevicePair> all;
  std::size_t next = 0;
  for (const BodyPair& pair : body_pairs(scene.bodies, geometry, poses, margin)) {
    for (; next < device.size() && device[next].pair < pair; ++next) all.push_back(device[next]);
    if (next == device.size() || device[next].pair != pair) all.push_back({pair, 0, 0});
  }
  all.insert(all.end(), device.begin() + static_cast<std::ptrdiff_t>(next), device.end());

  const MeetRules rules(scene.bodies);
  constexpr std::size_t kPairsAtOnce = 256;
  std::vector<ValidationReport> reports((all.size() + kPairsAtOnce - 1) / kPairsAtOnce);
  parallel_for(reports.size(), [&](std::size_t chunk) {
    const std::size_t last = std::min(all.size(), (chunk + 1) * kPairsAtOnce);
    for (std::size_t k = chunk * kPairsAtOnce; k < last; ++k) {
      const auto [a, b] = all[k].pair;
      const dvec3 centre = centre_of(poses, a);
      std::vector<DeviceContact> found;
      for (const Contact& c : contacts.subspan(all[k].first, all[k].last - all[k].first))
        found.push_back({dvec3(c.point[0], c.point[1], c.point[2]) - centre,
                         dvec3(c.normal[0], c.normal[1], c.normal[2]), static_cast<double>(c.depth), c.element,
                         c.material});
      const std::string where = frame + ", " + names(a) + " and " + names(b);
      const bool has_mesh =
          scene.bodies.shape[a] == Shape::triangle_mesh || scene.bodies.shape[b] == Shape::triangle_mesh;
      (has_mesh ? check_mesh_pair : check_pair)(body_at(scene.bodies, geometry, poses, a),
                                                body_at(scene.bodies, geometry, poses, b), centre_of(poses, b) - centre,
                                                rules.may_meet(a, b), found, pair_margin(margin, scene.bodies, a, b),
                                                where, reports[chunk]);
    }
  });
  for (const ValidationReport& part : reports) merge(report, part);
}

}  // namespace

std::vector<BodyHandle> Validator::change(const BodyChanges& changes) {
  State& state = *state_;
  std::vector<BodyHandle> handles = state.rows.apply(changes);
  const Scene& rows = state.rows.scene();
  state.compounds.reset();
  if (CompoundBodies::are_in(rows)) state.compounds.emplace(rows);
  state.scene.bodies = state.compounds ? state.compounds->parts_as_bodies(rows) : rows.bodies;
  return handles;
}

std::size_t Validator::rows() const {
  return state_->rows.count();
}

void Validator::update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                               std::size_t cols, std::span<const double> heights) {
  check_height_update(state_->tiles.sizes(), terrain, first_row, first_col, rows, cols, heights);
  if (heights.empty()) return;
  const GridPart part{first_row, first_col, rows, cols};
  if (state_->tiles.is_tile(terrain))
    state_->set_ground(state_->tiles.update_heights(terrain, part, heights));
  else
    write_heights(state_->scene.terrains[terrain], part, heights);
}

void Validator::update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                             std::size_t cols, std::span<const std::uint8_t> holes) {
  state_->update_cells("update_holes", &Terrain::holes, terrain, {first_row, first_col, rows, cols}, holes);
}

void Validator::update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                std::size_t cols, std::span<const std::uint8_t> material) {
  state_->update_cells("update_material", &Terrain::material, terrain, {first_row, first_col, rows, cols}, material);
}

void Validator::move_terrain(std::size_t terrain, std::array<double, 2> origin) {
  check_move(state_->tiles.sizes(), terrain, origin);
  if (state_->tiles.is_tile(terrain))
    state_->set_ground(state_->tiles.move(terrain, origin));
  else
    state_->scene.terrains[terrain].origin = origin;
}

std::vector<std::size_t> Validator::change_tiles(TileChanges changes) {
  std::vector<std::size_t> added;
  state_->set_ground(state_->tiles.change(std::move(changes), added));
  return added;
}

void Validator::add_frame(const Poses& poses, std::span<const Contact> contacts) {
  const std::optional<CompoundBodies>& compounds = state_->compounds;
  check_poses(poses, compounds ? compounds->bodies() : state_->scene.bodies.count());
  ValidationReport& report = state_->report;
  if (compounds) {
    std::vector<double> position, orientation;
    compounds->place(poses, position, orientation);
    const std::string frame = "frame " + std::to_string(report.frames);
    check_frame({position, orientation}, contacts_of_parts(contacts, *compounds, frame, report));
  } else {
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if (contacts[k].shape_a != 0 || contacts[k].shape_b != 0) {
        ++report.unmatched_device;
        add_example(report, "contact " + std::to_string(k) + " names a shape of a body that is no compound");
      }
    check_frame(poses, contacts);
  }
  report.bodies_checked += poses.count();
  ++report.frames;
}

void Validator::add_cast(const Poses& poses, const Rays& rays, std::span<const Hit> hits) {
  const CompoundBodies* compounds = state_->compounds ? &*state_->compounds : nullptr;
  check_poses(poses, compounds ? compounds->bodies() : state_->scene.bodies.count());
  check_rays(rays, state_->scene.environment_terrain.size());
  if (hits.size() != rays.count())
    throw Error(ErrorKind::invalid_input,
                "hits has " + std::to_string(hits.size()) + " entries for " + std::to_string(rays.count()) + " rays");
  std::vector<double> position, orientation;
  if (compounds != nullptr) compounds->place(poses, position, orientation);
  check_cast(state_->scene, *state_->geometry, compounds, compounds != nullptr ? Poses{position, orientation} : poses,
             rays, hits, state_->ray_report);
}

void Validator::add_sweep(const Poses& poses, const Motion& motion, std::span<const Impact> impacts) {
  const CompoundBodies* compounds = state_->compounds ? &*state_->compounds : nullptr;
  const std::size_t bodies = compounds ? compounds->bodies() : state_->scene.bodies.count();
  check_poses(poses, bodies);
  check_motion(motion, bodies);
  // Of each part, where there are compounds, the body's own.
  const std::size_t count = state_->scene.bodies.count();
  const auto of_parts = [&](std::span<const double> of_bodies) {
    std::vector<double> numbers(3 * count, 0.0);
    for (std::size_t part = 0; part < count && !of_bodies.empty(); ++part)
      std::copy_n(&of_bodies[3 * (compounds ? compounds->body_of(part) : part)], 3, &numbers[3 * part]);
    return numbers;
  };
  const std::vector<double> displacement = of_parts(motion.displacement), rotation = of_parts(motion.rotation);
  const std::vector<double> pivots = of_parts(poses.position);
  std::vector<double> position, orientation;
  if (compounds != nullptr) compounds->place(poses, position, orientation);
  SweepReport report = state_->sweep_report;
  try {
    check_sweep(state_->scene, *state_->geometry, compounds,
                compounds != nullptr ? Poses{position, orientation} : poses, {displacement, rotation}, pivots, impacts,
                report);
  } catch (const UntoldSweep& untold) {
    refuse_untold(untold, [&](std::size_t part) { return compounds != nullptr ? compounds->body_of(part) : part; });
  }
  state_->sweep_report = std::move(report);
}

// Bodies are those of state_->scene.
void Validator::check_frame(const Poses& poses, std::span<const Contact> contacts) {
  const Scene& scene = state_->scene;
  const Names names{&scene.bodies, state_->compounds ? &*state_->compounds : nullptr};
  const std::size_t count = scene.bodies.count();
  ValidationReport& report = state_->report;
  std::vector<std::vector<DeviceContact>> device(count);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    if (c.body_b != kTerrain) continue;
    ++report.contacts_device;
    if (c.body_a >= count) {
      ++report.unmatched_device;
      add_example(report, "contact " + std::to_string(k) + ": body_a is " + std::to_string(c.body_a));
      continue;
    }
    const dvec3 centre = centre_of(poses, c.body_a);
    device[c.body_a].push_back({dvec3(c.point[0], c.point[1], c.point[2]) - centre,
                                dvec3(c.normal[0], c.normal[1], c.normal[2]), static_cast<double>(c.depth)});
  }

  std::vector<ValidationReport> reports(count);
  parallel_for_ranges(count, 16, [&](IndexRange range) {
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const std::string where = "frame " + std::to_string(report.frames) + ", " + names(i);
      const int terrain = terrain_of(scene, scene.bodies, i);
      if (terrain < 0) {
        reports[i].unmatched_device = device[i].size();
        if (!device[i].empty()) add_example(reports[i], where + ": a contact with terrain where there is none");
        continue;
      }
      const TerrainView view(scene.terrains[static_cast<std::size_t>(terrain)], centre_of(poses, i));
      const Body body = body_at(scene.bodies, *state_->geometry, poses, i);
      const double margin = ground_margin(state_->margin, scene.bodies, i);
      const CellRange cells = terrain_range(view, body, margin);
      if (cells.empty() && device[i].empty()) continue;
      check_ground(body, TerrainSurface(view, cells), device[i], margin, where, reports[i]);
      if (reports[i].holds()) continue;
      // Beside a line of the grid rounding may take another range.
      const CellRange widest = widest_terrain_range(view, body, margin);
      if (widest == cells) continue;
      ValidationReport by_widest;
      check_ground(body, TerrainSurface(view, widest), device[i], margin, where, by_widest);
      if (by_widest.holds()) reports[i] = by_widest;
    }
  });

  for (std::size_t i = 0; i < count; ++i) {
    report.pairs_device += device[i].empty() ? 0 : 1;
    merge(report, reports[i]);
  }
  check_pairs(scene, *state_->geometry, names, poses, contacts, state_->margin, report);
}

}  // namespace oclide
