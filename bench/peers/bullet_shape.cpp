#include "peers/bullet_shape.hpp"

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>

#include <string>

namespace oclide::bench {

std::unique_ptr<btCollisionShape> make_bullet_shape(Shape shape, const std::array<double, 3>& size) {
  const auto s = [&](int a) { return static_cast<btScalar>(size[static_cast<std::size_t>(a)]); };
  switch (shape) {
    case Shape::sphere:
      return std::make_unique<btSphereShape>(s(0));
    case Shape::box:
      return std::make_unique<btBoxShape>(btVector3(s(0), s(1), s(2)));
    case Shape::cylinder:
      return std::make_unique<btCylinderShapeZ>(btVector3(s(0), s(0), s(1)));
    case Shape::capsule:
      return std::make_unique<btCapsuleShapeZ>(s(0), 2 * s(1));
    default:
      throw Error(ErrorKind::invalid_input, std::string("Bullet adapter: no ") + to_string(shape));
  }
}

}  // namespace oclide::bench
