/* The C API from C99: scenes, frames, and everything that it refuses.
 *   c_api_test reference|opencl
 * Exit status 0: all holds; 1: not; 77: there is no such device. */
#include <math.h>
#include <oclide/oclide.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "package/example_scene_c.h"

/* The same by the C++ API (c_api_expected.cpp). */
uint64_t expected_hash(const ExampleScene* example, const char* device);
uint64_t expected_hit_hash(const ExampleScene* example, const char* device, const double* origin,
                           const double* direction, size_t rays);
uint64_t expected_impact_hash(const ExampleScene* example, const char* device, const double* displacement,
                              const double* rotation);

static int failures = 0;

static int check(int holds, const char* what, int line) {
  if (!holds) {
    ++failures;
    fprintf(stderr, "c_api_test.c:%d: %s does not hold; last message: %s\n", line, what, oclide_last_message());
  }
  return holds;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

static void check_status(oclide_status found, oclide_status wanted, const char* text, const char* call, int line) {
  const int says = wanted == OCLIDE_OK || strstr(oclide_last_message(), text) != NULL;
  if (found == wanted && says) return;
  ++failures;
  fprintf(stderr, "c_api_test.c:%d: %s is %s, not %s with '%s'; last message: %s\n", line, call,
          oclide_status_name(found), oclide_status_name(wanted), text, oclide_last_message());
}
/* The call has this status, and its message has this text. */
#define CHECK_STATUS(call, status, text) check_status(call, status, text, #call, __LINE__)
#define CHECK_OK(call) CHECK_STATUS(call, OCLIDE_OK, "")

static ExampleScene example;

/* ---- What all tests begin with */

static oclide_scene* make_scene(void) {
  const oclide_terrain terrain = example_terrain(&example);
  const oclide_bodies bodies = example_bodies(&example);
  oclide_scene* scene = NULL;
  CHECK_OK(oclide_scene_create(&scene));
  CHECK_OK(oclide_scene_add_terrain(scene, &terrain, NULL));
  CHECK_OK(oclide_scene_set_bodies(scene, &bodies));
  return scene;
}

static oclide_collider* make_collider(const char* device, int track) {
  oclide_settings settings = OCLIDE_INIT(oclide_settings);
  settings.device = device;
  settings.track = track;
  oclide_collider* collider = NULL;
  CHECK_OK(oclide_collider_create(&settings, &collider));
  return collider;
}

static oclide_status collide(oclide_collider* collider, int k, oclide_frame* frame) {
  return oclide_collider_collide(collider, example.position[k], example.orientation[k], kExampleBodies, frame);
}

static uint64_t hash_of(const oclide_frame* frame, uint64_t seed) {
  return oclide_contact_hash(frame->contacts, frame->contacts_count, seed);
}

/* ---- Frames */

static void frames_have_the_contacts_of_the_cpp_api(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene)); /* the collider has what it needs */
  uint64_t hash = 0, staged_hash = 0;
  for (int k = 0; k < kExampleFrames; ++k) {
    oclide_frame frame = OCLIDE_INIT(oclide_frame);
    CHECK_OK(collide(collider, k, &frame));
    CHECK(frame.contacts_count > 20 && frame.pairs > 10 && frame.body_pairs > 2);
    CHECK(frame.contact_size == sizeof(oclide_contact) && frame.total_milliseconds > 0.0);
    CHECK(frame.events_count == 0 && frame.previous_count == 0 && frame.user_slots_count == 0);
    for (size_t c = 0; c < frame.contacts_count; ++c) {
      const oclide_contact* contact = &frame.contacts[c];
      const double length =
          sqrt((double)contact->normal[0] * contact->normal[0] + (double)contact->normal[1] * contact->normal[1] +
               (double)contact->normal[2] * contact->normal[2]);
      CHECK(fabs(length - 1.0) < 1e-5 && contact->depth > 0.0f && contact->body_a < kExampleBodies);
    }
    hash = hash_of(&frame, hash);
  }
  for (int k = 0; k < kExampleFrames; ++k) {
    oclide_staged_poses* staged = NULL;
    oclide_frame frame = OCLIDE_INIT(oclide_frame);
    CHECK_OK(oclide_collider_stage(collider, example.position[k], example.orientation[k], kExampleBodies, &staged));
    CHECK_OK(oclide_collider_collide_staged(collider, staged, &frame));
    staged_hash = hash_of(&frame, staged_hash);
    CHECK_STATUS(oclide_collider_collide_staged(collider, staged, &frame), OCLIDE_INVALID_HANDLE, "staged poses");
  }
  CHECK(hash == expected_hash(&example, device));
  CHECK(staged_hash == hash);
  printf("contact_hash %016llx\n", (unsigned long long)hash);
  CHECK_OK(oclide_collider_destroy(collider));
}

/* What a solver keeps of a contact comes back with the contact that goes on with it. */
static void tracked_contacts_keep_their_slots(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 1);
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  oclide_frame first = OCLIDE_INIT(oclide_frame), again = OCLIDE_INIT(oclide_frame), other = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &first));
  const size_t count = first.contacts_count, manifolds = first.events_count;
  CHECK(manifolds > 20 && first.event_size == sizeof(oclide_manifold_event));
  CHECK(first.previous_count == count && first.user_slots_count == count);
  for (size_t k = 0; k < manifolds; ++k)
    CHECK(first.events[k].change == OCLIDE_BEGIN && first.events[k].manifold == k &&
          first.events[k].previous == OCLIDE_NONE);
  for (size_t k = 0; k < count; ++k) {
    CHECK(first.previous[k] == OCLIDE_NONE && first.user_slots[k].value[0] == 0.0f);
    first.user_slots[k].value[0] = (float)k + 1.0f;
  }
  CHECK_OK(collide(collider, 0, &again));
  CHECK(again.contacts_count == count && again.events_count == manifolds && again.user_slots_count == count);
  for (size_t k = 0; k < again.events_count; ++k)
    CHECK(again.events[k].change == OCLIDE_PERSIST && again.events[k].previous == k);
  for (size_t k = 0; k < again.contacts_count; ++k)
    CHECK(again.previous[k] == k && again.user_slots[k].value[0] == (float)k + 1.0f);

  /* Two frames later something began; and back again it ends. */
  int begun = 0, ended = 0;
  CHECK_OK(collide(collider, 2, &other));
  for (size_t k = 0; k < other.events_count; ++k) begun += other.events[k].change == OCLIDE_BEGIN;
  CHECK_OK(collide(collider, 0, &again));
  for (size_t k = 0; k < again.events_count; ++k) {
    ended += again.events[k].change == OCLIDE_END;
    CHECK((again.events[k].change == OCLIDE_END) == (again.events[k].manifold == OCLIDE_NONE));
  }
  CHECK(begun > 0 && ended > 0);
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

static void changed_heights_change_the_contacts(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  oclide_frame before = OCLIDE_INIT(oclide_frame), after = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &before));
  const uint64_t hash = hash_of(&before, 0);
  const double none[2] = {NAN, NAN}, infinite[2] = {0.0, INFINITY};
  const size_t row = kExampleRows / 2, col = kExampleCols / 2;
  CHECK_OK(oclide_collider_update_heights(collider, 0, row, col, 1, 2, none, 2));
  CHECK_STATUS(oclide_collider_update_heights(collider, 0, row, col, 1, 2, infinite, 2), OCLIDE_INVALID_INPUT,
               "heights[1]");
  CHECK_STATUS(oclide_collider_update_heights(collider, 0, row, col, 2, 2, none, 2), OCLIDE_INVALID_INPUT, "2 heights");
  CHECK_STATUS(oclide_collider_update_heights(collider, 0, row, col, 1, 2, NULL, 2), OCLIDE_INVALID_INPUT, "null");
  CHECK_STATUS(oclide_collider_update_heights(collider, 1, row, col, 1, 2, none, 2), OCLIDE_INVALID_INPUT, "terrain 1");
  CHECK_STATUS(oclide_collider_update_heights(collider, 0, row, kExampleCols - 1, 1, 2, none, 2), OCLIDE_INVALID_INPUT,
               "outside");
  for (size_t r = 0; r < kExampleRows; ++r)
    for (size_t c = 0; c + 1 < kExampleCols; c += 2)
      CHECK_OK(oclide_collider_update_heights(collider, 0, r, c, 1, 2, none, 2));
  CHECK_OK(collide(collider, 0, &after));
  CHECK(hash_of(&after, 0) != hash && after.pairs == after.body_pairs);
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

/* Bodies come and go by handles, and the ground has holes and a place of its own. */
static void worlds_change(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 1);
  const oclide_body_handle first = {0, 0}, later = {0, 1};
  oclide_body_changes changes = OCLIDE_INIT(oclide_body_changes);
  CHECK_STATUS(oclide_collider_change(collider, &changes, NULL, 0), OCLIDE_WRONG_STATE, "no scene");
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &frame));
  const uint64_t hash = hash_of(&frame, 0);

  /* Two that touch never meet, and meet again. */
  oclide_body_handle held[2] = {{0, 0}, {0, 0}};
  const size_t touching = frame.contacts_count;
  for (size_t c = 0; c < frame.contacts_count; ++c)
    if (frame.contacts[c].body_b != OCLIDE_TERRAIN)
      held[0].row = frame.contacts[c].body_a, held[1].row = frame.contacts[c].body_b;
  CHECK(held[0].row != held[1].row);
  oclide_body_changes apart = OCLIDE_INIT(oclide_body_changes), again = OCLIDE_INIT(oclide_body_changes);
  apart.excluded = held;
  apart.excluded_count = 1;
  CHECK_STATUS(oclide_collider_change(collider, &apart, NULL, 0), OCLIDE_INVALID_INPUT, "two a pair");
  apart.excluded_count = 2;
  CHECK_OK(oclide_collider_change(collider, &apart, NULL, 0));
  CHECK_OK(collide(collider, 0, &frame));
  CHECK(frame.contacts_count < touching);
  again.allowed = held;
  again.allowed_count = 2;
  CHECK_OK(oclide_collider_change(collider, &again, NULL, 0));
  CHECK_OK(collide(collider, 0, &frame));
  CHECK(frame.contacts_count == touching);

  changes.removed = &first;
  changes.removed_count = 1;
  CHECK_OK(oclide_collider_change(collider, &changes, NULL, 0));
  CHECK_STATUS(oclide_collider_change(collider, &changes, NULL, 0), OCLIDE_INVALID_INPUT, "removed[0]");
  CHECK_OK(collide(collider, 0, &frame));
  for (size_t c = 0; c < frame.contacts_count; ++c) CHECK(frame.contacts[c].body_a != 0);

  /* The same body again, in the row that is free, and one more as a sensor. */
  oclide_bodies added = example_bodies(&example);
  const uint32_t flags[2] = {0, OCLIDE_BODY_SENSOR};
  added.shape_count = 2;
  added.size_count = 6;
  added.environment_count = added.group_count = added.category_count = added.mask_count = 0;
  added.flags = flags;
  added.flags_count = 2;
  const double margin[2] = {0.0, 0.25}, negative[2] = {0.0, -0.25};
  added.margin = negative;
  added.margin_count = 1;
  oclide_body_changes more = OCLIDE_INIT(oclide_body_changes);
  more.added = &added;
  oclide_body_handle handles[2];
  size_t rows = 0;
  CHECK_STATUS(oclide_collider_change(collider, &more, NULL, 2), OCLIDE_INVALID_INPUT, "handles");
  CHECK_STATUS(oclide_collider_change(collider, &more, handles, 2), OCLIDE_INVALID_INPUT, "added/margin has 1 entries");
  added.margin_count = 2;
  CHECK_STATUS(oclide_collider_change(collider, &more, handles, 2), OCLIDE_INVALID_INPUT, "added/margin[1]");
  added.margin = margin;
  CHECK_OK(oclide_collider_change(collider, &more, handles, 2));
  CHECK(handles[0].row == later.row && handles[0].generation == later.generation);
  CHECK(handles[1].row == kExampleBodies && handles[1].generation == 0);
  CHECK_OK(oclide_collider_rows(collider, &rows));
  CHECK(rows == kExampleBodies + 1);
  CHECK_STATUS(collide(collider, 0, &frame), OCLIDE_INVALID_INPUT, "for a scene of");
  oclide_body_changes less = OCLIDE_INIT(oclide_body_changes);
  less.removed = &handles[1];
  less.removed_count = 1;
  CHECK_OK(oclide_collider_change(collider, &less, NULL, 0));

  const uint8_t open[2] = {1, 1};
  CHECK_OK(oclide_collider_update_holes(collider, 0, 0, 0, 1, 2, open, 2));
  CHECK_STATUS(oclide_collider_update_holes(collider, 0, kExampleRows - 1, 0, 1, 2, open, 2), OCLIDE_INVALID_INPUT,
               "outside");
  CHECK_OK(oclide_collider_update_material(collider, 0, 0, 0, 2, 1, open, 2));
  CHECK_STATUS(oclide_collider_update_material(collider, 0, 0, 0, 2, 1, open, 1), OCLIDE_INVALID_INPUT, "1 values");
  CHECK_OK(oclide_collider_move_terrain(collider, 0, 0.5, 0.0));
  CHECK_STATUS(oclide_collider_move_terrain(collider, 0, NAN, 0.0), OCLIDE_INVALID_INPUT, "origin[0]");

  oclide_bodies wrong = example_bodies(&example);
  const uint32_t pair[2] = {3, 3};
  wrong.excluded = pair;
  wrong.excluded_count = 1;
  CHECK_STATUS(oclide_scene_set_bodies(scene, &wrong), OCLIDE_INVALID_INPUT, "two a pair");
  wrong.excluded_count = 2;
  CHECK_OK(oclide_scene_set_bodies(scene, &wrong));
  CHECK_STATUS(oclide_scene_check(scene), OCLIDE_INVALID_INPUT, "bodies/excluded[0]");
  CHECK(hash != 0);
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

static void contacts_pass_validation(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  oclide_validator* validator = NULL;
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_validator_create(scene, 0.0, &validator));
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &frame));
  CHECK_OK(oclide_validator_add_frame(validator, example.position[0], example.orientation[0], kExampleBodies,
                                      frame.contacts, frame.contacts_count));
  oclide_validation_report report = OCLIDE_INIT(oclide_validation_report);
  CHECK_OK(oclide_validator_report(validator, &report));
  CHECK(report.holds && report.frames == 1 && report.contacts_device == frame.contacts_count);
  if (!report.holds) fprintf(stderr, "%s", report.examples);
  /* Without its last contacts it does not hold. */
  CHECK_OK(oclide_validator_add_frame(validator, example.position[0], example.orientation[0], kExampleBodies,
                                      frame.contacts, frame.contacts_count / 2));
  CHECK_OK(oclide_validator_report(validator, &report));
  CHECK(!report.holds && report.only_reference > 0 && report.examples[0] != '\0');
  CHECK_STATUS(oclide_validator_add_frame(validator, example.position[0], example.orientation[0], 3, NULL, 0),
               OCLIDE_INVALID_INPUT, "3 bodies");
  CHECK_OK(oclide_validator_destroy(validator));
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

/* ---- What is refused */

static void scenes_that_cannot_be_used_are_refused(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  CHECK_OK(oclide_collider_set_scene(collider, scene));

  oclide_terrain terrain = example_terrain(&example);
  terrain.heights = NULL;
  CHECK_STATUS(oclide_scene_add_terrain(scene, &terrain, NULL), OCLIDE_INVALID_INPUT, "terrains/1/heights: null");
  terrain = example_terrain(&example);
  terrain.holes_count = 3;
  size_t index = 99;
  CHECK_STATUS(oclide_scene_add_terrain(scene, &terrain, &index), OCLIDE_INVALID_INPUT, "terrains/1/holes: 3 values");
  terrain = example_terrain(&example);
  terrain.heights_count -= 1;
  CHECK_STATUS(oclide_scene_add_terrain(scene, &terrain, &index), OCLIDE_INVALID_INPUT, "terrains/1/heights: ");
  terrain = example_terrain(&example);
  terrain.cols = 1;
  CHECK_STATUS(oclide_scene_add_terrain(scene, &terrain, &index), OCLIDE_INVALID_INPUT, "at least 2 x 2");
  CHECK(index == 99);
  terrain = example_terrain(&example);
  terrain.spacing[1] = 0.0;
  CHECK_OK(oclide_scene_add_terrain(scene, &terrain, &index));
  CHECK(index == 1);
  CHECK_STATUS(oclide_scene_check(scene), OCLIDE_INVALID_INPUT, "terrains/1/heights: spacing[1]");

  oclide_bodies bodies = example_bodies(&example);
  bodies.size_count -= 1;
  CHECK_STATUS(oclide_scene_set_bodies(scene, &bodies), OCLIDE_INVALID_INPUT, "bodies/size has 179 numbers");
  bodies = example_bodies(&example);
  bodies.mask_count = 7;
  CHECK_STATUS(oclide_scene_set_bodies(scene, &bodies), OCLIDE_INVALID_INPUT, "bodies/mask has 7");
  bodies = example_bodies(&example);
  bodies.shape = NULL;
  CHECK_STATUS(oclide_scene_set_bodies(scene, &bodies), OCLIDE_INVALID_INPUT, "bodies/shape: null");
  bodies = example_bodies(&example);
  bodies.shape_count = bodies.size_count = (size_t)-1;
  CHECK_STATUS(oclide_scene_set_bodies(scene, &bodies), OCLIDE_INVALID_INPUT, "bodies/size");
  CHECK_STATUS(oclide_scene_set_bodies(scene, NULL), OCLIDE_INVALID_INPUT, "oclide_bodies: null");

  const double points[4] = {0.0, 0.0, 0.0, 1.0};
  CHECK_STATUS(oclide_scene_add_hull(scene, points, 4, NULL), OCLIDE_INVALID_INPUT, "hulls/0/vertices has 4");
  const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
  const uint8_t materials[4] = {1, 2, 3, 4};
  oclide_mesh mesh = {sizeof mesh, corners, 11, triangles, 12, materials, 4, 1};
  CHECK_STATUS(oclide_scene_add_mesh(scene, &mesh, NULL), OCLIDE_INVALID_INPUT, "meshes/0/vertices has 11");
  mesh.vertices_count = 12;
  mesh.triangles_count = 10;
  CHECK_STATUS(oclide_scene_add_mesh(scene, &mesh, NULL), OCLIDE_INVALID_INPUT, "meshes/0/triangles has 10");
  mesh.triangles_count = 12;
  mesh.material_count = 3;
  CHECK_STATUS(oclide_scene_add_mesh(scene, &mesh, NULL), OCLIDE_INVALID_INPUT,
               "meshes/0/material has 3 entries for 4");
  mesh.material_count = 4;
  mesh.solid = 2;
  CHECK_STATUS(oclide_scene_add_mesh(scene, &mesh, NULL), OCLIDE_INVALID_INPUT, "meshes/0: solid is 2");
  mesh.solid = 1;
  mesh.triangles = NULL;
  CHECK_STATUS(oclide_scene_add_mesh(scene, &mesh, NULL), OCLIDE_INVALID_INPUT, "meshes/0/triangles: null");
  mesh.triangles = triangles;
  CHECK_OK(oclide_scene_add_mesh(scene, &mesh, &index));
  CHECK(index == 0);
  CHECK_STATUS(oclide_scene_add_mesh(scene, NULL, NULL), OCLIDE_INVALID_INPUT, "oclide_mesh: null");
  oclide_compound compound = OCLIDE_INIT(oclide_compound);
  const uint8_t sphere = OCLIDE_SPHERE;
  compound.shape = &sphere;
  compound.shape_count = 1;
  compound.size = points;
  compound.size_count = 3;
  compound.position = points;
  compound.position_count = 4;
  CHECK_STATUS(oclide_scene_add_compound(scene, &compound, NULL), OCLIDE_INVALID_INPUT, "compounds/0/position has 4");
  CHECK_OK(oclide_scene_destroy(scene));

  CHECK_OK(oclide_scene_create(&scene));
  ExampleScene wrong = example;
  wrong.shape[11] = 200;
  bodies = example_bodies(&example);
  bodies.shape = wrong.shape;
  CHECK_OK(oclide_scene_set_bodies(scene, &bodies));
  CHECK_STATUS(oclide_scene_check(scene), OCLIDE_INVALID_INPUT, "bodies/shape[11]");
  wrong = example;
  wrong.size[3 * 17 + 2] = -1.0;
  bodies = example_bodies(&example);
  bodies.size = wrong.size;
  CHECK_OK(oclide_scene_set_bodies(scene, &bodies));
  CHECK_STATUS(oclide_collider_set_scene(collider, scene), OCLIDE_INVALID_INPUT, "bodies/size[17]");
  CHECK(strstr(oclide_handle_message(collider), "bodies/size[17]") != NULL);
  const int32_t no_terrain = 3;
  CHECK_OK(oclide_scene_set_environments(scene, &no_terrain, 1));
  CHECK_STATUS(oclide_scene_check(scene), OCLIDE_INVALID_INPUT, "environments/terrain[0]");
  CHECK(strstr(oclide_handle_message(scene), "environments/terrain[0]") != NULL);
  CHECK_OK(oclide_scene_destroy(scene));

  /* The scene before is still there. */
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &frame));
  CHECK_OK(oclide_collider_destroy(collider));
}

static void poses_that_cannot_be_used_are_refused(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  oclide_staged_poses* staged = (oclide_staged_poses*)&frame;
  ExampleScene wrong = example;
  wrong.position[0][3 * 4 + 1] = NAN;
  CHECK_STATUS(oclide_collider_collide(collider, wrong.position[0], wrong.orientation[0], kExampleBodies, &frame),
               OCLIDE_INVALID_INPUT, "position[4][1]");
  wrong = example;
  memset(&wrong.orientation[0][4 * 5], 0, 4 * sizeof(double));
  CHECK_STATUS(oclide_collider_stage(collider, wrong.position[0], wrong.orientation[0], kExampleBodies, &staged),
               OCLIDE_INVALID_INPUT, "orientation[5]");
  CHECK(staged == NULL);
  CHECK_STATUS(oclide_collider_collide(collider, example.position[0], example.orientation[0], 7, &frame),
               OCLIDE_INVALID_INPUT, "poses of 7 bodies for a scene of 60");
  CHECK_STATUS(oclide_collider_collide(collider, NULL, example.orientation[0], kExampleBodies, &frame),
               OCLIDE_INVALID_INPUT, "position: null");
  CHECK_STATUS(oclide_collider_collide(collider, example.position[0], NULL, kExampleBodies, &frame),
               OCLIDE_INVALID_INPUT, "orientation: null");
  CHECK_STATUS(oclide_collider_collide(collider, example.position[0], example.orientation[0], kExampleBodies, NULL),
               OCLIDE_INVALID_INPUT, "oclide_frame: null");
  CHECK_OK(collide(collider, 0, &frame));
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

static void calls_in_the_wrong_order_are_refused(const char* device) {
  oclide_collider* collider = make_collider(device, 0);
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  oclide_staged_poses* staged = NULL;
  const double height = 0.0;
  CHECK_STATUS(collide(collider, 0, &frame), OCLIDE_WRONG_STATE, "no scene");
  CHECK(strstr(oclide_handle_message(collider), "no scene") != NULL);
  CHECK_STATUS(oclide_collider_update_heights(collider, 0, 0, 0, 1, 1, &height, 1), OCLIDE_WRONG_STATE, "no scene");
  CHECK_STATUS(oclide_collider_stage(collider, example.position[0], example.orientation[0], kExampleBodies, &staged),
               OCLIDE_WRONG_STATE, "no scene");
  CHECK_STATUS(oclide_collider_collide_staged(collider, NULL, &frame), OCLIDE_WRONG_STATE, "no scene");

  /* Staged for the scene before. */
  oclide_scene* scene = make_scene();
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_collider_stage(collider, example.position[0], example.orientation[0], kExampleBodies, &staged));
  oclide_bodies fewer = example_bodies(&example);
  fewer.shape_count = fewer.group_count = 3;
  fewer.size_count = 9;
  CHECK_OK(oclide_scene_set_bodies(scene, &fewer));
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_STATUS(oclide_collider_collide_staged(collider, staged, &frame), OCLIDE_INVALID_INPUT, "another scene");
  CHECK_STATUS(oclide_staged_poses_destroy(staged), OCLIDE_INVALID_HANDLE, "destroyed");
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

static void handles_that_are_none_are_refused(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  size_t count = 0;
  CHECK_OK(oclide_collider_set_scene(collider, scene));

  CHECK_STATUS(collide(NULL, 0, &frame), OCLIDE_INVALID_HANDLE, "collider: null");
  CHECK_STATUS(oclide_collider_set_scene(collider, NULL), OCLIDE_INVALID_HANDLE, "scene: null");
  CHECK_STATUS(oclide_collider_set_scene(NULL, scene), OCLIDE_INVALID_HANDLE, "collider: null");
  CHECK_STATUS(oclide_device_list_count(NULL, &count), OCLIDE_INVALID_HANDLE, "device list: null");
  CHECK_STATUS(collide((oclide_collider*)scene, 0, &frame), OCLIDE_INVALID_HANDLE, "that of a scene");
  CHECK_STATUS(collide((oclide_collider*)&frame, 0, &frame), OCLIDE_INVALID_HANDLE, "never was");
  CHECK_STATUS(oclide_scene_destroy((oclide_scene*)collider), OCLIDE_INVALID_HANDLE, "that of a collider");
  CHECK_STATUS(oclide_collider_create(NULL, NULL), OCLIDE_INVALID_INPUT, "new handle: null pointer");

  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_STATUS(collide(collider, 0, &frame), OCLIDE_INVALID_HANDLE, "destroyed");
  CHECK_STATUS(oclide_collider_destroy(collider), OCLIDE_INVALID_HANDLE, "destroyed");
  CHECK(oclide_handle_message(collider)[0] == '\0' && oclide_handle_message(NULL)[0] == '\0');
  /* A new one is never mistaken for it. */
  oclide_collider* next = make_collider(device, 0);
  CHECK(next != collider);
  CHECK_STATUS(oclide_collider_set_scene(collider, scene), OCLIDE_INVALID_HANDLE, "destroyed");
  CHECK_OK(oclide_collider_destroy(next));
  CHECK_OK(oclide_scene_destroy(scene));
  CHECK_OK(oclide_collider_destroy(NULL));
  CHECK_OK(oclide_scene_destroy(NULL));
}

static void structs_of_other_versions_are_told_by_their_size(const char* device) {
  /* Newer than the library: what it does not know has to be zero. */
  struct {
    oclide_settings known;
    uint64_t unknown;
  } newer = {{sizeof newer}, 0};
  newer.known.device = device;
  oclide_collider* collider = NULL;
  CHECK_OK(oclide_collider_create(&newer.known, &collider));
  CHECK_OK(oclide_collider_destroy(collider));
  newer.unknown = 1;
  CHECK_STATUS(oclide_collider_create(&newer.known, &collider), OCLIDE_NOT_SUPPORTED, "oclide_settings");
  CHECK(collider == NULL);

  /* Older: what it does not have is zero, whatever lies behind it. */
  oclide_settings older = {offsetof(oclide_settings, cache_directory)};
  older.device = device;
  older.margin = -1.0;
  CHECK_OK(oclide_collider_create(&older, &collider));

  /* Results: no byte beyond the caller's size is written, what the library does not know becomes zero. */
  oclide_scene* scene = make_scene();
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  oclide_frame small;
  memset(&small, 0x5A, sizeof small);
  small.struct_size = offsetof(oclide_frame, contact_size);
  CHECK_OK(collide(collider, 0, &small));
  CHECK(small.contacts_count > 20 && small.struct_size == offsetof(oclide_frame, contact_size));
  for (size_t k = small.struct_size; k < sizeof small; ++k) CHECK(((unsigned char*)&small)[k] == 0x5A);
  struct {
    oclide_frame known;
    uint64_t unknown;
  } large = {{sizeof large}, 77};
  CHECK_OK(collide(collider, 0, &large.known));
  CHECK(large.known.contacts_count == small.contacts_count && large.unknown == 0 &&
        large.known.struct_size == sizeof large);

  /* As the macro makes them: zero but for the size; an expression too. */
  small = OCLIDE_INIT(oclide_frame);
  CHECK(small.struct_size == sizeof(oclide_frame));
  for (size_t k = sizeof small.struct_size; k < sizeof small; ++k) CHECK(((unsigned char*)&small)[k] == 0);

  /* No size at all. */
  oclide_frame unset = {0};
  CHECK_STATUS(collide(collider, 0, &unset), OCLIDE_INVALID_INPUT, "oclide_frame: struct_size is 0");
  unset.struct_size = 13;
  CHECK_STATUS(collide(collider, 0, &unset), OCLIDE_INVALID_INPUT, "struct_size is 13");
  unset.struct_size = (size_t)-8;
  CHECK_STATUS(collide(collider, 0, &unset), OCLIDE_INVALID_INPUT, "struct_size");
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

static void count_compilation(const char* device, const char* kernels, void* data) {
  CHECK(device != NULL && strlen(device) > 0 && kernels != NULL && strchr(kernels, '/') != NULL);
  ++*(int*)data;
}

static void compilations_are_told(const char* device) {
  int count = 0;
  oclide_settings settings = OCLIDE_INIT(oclide_settings);
  settings.device = device;
  settings.no_cache = 1;
  settings.on_compile = count_compilation;
  settings.on_compile_data = &count;
  oclide_collider* collider = NULL;
  CHECK_OK(oclide_collider_create(&settings, &collider));
  CHECK((count > 0) == (strcmp(device, "reference") != 0)); /* the check of arithmetic, at least */
  CHECK_OK(oclide_collider_destroy(collider));
}

static void count_warning(const char* line, void* data) {
  CHECK(strcmp(line, "nothing meets /terrains/1: no environment has it, and no ground that one has") == 0);
  ++*(int*)data;
}

static void unused_terrains_are_told(const char* device) {
  int count = 0;
  oclide_settings settings = OCLIDE_INIT(oclide_settings);
  settings.device = device;
  settings.on_warning = count_warning;
  settings.on_warning_data = &count;
  const double heights[4] = {0.0, 0.0, 0.0, 0.0};
  oclide_terrain flat = OCLIDE_INIT(oclide_terrain);
  flat.rows = flat.cols = 2;
  flat.spacing[0] = flat.spacing[1] = 1.0;
  flat.heights = heights;
  flat.heights_count = 4;
  oclide_scene* scene = NULL;
  oclide_collider* collider = NULL;
  CHECK_OK(oclide_scene_create(&scene));
  CHECK_OK(oclide_collider_create(&settings, &collider));
  for (int k = 0; k < 2; ++k) {
    CHECK_OK(oclide_scene_add_terrain(scene, &flat, NULL));
    CHECK_OK(oclide_collider_set_scene(collider, scene));
    CHECK(count == k);
  }
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

static void settings_that_cannot_be_used_are_refused(const char* device) {
  oclide_settings settings = OCLIDE_INIT(oclide_settings);
  oclide_collider* collider = (oclide_collider*)&settings;
  settings.device = "no such device";
  CHECK_STATUS(oclide_collider_create(&settings, &collider), OCLIDE_INVALID_INPUT, "no such device");
  CHECK(collider == NULL);
  settings.device = device;
  settings.margin = NAN;
  CHECK_STATUS(oclide_collider_create(&settings, &collider), OCLIDE_INVALID_INPUT, "margin");
  if (strcmp(device, "reference") == 0) return;

  /* Too little memory says what it needs. */
  settings.margin = 0.0;
  settings.memory_limit = 100;
  oclide_scene* scene = make_scene();
  oclide_status status = oclide_collider_create(&settings, &collider);
  if (status == OCLIDE_OK) status = oclide_collider_set_scene(collider, scene);
  CHECK_STATUS(status, OCLIDE_OUT_OF_MEMORY, "bytes");
  if (collider != NULL) {
    oclide_frame frame = OCLIDE_INIT(oclide_frame);
    CHECK_STATUS(collide(collider, 0, &frame), OCLIDE_WRONG_STATE, "no scene");
  }
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

/* ---- Rays and moving points */

/* Down on the middle of each body of the example, and up into nothing. */
static void rays_hit_what_the_cpp_api_hits(const char* device) {
  double origin[6 * kExampleBodies], direction[6 * kExampleBodies], length[2 * kExampleBodies];
  uint32_t mask[2 * kExampleBodies];
  for (int k = 0; k < 2 * kExampleBodies; ++k) {
    for (int a = 0; a < 3; ++a) {
      origin[3 * k + a] = example.position[0][3 * (k % kExampleBodies) + a] + (a == 2 ? 50.0 : 0.0);
      direction[3 * k + a] = a < 2 ? 0.0 : k < kExampleBodies ? -1.0 : 3.0;
    }
    length[k] = k % 2 ? 1000.0 : INFINITY;
    mask[k] = 0xFFFFFFFFu;
  }
  oclide_rays rays = OCLIDE_INIT(oclide_rays);
  rays.origin = origin;
  rays.direction = direction;
  rays.origin_count = rays.direction_count = 6 * kExampleBodies;

  oclide_collider* collider = make_collider(device, 0);
  oclide_ray_hits hits = OCLIDE_INIT(oclide_ray_hits);
  CHECK_STATUS(
      oclide_collider_cast(collider, example.position[0], example.orientation[0], kExampleBodies, &rays, &hits),
      OCLIDE_WRONG_STATE, "no scene");
  oclide_scene* scene = make_scene();
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene));
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &frame));
  const uint64_t contacts = hash_of(&frame, 0);
#define CAST(bodies) oclide_collider_cast(collider, example.position[0], example.orientation[0], bodies, &rays, &hits)
  CHECK_OK(CAST(kExampleBodies));
  CHECK(hits.hits_count == 2 * kExampleBodies && hits.hit_size == sizeof(oclide_hit) && hits.total_milliseconds > 0.0);
  CHECK(hits.rays_that_hit == kExampleBodies);
  for (size_t k = 0; k < hits.hits_count; ++k) {
    const oclide_hit* hit = &hits.hits[k];
    if (k >= kExampleBodies)
      CHECK(hit->body == OCLIDE_NOTHING && hit->element == OCLIDE_NONE && isinf(hit->distance) && hit->point[0] == 0.0);
    else
      CHECK((hit->body < kExampleBodies || hit->body == OCLIDE_TERRAIN) && hit->distance > 40.0 &&
            hit->distance < 60.0 && hit->normal[2] > 0.0f);
  }
  oclide_scene* again = make_scene();
  oclide_validator* validator = NULL;
  oclide_ray_report report = OCLIDE_INIT(oclide_ray_report);
  CHECK_OK(oclide_validator_create(again, 0.0, &validator));
  CHECK_OK(oclide_scene_destroy(again));
  CHECK_OK(oclide_validator_add_cast(validator, example.position[0], example.orientation[0], kExampleBodies, &rays,
                                     hits.hits, hits.hits_count));
  CHECK_OK(oclide_validator_ray_report(validator, &report));
  CHECK(report.holds && report.casts == 1 && report.rays == 2 * kExampleBodies && report.examples[0] == '\0');
  CHECK(report.hits_device == kExampleBodies && report.hits_reference == kExampleBodies);
  oclide_hit wrong[2 * kExampleBodies];
  memcpy(wrong, hits.hits, sizeof wrong);
  wrong[3].distance += 0.01;
  CHECK_OK(oclide_validator_add_cast(validator, example.position[0], example.orientation[0], kExampleBodies, &rays,
                                     wrong, hits.hits_count));
  CHECK_OK(oclide_validator_ray_report(validator, &report));
  CHECK(!report.holds && report.wrong_hits == 1 && report.examples[0] != '\0');
  CHECK_STATUS(oclide_validator_add_cast(validator, example.position[0], example.orientation[0], kExampleBodies, &rays,
                                         wrong, 3),
               OCLIDE_INVALID_INPUT, "3");
  CHECK_OK(oclide_validator_destroy(validator));
  const uint64_t hash = oclide_hit_hash(hits.hits, hits.hits_count, 0);
  CHECK(hash == expected_hit_hash(&example, device, origin, direction, 2 * kExampleBodies));
  CHECK(hash_of(&frame, 0) == contacts); /* the frame is still there */
  printf("hit_hash %016llx\n", (unsigned long long)hash);

  /* Lengths and masks as they are by themselves change nothing; no category in common with any body does. */
  rays.length = length;
  rays.mask = mask;
  rays.length_count = rays.mask_count = 2 * kExampleBodies;
  CHECK_OK(CAST(kExampleBodies));
  CHECK(oclide_hit_hash(hits.hits, hits.hits_count, 0) == hash);
  for (int k = 0; k < 2 * kExampleBodies; ++k) mask[k] = 0x80000000u;
  CHECK_OK(CAST(kExampleBodies));
  for (size_t k = 0; k < hits.hits_count; ++k) CHECK(hits.hits[k].body >= OCLIDE_NOTHING);

  /* What cannot be used leaves the result as it was. */
  const oclide_hit* before = hits.hits;
  CHECK_STATUS(CAST(3), OCLIDE_INVALID_INPUT, "3 bodies");
  origin[4] = NAN;
  CHECK_STATUS(CAST(kExampleBodies), OCLIDE_INVALID_INPUT, "rays/origin[1][1]");
  origin[4] = 0.0;
  direction[2] = 0.0;
  CHECK_STATUS(CAST(kExampleBodies), OCLIDE_INVALID_INPUT, "rays/direction[0] is zero");
  direction[2] = -1.0;
  length[3] = -1.0;
  CHECK_STATUS(CAST(kExampleBodies), OCLIDE_INVALID_INPUT, "rays/length[3]");
  length[3] = 1.0;
  rays.mask_count = 5;
  CHECK_STATUS(CAST(kExampleBodies), OCLIDE_INVALID_INPUT, "rays/mask has 5");
  rays.mask_count = 0;
  rays.environment_count = 2;
  CHECK_STATUS(CAST(kExampleBodies), OCLIDE_INVALID_INPUT, "rays/environment: null pointer");
  rays.environment_count = 0;
  CHECK_STATUS(oclide_collider_cast(collider, example.position[0], example.orientation[0], kExampleBodies, NULL, &hits),
               OCLIDE_INVALID_INPUT, "oclide_rays: null pointer");
  CHECK_STATUS(oclide_collider_cast(collider, example.position[0], example.orientation[0], kExampleBodies, &rays, NULL),
               OCLIDE_INVALID_INPUT, "oclide_ray_hits: null pointer");
  CHECK(hits.hits == before && hits.hits_count == 2 * kExampleBodies);
  rays.struct_size = 0;
  CHECK_STATUS(CAST(kExampleBodies), OCLIDE_INVALID_INPUT, "oclide_rays");
  rays.struct_size = sizeof rays;
  rays.origin_count = rays.direction_count = rays.length_count = 0;
  CHECK_OK(CAST(kExampleBodies));
  CHECK(hits.hits_count == 0 && hits.rays_that_hit == 0);
  CHECK(oclide_hit_hash(NULL, 3, 0) == 0);
#undef CAST
  CHECK_OK(oclide_collider_destroy(collider));
}

/* ---- Overlap */

/* At each body of the example a small ball, and one high above it. */
static void overlaps_are_those_of_the_example(const char* device) {
  double position[6 * kExampleBodies], orientation[8 * kExampleBodies];
  for (int k = 0; k < 2 * kExampleBodies; ++k) {
    for (int a = 0; a < 3; ++a)
      position[3 * k + a] =
          example.position[0][3 * (k % kExampleBodies) + a] + (a == 2 && k >= kExampleBodies ? 500.0 : 0.0);
    for (int a = 0; a < 4; ++a) orientation[4 * k + a] = a == 3 ? 2.0 : 0.0;
  }
  const uint8_t shape[1] = {OCLIDE_SPHERE};
  double size[3] = {0.01, 0.0, 0.0};
  oclide_query_shapes queries = OCLIDE_INIT(oclide_query_shapes);
  queries.shape = shape;
  queries.shape_count = 1;
  queries.size = size;
  queries.size_count = 3;
  queries.position = position;
  queries.position_count = 6 * kExampleBodies;
  queries.orientation = orientation;
  queries.orientation_count = 8 * kExampleBodies;
  oclide_collider* collider = make_collider(device, 0);
  oclide_overlaps found = OCLIDE_INIT(oclide_overlaps);
#define OVERLAP(bodies) \
  oclide_collider_overlap(collider, example.position[0], example.orientation[0], bodies, &queries, &found)
  CHECK_STATUS(OVERLAP(kExampleBodies), OCLIDE_WRONG_STATE, "no scene");
  oclide_scene* scene = make_scene();
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene));
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &frame));
  const uint64_t contacts = hash_of(&frame, 0);
  CHECK_OK(OVERLAP(kExampleBodies));
  CHECK(found.overlaps_count == 2 * kExampleBodies && found.body == NULL && found.total_milliseconds > 0.0);
  for (size_t k = 0; k < found.overlaps_count; ++k) CHECK(found.overlaps[k] == (k < kExampleBodies ? 1 : 0));
  CHECK(found.queries_that_overlap == kExampleBodies);
  queries.find_lowest = 1;
  CHECK_OK(OVERLAP(kExampleBodies));
  for (size_t k = 0; k < found.overlaps_count; ++k)
    CHECK(k < kExampleBodies ? found.body[k] <= k || found.body[k] == OCLIDE_TERRAIN : found.body[k] == OCLIDE_NOTHING);
  CHECK(hash_of(&frame, 0) == contacts); /* the frame is still there */

  /* What cannot be used leaves the result as it was. */
  const uint8_t* before = found.overlaps;
  CHECK_STATUS(OVERLAP(3), OCLIDE_INVALID_INPUT, "3 bodies");
  size[0] = -1.0;
  CHECK_STATUS(OVERLAP(kExampleBodies), OCLIDE_INVALID_INPUT, "queries/size[0]: radius");
  size[0] = 0.01;
  queries.size_count = 2;
  CHECK_STATUS(OVERLAP(kExampleBodies), OCLIDE_INVALID_INPUT, "queries/size has 2");
  queries.size_count = 3;
  queries.group_count = 4;
  CHECK_STATUS(OVERLAP(kExampleBodies), OCLIDE_INVALID_INPUT, "queries/group: null pointer");
  queries.group_count = 0;
  queries.reserved = 1;
  CHECK_STATUS(OVERLAP(kExampleBodies), OCLIDE_NOT_SUPPORTED, "reserved");
  queries.reserved = 0;
  CHECK_STATUS(
      oclide_collider_overlap(collider, example.position[0], example.orientation[0], kExampleBodies, NULL, &found),
      OCLIDE_INVALID_INPUT, "oclide_query_shapes: null pointer");
  CHECK_STATUS(
      oclide_collider_overlap(collider, example.position[0], example.orientation[0], kExampleBodies, &queries, NULL),
      OCLIDE_INVALID_INPUT, "oclide_overlaps: null pointer");
  CHECK(found.overlaps == before && found.overlaps_count == 2 * kExampleBodies);
  queries.position_count = queries.orientation_count = 0;
  CHECK_OK(OVERLAP(kExampleBodies));
  CHECK(found.overlaps_count == 0 && found.queries_that_overlap == 0);
#undef OVERLAP
  CHECK_OK(oclide_collider_destroy(collider));
}

/* ---- Distance */

/* The middle of each body of the example, and a place high above it. */
static void distances_are_those_of_the_example(const char* device) {
  double point[6 * kExampleBodies], range[2 * kExampleBodies];
  for (int k = 0; k < 2 * kExampleBodies; ++k) {
    for (int a = 0; a < 3; ++a)
      point[3 * k + a] =
          example.position[0][3 * (k % kExampleBodies) + a] + (a == 2 && k >= kExampleBodies ? 500.0 : 0.0);
    range[k] = 100.0;
  }
  oclide_query_points points = OCLIDE_INIT(oclide_query_points);
  points.position = point;
  points.position_count = 6 * kExampleBodies;
  oclide_collider* collider = make_collider(device, 0);
  oclide_distances found = OCLIDE_INIT(oclide_distances);
#define DISTANCE(bodies) \
  oclide_collider_distance(collider, example.position[0], example.orientation[0], bodies, &points, &found)
  CHECK_STATUS(DISTANCE(kExampleBodies), OCLIDE_WRONG_STATE, "no scene");
  oclide_scene* scene = make_scene();
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene));
  CHECK_OK(DISTANCE(kExampleBodies));
  CHECK(found.nearest_count == 2 * kExampleBodies && found.hit_size == sizeof(oclide_hit));
  CHECK(found.points_near == 2 * kExampleBodies && found.total_milliseconds > 0.0);
  for (size_t k = 0; k < found.nearest_count; ++k)
    CHECK(k < kExampleBodies ? found.nearest[k].distance < 0.0 : found.nearest[k].distance > 400.0);
  points.range = range;
  points.range_count = 2 * kExampleBodies;
  CHECK_OK(DISTANCE(kExampleBodies));
  CHECK(found.points_near == kExampleBodies && found.nearest[kExampleBodies].body == OCLIDE_NOTHING);

  /* What cannot be used leaves the result as it was. */
  const oclide_hit* before = found.nearest;
  CHECK_STATUS(DISTANCE(3), OCLIDE_INVALID_INPUT, "3 bodies");
  range[1] = -1.0;
  CHECK_STATUS(DISTANCE(kExampleBodies), OCLIDE_INVALID_INPUT, "points/range[1] is negative");
  points.range_count = 0;
  points.mask_count = 2;
  CHECK_STATUS(DISTANCE(kExampleBodies), OCLIDE_INVALID_INPUT, "points/mask: null pointer");
  points.mask_count = 0;
  CHECK_STATUS(
      oclide_collider_distance(collider, example.position[0], example.orientation[0], kExampleBodies, NULL, &found),
      OCLIDE_INVALID_INPUT, "oclide_query_points: null pointer");
  CHECK(found.nearest == before && found.nearest_count == 2 * kExampleBodies);
#undef DISTANCE
  CHECK_OK(oclide_collider_destroy(collider));
}

/* ---- Impacts */

/* All bodies of the example fall and turn. */
static void impacts_are_those_of_the_cpp_api(const char* device) {
  double displacement[3 * kExampleBodies], rotation[3 * kExampleBodies];
  for (int k = 0; k < 3 * kExampleBodies; ++k) {
    displacement[k] = k % 3 == 2 ? -5.0 : 0.125;
    rotation[k] = 0.25 * (k % 5);
  }
  oclide_motion motion = OCLIDE_INIT(oclide_motion);
  motion.displacement = displacement;
  motion.rotation = rotation;
  motion.displacement_count = motion.rotation_count = 3 * kExampleBodies;
  oclide_collider* collider = make_collider(device, 0);
  oclide_impacts impacts = OCLIDE_INIT(oclide_impacts);
#define SWEEP(bodies) \
  oclide_collider_sweep(collider, example.position[0], example.orientation[0], bodies, &motion, &impacts)
  CHECK_STATUS(SWEEP(kExampleBodies), OCLIDE_WRONG_STATE, "no scene");
  oclide_scene* scene = make_scene();
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene));
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  CHECK_OK(collide(collider, 0, &frame));
  const uint64_t contacts = hash_of(&frame, 0);
  CHECK_OK(SWEEP(kExampleBodies));
  CHECK(impacts.impacts_count > 0 && impacts.impact_size == sizeof(oclide_impact) && impacts.total_milliseconds > 0.0);
  for (size_t k = 0; k < impacts.impacts_count; ++k) {
    const oclide_impact* i = &impacts.impacts[k];
    CHECK(i->time >= 0.0 && i->time <= 1.0 && i->body_a < kExampleBodies && i->feature == 0);
    CHECK(i->body_b == OCLIDE_TERRAIN || (i->body_b > i->body_a && i->body_b < kExampleBodies));
  }
  oclide_scene* again = make_scene();
  oclide_validator* validator = NULL;
  oclide_sweep_report report = OCLIDE_INIT(oclide_sweep_report);
  CHECK_OK(oclide_validator_create(again, 0.0, &validator));
  CHECK_OK(oclide_scene_destroy(again));
  CHECK_OK(oclide_validator_add_sweep(validator, example.position[0], example.orientation[0], kExampleBodies, &motion,
                                      impacts.impacts, impacts.impacts_count));
  CHECK_OK(oclide_validator_sweep_report(validator, &report));
  CHECK(report.holds && report.sweeps == 1 && report.impacts_device == impacts.impacts_count);
  CHECK(report.examples[0] == '\0');
  CHECK_OK(oclide_validator_add_sweep(validator, example.position[0], example.orientation[0], kExampleBodies, &motion,
                                      impacts.impacts, impacts.impacts_count - 1));
  CHECK_OK(oclide_validator_sweep_report(validator, &report));
  CHECK(!report.holds && report.only_reference == 1 && report.examples[0] != '\0');
  CHECK_STATUS(oclide_validator_add_sweep(validator, example.position[0], example.orientation[0], kExampleBodies,
                                          &motion, NULL, 2),
               OCLIDE_INVALID_INPUT, "impacts: null pointer");
  CHECK_OK(oclide_validator_destroy(validator));
  const uint64_t hash = oclide_impact_hash(impacts.impacts, impacts.impacts_count, 0);
  CHECK(hash == expected_impact_hash(&example, device, displacement, rotation));
  CHECK(hash_of(&frame, 0) == contacts); /* the frame is still there */
  printf("impact_hash %016llx\n", (unsigned long long)hash);

  /* What cannot be used leaves the result as it was. */
  const oclide_impact* before = impacts.impacts;
  const size_t count = impacts.impacts_count;
  CHECK_STATUS(SWEEP(3), OCLIDE_INVALID_INPUT, "3 bodies");
  displacement[4] = NAN;
  CHECK_STATUS(SWEEP(kExampleBodies), OCLIDE_INVALID_INPUT, "displacement[1][1] is not finite");
  displacement[4] = 0.0;
  rotation[2] = -1e10;
  CHECK_STATUS(SWEEP(kExampleBodies), OCLIDE_INVALID_INPUT, "rotation[0][2] is beyond 1e7 rad");
  rotation[2] = 0.0;
  motion.rotation_count = 5;
  CHECK_STATUS(SWEEP(kExampleBodies), OCLIDE_INVALID_INPUT, "rotation has 5 numbers");
  motion.rotation = NULL;
  CHECK_STATUS(SWEEP(kExampleBodies), OCLIDE_INVALID_INPUT, "rotation: null pointer");
  motion.rotation_count = 0;
  CHECK_STATUS(
      oclide_collider_sweep(collider, example.position[0], example.orientation[0], kExampleBodies, NULL, &impacts),
      OCLIDE_INVALID_INPUT, "oclide_motion: null pointer");
  CHECK_STATUS(
      oclide_collider_sweep(collider, example.position[0], example.orientation[0], kExampleBodies, &motion, NULL),
      OCLIDE_INVALID_INPUT, "oclide_impacts: null pointer");
  CHECK(impacts.impacts == before && impacts.impacts_count == count);
  motion.struct_size = 0;
  CHECK_STATUS(SWEEP(kExampleBodies), OCLIDE_INVALID_INPUT, "oclide_motion");
  motion.struct_size = sizeof motion;

  /* Without motion: what touches at the start. */
  motion.displacement = NULL;
  motion.displacement_count = 0;
  CHECK_OK(SWEEP(kExampleBodies));
  CHECK(impacts.impacts_count <= frame.pairs + kExampleBodies);
  for (size_t k = 0; k < impacts.impacts_count; ++k) CHECK(impacts.impacts[k].time == 0.0);
  CHECK(oclide_impact_hash(NULL, 3, 0) == 0);
#undef SWEEP
  CHECK_OK(oclide_collider_destroy(collider));
}

/* Each falls on the example from above: it is reflected once, and further down again at most. */
static void points_are_reflected(const char* device) {
  double position[3 * kExampleBodies], displacement[3 * kExampleBodies];
  for (int k = 0; k < 3 * kExampleBodies; ++k) {
    position[k] = example.position[0][k] + (k % 3 == 2 ? 50.0 : 0.0);
    displacement[k] = k % 3 == 2 ? -80.0 : 0.0;
  }
  oclide_points points = OCLIDE_INIT(oclide_points);
  points.position = position;
  points.displacement = displacement;
  points.position_count = points.displacement_count = 3 * kExampleBodies;
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene));
  oclide_paths paths = OCLIDE_INIT(oclide_paths);
#define TRACE(settings)                                                                                           \
  oclide_collider_trace(collider, example.position[0], example.orientation[0], kExampleBodies, &points, settings, \
                        &paths)
  CHECK_OK(TRACE(NULL));
  CHECK(paths.offset_count == kExampleBodies + 1 && paths.offset[kExampleBodies] == paths.points_count);
  CHECK(paths.point_size == sizeof(oclide_path_point) && paths.reflections + 2 * kExampleBodies == paths.points_count);
  CHECK(paths.reflections >= kExampleBodies && paths.casts >= 2);
  for (int k = 0; k < kExampleBodies; ++k) {
    const oclide_path_point* at = &paths.points[paths.offset[k]];
    const double* out = &paths.outgoing[3 * k];
    CHECK(at[0].point[2] == position[3 * k + 2] && at[0].body == OCLIDE_NOTHING && at[1].body != OCLIDE_NOTHING);
    CHECK(fabs(sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]) - 80.0) < 1e-9);
    CHECK(paths.end[k] == OCLIDE_ARRIVED || paths.end[k] == OCLIDE_STOPPED);
  }
  oclide_trace_settings settings = OCLIDE_INIT(oclide_trace_settings);
  CHECK_OK(TRACE(&settings)); /* no bounces: all stop at once */
  CHECK(paths.reflections == 0);
  for (int k = 0; k < kExampleBodies; ++k)
    CHECK(paths.end[k] == OCLIDE_STOPPED && paths.displacement[3 * k + 2] < -20.0);
  settings.friction = 2.0;
  CHECK_STATUS(TRACE(&settings), OCLIDE_INVALID_INPUT, "friction");
  settings.friction = 0.0;
  settings.reserved = 1;
  CHECK_STATUS(TRACE(&settings), OCLIDE_NOT_SUPPORTED, "reserved");
  points.displacement_count = 3;
  CHECK_STATUS(TRACE(NULL), OCLIDE_INVALID_INPUT, "points/displacement has 3 numbers");
  displacement[1] = INFINITY;
  points.displacement_count = 3 * kExampleBodies;
  CHECK_STATUS(TRACE(NULL), OCLIDE_INVALID_INPUT, "points/displacement[0][1]");
  points.position_count = points.displacement_count = 0;
  CHECK_OK(TRACE(NULL));
  CHECK(paths.points_count == 0 && paths.offset_count == 1 && paths.offset[0] == 0);
#undef TRACE
  CHECK_OK(oclide_collider_destroy(collider));
}

/* ---- Two threads */

typedef struct Worker {
  oclide_collider* collider;
  int done; /* of calls that gave a frame */
  int busy;
  int other;
} Worker;

static void* work(void* argument) {
  Worker* worker = argument;
  while (worker->done < 20 && worker->other == 0) {
    oclide_frame frame = OCLIDE_INIT(oclide_frame);
    const oclide_status status = collide(worker->collider, worker->done % kExampleFrames, &frame);
    worker->done += status == OCLIDE_OK;
    worker->busy += status == OCLIDE_BUSY;
    worker->other += status != OCLIDE_OK && status != OCLIDE_BUSY;
  }
  return NULL;
}

/* Two threads compute frames with one collider: whoever comes second is told so, and each frame is whole. */
static void a_collider_at_work_is_busy(const char* device) {
  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  Worker here = {collider, 0, 0, 0}, there = here;
  for (int rounds = 0; rounds < 50 && here.busy + there.busy == 0; ++rounds) {
    here.done = there.done = 0;
    pthread_t thread;
    if (!CHECK(pthread_create(&thread, NULL, work, &there) == 0)) break;
    work(&here);
    CHECK(pthread_join(thread, NULL) == 0);
  }
  CHECK(here.busy + there.busy > 0);
  CHECK(here.done == 20 && there.done == 20 && here.other == 0 && there.other == 0);

  /* Staging goes on beside a frame. */
  Worker beside = {collider, 0, 0, 0};
  pthread_t thread;
  if (CHECK(pthread_create(&thread, NULL, work, &beside) == 0)) {
    for (int k = 0; k < 100; ++k) {
      oclide_staged_poses* staged = NULL;
      CHECK_OK(oclide_collider_stage(collider, example.position[1], example.orientation[1], kExampleBodies, &staged));
      CHECK_OK(oclide_staged_poses_destroy(staged));
    }
    CHECK(pthread_join(thread, NULL) == 0);
  }
  CHECK(beside.done == 20 && beside.busy == 0 && beside.other == 0);
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

/* ---- The rest of the service */

static void devices_plans_and_calibrations(const char* device) {
  oclide_device_list* list = NULL;
  size_t count = 0;
  CHECK_OK(oclide_device_list_create(&list));
  CHECK_OK(oclide_device_list_count(list, &count));
  CHECK(count >= 1);
  oclide_device_info info = OCLIDE_INIT(oclide_device_info);
  CHECK_OK(oclide_device_list_get(list, count - 1, &info));
  CHECK(strcmp(info.id, "reference") == 0 && info.is_reference && info.usable && info.name[0] != '\0');
  CHECK_STATUS(oclide_device_list_get(list, count, &info), OCLIDE_INVALID_INPUT, "device");
  CHECK_OK(oclide_device_list_destroy(list));

  oclide_scene* scene = make_scene();
  oclide_collider* collider = make_collider(device, 0);
  CHECK_OK(oclide_collider_device(collider, &info));
  CHECK(strcmp(info.id, device) == 0);
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  const oclide_buffer_bytes* buffers = NULL;
  CHECK_OK(oclide_collider_device_memory(collider, &buffers, &count));
  CHECK((count == 0) == (strcmp(device, "reference") == 0));
  for (size_t k = 0; k < count; ++k) CHECK(buffers[k].name[0] != '\0' && buffers[k].bytes > 0);

  oclide_settings settings = OCLIDE_INIT(oclide_settings);
  settings.device = device;
  oclide_memory_plan* plan = NULL;
  CHECK_OK(oclide_memory_plan_create(scene, example.position[0], example.orientation[0], kExampleBodies, &settings, 1,
                                     &plan));
  oclide_memory_summary summary = OCLIDE_INIT(oclide_memory_summary);
  CHECK_OK(oclide_memory_plan_summary(plan, &summary));
  CHECK(summary.fits && summary.host_bytes > 0 && summary.buffers_count > 0 && strcmp(summary.device, device) == 0);
  oclide_planned_buffer buffer = OCLIDE_INIT(oclide_planned_buffer);
  uint64_t on_device = 0;
  for (size_t k = 0; k < summary.buffers_count; ++k) {
    CHECK_OK(oclide_memory_plan_buffer(plan, k, &buffer));
    CHECK(buffer.name[0] != '\0');
    if (buffer.on_device) on_device += buffer.bytes;
  }
  CHECK(on_device == summary.device_bytes);
  CHECK_STATUS(oclide_memory_plan_buffer(plan, summary.buffers_count, &buffer), OCLIDE_INVALID_INPUT, "buffer");
  CHECK_STATUS(oclide_memory_plan_create(scene, example.position[0], example.orientation[0], 5, &settings, 0, &plan),
               OCLIDE_INVALID_INPUT, "5 bodies");
  CHECK(plan == NULL);

  const oclide_calibration_sample slow[2] = {{0, 1.0}, {1000, 11.0}}, steady[2] = {{0, 6.0}, {1000, 6.0}};
  oclide_calibration* calibrations[2] = {NULL, NULL};
  CHECK_OK(oclide_calibration_create(slow, 2, &calibrations[0]));
  CHECK_OK(oclide_calibration_create(steady, 2, &calibrations[1]));
  const oclide_calibration* const* known = (const oclide_calibration* const*)calibrations;
  double milliseconds = 0.0, each = 0.0;
  CHECK_OK(oclide_calibration_milliseconds(calibrations[0], 200.0, &milliseconds));
  CHECK(milliseconds == 3.0);
  CHECK_OK(oclide_calibration_line(calibrations[0], &milliseconds, &each));
  CHECK(milliseconds == 1.0 && fabs(each - 0.01) < 1e-15);
  size_t index = 99;
  CHECK_OK(oclide_fastest_device(known, 2, 100, &index));
  CHECK(index == 0);
  CHECK_OK(oclide_fastest_device(known, 2, 900, &index));
  CHECK(index == 1);
  oclide_fastest_from places[2];
  CHECK_OK(oclide_break_even(known, 2, places, 2, &count));
  CHECK(count == 2 && places[0].index == 0 && places[1].index == 1 && places[1].bodies > 500 && places[1].bodies < 502);
  CHECK_OK(oclide_break_even(known, 2, NULL, 0, &count));
  CHECK(count == 2);
  const oclide_calibration_sample* samples = NULL;
  CHECK_OK(oclide_calibration_samples(calibrations[0], &samples, &count));
  CHECK(count == 2 && samples[1].bodies == 1000 && samples[1].milliseconds == 11.0);
  const oclide_calibration_sample falling[2] = {{0, 2.0}, {10, 1.0}};
  oclide_calibration* none = calibrations[0];
  CHECK_STATUS(oclide_calibration_create(falling, 2, &none), OCLIDE_INVALID_INPUT, "samples[1]");
  CHECK(none == NULL);
  CHECK_STATUS(oclide_fastest_device(known, 0, 100, &index), OCLIDE_INVALID_INPUT, "");
  CHECK_STATUS(oclide_calibration_measure("reference", NULL, &none), OCLIDE_INVALID_INPUT, "");
  CHECK_OK(oclide_calibration_destroy(calibrations[0]));
  CHECK_STATUS(oclide_fastest_device(known, 2, 100, &index), OCLIDE_INVALID_HANDLE, "calibration");
  CHECK_OK(oclide_calibration_destroy(calibrations[1]));

  CHECK(strcmp(oclide_shape_name(OCLIDE_CYLINDER), "cylinder") == 0 && oclide_version()[0] != '\0');
  CHECK(strcmp(oclide_shape_name(200), "unknown") == 0);
  CHECK(strcmp(oclide_status_name((oclide_status)99), "unknown status") == 0);
  CHECK(oclide_contact_hash(NULL, 3, 0) == 0);
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

/* The id of the first OpenCL device that can be used; empty where there is none. */
static void find_opencl_device(char* id, size_t capacity) {
  oclide_device_list* list = NULL;
  size_t count = 0;
  id[0] = '\0';
  CHECK_OK(oclide_device_list_create(&list));
  CHECK_OK(oclide_device_list_count(list, &count));
  for (size_t k = 0; k < count && id[0] == '\0'; ++k) {
    oclide_device_info info = OCLIDE_INIT(oclide_device_info);
    CHECK_OK(oclide_device_list_get(list, k, &info));
    if (info.usable && !info.is_reference) snprintf(id, capacity, "%s", info.id);
  }
  CHECK_OK(oclide_device_list_destroy(list));
}

/* A ball on the seam of two tiles, and over the next one. */
static void tiles_are_one_ground(const char* device) {
  const double flat[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  oclide_terrain tile = {sizeof tile};
  tile.rows = 2;
  tile.cols = 3;
  tile.spacing[0] = tile.spacing[1] = 1.0;
  tile.heights = flat;
  tile.heights_count = 6;
  tile.tile_of = 2;
  tile.diagonal = 4;
  oclide_scene* scene = NULL;
  CHECK_OK(oclide_scene_create(&scene));
  CHECK_STATUS(oclide_scene_add_terrain(scene, &tile, NULL), OCLIDE_INVALID_INPUT,
               "terrains/0: diagonal is 4, but 0 (falling), 1 (rising), 2 (alternating_rising) and 3 "
               "(alternating_falling) are all there are");
  tile.diagonal = OCLIDE_DIAGONAL_ALTERNATING_FALLING;
  size_t index = 9, unused[2] = {9, 9}, count = 9;
  CHECK_OK(oclide_scene_add_terrain(scene, &tile, NULL));
  CHECK_STATUS(oclide_scene_check(scene), OCLIDE_INVALID_INPUT, "terrains/0: tile_of is 1, but there are 1 terrains");
  CHECK_OK(oclide_scene_destroy(scene));
  CHECK_OK(oclide_scene_create(&scene));
  for (int k = 0; k < 3; ++k) {
    tile.tile_of = k < 2 ? 1 : 0;
    tile.origin[0] = 2.0 * k;
    CHECK_OK(oclide_scene_add_terrain(scene, &tile, &index));
  }
  CHECK_OK(oclide_scene_unused_terrains(scene, unused, 2, &count));
  CHECK(count == 1 && unused[0] == 2 && unused[1] == 9);
  CHECK_OK(oclide_scene_unused_terrains(scene, NULL, 0, &count));
  CHECK(count == 1);
  const uint8_t shape[2] = {OCLIDE_SPHERE, OCLIDE_SPHERE};
  const double size[6] = {0.3, 0.0, 0.0, 0.3, 0.0, 0.0};
  oclide_bodies bodies = {sizeof bodies};
  bodies.shape = shape;
  bodies.shape_count = 2;
  bodies.size = size;
  bodies.size_count = 6;
  CHECK_OK(oclide_scene_set_bodies(scene, &bodies));
  oclide_collider* collider = make_collider(device, 0);
  const oclide_terrain* added[1] = {&tile};
  const size_t removed[1] = {0};
  CHECK_STATUS(oclide_collider_change_tiles(collider, 0, NULL, 0, added, 1, NULL, 0), OCLIDE_WRONG_STATE, "no scene");
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  oclide_validator* validator = NULL;
  CHECK_OK(oclide_validator_create(scene, 0.0, &validator));
  const double position[6] = {2.0, 0.5, 0.25, 5.0, 0.5, 0.25}, orientation[8] = {1.0, 0.0, 0.0, 0.0, 1.0};
  oclide_frame frame = {sizeof frame};
  CHECK_OK(oclide_collider_collide(collider, position, orientation, 2, &frame));
  CHECK(frame.contacts_count == 1 && frame.contacts[0].body_a == 0);
  tile.diagonal = OCLIDE_DIAGONAL_ALTERNATING_RISING;
  CHECK_STATUS(oclide_collider_change_tiles(collider, 0, removed, 1, added, 1, NULL, 0), OCLIDE_INVALID_INPUT,
               "added[0]: diagonal must be 3 (alternating_falling) beside terrains/1");
  tile.diagonal = OCLIDE_DIAGONAL_ALTERNATING_FALLING;
  CHECK_OK(oclide_collider_change_tiles(collider, 0, removed, 1, added, 1, &index, 1));
  CHECK(index == 0);
  CHECK_OK(oclide_collider_collide(collider, position, orientation, 2, &frame));
  CHECK(frame.pairs == 2); /* the first one at a border now */
  CHECK_OK(oclide_validator_change_tiles(validator, 0, removed, 1, added, 1));
  CHECK_OK(oclide_validator_move_terrain(validator, 0, 0.0, 0.0));
  CHECK_OK(oclide_collider_move_terrain(collider, 0, 0.0, 0.0));
  const uint8_t cell = 1;
  CHECK_OK(oclide_validator_update_holes(validator, 0, 0, 0, 1, 1, &cell, 1));
  CHECK_OK(oclide_collider_update_holes(collider, 0, 0, 0, 1, 1, &cell, 1));
  CHECK_OK(oclide_validator_update_material(validator, 0, 0, 0, 1, 1, &cell, 1));
  CHECK_OK(oclide_collider_update_material(collider, 0, 0, 0, 1, 1, &cell, 1));
  const oclide_body_handle first = {0, 0};
  const oclide_body_changes without = {sizeof without, &first, 1};
  CHECK_OK(oclide_validator_change(validator, &without));
  CHECK_OK(oclide_collider_change(collider, &without, NULL, 0));
  CHECK_OK(oclide_collider_collide(collider, position, orientation, 2, &frame));
  CHECK_OK(oclide_validator_add_frame(validator, position, orientation, 2, frame.contacts, frame.contacts_count));
  oclide_validation_report report = {sizeof report};
  CHECK_OK(oclide_validator_report(validator, &report));
  CHECK(report.holds && report.frames == 1);
  CHECK_STATUS(oclide_validator_change(validator, &without), OCLIDE_INVALID_INPUT, "removed");
  CHECK_STATUS(oclide_validator_change_tiles(validator, 2, NULL, 0, added, 1), OCLIDE_INVALID_INPUT, "no tile");
  CHECK_OK(oclide_validator_destroy(validator));
  CHECK_STATUS(oclide_collider_change_tiles(collider, 2, NULL, 0, added, 1, NULL, 0), OCLIDE_INVALID_INPUT, "no tile");
  CHECK_STATUS(oclide_collider_change_tiles(collider, 0, removed, 2, added, 1, NULL, 2), OCLIDE_INVALID_INPUT,
               "indices: null pointer");
  tile.heights_count = 5;
  CHECK_STATUS(oclide_collider_change_tiles(collider, 0, NULL, 0, added, 1, NULL, 0), OCLIDE_INVALID_INPUT,
               "added[0]/heights: 5 values");
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_scene_destroy(scene));
}

int main(int argc, char** argv) {
  char device[64] = "reference";
  if (argc != 2) return 2;
  if (strcmp(argv[1], "opencl") == 0) find_opencl_device(device, sizeof device);
  if (device[0] == '\0') {
    puts("no OpenCL device");
    return 77;
  }
  make_example_scene(&example);
  CHECK(oclide_last_message()[0] == '\0' && oclide_last_detail()[0] == '\0');
  compilations_are_told(device); /* first: what was compiled once in a process is not compiled again */
  unused_terrains_are_told(device);
  frames_have_the_contacts_of_the_cpp_api(device);
  tracked_contacts_keep_their_slots(device);
  changed_heights_change_the_contacts(device);
  worlds_change(device);
  tiles_are_one_ground(device);
  contacts_pass_validation(device);
  scenes_that_cannot_be_used_are_refused(device);
  poses_that_cannot_be_used_are_refused(device);
  calls_in_the_wrong_order_are_refused(device);
  handles_that_are_none_are_refused(device);
  structs_of_other_versions_are_told_by_their_size(device);
  settings_that_cannot_be_used_are_refused(device);
  rays_hit_what_the_cpp_api_hits(device);
  overlaps_are_those_of_the_example(device);
  distances_are_those_of_the_example(device);
  impacts_are_those_of_the_cpp_api(device);
  points_are_reflected(device);
  a_collider_at_work_is_busy(device);
  devices_plans_and_calibrations(device);
  return failures == 0 ? 0 : 1;
}
