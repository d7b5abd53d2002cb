// What the C++ API says of the scene that the C test runs.
#include "oclide/oclide.h"
#include "package/example_scene.hpp"

static_assert(OCLIDE_INIT(oclide_settings).struct_size == sizeof(oclide_settings));

extern "C" std::uint64_t expected_hash(const ExampleScene* example, const char* device) {
  oclide::Settings settings;
  settings.device = device;
  oclide::Collider collider(settings);
  collider.set_scene(to_scene(*example));
  std::uint64_t hash = 0;
  for (int k = 0; k < kExampleFrames; ++k)
    hash = oclide::contact_hash(collider.collide({example->position[k], example->orientation[k]}).contacts, hash);
  return hash;
}

extern "C" std::uint64_t expected_hit_hash(const ExampleScene* example, const char* device, const double* origin,
                                           const double* direction, std::size_t rays) {
  oclide::Settings settings;
  settings.device = device;
  oclide::Collider collider(settings);
  collider.set_scene(to_scene(*example));
  const oclide::Rays given{{origin, 3 * rays}, {direction, 3 * rays}, {}, {}, {}};
  return oclide::hit_hash(collider.cast({example->position[0], example->orientation[0]}, given).hits);
}

extern "C" std::uint64_t expected_impact_hash(const ExampleScene* example, const char* device,
                                              const double* displacement, const double* rotation) {
  oclide::Settings settings;
  settings.device = device;
  oclide::Collider collider(settings);
  collider.set_scene(to_scene(*example));
  const oclide::Motion motion{{displacement, 3 * kExampleBodies}, {rotation, 3 * kExampleBodies}};
  return oclide::impact_hash(collider.sweep({example->position[0], example->orientation[0]}, motion).impacts);
}
