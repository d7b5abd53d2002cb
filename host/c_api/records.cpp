// Records and constants of the C API are those of the C++ one: where they are not, nothing compiles.
#include <cstddef>

#include "oclide/oclide.h"
#include "oclide/oclide.hpp"
#include "oclide/trace.hpp"
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
OCLIDE_SAME_FIELD(oclide_contact, Contact, flags);
OCLIDE_SAME_FIELD(oclide_contact, Contact, shape_a);
OCLIDE_SAME_FIELD(oclide_contact, Contact, shape_b);
OCLIDE_SAME_FIELD(oclide_contact, Contact, element);
OCLIDE_SAME_FIELD(oclide_contact, Contact, padding);
OCLIDE_SAME_FIELD(oclide_contact, Contact, end_padding);

static_assert(sizeof(oclide_manifold_event) == sizeof(ManifoldEvent) &&
              alignof(oclide_manifold_event) == alignof(ManifoldEvent));
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, body_a);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, body_b);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, shape_a);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, shape_b);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, change);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, manifold);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, previous);
OCLIDE_SAME_FIELD(oclide_manifold_event, ManifoldEvent, padding);
static_assert(OCLIDE_BEGIN == static_cast<int>(Change::begin) && OCLIDE_PERSIST == static_cast<int>(Change::persist) &&
              OCLIDE_END == static_cast<int>(Change::end));

static_assert(sizeof(oclide_user_slot) == sizeof(UserSlot) && alignof(oclide_user_slot) == alignof(UserSlot));
OCLIDE_SAME_FIELD(oclide_user_slot, UserSlot, value);

static_assert(sizeof(oclide_calibration_sample) == sizeof(Calibration::Sample));
OCLIDE_SAME_FIELD(oclide_calibration_sample, Calibration::Sample, bodies);
OCLIDE_SAME_FIELD(oclide_calibration_sample, Calibration::Sample, milliseconds);

static_assert(sizeof(oclide_hit) == sizeof(Hit) && alignof(oclide_hit) == alignof(Hit));
OCLIDE_SAME_FIELD(oclide_hit, Hit, point);
OCLIDE_SAME_FIELD(oclide_hit, Hit, distance);
OCLIDE_SAME_FIELD(oclide_hit, Hit, normal);
OCLIDE_SAME_FIELD(oclide_hit, Hit, body);
OCLIDE_SAME_FIELD(oclide_hit, Hit, element);
OCLIDE_SAME_FIELD(oclide_hit, Hit, shape);
OCLIDE_SAME_FIELD(oclide_hit, Hit, material);
OCLIDE_SAME_FIELD(oclide_hit, Hit, padding);

static_assert(sizeof(oclide_impact) == sizeof(Impact) && alignof(oclide_impact) == alignof(Impact));
OCLIDE_SAME_FIELD(oclide_impact, Impact, point);
OCLIDE_SAME_FIELD(oclide_impact, Impact, time);
OCLIDE_SAME_FIELD(oclide_impact, Impact, normal);
OCLIDE_SAME_FIELD(oclide_impact, Impact, body_a);
OCLIDE_SAME_FIELD(oclide_impact, Impact, body_b);
OCLIDE_SAME_FIELD(oclide_impact, Impact, feature);
OCLIDE_SAME_FIELD(oclide_impact, Impact, element);
OCLIDE_SAME_FIELD(oclide_impact, Impact, shape_a);
OCLIDE_SAME_FIELD(oclide_impact, Impact, shape_b);
OCLIDE_SAME_FIELD(oclide_impact, Impact, material);
OCLIDE_SAME_FIELD(oclide_impact, Impact, padding);

static_assert(sizeof(oclide_path_point) == sizeof(PathPoint) && alignof(oclide_path_point) == alignof(PathPoint));
OCLIDE_SAME_FIELD(oclide_path_point, PathPoint, point);
OCLIDE_SAME_FIELD(oclide_path_point, PathPoint, normal);
OCLIDE_SAME_FIELD(oclide_path_point, PathPoint, body);
static_assert(OCLIDE_ARRIVED == static_cast<int>(PathEnd::arrived) &&
              OCLIDE_STOPPED == static_cast<int>(PathEnd::stopped) &&
              OCLIDE_IN_SOLID == static_cast<int>(PathEnd::in_solid) && sizeof(PathEnd) == 1);

#undef OCLIDE_SAME_FIELD

static_assert(OCLIDE_TERRAIN == kTerrain && OCLIDE_NONE == kNone && OCLIDE_NOTHING == kNothing);
#define OCLIDE_SAME_NUMBER(NAME, name, number, words, meaning, size0, size1, size2) \
  static_assert(OCLIDE_##NAME == (number));
OCLIDE_SHAPES(OCLIDE_SAME_NUMBER)
#undef OCLIDE_SAME_NUMBER

}  // namespace oclide
