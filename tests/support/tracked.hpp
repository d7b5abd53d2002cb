// What a frame says became of manifolds and contacts, against the reference's own tracking.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "reference/tracking/contact_tracking.hpp"

namespace oclide::test {

/// Events and previous contacts of this frame's contacts are those that `reference` finds, which has followed the
/// frames before.
inline void expect_tracked(const FrameContacts& frame, reference::ContactTracking& reference) {
  FrameContacts expected;
  expected.contacts = frame.contacts;
  reference.follow(expected);
  ASSERT_EQ(frame.previous, expected.previous);
  ASSERT_EQ(frame.events.size(), expected.events.size());
  for (std::size_t k = 0; k < frame.events.size(); ++k) {
    const ManifoldEvent &found = frame.events[k], &e = expected.events[k];
    ASSERT_EQ(std::memcmp(&found, &e, sizeof e), 0) << k;  // what pads them, too
    ASSERT_TRUE(found.body_a == e.body_a && found.body_b == e.body_b && found.shape_a == e.shape_a &&
                found.shape_b == e.shape_b && found.change == e.change && found.manifold == e.manifold &&
                found.previous == e.previous)
        << k;
  }
}

}  // namespace oclide::test
