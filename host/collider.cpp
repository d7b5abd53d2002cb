#include "backend.hpp"

namespace oclide {

std::unique_ptr<Collider::Backend> make_opencl_backend(const Settings&, const DeviceInfo& device) {
  throw Error(ErrorKind::device, device.name + ": not built yet");
}

}  // namespace oclide
