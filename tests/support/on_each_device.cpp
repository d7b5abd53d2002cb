#include "support/on_each_device.hpp"

#include <map>

#include "oclide/validation.hpp"
#include "opencl/first_device.hpp"

namespace oclide::test {

std::string opencl_device() {
  static const std::string id = [] {
    const auto info = first_device();
    return info ? info->id : std::string();
  }();
  return id;
}

Collider& collider_on(const std::string& device, double margin) {
  static std::map<std::pair<std::string, double>, Collider> colliders;
  const auto found = colliders.find({device, margin});
  if (found != colliders.end()) return found->second;
  Settings settings;
  settings.device = device == "opencl" ? opencl_device() : device;
  settings.margin = margin;
  return colliders.emplace(std::pair(device, margin), Collider(settings)).first->second;
}

testing::AssertionResult validates(const TestScene& scene, std::span<const Contact> contacts, double margin) {
  Validator validator(scene.scene, margin);
  validator.add_frame(scene.poses(), contacts);
  const ValidationReport& report = validator.report();
  if (report.holds()) return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure();
  failure << "only device " << report.only_device << ", only reference " << report.only_reference
          << ", unmatched device " << report.unmatched_device << ", unmatched reference " << report.unmatched_reference
          << "\n";
  for (const std::string& line : report.examples) failure << line << "\n";
  return failure;
}

FrameContacts OnEachDevice::frame(const TestScene& scene, double margin) {
  Collider& collider = collider_on(GetParam(), margin);
  collider.set_scene(scene.scene);
  return collider.collide(scene.poses());
}

std::vector<Contact> OnEachDevice::contacts(const TestScene& scene, double margin) {
  std::vector<Contact> found = frame(scene, margin).contacts;
  if (GetParam() == "opencl") {
    EXPECT_TRUE(validates(scene, found, margin));
  }
  return found;
}

}  // namespace oclide::test
