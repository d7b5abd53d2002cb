// oclide: collision of spheres, boxes, cylinders and capsules with terrain on any OpenCL device.
//
// The one header a C++ application needs. World: right-handed, z up, metres, double precision at this boundary.
// Nothing here writes to a stream; every error is an oclide::Error. A Collider is used from one thread at a time, but
// for stage(). Calls from two threads at once are refused with Error(invalid_input) where they meet. So is every call
// of a Collider that was moved from. Different Colliders may be used from different threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "oclide/export.h"

namespace oclide {

/// Value of `Contact::body_b` for the terrain.
inline constexpr std::uint32_t kTerrain = 0xFFFFFFFFu;
/// Value of `Hit::body` where a ray hits nothing.
inline constexpr std::uint32_t kNothing = 0xFFFFFFFEu;

// Bits of `Bodies::flags`. See docs/worlds.md.
inline constexpr std::uint32_t kStatic = 1u;     ///< meets neither other static bodies nor terrain
inline constexpr std::uint32_t kNoTerrain = 2u;  ///< does not meet terrain
inline constexpr std::uint32_t kSensor = 4u;     ///< its contacts are flagged as such
/// Bit of `Contact::flags`: one of the two is a sensor.
inline constexpr std::uint8_t kSensorContact = 1u;

/// What went wrong, which decides the exit status of the command.
enum class ErrorKind {
  invalid_input,  ///< arguments or data that cannot be used: exit status 2
  device,         ///< no such capability, out of device memory, build failure, driver error: exit status 3
};

/// The one exception type of the library. `what()` is one line. Both texts are valid UTF-8 without control characters,
/// but for ends of lines and tabs in detail(). Control characters of a file or driver are escaped (\u001b), and bytes
/// that are no text become U+FFFD.
class OCLIDE_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  Error(ErrorKind kind, const std::string& message, const std::string& detail);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  /// A device's build log where there is one, else empty. May have many lines.
  [[nodiscard]] const std::string& detail() const { return detail_; }

 private:
  ErrorKind kind_;
  std::string detail_;
};

/// Kinds of bodies; the values are those of `/bodies/shape` in a scene file.
enum class Shape : std::uint8_t {
  sphere = 0,         ///< size: radius, -, -
  box = 1,            ///< size: half extents
  cylinder = 2,       ///< size: radius, half length, -; axis = local z
  capsule = 3,        ///< size: radius, half length of the straight part, -; axis = local z
  convex_hull = 4,    ///< size: index of the hull in Scene::hulls, -, -; the position is of its points' origin
  half_space = 5,     ///< solid below local z = 0; size unused; never meets terrain
  compound = 6,       ///< size: index of the compound, -, -
  triangle_mesh = 7,  ///< size: index of the mesh in Scene::meshes, -, -; meets convex shapes alone
};
[[nodiscard]] OCLIDE_API const char* to_string(Shape shape);

/// Where the diagonal of each cell of a terrain runs, seen from above with x to the right and y upward. With V0 = (i,
/// j), V1 = (i, j+1), V2 = (i+1, j), V3 = (i+1, j+1) a cell is two triangles, the first with the side V0 V1. The values
/// are those of scene files. Other engines: docs/worlds.md.
enum class Diagonal : std::uint8_t {
  falling = 0,  ///< from V2 down to V1: triangles V0 V1 V2 and V3 V2 V1
  rising = 1,   ///< from V0 up to V3: triangles V1 V3 V0 and V2 V0 V3, as in MuJoCo
  // Cells alternate like the squares of a chessboard: those with an even i + j rise, the others fall; or the other way.
  alternating_rising = 2,   ///< cell (0, 0) rises, as with Bullet's diamond subdivision
  alternating_falling = 3,  ///< cell (0, 0) falls
};

/// A height grid; rows are y, columns are x. Solid below its surface, open beyond its border.
/// Vertex (i, j) stands at x = origin[0] + j * spacing[0], y = origin[1] + i * spacing[1].
struct Terrain {
  std::size_t rows = 0;                     ///< vertices along y, at least 2
  std::size_t cols = 0;                     ///< vertices along x, at least 2
  std::array<double, 2> origin{0.0, 0.0};   ///< of vertex (0, 0) [m], finite
  std::array<double, 2> spacing{1.0, 1.0};  ///< [m], positive, at most 1e9
  std::vector<double> heights;              ///< rows * cols [m], within 1e9; NaN = no data
  std::vector<std::uint8_t> holes;          ///< (rows-1) * (cols-1) or empty; non-zero: the cell is open
  std::vector<std::uint8_t> material;       ///< (rows-1) * (cols-1) or empty; copied to each contact
  Diagonal diagonal = Diagonal::falling;    ///< of all cells
  // Which bodies meet it, as two bodies meet, but that all bits let every body meet it. See docs/worlds.md.
  std::int32_t group = 0;
  std::uint32_t category = 0xFFFFFFFFu;
  std::uint32_t mask = 0xFFFFFFFFu;
  /// Index of the first tile of the ground that this terrain is a tile of, its own for that one; -1: it is no tile.
  /// Tiles lie on one lattice and are one surface. Environments name the first tile. See docs/worlds.md.
  std::int32_t tile_of = -1;
};

/// The bodies of a scene but for their poses. All arrays but `excluded` have one entry a body, or are empty where
/// optional.
struct Bodies {
  std::vector<Shape> shape;
  std::vector<std::array<double, 3>> size;  ///< [m], meaning by shape, see Shape
  std::vector<std::uint32_t> environment;   ///< optional, default 0
  std::vector<std::int32_t> group;          ///< optional, default 0
  std::vector<std::uint32_t> category;      ///< optional, default 1
  std::vector<std::uint32_t> mask;          ///< optional, default all bits
  std::vector<std::uint32_t> flags;         ///< optional, default 0: kStatic, kNoTerrain, kSensor
  /// Optional, default 0: a pair's margin is Settings::margin and those of both [m], finite, 0 to 1e9.
  std::vector<double> margin;
  /// Pairs of different bodies that never meet, by their indices, in any order.
  std::vector<std::array<std::uint32_t, 2>> excluded;
  /// One category in the other's mask is enough for two to meet, as in MuJoCo; else each one's must be.
  bool either_mask = false;

  [[nodiscard]] std::size_t count() const { return shape.size(); }
};

/// One shape of a compound body, fixed in the body's axes. Parts of one body never meet.
struct CompoundPart {
  Shape shape = Shape::sphere;       ///< sphere, box, cylinder, capsule or convex hull
  std::array<double, 3> size{};      ///< [m], as Bodies::size
  std::array<double, 3> position{};  ///< of the shape's centre in the body's axes [m], finite
  std::array<double, 4> orientation{1.0, 0.0, 0.0,
                                    0.0};  ///< w, x, y, z in the body's axes; any non-zero length, finite
};

/// A triangle mesh in the body's axes. See docs/mesh_contacts.md.
struct Mesh {
  std::vector<std::array<double, 3>> vertices;          ///< [m], finite, at most 1e9 m from the origin
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< indices of vertices, counter-clockwise seen from the front
  std::vector<std::uint8_t> material;                   ///< of each triangle, or empty; copied to each contact
  /// The triangles are the whole surface of a solid: closed, their normals outward. Else they are a sheet, which meets
  /// bodies from either side.
  bool solid = false;
};

/// Everything of a scene that does not change from frame to frame.
struct Scene {
  std::vector<Terrain> terrains;
  std::vector<std::int32_t>
      environment_terrain;  ///< terrain of each environment, -1 for none; empty: terrain 0 for all
  /// Points of each convex hull in the body's axes [m], at least four that are in no plane. The shape is the hull of
  /// the points rounded to float32; any number of bodies may share it (docs/convex_hulls.md).
  std::vector<std::vector<std::array<double, 3>>> hulls;
  std::vector<Mesh> meshes;                          ///< any number of bodies may share one
  std::vector<std::vector<CompoundPart>> compounds;  ///< parts of each compound: 1 to 65,536
  Bodies bodies;
};

/// Throws Error(invalid_input) naming array and index where the scene cannot be used.
OCLIDE_API void check(const Scene& scene);

/// Terrains of a scene that passes check() which nothing can meet: no environment has them, and they are tiles of none
/// that one has. Ascending.
[[nodiscard]] OCLIDE_API std::vector<std::size_t> unused_terrains(const Scene& scene);

/// Poses of all bodies in one frame: borrowed memory, not kept.
struct Poses {
  std::span<const double> position;     ///< 3 * n: x, y, z of each shape's centre [m], finite
  std::span<const double> orientation;  ///< 4 * n: w, x, y, z; any non-zero length, finite

  [[nodiscard]] std::size_t count() const { return position.size() / 3; }
};

/// One point of contact. See docs/terrain_contacts.md for what is reported.
/// `normal` points from B toward A; `point` lies on A's surface; `point + depth * normal` lies on B's surface.
/// Padding of this and of all records is zero in what the library gives: equal records are equal bytes.
struct Contact {
  std::array<double, 3> point{};    ///< [m], world
  std::array<float, 3> normal{};    ///< unit
  float depth = 0.0F;               ///< [m] along the normal; > 0 is penetration
  std::uint32_t body_a = 0;         ///< index of a body
  std::uint32_t body_b = kTerrain;  ///< index of a body, or kTerrain
  std::uint32_t manifold = 0;       ///< number of the manifold within the frame
  std::uint32_t feature = 0;        ///< stable id of the touching features
  std::uint8_t material = 0;        ///< of the terrain cell, or of the triangle
  std::uint8_t flags = 0;           ///< kSensorContact, or 0
  std::uint16_t shape_a = 0;        ///< part of body_a where that is a compound, else 0
  std::uint16_t shape_b = 0;        ///< part of body_b where that is a compound, else 0
  std::array<std::uint8_t, 2> padding{};
  std::uint32_t element = 0xFFFFFFFFu;  ///< index in Mesh::triangles where one of the two is a mesh, else kNone
  std::array<std::uint8_t, 4> end_padding{};
};

/// Index of what there is none of.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// A body of a Collider's scene by a name that no other body gets: the row that it has in poses and results, and how
/// many bodies had that row before it.
struct BodyHandle {
  std::uint32_t row = 0;
  std::uint32_t generation = 0;

  friend bool operator==(const BodyHandle&, const BodyHandle&) = default;
};

/// What Collider::change() does to the bodies of a scene, in this order. See docs/worlds.md. Hulls, meshes and
/// compounds are those of the scene.
struct BodyChanges {
  std::vector<BodyHandle> removed;  ///< each once
  std::vector<BodyHandle> changed;  ///< bodies that stay, each once, and none of `removed`
  Bodies become;                    ///< what each of `changed` is from now on; without excluded pairs
  /// New bodies. Excluded pairs are pairs of these, by their index here. They get the rows of removed bodies, the
  /// lowest first, then further ones.
  Bodies added;
  std::vector<std::array<BodyHandle, 2>> allowed;   ///< pairs of bodies that stay: no longer excluded, if they were
  std::vector<std::array<BodyHandle, 2>> excluded;  ///< pairs of bodies that stay: from now on they never meet
};

/// What Collider::change_tiles() does to the tiles of a ground, in this order. See docs/worlds.md.
struct TileChanges {
  std::size_t ground = 0;            ///< index that environments name it by: that of the scene's first tile of it
  std::vector<std::size_t> removed;  ///< indices of tiles of it, each once
  std::vector<Terrain> added;        ///< on its lattice, with its filters; Terrain::tile_of does not count
};

/// What became of a manifold since the frame before.
enum class Change : std::uint8_t { begin = 0, persist = 1, end = 2 };

/// A manifold that began, persists or ended. See docs/tracking.md.
struct ManifoldEvent {
  std::uint32_t body_a = 0;
  std::uint32_t body_b = kTerrain;
  std::uint16_t shape_a = 0, shape_b = 0;  ///< as in Contact
  Change change = Change::begin;
  std::array<std::uint8_t, 3> padding{};
  std::uint32_t manifold = kNone;  ///< its number in this frame; kNone: ended
  std::uint32_t previous = kNone;  ///< its number in the frame before; kNone: began
};

/// The application's own 16 bytes of a contact, say impulses for a solver that begins with those of the frame
/// before.
struct UserSlot {
  std::array<float, 4> value{};
};

/// Milliseconds of one frame. Device time from the device's own clock where there is one.
struct StageTimes {
  double upload = 0.0;
  double broad_phase = 0.0;
  double narrow_phase = 0.0;
  double contact_reduction = 0.0;
  double download = 0.0;
  double tracking = 0.0;  ///< with Settings::track, its transfers included
  double total = 0.0;     ///< wall time from poses in host memory to contacts in host memory
};

/// The contacts of one frame, ordered by body_a, body_b, shape_a, shape_b, manifold.
struct FrameContacts {
  std::vector<Contact> contacts;
  /// With Settings::track: one a manifold of this frame, in their order, then those that ended, in the order of the
  /// frame before.
  std::vector<ManifoldEvent> events;
  /// With Settings::track: index in the frame before of the contact that each contact goes on with, or kNone.
  std::vector<std::uint32_t> previous;
  std::uint64_t pairs = 0;            ///< (body, terrain) and (body, body) pairs with at least one contact
  std::uint64_t body_pairs = 0;       ///< (body, body) pairs alone
  std::uint64_t body_candidates = 0;  ///< pairs of bodies that the broad phase handed on
  std::uint64_t candidates = 0;       ///< (body, lattice site) candidates that the broad phase handed on
  std::uint64_t unreduced = 0;        ///< contacts before contact reduction
  /// Bodies whose contacts were computed again: mostly all. Where no more than a quarter of the poses differ in any bit
  /// from the frame before, it is these alone, and candidates and unreduced are theirs. The contacts are the same.
  std::uint64_t moved_bodies = 0;
  std::uint64_t device_bytes = 0;  ///< most device memory that the Collider has had so far, 0 for the reference
  StageTimes milliseconds;
};

/// Rays: borrowed memory, not kept. r of them.
struct Rays {
  std::span<const double> origin;              ///< 3 * r: x, y, z [m], finite
  std::span<const double> direction;           ///< 3 * r, finite and not zero; its length does not count
  std::span<const double> length;              ///< r farthest distances [m], >= 0 or infinite; empty: all infinite
  std::span<const std::uint32_t> environment;  ///< r; empty: all 0
  std::span<const std::uint32_t> mask;         ///< r, of the categories of bodies that are met; empty: all

  [[nodiscard]] std::size_t count() const { return origin.size() / 3; }
};

/// What a ray hits first. See docs/rays.md. A miss has an infinite distance, kNothing, kNone and zeros.
struct Hit {
  std::array<double, 3> point{};        ///< [m], world
  double distance = 0.0;                ///< from the ray's origin [m]; 0 where that is in a solid
  std::array<float, 3> normal{};        ///< unit, out of what was hit, against the ray
  std::uint32_t body = kNothing;        ///< index of a body, kTerrain or kNothing
  std::uint32_t element = 0xFFFFFFFFu;  ///< triangle of a mesh or of terrain, else kNone
  std::uint16_t shape = 0;              ///< part of the body where that is a compound, else 0
  std::uint8_t material = 0;            ///< of the terrain cell, or of the triangle
  std::array<std::uint8_t, 1> padding{};
};

/// Milliseconds of one cast. Device time from the device's own clock where there is one.
struct CastTimes {
  double upload = 0.0;    ///< of rays, and of poses where they are not on the device already
  double tree = 0.0;      ///< over the bodies, where it does not stand already
  double cast = 0.0;      ///< the rays' way
  double download = 0.0;  ///< of hits
  double total = 0.0;     ///< wall time from rays in host memory to hits in host memory
};

/// What a cast found.
struct RayHits {
  std::vector<Hit> hits;           ///< one a ray, in their order
  std::uint64_t hit_count = 0;     ///< of rays that hit anything
  std::uint64_t device_bytes = 0;  ///< most device memory that the Collider has had so far, 0 for the reference
  CastTimes milliseconds;
};

/// How bodies move over a frame: borrowed memory, not kept. See docs/motion.md.
struct Motion {
  std::span<const double> displacement;  ///< 3 * n [m], each number within 1e9; empty: none moves on
  std::span<const double> rotation;      ///< 3 * n rotation vectors in world axes [rad], within 1e7; empty: none turns
};

/// The first touch of a pair within a frame. See docs/motion.md.
struct Impact {
  std::array<double, 3> point{};        ///< on A at that time [m], world
  double time = 0.0;                    ///< in [0, 1]; 0 where they touch at the start
  std::array<float, 3> normal{};        ///< unit, from B toward A
  std::uint32_t body_a = 0;             ///< index of a body
  std::uint32_t body_b = kTerrain;      ///< index of a body, or kTerrain
  std::uint32_t feature = 0;            ///< 0
  std::uint32_t element = 0xFFFFFFFFu;  ///< triangle of a mesh or of terrain, else kNone
  std::uint16_t shape_a = 0;            ///< part of body_a where that is a compound, else 0
  std::uint16_t shape_b = 0;            ///< part of body_b where that is a compound, else 0
  std::uint8_t material = 0;            ///< of the terrain cell, or of the triangle
  std::array<std::uint8_t, 7> padding{};
};

/// Milliseconds of one sweep. Device time from the device's own clock where there is one.
struct SweepTimes {
  double upload = 0.0;
  double broad_phase = 0.0;
  double narrow_phase = 0.0;
  double download = 0.0;
  double total = 0.0;  ///< wall time from poses and motion in host memory to impacts in host memory
};

/// The impacts of one frame, ordered by body_a, body_b.
struct FrameImpacts {
  std::vector<Impact> impacts;
  std::uint64_t candidates = 0;    ///< pairs of bodies, and of bodies and cells or triangles, that came near
  std::uint64_t device_bytes = 0;  ///< most device memory that the Collider has had so far, 0 for the reference
  SweepTimes milliseconds;
};

/// Shapes whose overlap with a scene is asked: borrowed memory, not kept. q of them. See docs/overlap.md.
struct QueryShapes {
  std::span<const Shape> shape;                  ///< q, or one for all: convex shapes and compounds
  std::span<const std::array<double, 3>> size;   ///< as many [m], as Bodies::size; hulls and compounds are the scene's
  std::span<const double> position;              ///< 3 * q: x, y, z of each shape's centre [m], finite
  std::span<const double> orientation;           ///< 4 * q: w, x, y, z; any non-zero length, finite
  std::span<const std::uint32_t> environment{};  ///< q; empty: all 0
  std::span<const std::uint32_t> mask{};         ///< q, of the categories of bodies that are met; empty: all
  std::span<const std::int32_t> group{};         ///< q, of bodies that are not met, 0 for none; empty: all 0
  bool find_lowest = false;                      ///< Overlaps::body too

  [[nodiscard]] std::size_t count() const { return position.size() / 3; }
};

/// Milliseconds of one call of overlap() or distance(). Device time from the device's own clock where there is one.
struct QueryTimes {
  double upload = 0.0;    ///< of queries, and of poses where they are not on the device already
  double tree = 0.0;      ///< over the bodies, where it does not stand already
  double query = 0.0;     ///< the answers
  double download = 0.0;  ///< of these
  double total = 0.0;     ///< wall time from queries in host memory to answers in host memory
};

/// Which shapes overlap anything.
struct Overlaps {
  std::vector<std::uint8_t> overlaps;  ///< one a query, in their order: 1 or 0
  std::vector<std::uint32_t> body;     ///< with find_lowest: index of a body, the lowest, or kTerrain or kNothing
  std::uint64_t overlap_count = 0;     ///< of queries that overlap anything
  std::uint64_t device_bytes = 0;      ///< most device memory that the Collider has had so far, 0 for the reference
  QueryTimes milliseconds;
};

/// Points whose distance from a scene is asked: borrowed memory, not kept. p of them. See docs/distance.md.
struct QueryPoints {
  std::span<const double> position;              ///< 3 * p: x, y, z [m], finite
  std::span<const double> range{};               ///< p: no farther than this [m], >= 0 or infinite; empty: all infinite
  std::span<const std::uint32_t> environment{};  ///< p; empty: all 0
  std::span<const std::uint32_t> mask{};         ///< p, of the categories of bodies that count; empty: all

  [[nodiscard]] std::size_t count() const { return position.size() / 3; }
};

/// What points are nearest to.
struct Distances {
  /// One a point, in their order: the point of the nearest surface, its signed distance, negative in a solid, and the
  /// direction in which that grows. Where nothing is within range, as of a ray that misses.
  std::vector<Hit> nearest;
  std::uint64_t near_count = 0;    ///< of points that have anything within range
  std::uint64_t device_bytes = 0;  ///< most device memory that the Collider has had so far, 0 for the reference
  QueryTimes milliseconds;
};

/// What a device can do for the pipeline.
struct DeviceInfo {
  std::string id;        ///< what `--device` takes: "opencl:K" or "reference"
  std::string name;      ///< of the device
  std::string platform;  ///< OpenCL platform, or "host"
  std::string version;   ///< OpenCL version string, or empty
  std::string driver;    ///< driver version, or empty
  bool is_gpu = false;
  bool is_reference = false;
  bool usable = true;              ///< has what the pipeline needs
  std::string missing;             ///< what it lacks where it is not usable
  bool rounds_division = true;     ///< correctly rounded / and sqrt; where not, a software version gives the same bits
  bool has_denormals = true;       ///< keeps subnormal numbers (not needed)
  std::uint64_t memory_bytes = 0;  ///< global memory
  std::uint64_t largest_allocation_bytes = 0;
  std::uint32_t compute_units = 0;
};

/// Every OpenCL device in the order of the ICD loader, then the CPU reference. Never throws for want of a platform;
/// throws Error(device) in a process that was forked after OpenCL was in use.
[[nodiscard]] OCLIDE_API std::vector<DeviceInfo> devices();

/// How a Collider works. Defaults suit most uses.
struct Settings {
  /// auto (the one expected to be the fastest for the scene, see docs/devices.md), reference, opencl:K, or part of a
  /// device's name.
  std::string device = "auto";
  /// Contacts with depth > -margin are reported [m], finite, >= 0; Bodies::margin comes on top.
  double margin = 0.0;
  std::uint64_t memory_limit = 0;  ///< device bytes the working buffers may take; 0: what the device has
  bool track = false;              ///< follow manifolds and contacts from frame to frame: FrameContacts::events
  std::string cache_directory;     ///< of compiled kernels and calibrations; empty: $OCLIDE_CACHE_DIR, else the user's
  bool use_cache = true;           ///< keep compiled kernels and calibrations on disk
  /// Called before kernels are compiled that the cache does not have, with the device's name and theirs, such as
  /// "narrow_phase/box_terrain". (A first start takes half a minute on PoCL.) It is called on the thread that needs the
  /// kernels, and must not call the Collider. Empty: nobody is told.
  std::function<void(const std::string& device, const std::string& kernels)> on_compile;
  /// Called at the end of set_scene() with one line that names the terrains of the scene that nothing meets, where it
  /// has any (unused_terrains()). It must not call the Collider. Empty: the line goes to standard error.
  std::function<void(const std::string& line)> on_warning;
};

/// How long a frame takes on one device by the number of its bodies, measured on made scenes of spheres and boxes that
/// touch each other and terrain.
struct Calibration {
  struct Sample {
    std::uint64_t bodies = 0;
    double milliseconds = 0.0;  ///< from poses in host memory to contacts in host memory, the least of a few frames
  };
  std::vector<Sample> samples;  ///< more bodies from one to the next, and no shorter times

  /// Expected of a frame: straight lines through the samples, the first and the last of which go on. Infinite without
  /// any sample.
  [[nodiscard]] OCLIDE_API double milliseconds(double bodies) const;
  /// Of a frame without bodies, by the line through the first two samples.
  [[nodiscard]] OCLIDE_API double fixed_milliseconds() const;
  /// That each further body adds to a large scene, by the line through the last two samples.
  [[nodiscard]] OCLIDE_API double milliseconds_per_body() const;
};

/// What the cache on disk has of this OpenCL device, else measures it: a second or two beyond the compilation of the
/// kernels. Of `settings` only the cache counts. Blocking. Throws Error(device) where the device fails,
/// Error(invalid_input) for the reference, which has none.
[[nodiscard]] OCLIDE_API Calibration calibrate(const DeviceInfo& device, const Settings& settings = {});

/// Index of the calibration with the least expected time for so many bodies; the first of equals. Throws
/// Error(invalid_input) where there is none.
[[nodiscard]] OCLIDE_API std::size_t fastest_device(std::span<const Calibration> calibrations, std::uint64_t bodies);

/// From `bodies` on `index` is the fastest.
struct FastestFrom {
  std::uint64_t bodies = 0;
  std::size_t index = 0;
};
/// Where fastest_device() changes, from 0 bodies on; empty without calibrations.
[[nodiscard]] OCLIDE_API std::vector<FastestFrom> break_even(std::span<const Calibration> calibrations);

/// What all buffers of one name take.
struct BufferBytes {
  std::string name;
  std::uint64_t bytes = 0;
};

/// What a scene will take of memory. What depends on candidates, pairs and contacts is estimated from the first frame's
/// poses, mostly within a factor of two. Up to 2,048 bodies are all looked at; of more the largest are, and a sample of
/// the others.
struct MemoryPlan {
  struct Buffer {
    std::string name;             ///< as in Collider::device_memory(), for those on the device
    std::uint64_t bytes = 0;      ///< at most at a time, without a memory limit
    bool on_device = false;       ///< else in host memory
    bool exact = false;           ///< by bodies and terrain alone; else estimated
    bool only_if_needed = false;  ///< stays without memory in small frames, or where no frame has few moved bodies
  };
  DeviceInfo device;
  std::vector<Buffer> buffers;     ///< those on the device first
  std::uint64_t device_bytes = 0;  ///< all of them on the device
  std::uint64_t host_bytes = 0;    ///< what the library keeps beside the caller's scene, poses and contacts
  std::uint64_t memory_limit = 0;  ///< Settings::memory_limit, at most what the device has; 0 for the reference
  std::uint64_t candidates = 0;    ///< estimated, as FrameContacts has them
  std::uint64_t body_candidates = 0;
  std::uint64_t unreduced = 0;
  std::uint64_t terrain_slices = 0;      ///< that a frame needs under the limit; 0: it cannot work
  std::uint64_t body_slices = 0;         ///< the same of bodies against bodies
  std::uint64_t least_device_bytes = 0;  ///< of the smallest slices: with less it cannot work
  bool fits = false;                     ///< whole or in slices
  std::string problem;                   ///< why it does not fit, in one line
};

/// Plans a Collider with these settings for this scene, without running anything on a device. `poses` are those of the
/// first frame, of which `frames_ahead` more are staged beside the one at work. With "auto" it is about the device that
/// calibrations on disk give, else the one taken without them. Throws Error(invalid_input) as check() and collide(),
/// Error(device) for a device that cannot be used.
[[nodiscard]] OCLIDE_API MemoryPlan plan_memory(const Scene& scene, const Poses& poses, const Settings& settings = {},
                                                std::size_t frames_ahead = 0);

/// Finds the contacts of a scene on one device. In a process that was forked after OpenCL was in use, all calls but
/// those of the reference throw Error(device): drivers do not survive a fork.
/// collide(poses) gives the contacts of one frame. For a stream of frames, stage() frame k + 1 while collide() works on
/// frame k.
class Collider {
 public:
  /// Opens the device; with "auto" and several usable OpenCL devices set_scene() does. Throws Error(invalid_input) for
  /// an unknown device name, Error(device) when it cannot be used.
  OCLIDE_API explicit Collider(const Settings& settings = {});
  OCLIDE_API ~Collider();
  OCLIDE_API Collider(Collider&&) noexcept;
  OCLIDE_API Collider& operator=(Collider&&) noexcept;

  /// The device at work. With "auto" set_scene() may change it; before that, the one taken without calibrations.
  [[nodiscard]] OCLIDE_API const DeviceInfo& device() const;
  /// What it holds on that device now, by buffer; nothing for the reference.
  [[nodiscard]] OCLIDE_API std::vector<BufferBytes> device_memory() const;

  /// Checks the scene and puts terrain and bodies on the device. Replaces the scene before, whose staged poses are of
  /// no use any more. A scene that check() refuses leaves the one before as it is; after any other error there is none,
  /// and the next call may set one. With "auto" and several usable OpenCL devices it chooses among them by their
  /// calibrations, which it measures where the cache has none. A terrain that nothing meets is no error, but
  /// Settings::on_warning is told. Blocking.
  OCLIDE_API void set_scene(const Scene& scene);

  /// Bodies come, go and become others, without a new scene: rows of all other bodies stay, and so does what tracking
  /// knows of them. Cost follows what changed; in scenes with compounds that of all bodies. The handles of the bodies
  /// added, in their order. The row of a removed body stays in the arrays of poses: its pose must be usable, but counts
  /// for nothing. Poses staged before are of no use any more. Throws Error(invalid_input) naming array and index, and
  /// nothing has changed. Blocking.
  OCLIDE_API std::vector<BodyHandle> change(const BodyChanges& changes);
  /// The handles of the bodies that there are, by row: those of set_scene() have generation 0.
  [[nodiscard]] OCLIDE_API std::vector<BodyHandle> handles() const;
  /// Rows of the scene, those of removed bodies included: poses have as many.
  [[nodiscard]] OCLIDE_API std::size_t rows() const;

  /// Replaces the heights of rows x cols vertices from (first_row, first_col) on; heights is row-major, NaN = no data.
  /// Only that part is uploaded, and the height bounds above it are renewed. Blocking.
  OCLIDE_API void update_heights(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                 std::size_t cols, std::span<const double> heights);
  /// The same of the holes of rows x cols cells, and of their material.
  OCLIDE_API void update_holes(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                               std::size_t cols, std::span<const std::uint8_t> holes);
  OCLIDE_API void update_material(std::size_t terrain, std::size_t first_row, std::size_t first_col, std::size_t rows,
                                  std::size_t cols, std::span<const std::uint8_t> material);
  /// Moves a terrain: its vertex (0, 0) stands at `origin` [m], finite. Of a ground of tiles the index that
  /// environments name: its tile of the lowest index stands there, and all others move along. Blocking.
  OCLIDE_API void move_terrain(std::size_t terrain, std::array<double, 2> origin);
  /// Tiles of a ground go and come, without a new scene. The indices of the added ones, in their order: the lowest of
  /// tiles that are gone, then further ones. What tracking knows stays. Throws Error(invalid_input) naming what and
  /// where, and nothing has changed. Blocking.
  OCLIDE_API std::vector<std::size_t> change_tiles(TileChanges changes);

  /// Contacts of all bodies at these poses. Blocking. Throws Error(invalid_input) naming array and index for a pose
  /// that is not finite or an orientation of zero length, Error(device) naming the bytes needed when memory is short.
  [[nodiscard]] OCLIDE_API FrameContacts collide(const Poses& poses);

  /// As collide(), with the contacts in memory of the collider's own, which later frames use again. They are valid
  /// until the next call of update(), set_scene() or the destructor. It is the faster call where frames follow each
  /// other, by far where few bodies move: only what changed since the last update() is written.
  [[nodiscard]] OCLIDE_API const FrameContacts& update(const Poses& poses);

  /// The frame of the last update(), to keep: moved out, its arrays stay where they are in memory. Empty where there is
  /// none. The next update() has to ask for memory again.
  [[nodiscard]] OCLIDE_API FrameContacts take_frame();

  /// With Settings::track: one slot for each contact of the last frame, in their order, for the caller to read and
  /// write. A contact that goes on with another has what that one had; a new one has zero. Valid until the next frame,
  /// set_scene() or the destructor. Empty without Settings::track.
  [[nodiscard]] OCLIDE_API std::span<UserSlot> user_slots();

  /// What each ray hits first of the bodies at these poses and of the terrain. Blocking. Poses that the last collide(),
  /// update() or cast() had, or few of which moved since, cost little again. Contacts that are known of a frame stay
  /// known if no body has moved. Throws Error(invalid_input) as collide(), and naming array and index for a ray that
  /// cannot be used; Error(device) naming the bytes needed when memory is short for the bodies. Rays that do not fit
  /// are cast one part after another.
  [[nodiscard]] OCLIDE_API RayHits cast(const Poses& poses, const Rays& rays);

  /// The first touch of each pair while the bodies go from these poses over one frame. Blocking. Settings::margin does
  /// not count. Throws Error(invalid_input) as collide(), and naming array and index for a motion that cannot be used,
  /// and naming a body where too many turns beside another leave too much to search (docs/motion.md); Error(device)
  /// naming the bytes needed when memory is short.
  [[nodiscard]] OCLIDE_API FrameImpacts sweep(const Poses& poses, const Motion& motion);

  /// Which shapes overlap bodies at these poses, or the terrain. Blocking. Poses as of cast(). Throws
  /// Error(invalid_input) as collide(), and naming array and index for a query that cannot be used; Error(device)
  /// naming the bytes needed when memory is short for the bodies. Queries that do not fit are answered one part after
  /// another.
  [[nodiscard]] OCLIDE_API Overlaps overlap(const Poses& poses, const QueryShapes& queries);

  /// What each point is nearest to of the bodies at these poses and of the terrain. Blocking. Poses and errors as of
  /// overlap().
  [[nodiscard]] OCLIDE_API Distances distance(const Poses& poses, const QueryPoints& points);

  /// Poses of one frame on their way to the device, with a copy of their own.
  struct Staged;
  using StagedPoses = std::shared_ptr<Staged>;

  /// Copies and checks the poses and begins their upload, which goes on while an earlier frame is computed. Unlike all
  /// else here it may be called from another thread while collide() runs. Where the device has no room for them now,
  /// the poses go there with collide_staged(). Throws Error(invalid_input) as collide(). Waits for nothing but its turn
  /// to call the driver. What it returns is not to outlive the Collider.
  [[nodiscard]] OCLIDE_API StagedPoses stage(const Poses& poses);
  /// collide() with poses staged on this Collider since its last set_scene(); uses them up. Blocking.
  [[nodiscard]] OCLIDE_API FrameContacts collide_staged(StagedPoses poses);

  /// The backend behind this class; for the library's own tests.
  class Backend;

 private:
  friend struct ResidentAccess;  // for oclide/opencl.hpp, and what a service has to know
  explicit Collider(std::unique_ptr<Backend> backend);

  std::unique_ptr<Backend> backend_;
};

/// Order-dependent 64-bit hash over the bits of contacts; chain frames by passing the hash so far.
[[nodiscard]] OCLIDE_API std::uint64_t contact_hash(std::span<const Contact> contacts, std::uint64_t seed = 0);

/// Order-dependent 64-bit hash over the bits of hits; chain casts by passing the hash so far.
[[nodiscard]] OCLIDE_API std::uint64_t hit_hash(std::span<const Hit> hits, std::uint64_t seed = 0);

/// Order-dependent 64-bit hash over the bits of impacts; chain frames by passing the hash so far.
[[nodiscard]] OCLIDE_API std::uint64_t impact_hash(std::span<const Impact> impacts, std::uint64_t seed = 0);

/// The library's version, "major.minor.patch".
[[nodiscard]] OCLIDE_API std::string_view version();

}  // namespace oclide
