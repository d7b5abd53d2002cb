// The example scene through the C++ API; prints the hash of all its contacts.
#include <cstdio>
#include <string>

#include "example_scene.hpp"

int main(int argc, char** argv) {
  static ExampleScene example;
  make_example_scene(&example);

  try {
    oclide::Settings settings;
    if (argc > 1) settings.device = argv[1];
    oclide::Collider collider(settings);
    collider.set_scene(to_scene(example));
    std::uint64_t hash = 0;
    std::size_t contacts = 0;
    for (int k = 0; k < kExampleFrames; ++k) {
      const oclide::FrameContacts frame = collider.collide({example.position[k], example.orientation[k]});
      hash = oclide::contact_hash(frame.contacts, hash);
      contacts += frame.contacts.size();
    }
    std::printf("oclide %s\ncontacts %zu\ncontact_hash %016llx\n", std::string(oclide::version()).c_str(), contacts,
                static_cast<unsigned long long>(hash));
  } catch (const oclide::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }

  // The library's exceptions are those of its caller's headers.
  try {
    oclide::Collider collider(oclide::Settings{.device = "no such device"});
    return 1;
  } catch (const oclide::Error& e) {
    if (e.kind() != oclide::ErrorKind::invalid_input) return 1;
  }
}
