/* The example scene through the C API; prints the hash of all its contacts. */
#include <inttypes.h>
#include <oclide/oclide.h>
#include <stdio.h>

#include "example_scene_c.h"

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, oclide_last_message());
  return 1;
}

int main(int argc, char** argv) {
  static ExampleScene example;
  make_example_scene(&example);

  const oclide_terrain terrain = example_terrain(&example);
  const oclide_bodies bodies = example_bodies(&example);
  oclide_scene* scene = NULL;
  if (oclide_scene_create(&scene) || oclide_scene_add_terrain(scene, &terrain, NULL) ||
      oclide_scene_set_bodies(scene, &bodies))
    return failed("scene");

  oclide_settings settings = OCLIDE_INIT(oclide_settings);
  settings.device = argc > 1 ? argv[1] : NULL;
  oclide_collider* collider = NULL;
  if (oclide_collider_create(&settings, &collider) || oclide_collider_set_scene(collider, scene))
    return failed("collider");
  if (oclide_scene_destroy(scene)) return failed("scene");

  uint64_t hash = 0;
  size_t contacts = 0;
  for (int k = 0; k < kExampleFrames; ++k) {
    oclide_frame frame = OCLIDE_INIT(oclide_frame);
    if (oclide_collider_collide(collider, example.position[k], example.orientation[k], kExampleBodies, &frame))
      return failed("collide");
    hash = oclide_contact_hash(frame.contacts, frame.contacts_count, hash);
    contacts += frame.contacts_count;
  }
  if (oclide_collider_destroy(collider)) return failed("collider");
  printf("oclide %s\ncontacts %zu\ncontact_hash %016" PRIx64 "\n", oclide_version(), contacts, hash);
  return 0;
}
