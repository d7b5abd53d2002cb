// A body's shape as Bullet has it.
#pragma once

#include <BulletCollision/CollisionShapes/btCollisionShape.h>

#include <array>
#include <memory>

#include "oclide/oclide.hpp"

namespace oclide::bench {

/// Sphere, box, cylinder or capsule; throws Error(invalid_input) for any other.
std::unique_ptr<btCollisionShape> make_bullet_shape(Shape shape, const std::array<double, 3>& size);

}  // namespace oclide::bench
