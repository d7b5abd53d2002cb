// Records and constants of the C API are those of the C++ one: where they are not, nothing compiles.
#include <cstddef>

#include "oclide/oclide.h"
#include "oclide/oclide.hpp"
#include "shared/shapes.h"

namespace oclide {

#define OCLIDE_SAME_FIELD(c, cpp, field)                     \
  static_assert(offsetof(c, field) == offsetof(cpp, field)); \
  static_assert(sizeof(c::field) == sizeof(cpp::field))

static_assert(sizeof(oclide_contact) == sizeof(Contact) && alignof(oclide_contact) == alignof(Contact));
OCLIDE_SAME_FIELD(oclide_contact, Contact, point);
OCLIDE_SAME_FIELD(oclide_contact, Contact, normal);
OCLIDE_SAME_FIELD(oclide_contact, Contact, depth);
OCLIDE_SAME_FIELD(oclide_contact, Contact, body_a);
OCLIDE_SAME_FIELD(oclide_contact, Contact, body_b);
OCLIDE_SAME_FIELD(oclide_contact, Contact, manifold);
OCLIDE_SAME_FIELD(oclide_contact, Contact, feature);
OCLIDE_SAME_FIELD(oclide_contact, Contact, material);
OCLIDE_SAME_FIELD(oclide_contact, Contact, shape_a);
OCLIDE_SAME_FIELD(oclide_contact, Contact, shape_b);
OCLIDE_SAME_FIELD(oclide_contact, Contact, element);

static_assert(sizeof(oclide_manifold_event) == sizeof(ManifoldEvent) &&
              alignof(oclide_manifold_event) == alignof(ManifoldEvent));
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, body_a);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, body_b);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, shape_a);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, shape_b);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, change);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, manifold);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, previous);
static_assert(OCLIDE_BEGIN == static_cast<int>(Change::begin) && OCLIDE_PERSIST == static_cast<int>(Change::persist) &&
              OCLIDE_END == static_cast<int>(Change::end));

static_assert(sizeof(oclide_user_slot) == sizeof(UserSlot) && alignof(oclide_user_slot) == alignof(UserSlot));
OCLIDE_SAME_FIELD(oclide_user_slot, UserSlot, value);

static_assert(sizeof(oclide_calibration_sample) == sizeof(Calibration::Sample));
OCLIDE_SAME_FIELD(oclide_calibration_sample, Calibration::Sample, bodies);
OCLIDE_SAME_FIELD(oclide_calibration_sample, Calibration::Sample, milliseconds);

#undef OCLIDE_SAME_FIELD

static_assert(OCLIDE_TERRAIN == kTerrain && OCLIDE_NONE == kNone);
#define OCLIDE_SAME_NUMBER(NAME, name, number, words, meaning, size0, size1, size2) \
  static_assert(OCLIDE_##NAME == (number));
OCLIDE_SHAPES(OCLIDE_SAME_NUMBER)
#undef OCLIDE_SAME_NUMBER

}  // namespace oclide
