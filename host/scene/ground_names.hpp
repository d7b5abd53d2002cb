// What contacts with grounds are called whose tiles have come and gone.
#pragma once

namespace oclide {

/// What a Collider has to know of it that takes the place of another, beside the scene.
struct GroundNames {
  virtual ~GroundNames() = default;
};

}  // namespace oclide
