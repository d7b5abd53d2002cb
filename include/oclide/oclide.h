/* oclide for C (C99), and for every language that can call C: the whole service of oclide.hpp.
 *
 * World: right-handed, z up, metres, double precision. What a contact is: docs/body_contacts.md,
 * docs/terrain_contacts.md.
 *
 * Handles. Everything with state is a handle that a call makes and another destroys. A handle is a number that is never
 * given out twice, not an address: a null handle, a destroyed one and one of another kind are OCLIDE_INVALID_HANDLE.
 * (The destroy functions take NULL, and do nothing.) A handle is used by one thread at a time. A call that finds
 * another at work on its handle returns OCLIDE_BUSY at once and changes nothing. Only oclide_collider_stage() may run
 * beside oclide_collider_collide() and oclide_collider_collide_staged(). Different handles do not disturb each other.
 * In a process that was forked after OpenCL was in use, calls that a device is asked in are OCLIDE_DEVICE_ERROR at
 * once.
 *
 * Errors. Every call that can fail returns an oclide_status. On failure it sets none of its results, but for handles,
 * which become NULL. oclide_last_message() says in one line what was wrong, naming array and index. Nothing is written
 * to any stream, and no exception leaves the library.
 *
 * Structs. The caller sets `struct_size` of a struct to its sizeof, and the rest to zero or to what is wanted: zero is
 * the default everywhere, and OCLIDE_INIT makes such a struct. A library that is newer than its caller takes the fields
 * that the caller does not have as zero. One that is older refuses fields that it does not know with
 * OCLIDE_NOT_SUPPORTED unless they are zero, and sets such fields of results to zero. A struct_size that no version has
 * is OCLIDE_INVALID_INPUT, and the message names the struct. Records that come in arrays have no struct_size;
 * oclide_frame says how large they are.
 *
 * Memory. What is passed in is read during the call and not kept. Text and arrays that come out belong to the handle
 * they come from. How long they stay is said with each call. Every array that goes in comes with the count of its
 * elements (numbers, not bodies); NULL with a count of 0 is an empty one.
 */
#ifndef OCLIDE_OCLIDE_H
#define OCLIDE_OCLIDE_H

#include <stddef.h>
#include <stdint.h>

#include "oclide/export.h"

/* A struct of this type, zero but for struct_size: `oclide_settings settings = OCLIDE_INIT(oclide_settings);`. An
 * expression, for assignments too. */
#ifdef __cplusplus
extern "C++" template <class Struct>
constexpr Struct oclide_init() {
  Struct made{};
  made.struct_size = sizeof(Struct);
  return made;
}
#define OCLIDE_INIT(type) oclide_init<type>()
#else
#define OCLIDE_INIT(type) ((type){.struct_size = sizeof(type)})
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ------------------------------------------------------------------------------------------------------ */

typedef enum oclide_status {
  OCLIDE_OK = 0,
  OCLIDE_INVALID_INPUT = 1,  /* arguments or data that cannot be used; the message names array and index */
  OCLIDE_DEVICE_ERROR = 2,   /* no such capability, build failure, driver error */
  OCLIDE_OUT_OF_MEMORY = 3,  /* of the device, the message names the bytes needed; or of the host */
  OCLIDE_WRONG_STATE = 4,    /* calls in the wrong order */
  OCLIDE_BUSY = 5,           /* another thread is at work on the handle */
  OCLIDE_INVALID_HANDLE = 6, /* null, destroyed, or of another kind */
  OCLIDE_NOT_SUPPORTED = 7,  /* a field that only a newer version knows is not zero */
  OCLIDE_INTERNAL_ERROR = 8  /* an error of the library itself */
} oclide_status;

/* "OCLIDE_OK" and so on; "unknown status" for others. */
OCLIDE_API const char* oclide_status_name(oclide_status status);
/* Of the last call on this thread that failed; empty before. Valid until the next that fails on this thread. */
OCLIDE_API const char* oclide_last_message(void);
/* With it: a device's build log, may have many lines; else empty. */
OCLIDE_API const char* oclide_last_detail(void);
/* Of the last call with this handle, of any kind, that failed, on whatever thread; empty where none did, and for what
 * is no handle. A call that found the handle busy is not one with the handle. Valid until the next call with the
 * handle. */
OCLIDE_API const char* oclide_handle_message(const void* handle);
OCLIDE_API const char* oclide_handle_detail(const void* handle);

/* The library's version, "major.minor.patch". */
OCLIDE_API const char* oclide_version(void);

/* ---- Records of results ------------------------------------------------------------------------------------------ */

/* Value of `body_b`, and of a hit's `body`, for the terrain. */
#define OCLIDE_TERRAIN 0xFFFFFFFFu
/* Value of a hit's `body` where nothing is hit. */
#define OCLIDE_NOTHING 0xFFFFFFFEu
/* Index of what there is none of. */
#define OCLIDE_NONE 0xFFFFFFFFu
/* Bit of oclide_contact::flags: one of the two is a sensor. */
#define OCLIDE_SENSOR_CONTACT 1u

/* One point of contact: oclide::Contact, bit for bit. `normal` points from B toward A; `point` lies on A's surface;
 * `point + depth * normal` lies on B's surface. Padding of this and of all records is zero in what the library gives:
 * equal records are equal bytes. */
typedef struct oclide_contact {
  double point[3];   /* [m], world */
  float normal[3];   /* unit */
  float depth;       /* [m] along the normal; > 0 is penetration */
  uint32_t body_a;   /* index of a body */
  uint32_t body_b;   /* index of a body, or OCLIDE_TERRAIN */
  uint32_t manifold; /* number of the manifold within the frame */
  uint32_t feature;  /* stable id of the touching features */
  uint8_t material;  /* of the terrain cell, or of the triangle */
  uint8_t flags;     /* OCLIDE_SENSOR_CONTACT, or 0 */
  uint16_t shape_a;  /* part of body_a where that is a compound, else 0 */
  uint16_t shape_b;  /* part of body_b where that is a compound, else 0 */
  uint8_t padding[2];
  uint32_t element; /* triangle where one of the two is a mesh, else OCLIDE_NONE */
  uint8_t end_padding[4];
} oclide_contact;

/* Values of oclide_manifold_event::change. */
enum { OCLIDE_BEGIN = 0, OCLIDE_PERSIST = 1, OCLIDE_END = 2 };

/* A manifold that began, persists or ended. See docs/tracking.md. */
typedef struct oclide_manifold_event {
  uint32_t body_a;
  uint32_t body_b;
  uint16_t shape_a, shape_b;
  uint8_t change;
  uint8_t padding[3];
  uint32_t manifold; /* its number in this frame; OCLIDE_NONE: ended */
  uint32_t previous; /* its number in the frame before; OCLIDE_NONE: began */
} oclide_manifold_event;

/* The application's own 16 bytes of a contact. */
typedef struct oclide_user_slot {
  float value[4];
} oclide_user_slot;

/* The contacts of one frame, ordered by body_a, body_b, shape_a, shape_b, manifold, and what was counted. */
typedef struct oclide_frame {
  size_t struct_size;
  const oclide_contact* contacts;
  size_t contacts_count;
  size_t contact_size;                 /* bytes from one contact to the next; sizeof(oclide_contact) in this version */
  const oclide_manifold_event* events; /* with oclide_settings::track: one a manifold of this frame, in their order, */
  size_t events_count;                 /* then those that ended, in the order of the frame before */
  size_t event_size;                   /* bytes from one event to the next */
  const uint32_t* previous; /* with track: index in the frame before of the contact that each one goes on with, or */
  size_t previous_count;    /* OCLIDE_NONE */
  oclide_user_slot* user_slots; /* with track: one a contact, to read and write; zero for a contact that began, else */
  size_t user_slots_count;      /* what the contact that it goes on with had */
  uint64_t pairs;               /* (body, terrain) and (body, body) pairs with at least one contact */
  uint64_t body_pairs;          /* (body, body) pairs alone */
  uint64_t body_candidates;     /* pairs of bodies that the broad phase handed on */
  uint64_t candidates;          /* (body, lattice site) candidates that the broad phase handed on */
  uint64_t unreduced;           /* contacts before contact reduction */
  uint64_t moved_bodies;        /* bodies whose contacts were computed again; candidates and unreduced are theirs */
  uint64_t device_bytes;        /* most device memory that the collider has had so far, 0 for the reference */
  double upload_milliseconds;   /* device time from the device's own clock where there is one */
  double broad_phase_milliseconds;
  double narrow_phase_milliseconds;
  double contact_reduction_milliseconds;
  double download_milliseconds;
  double tracking_milliseconds; /* with track, its transfers included */
  double total_milliseconds;    /* wall time from poses in host memory to contacts in host memory */
} oclide_frame;

/* What a ray hits first: oclide::Hit, bit for bit. See docs/rays.md. A miss has an infinite distance, OCLIDE_NOTHING,
 * OCLIDE_NONE, and zeros. */
typedef struct oclide_hit {
  double point[3];  /* [m], world */
  double distance;  /* from the ray's origin [m]; 0 where that is in a solid */
  float normal[3];  /* unit, out of what was hit, against the ray */
  uint32_t body;    /* index of a body, OCLIDE_TERRAIN or OCLIDE_NOTHING */
  uint32_t element; /* triangle of a mesh or of terrain, else OCLIDE_NONE */
  uint16_t shape;   /* part of the body where that is a compound, else 0 */
  uint8_t material; /* of the terrain cell, or of the triangle */
  uint8_t padding[1];
} oclide_hit;

/* What a cast found. */
typedef struct oclide_ray_hits {
  size_t struct_size;
  const oclide_hit* hits;     /* one a ray, in their order */
  size_t hits_count;          /* as many as rays */
  size_t hit_size;            /* bytes from one hit to the next; sizeof(oclide_hit) in this version */
  uint64_t rays_that_hit;     /* anything */
  uint64_t device_bytes;      /* most device memory that the collider has had so far, 0 for the reference */
  double upload_milliseconds; /* of rays, and of poses where they are not on the device already */
  double tree_milliseconds;   /* over the bodies, where it does not stand already */
  double cast_milliseconds;   /* the rays' way */
  double download_milliseconds;
  double total_milliseconds; /* wall time from rays in host memory to hits in host memory */
} oclide_ray_hits;

/* The first touch of a pair within a frame: oclide::Impact, bit for bit. See docs/motion.md. */
typedef struct oclide_impact {
  double point[3];  /* on A at that time [m], world */
  double time;      /* in [0, 1]; 0 where they touch at the start */
  float normal[3];  /* unit, from B toward A */
  uint32_t body_a;  /* index of a body */
  uint32_t body_b;  /* index of a body, or OCLIDE_TERRAIN */
  uint32_t feature; /* 0 */
  uint32_t element; /* triangle of a mesh or of terrain, else OCLIDE_NONE */
  uint16_t shape_a; /* part of body_a where that is a compound, else 0 */
  uint16_t shape_b; /* part of body_b where that is a compound, else 0 */
  uint8_t material; /* of the terrain cell, or of the triangle */
  uint8_t padding[7];
} oclide_impact;

/* The impacts of one frame, ordered by body_a, body_b. */
typedef struct oclide_impacts {
  size_t struct_size;
  const oclide_impact* impacts;
  size_t impacts_count;
  size_t impact_size;    /* bytes from one impact to the next; sizeof(oclide_impact) in this version */
  uint64_t candidates;   /* pairs of bodies, and of bodies and cells or triangles, that came near */
  uint64_t device_bytes; /* most device memory that the collider has had so far, 0 for the reference */
  double upload_milliseconds;
  double broad_phase_milliseconds;
  double narrow_phase_milliseconds;
  double download_milliseconds;
  double total_milliseconds; /* wall time from poses and motion in host memory to impacts in host memory */
} oclide_impacts;

/* Which shapes overlap anything. See docs/overlap.md. */
typedef struct oclide_overlaps {
  size_t struct_size;
  const uint8_t* overlaps; /* one a query, in their order: 1 or 0 */
  size_t overlaps_count;   /* as many as queries */
  const uint32_t* body;    /* one a query with find_lowest, else NULL: index of a body, the lowest, or OCLIDE_TERRAIN or
                            * OCLIDE_NOTHING */
  uint64_t queries_that_overlap; /* anything */
  uint64_t device_bytes;         /* most device memory that the collider has had so far, 0 for the reference */
  double upload_milliseconds;    /* of queries, and of poses where they are not on the device already */
  double tree_milliseconds;      /* over the bodies, where it does not stand already */
  double query_milliseconds;     /* the answers */
  double download_milliseconds;
  double total_milliseconds; /* wall time from queries in host memory to answers in host memory */
} oclide_overlaps;

/* What points are nearest to. See docs/distance.md. */
typedef struct oclide_distances {
  size_t struct_size;
  const oclide_hit* nearest;  /* one a point, in their order: the point of the nearest surface, its signed distance,
                               * negative in a solid, and the direction in which that grows. Where nothing is within
                               * range, as of a ray that misses */
  size_t nearest_count;       /* as many as points */
  size_t hit_size;            /* bytes from one to the next; sizeof(oclide_hit) in this version */
  uint64_t points_near;       /* that have anything within range */
  uint64_t device_bytes;      /* most device memory that the collider has had so far, 0 for the reference */
  double upload_milliseconds; /* of points, and of poses where they are not on the device already */
  double tree_milliseconds;   /* over the bodies, where it does not stand already */
  double query_milliseconds;  /* the answers */
  double download_milliseconds;
  double total_milliseconds; /* wall time from points in host memory to answers in host memory */
} oclide_distances;

/* Order-dependent 64-bit hash over the bits of contacts; `seed`: 0, or the hash of the frames so far. 0 for NULL with a
 * count. */
OCLIDE_API uint64_t oclide_contact_hash(const oclide_contact* contacts, size_t contacts_count, uint64_t seed);
/* The same over the bits of hits. */
OCLIDE_API uint64_t oclide_hit_hash(const oclide_hit* hits, size_t hits_count, uint64_t seed);
/* The same over the bits of impacts. */
OCLIDE_API uint64_t oclide_impact_hash(const oclide_impact* impacts, size_t impacts_count, uint64_t seed);

/* ---- Settings and devices ---------------------------------------------------------------------------------------- */

typedef struct oclide_settings {
  size_t struct_size;
  const char* device; /* "reference", "opencl:K", part of a device's name; NULL or "auto": the one expected to be
                       * the fastest for the scene, see docs/devices.md */
  const char* cache_directory; /* of compiled kernels and calibrations; NULL: $OCLIDE_CACHE_DIR, else the user's */
  double margin;               /* contacts with depth > -margin are reported [m], finite, >= 0 */
  uint64_t memory_limit;       /* device bytes that the working buffers may take; 0: what the device has */
  int32_t track;               /* not 0: follow manifolds and contacts from frame to frame */
  int32_t no_cache;            /* not 0: keep nothing on disk */
  /* Called before kernels are compiled that the cache does not have, with the device's name and theirs, such as
   * "narrow_phase/box_terrain", and with on_compile_data. (A first start takes half a minute on PoCL.) It is called on
   * the thread that needs the kernels, as long as the collider is there; the texts are valid until it returns. It must
   * not call the collider. NULL: nobody is told. */
  void (*on_compile)(const char* device, const char* kernels, void* on_compile_data);
  void* on_compile_data;
  /* Called at the end of oclide_collider_set_scene() with one line that names the terrains of the scene that nothing
   * meets, where it has any, and with on_warning_data. The text is valid until it returns. It must not call the
   * collider. NULL: the line goes to standard error. */
  void (*on_warning)(const char* line, void* on_warning_data);
  void* on_warning_data;
} oclide_settings;

typedef struct oclide_device_info {
  size_t struct_size;
  const char* id;       /* what oclide_settings::device takes: "opencl:K" or "reference" */
  const char* name;     /* of the device */
  const char* platform; /* OpenCL platform, or "host" */
  const char* version;  /* OpenCL version, or empty */
  const char* driver;   /* driver version, or empty */
  const char* missing;  /* what it lacks where it is not usable */
  uint64_t memory_bytes;
  uint64_t largest_allocation_bytes;
  uint32_t compute_units;
  int32_t usable; /* has what the pipeline needs */
  int32_t is_gpu;
  int32_t is_reference;
  int32_t rounds_division; /* correctly rounded / and sqrt; where not, a software version gives the same bits */
  int32_t has_denormals;   /* keeps subnormal numbers (not needed) */
} oclide_device_info;

typedef struct oclide_device_list oclide_device_list;

/* Every OpenCL device in the order of the ICD loader, then the CPU reference. */
OCLIDE_API oclide_status oclide_device_list_create(oclide_device_list** list);
OCLIDE_API oclide_status oclide_device_list_destroy(oclide_device_list* list);
OCLIDE_API oclide_status oclide_device_list_count(const oclide_device_list* list, size_t* count);
/* Texts are valid until the list is destroyed. */
OCLIDE_API oclide_status oclide_device_list_get(const oclide_device_list* list, size_t index, oclide_device_info* info);

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

/* Kinds of bodies, with what their three numbers of size are. */
enum {
  OCLIDE_SPHERE = 0,       /* radius, -, - */
  OCLIDE_BOX = 1,          /* half extents */
  OCLIDE_CYLINDER = 2,     /* radius, half length, -; axis = local z */
  OCLIDE_CAPSULE = 3,      /* radius, half length of the straight part, -; axis = local z */
  OCLIDE_CONVEX_HULL = 4,  /* index of the hull, -, -; the position is of its points' origin */
  OCLIDE_HALF_SPACE = 5,   /* solid below local z = 0; size unused; never meets terrain */
  OCLIDE_COMPOUND = 6,     /* index of the compound, -, - */
  OCLIDE_TRIANGLE_MESH = 7 /* index of the mesh, -, -; meets convex shapes alone */
};
/* "sphere" and so on; "unknown" for others. */
OCLIDE_API const char* oclide_shape_name(uint8_t shape);

/* Where the diagonal of each cell of a terrain runs, seen from above with x to the right and y upward. */
enum {
  OCLIDE_DIAGONAL_FALLING = 0, /* from vertex (i+1, j) down to (i, j+1) */
  OCLIDE_DIAGONAL_RISING = 1,  /* from vertex (i, j) up to (i+1, j+1), as in MuJoCo */
  /* Cells alternate like the squares of a chessboard: those with an even i + j rise, the others fall; or the other way.
   */
  OCLIDE_DIAGONAL_ALTERNATING_RISING = 2, /* cell (0, 0) rises, as with Bullet's diamond subdivision */
  OCLIDE_DIAGONAL_ALTERNATING_FALLING = 3 /* cell (0, 0) falls */
};

/* A height grid; rows are y, columns are x. Vertex (i, j) stands at x = origin[0] + j * spacing[0],
 * y = origin[1] + i * spacing[1]. Solid below its surface, open beyond its border. */
typedef struct oclide_terrain {
  size_t struct_size;
  size_t rows, cols;     /* vertices along y and x, at least 2 */
  double origin[2];      /* of vertex (0, 0) [m], finite */
  double spacing[2];     /* [m], positive, at most 1e9 */
  const double* heights; /* rows * cols [m], row by row, within 1e9; NaN = no data */
  size_t heights_count;
  const uint8_t* holes; /* (rows-1) * (cols-1), or none; non-zero: the cell is open */
  size_t holes_count;
  const uint8_t* material; /* (rows-1) * (cols-1), or none; copied to each contact */
  size_t material_count;
  int32_t group;     /* bodies of the same non-zero group never meet it */
  uint32_t category; /* with mask: as of a body; 0: all bits. All bits let every body meet it. See docs/worlds.md */
  uint32_t mask;     /* 0: all bits */
  uint32_t tile_of;  /* 0: no tile; else one more than the index of the first tile of the ground that it is a tile of,
                        its own for that one. Environments name the first tile. See docs/worlds.md */
  uint32_t diagonal; /* OCLIDE_DIAGONAL_* */
} oclide_terrain;

/* A triangle mesh in the body's axes. See docs/mesh_contacts.md. */
typedef struct oclide_mesh {
  size_t struct_size;
  const double* vertices; /* 3 a vertex [m] */
  size_t vertices_count;
  const uint32_t* triangles; /* 3 a triangle: indices of vertices, counter-clockwise seen from the front */
  size_t triangles_count;
  const uint8_t* material; /* one a triangle, or none; copied to each contact */
  size_t material_count;
  int32_t solid; /* 1: the whole surface of a solid; 0: a sheet, which meets bodies from either side */
} oclide_mesh;

/* A body of several shapes, fixed in the body's axes: 1 to 65,536 parts. Parts of one body never meet. */
typedef struct oclide_compound {
  size_t struct_size;
  const uint8_t* shape; /* one a part: sphere, box, cylinder, capsule or convex hull */
  size_t shape_count;
  const double* size; /* 3 a part [m] */
  size_t size_count;
  const double* position; /* 3 a part: of the shape's centre in the body's axes [m] */
  size_t position_count;
  const double* orientation; /* 4 a part: w, x, y, z in the body's axes, any non-zero length; or none: not turned */
  size_t orientation_count;
} oclide_compound;

/* Bits of oclide_bodies::flags. See docs/worlds.md. */
enum {
  OCLIDE_BODY_STATIC = 1,     /* meets neither other static bodies nor terrain */
  OCLIDE_BODY_NO_TERRAIN = 2, /* does not meet terrain */
  OCLIDE_BODY_SENSOR = 4      /* its contacts have OCLIDE_SENSOR_CONTACT */
};

/* All bodies but for their poses. */
typedef struct oclide_bodies {
  size_t struct_size;
  const uint8_t* shape; /* one a body */
  size_t shape_count;
  const double* size; /* 3 a body [m], meaning by shape */
  size_t size_count;
  const uint32_t* environment; /* one a body, or none: 0. Bodies of different environments never meet */
  size_t environment_count;
  const int32_t* group; /* one a body, or none: 0. Bodies of the same non-zero group never meet */
  size_t group_count;
  const uint32_t* category; /* one a body, or none: 1. They meet when each one's category is in the other's mask */
  size_t category_count;
  const uint32_t* mask; /* one a body, or none: all bits */
  size_t mask_count;
  const uint32_t* flags; /* one a body, or none: 0. OCLIDE_BODY_STATIC and so on */
  size_t flags_count;
  const uint32_t* excluded; /* 2 a pair, or none: indices of two bodies that never meet */
  size_t excluded_count;
  int32_t either_mask;  /* not 0: one category in the other's mask is enough for two to meet */
  const double* margin; /* one a body, or none: 0. A pair's margin is that of the settings and those of both [m] */
  size_t margin_count;
} oclide_bodies;

typedef struct oclide_scene oclide_scene;

/* An empty scene, into which the calls below copy what it has. Lengths are checked at once, the rest by
 * oclide_scene_check() and oclide_collider_set_scene(). `index`, where it is not NULL, gets the number of the new one.
 */
OCLIDE_API oclide_status oclide_scene_create(oclide_scene** scene);
OCLIDE_API oclide_status oclide_scene_destroy(oclide_scene* scene);
OCLIDE_API oclide_status oclide_scene_add_terrain(oclide_scene* scene, const oclide_terrain* terrain, size_t* index);
/* Points of a convex hull in the body's axes, 3 numbers each [m]: at least four that are in no plane. The shape of
 * bodies of OCLIDE_CONVEX_HULL, any number of which may share it. */
OCLIDE_API oclide_status oclide_scene_add_hull(oclide_scene* scene, const double* vertices, size_t vertices_count,
                                               size_t* index);
/* The shape of bodies of OCLIDE_TRIANGLE_MESH, any number of which may share it. Counts of `mesh` are of numbers. */
OCLIDE_API oclide_status oclide_scene_add_mesh(oclide_scene* scene, const oclide_mesh* mesh, size_t* index);
OCLIDE_API oclide_status oclide_scene_add_compound(oclide_scene* scene, const oclide_compound* compound, size_t* index);
/* Terrain of each environment, -1 for none. Without this call: terrain 0 for all. */
OCLIDE_API oclide_status oclide_scene_set_environments(oclide_scene* scene, const int32_t* terrain,
                                                       size_t terrain_count);
/* Replaces the bodies before. */
OCLIDE_API oclide_status oclide_scene_set_bodies(oclide_scene* scene, const oclide_bodies* bodies);
/* OCLIDE_INVALID_INPUT naming array and index where the scene cannot be used. */
OCLIDE_API oclide_status oclide_scene_check(const oclide_scene* scene);
/* Terrains of a scene that passes oclide_scene_check() which nothing can meet: no environment has them, and they are
 * tiles of none that one has. Writes the first `capacity` of `count` indices; `indices` may be NULL with 0. */
OCLIDE_API oclide_status oclide_scene_unused_terrains(const oclide_scene* scene, size_t* indices, size_t capacity,
                                                      size_t* count);

/* ---- Collider ---------------------------------------------------------------------------------------------------- */

typedef struct oclide_collider oclide_collider;
typedef struct oclide_staged_poses oclide_staged_poses;

/* Opens the device; with "auto" and several usable devices oclide_collider_set_scene() does. `settings`: NULL for the
 * defaults. */
OCLIDE_API oclide_status oclide_collider_create(const oclide_settings* settings, oclide_collider** collider);
/* What came from the collider is no longer valid, but for staged poses, which are destroyed by themselves. */
OCLIDE_API oclide_status oclide_collider_destroy(oclide_collider* collider);
/* The device at work. Texts are valid until the next oclide_collider_set_scene(), which may change it with "auto". */
OCLIDE_API oclide_status oclide_collider_device(const oclide_collider* collider, oclide_device_info* info);

/* Checks the scene and puts terrain and bodies on the device, instead of the scene before. The scene can be destroyed
 * afterwards. Staged poses of the scene before are of no use any more. A scene that is OCLIDE_INVALID_INPUT leaves the
 * one before in place. Another failure leaves none. A terrain that nothing meets is no error, but
 * oclide_settings::on_warning is told. Blocking. */
OCLIDE_API oclide_status oclide_collider_set_scene(oclide_collider* collider, const oclide_scene* scene);

/* Replaces the heights of rows x cols vertices from (first_row, first_col) on; row by row, NaN = no data. Blocking. */
OCLIDE_API oclide_status oclide_collider_update_heights(oclide_collider* collider, size_t terrain, size_t first_row,
                                                        size_t first_col, size_t rows, size_t cols,
                                                        const double* heights, size_t heights_count);

/* The same of the holes of rows x cols cells, and of their material. */
OCLIDE_API oclide_status oclide_collider_update_holes(oclide_collider* collider, size_t terrain, size_t first_row,
                                                      size_t first_col, size_t rows, size_t cols, const uint8_t* holes,
                                                      size_t holes_count);
OCLIDE_API oclide_status oclide_collider_update_material(oclide_collider* collider, size_t terrain, size_t first_row,
                                                         size_t first_col, size_t rows, size_t cols,
                                                         const uint8_t* material, size_t material_count);
/* Moves a terrain: its vertex (0, 0) stands at (x, y) [m], finite. Blocking. */
OCLIDE_API oclide_status oclide_collider_move_terrain(oclide_collider* collider, size_t terrain, double x, double y);

/* A body by a name that no other body gets: its row in poses and results, and how many bodies had that row before. */
typedef struct oclide_body_handle {
  uint32_t row;
  uint32_t generation; /* 0 of the bodies of a scene */
} oclide_body_handle;

/* Tiles of a ground go and come, without a new scene: first those of the indices `removed` go. `ground`: the index that
 * environments name it by. `added`: on its lattice, with its filters; tile_of does not count. Writes their indices, in
 * their order, the first `indices_count` of them; `indices` may be NULL with 0. OCLIDE_INVALID_INPUT changes nothing.
 * Blocking. */
OCLIDE_API oclide_status oclide_collider_change_tiles(oclide_collider* collider, size_t ground, const size_t* removed,
                                                      size_t removed_count, const oclide_terrain* const* added,
                                                      size_t added_count, size_t* indices, size_t indices_count);

/* What oclide_collider_change() does to the bodies, in this order. */
typedef struct oclide_body_changes {
  size_t struct_size;
  const oclide_body_handle* removed; /* each once */
  size_t removed_count;
  const oclide_body_handle* changed; /* bodies that stay, each once */
  size_t changed_count;
  const oclide_bodies* become;       /* what each of `changed` is from now on; NULL without any */
  const oclide_bodies* added;        /* new ones, or NULL; excluded pairs are pairs of these */
  const oclide_body_handle* allowed; /* 2 a pair of bodies that stay: no longer excluded, if they were */
  size_t allowed_count;
  const oclide_body_handle* excluded; /* 2 a pair of bodies that stay: from now on they never meet */
  size_t excluded_count;
} oclide_body_changes;

/* Bodies come, go and become others, without a new scene. Of the bodies added, `handles` gets as many as it has room
 * for, `handles_count` (NULL with 0). The row of a removed body stays in the arrays of poses, and counts for nothing.
 * Staged poses are of no use any more. OCLIDE_INVALID_INPUT changes nothing. Blocking. */
OCLIDE_API oclide_status oclide_collider_change(oclide_collider* collider, const oclide_body_changes* changes,
                                                oclide_body_handle* handles, size_t handles_count);
/* Rows of the scene, those of removed bodies included: poses have as many. */
OCLIDE_API oclide_status oclide_collider_rows(const oclide_collider* collider, size_t* rows);

/* Contacts of all bodies at these poses. `position`: 3 numbers a body, x, y, z of each centre [m]. `orientation`: 4, w,
 * x, y, z, of any non-zero length. `bodies` is the scene's. Arrays of `frame` are valid until the next call that
 * computes a frame, sets a scene or destroys the collider. Blocking. The counterpart of Collider::update(). */
OCLIDE_API oclide_status oclide_collider_collide(oclide_collider* collider, const double* position,
                                                 const double* orientation, size_t bodies, oclide_frame* frame);

/* Copies and checks the poses of a frame to come and begins their upload, which goes on while an earlier frame is
 * computed. Where the device has no room for them now, they go there when their frame is computed. Not blocking. May be
 * called while another thread is in oclide_collider_collide() or oclide_collider_collide_staged() with the same
 * collider. */
OCLIDE_API oclide_status oclide_collider_stage(oclide_collider* collider, const double* position,
                                               const double* orientation, size_t bodies, oclide_staged_poses** staged);
/* oclide_collider_collide() with staged poses, which it destroys whether it succeeds or not, unless the collider is
 * not there, busy or without a scene, or the frame's struct_size is wrong. */
OCLIDE_API oclide_status oclide_collider_collide_staged(oclide_collider* collider, oclide_staged_poses* staged,
                                                        oclide_frame* frame);
OCLIDE_API oclide_status oclide_staged_poses_destroy(oclide_staged_poses* staged);

/* ---- Rays -------------------------------------------------------------------------------------------------------- */

/* r rays. */
typedef struct oclide_rays {
  size_t struct_size;
  const double* origin; /* 3 a ray [m], finite */
  size_t origin_count;
  const double* direction; /* 3 a ray, finite and not zero; its length does not count */
  size_t direction_count;
  const double* length; /* one a ray, or none: farthest distances [m], >= 0 or infinite; none: all infinite */
  size_t length_count;
  const uint32_t* environment; /* one a ray, or none: 0 */
  size_t environment_count;
  const uint32_t* mask; /* one a ray, of the categories of bodies that are met, or none: all */
  size_t mask_count;
} oclide_rays;

/* What each ray hits first of the bodies at these poses and of the terrain. Poses as of oclide_collider_collide(),
 * whose frame stays valid. Poses that the last call had, or few of which moved since, cost little again. Hits are valid
 * until the next call of this function or of oclide_collider_set_scene() or the collider's end. Blocking. */
OCLIDE_API oclide_status oclide_collider_cast(oclide_collider* collider, const double* position,
                                              const double* orientation, size_t bodies, const oclide_rays* rays,
                                              oclide_ray_hits* hits);

/* ---- Impacts ----------------------------------------------------------------------------------------------------- */

/* How the bodies move over a frame. */
typedef struct oclide_motion {
  size_t struct_size;
  const double* displacement; /* 3 a body [m], or none: no body moves on */
  size_t displacement_count;
  const double* rotation; /* 3 a body: rotation vectors in world axes [rad], within 1e7, or none: no body turns */
  size_t rotation_count;
} oclide_motion;

/* The first touch of each pair while the bodies go from these poses over one frame. Poses as of
 * oclide_collider_collide(), whose frame stays valid. oclide_settings::margin does not count. Impacts are valid until
 * the next call of this function or of oclide_collider_set_scene() or the collider's end. Blocking. */
OCLIDE_API oclide_status oclide_collider_sweep(oclide_collider* collider, const double* position,
                                               const double* orientation, size_t bodies, const oclide_motion* motion,
                                               oclide_impacts* impacts);

/* ---- Overlap ----------------------------------------------------------------------------------------------------- */

/* q shapes at poses. */
typedef struct oclide_query_shapes {
  size_t struct_size;
  const uint8_t* shape; /* one a query, or one for all: OCLIDE_SPHERE to OCLIDE_CONVEX_HULL, OCLIDE_COMPOUND */
  size_t shape_count;
  const double* size; /* 3 a shape [m], as oclide_bodies::size; hulls and compounds are the scene's */
  size_t size_count;
  const double* position; /* 3 a query: x, y, z of the shape's centre [m], finite */
  size_t position_count;
  const double* orientation; /* 4 a query: w, x, y, z, of any length but zero, finite */
  size_t orientation_count;
  const uint32_t* environment; /* one a query, or none: 0 */
  size_t environment_count;
  const uint32_t* mask; /* one a query, of the categories of bodies that are met, or none: all */
  size_t mask_count;
  const int32_t* group; /* one a query, of bodies that are not met, 0 for none; or none: 0 */
  size_t group_count;
  uint32_t find_lowest; /* not 0: oclide_overlaps::body too */
  uint32_t reserved;    /* 0 */
} oclide_query_shapes;

/* Which shapes overlap bodies at these poses, or the terrain. Poses as of oclide_collider_collide(), whose frame stays
 * valid. Poses that the last call had, or few of which moved since, cost little again. Answers are valid until the next
 * call of this function or of oclide_collider_set_scene() or the collider's end. Blocking. */
OCLIDE_API oclide_status oclide_collider_overlap(oclide_collider* collider, const double* position,
                                                 const double* orientation, size_t bodies,
                                                 const oclide_query_shapes* queries, oclide_overlaps* overlaps);

/* ---- Distance ---------------------------------------------------------------------------------------------------- */

/* p points. */
typedef struct oclide_query_points {
  size_t struct_size;
  const double* position; /* 3 a point [m], finite */
  size_t position_count;
  const double* range; /* one a point, or none: no farther than this [m], >= 0 or infinite; none: all infinite */
  size_t range_count;
  const uint32_t* environment; /* one a point, or none: 0 */
  size_t environment_count;
  const uint32_t* mask; /* one a point, of the categories of bodies that count, or none: all */
  size_t mask_count;
} oclide_query_points;

/* What each point is nearest to of the bodies at these poses and of the terrain. Poses as of oclide_collider_overlap().
 * Answers are valid until the next call of this function or of oclide_collider_set_scene() or the collider's end.
 * Blocking. */
OCLIDE_API oclide_status oclide_collider_distance(oclide_collider* collider, const double* position,
                                                  const double* orientation, size_t bodies,
                                                  const oclide_query_points* points, oclide_distances* distances);

/* ---- Paths ------------------------------------------------------------------------------------------------------- */

/* Moving points, p of them. */
typedef struct oclide_points {
  size_t struct_size;
  const double* position; /* 3 a point: at the start [m], finite */
  size_t position_count;
  const double* displacement; /* 3 a point: the way of this frame [m], finite; may be zero */
  size_t displacement_count;
  const uint32_t* environment; /* one a point, or none: 0 */
  size_t environment_count;
} oclide_points;

/* Unlike elsewhere a null pointer to this struct, not a zero, is the default. */
typedef struct oclide_trace_settings {
  size_t struct_size;
  double friction;    /* share of the way along the surface that a reflection takes, 0 to 1; default 0 */
  double restitution; /* share of the way across the surface that it leaves, 0 to 1; default 1 */
  uint32_t bounces;   /* reflections of a point at most; default 10 */
  uint32_t reserved;  /* 0 */
} oclide_trace_settings;

/* Values of oclide_paths::end. */
enum {
  OCLIDE_ARRIVED = 0, /* the whole way was gone */
  OCLIDE_STOPPED = 1, /* at a surface, with some way left */
  OCLIDE_IN_SOLID = 2 /* it began in a solid, and did not move */
};

/* The start of a path, a reflection, or its end. */
typedef struct oclide_path_point {
  double point[3]; /* [m], world */
  float normal[3]; /* of a reflection: unit, out of what was hit; else zero */
  uint32_t body;   /* of a reflection: index of a body, or OCLIDE_TERRAIN; else OCLIDE_NOTHING */
} oclide_path_point;

/* The paths of all points. See docs/trace.md. */
typedef struct oclide_paths {
  size_t struct_size;
  const uint64_t* offset; /* p + 1; path k has points[offset[k]] to points[offset[k + 1] - 1] */
  size_t offset_count;
  const oclide_path_point* points; /* of each path the start, each reflection, the end */
  size_t points_count;
  size_t point_size;          /* bytes from one point to the next */
  const double* displacement; /* 3 a path: way that is left [m], as reflections turned it */
  const double* outgoing;     /* 3 a path: the whole way of the frame as reflections turned it [m] */
  const uint8_t* end;         /* one a path */
  uint64_t reflections;       /* of all points */
  uint64_t casts;             /* calls of the like of oclide_collider_cast() */
  double total_milliseconds;
} oclide_paths;

/* Moves points, each of which is reflected where its way hits something. Poses as of oclide_collider_collide(), whose
 * frame stays valid. `settings`: NULL for the defaults. Paths are valid until the next call of this function or of
 * oclide_collider_set_scene() or the collider's end. Blocking. The counterpart of oclide::trace(). */
OCLIDE_API oclide_status oclide_collider_trace(oclide_collider* collider, const double* position,
                                               const double* orientation, size_t bodies, const oclide_points* points,
                                               const oclide_trace_settings* settings, oclide_paths* paths);

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* What all device buffers of one name take. */
typedef struct oclide_buffer_bytes {
  const char* name;
  uint64_t bytes;
} oclide_buffer_bytes;

/* What the collider holds on its device now; nothing for the reference. Valid until the next call of this function or
 * the collider's end. */
OCLIDE_API oclide_status oclide_collider_device_memory(oclide_collider* collider, const oclide_buffer_bytes** buffers,
                                                       size_t* buffers_count);

/* What a scene will take of memory: oclide::MemoryPlan. */
typedef struct oclide_memory_summary {
  size_t struct_size;
  size_t buffers_count;
  uint64_t device_bytes; /* all buffers on the device */
  uint64_t host_bytes;   /* what the library keeps beside the caller's scene, poses and contacts */
  uint64_t memory_limit; /* oclide_settings::memory_limit, at most what the device has; 0 for the reference */
  uint64_t candidates;   /* estimated, as oclide_frame has them */
  uint64_t body_candidates;
  uint64_t unreduced;
  uint64_t terrain_slices;     /* that a frame needs under the limit; 0: it cannot work */
  uint64_t body_slices;        /* the same of bodies against bodies */
  uint64_t least_device_bytes; /* of the smallest slices: with less it cannot work */
  const char* problem;         /* why it does not fit, in one line; else empty */
  const char* device;          /* its id */
  int64_t fits;                /* not 0: whole or in slices */
} oclide_memory_summary;

typedef struct oclide_planned_buffer {
  size_t struct_size;
  const char* name;
  uint64_t bytes;         /* at most at a time, without a memory limit */
  int32_t on_device;      /* else in host memory */
  int32_t exact;          /* by bodies and terrain alone; else estimated */
  int32_t only_if_needed; /* stays without memory in small frames, or where no frame has few moved bodies */
  int32_t reserved;       /* 0 */
} oclide_planned_buffer;

typedef struct oclide_memory_plan oclide_memory_plan;

/* Plans a collider with these settings for this scene, without running anything on a device. The poses are those of the
 * first frame, of which `frames_ahead` more are staged beside the one at work. */
OCLIDE_API oclide_status oclide_memory_plan_create(const oclide_scene* scene, const double* position,
                                                   const double* orientation, size_t bodies,
                                                   const oclide_settings* settings, size_t frames_ahead,
                                                   oclide_memory_plan** plan);
OCLIDE_API oclide_status oclide_memory_plan_destroy(oclide_memory_plan* plan);
/* Texts are valid until the plan is destroyed. */
OCLIDE_API oclide_status oclide_memory_plan_summary(const oclide_memory_plan* plan, oclide_memory_summary* summary);
OCLIDE_API oclide_status oclide_memory_plan_buffer(const oclide_memory_plan* plan, size_t index,
                                                   oclide_planned_buffer* buffer);

/* ---- Calibration ------------------------------------------------------------------------------------------------- */

typedef struct oclide_calibration_sample {
  uint64_t bodies;
  double milliseconds; /* from poses in host memory to contacts in host memory */
} oclide_calibration_sample;

/* From `bodies` on the calibration with this index is the fastest. */
typedef struct oclide_fastest_from {
  uint64_t bodies;
  uint64_t index;
} oclide_fastest_from;

/* How long a frame takes on one device by the number of its bodies. */
typedef struct oclide_calibration oclide_calibration;

/* What the cache on disk has of this OpenCL device, else measures it: a second or two beyond the compilation of the
 * kernels. `device` as in oclide_settings; of `settings`, which may be NULL, only the cache counts. Blocking. */
OCLIDE_API oclide_status oclide_calibration_measure(const char* device, const oclide_settings* settings,
                                                    oclide_calibration** calibration);
/* Of samples that are known: more bodies from one to the next, and no shorter times. */
OCLIDE_API oclide_status oclide_calibration_create(const oclide_calibration_sample* samples, size_t samples_count,
                                                   oclide_calibration** calibration);
OCLIDE_API oclide_status oclide_calibration_destroy(oclide_calibration* calibration);
/* Valid until the calibration is destroyed. */
OCLIDE_API oclide_status oclide_calibration_samples(const oclide_calibration* calibration,
                                                    const oclide_calibration_sample** samples, size_t* samples_count);
/* Expected of a frame of so many bodies: straight lines through the samples, the first and the last of which go on. */
OCLIDE_API oclide_status oclide_calibration_milliseconds(const oclide_calibration* calibration, double bodies,
                                                         double* milliseconds);
/* Of a frame without bodies, by the first two samples; that each further body adds, by the last two. */
OCLIDE_API oclide_status oclide_calibration_line(const oclide_calibration* calibration, double* fixed_milliseconds,
                                                 double* milliseconds_per_body);
/* Index of the calibration with the least expected time for so many bodies; the first of equals. */
OCLIDE_API oclide_status oclide_fastest_device(const oclide_calibration* const* calibrations, size_t calibrations_count,
                                               uint64_t bodies, size_t* index);
/* Where that changes, from 0 bodies on. Writes the first `capacity` of `count` entries; `entries` may be NULL with 0.
 */
OCLIDE_API oclide_status oclide_break_even(const oclide_calibration* const* calibrations, size_t calibrations_count,
                                           oclide_fastest_from* entries, size_t capacity, size_t* count);

/* ---- Validation -------------------------------------------------------------------------------------------------- */

/* What was checked, and what did not hold: oclide::ValidationReport. */
typedef struct oclide_validation_report {
  size_t struct_size;
  uint64_t frames;
  uint64_t bodies_checked; /* over all frames */
  uint64_t pairs_device, pairs_reference;
  uint64_t only_device, only_reference; /* pairs found by one alone, deeper than 1e-4 m - margin */
  uint64_t contacts_device, contacts_reference;
  uint64_t unmatched_device;    /* contacts that are not true, that the definition does not give, or out of order */
  uint64_t unmatched_reference; /* manifolds of the reference that there is no contact for */
  double largest_depth_error;   /* of contacts that match [m] */
  double largest_depth_error_relative;
  double largest_normal_error; /* [rad] */
  double largest_point_error;  /* [m]; never fails */
  double deepest;              /* depth of the deepest contact [m] */
  const char* examples;        /* of what did not hold: at most 10 lines */
  int64_t holds;               /* not 0: no pair found by one alone, nothing unmatched */
  uint64_t undecided;          /* pairs that one alone has, within 1e-4 m of touching; never fails */
} oclide_validation_report;

typedef struct oclide_validator oclide_validator;

/* Compares contacts with exact geometry and with the CPU reference. `margin` is that of the collider whose contacts are
 * checked. */
OCLIDE_API oclide_status oclide_validator_create(const oclide_scene* scene, double margin,
                                                 oclide_validator** validator);
OCLIDE_API oclide_status oclide_validator_destroy(oclide_validator* validator);
/* The scene changes, as that of the collider does by its functions of these names. */
OCLIDE_API oclide_status oclide_validator_update_heights(oclide_validator* validator, size_t terrain, size_t first_row,
                                                         size_t first_col, size_t rows, size_t cols,
                                                         const double* heights, size_t heights_count);
OCLIDE_API oclide_status oclide_validator_update_holes(oclide_validator* validator, size_t terrain, size_t first_row,
                                                       size_t first_col, size_t rows, size_t cols, const uint8_t* holes,
                                                       size_t holes_count);
OCLIDE_API oclide_status oclide_validator_update_material(oclide_validator* validator, size_t terrain, size_t first_row,
                                                          size_t first_col, size_t rows, size_t cols,
                                                          const uint8_t* material, size_t material_count);
OCLIDE_API oclide_status oclide_validator_move_terrain(oclide_validator* validator, size_t terrain, double x, double y);
OCLIDE_API oclide_status oclide_validator_change_tiles(oclide_validator* validator, size_t ground,
                                                       const size_t* removed, size_t removed_count,
                                                       const oclide_terrain* const* added, size_t added_count);
OCLIDE_API oclide_status oclide_validator_change(oclide_validator* validator, const oclide_body_changes* changes);
/* `contacts` are all contacts of one frame, in the order that they came in. Works on all cores; blocking. */
OCLIDE_API oclide_status oclide_validator_add_frame(oclide_validator* validator, const double* position,
                                                    const double* orientation, size_t bodies,
                                                    const oclide_contact* contacts, size_t contacts_count);
/* Of all frames so far. The examples are valid until the next call of this function or the validator's end. */
OCLIDE_API oclide_status oclide_validator_report(oclide_validator* validator, oclide_validation_report* report);

/* What was checked of casts, and what did not hold: oclide::RayReport. */
typedef struct oclide_ray_report {
  size_t struct_size;
  uint64_t casts;
  uint64_t rays; /* over all casts */
  uint64_t hits_device, hits_reference;
  uint64_t only_device, only_reference; /* rays that hit in one alone */
  uint64_t wrong_hits;                  /* not where the ray goes in, or of a body that is not there */
  uint64_t wrong_normals;               /* of hits that are right */
  uint64_t other_bodies;                /* than the reference's, as far away but for the tolerance; never fails */
  uint64_t silhouettes;                 /* rays with another answer, which is as right; never fails */
  double largest_distance_error;        /* of the same body in both [m] */
  double largest_normal_error;          /* of these [rad] */
  const char* examples;                 /* of what did not hold: at most 10 lines */
  int64_t holds;                        /* not 0: no ray hits in one alone, nothing wrong */
} oclide_ray_report;

/* `hits` are those of oclide_collider_cast() with these poses and rays, one a ray. Works on all cores; blocking. */
OCLIDE_API oclide_status oclide_validator_add_cast(oclide_validator* validator, const double* position,
                                                   const double* orientation, size_t bodies, const oclide_rays* rays,
                                                   const oclide_hit* hits, size_t hits_count);
/* Of all casts so far; as oclide_validator_report(). */
OCLIDE_API oclide_status oclide_validator_ray_report(oclide_validator* validator, oclide_ray_report* report);

/* What was checked of sweeps, and what did not hold: oclide::SweepReport. */
typedef struct oclide_sweep_report {
  size_t struct_size;
  uint64_t sweeps;
  uint64_t impacts_device, impacts_reference;
  uint64_t only_reference;   /* pairs that touch and have no impact on the device */
  uint64_t wrong_impacts;    /* not where and when the two touch first, or of no two bodies that may meet */
  uint64_t undecided;        /* pairs that only one has, with an answer that is as right; never fails */
  double largest_time_error; /* of pairs that both have, times their speed along the normal [m]; never fails */
  const char* examples;      /* of what did not hold: at most 10 lines */
  int64_t holds;             /* not 0: no impact is missing or wrong */
} oclide_sweep_report;

/* `impacts` are those of oclide_collider_sweep() with these poses and this motion. Works on all cores; blocking. */
OCLIDE_API oclide_status oclide_validator_add_sweep(oclide_validator* validator, const double* position,
                                                    const double* orientation, size_t bodies,
                                                    const oclide_motion* motion, const oclide_impact* impacts,
                                                    size_t impacts_count);
/* Of all sweeps so far; as oclide_validator_report(). */
OCLIDE_API oclide_status oclide_validator_sweep_report(oclide_validator* validator, oclide_sweep_report* report);

#ifdef __cplusplus
}
#endif

#endif
