// Comparisons of contacts. A failure prints what was found.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "support/closed_form.hpp"
#include "support/tolerances.hpp"

namespace oclide::test {

dvec3 point_of(const Contact& c);
dvec3 normal_of(const Contact& c);
std::string text(const Contact& c);
std::string text(std::span<const Contact> contacts);

/// How far contacts may be from what is expected.
struct Tolerance {
  double length = kClosedForm;
  double normal = kClosedFormNormal;
};

bool matches(const Contact& found, const ExpectedContact& expected, Tolerance tolerance);

/// The same contacts, both ways, in any order.
testing::AssertionResult same_contacts(std::span<const Contact> found, const std::vector<ExpectedContact>& expected,
                                       Tolerance tolerance = {});
/// Each expected contact is there, whatever else is.
testing::AssertionResult contain(std::span<const Contact> found, const std::vector<ExpectedContact>& expected,
                                 Tolerance tolerance = {});
/// Bit for bit.
testing::AssertionResult same_bits(std::span<const Contact> a, std::span<const Contact> b);
/// The same, but for what contacts with terrain are called: one to one within a body, and nothing else hangs on it.
testing::AssertionResult same_but_for_names(std::span<const Contact> a, std::span<const Contact> b);

double deepest(std::span<const Contact> contacts);
/// Those of one body, in order.
std::vector<Contact> of_body(std::span<const Contact> contacts, std::uint32_t body);

}  // namespace oclide::test
