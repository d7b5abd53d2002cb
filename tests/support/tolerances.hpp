// The tolerances of the pipeline's tests, each with where it comes from.
#pragma once

namespace oclide::test {

/// Closed forms of bodies of about a metre [m]. A single-precision number of that size has steps of 6e-8 m; a contact
/// adds up a few dozen roundings, and the grid one of its spacing over some tens of cells.
inline constexpr double kClosedForm = 1e-5;

/// The same for a body of `size` metres.
inline constexpr double closed_form_tolerance(double size) {
  return size > 1.0 ? kClosedForm * size : kClosedForm;
}

/// Components of normals. From two points a decimetre apart that are each off by 2e-7 m, and the same of the grid's.
inline constexpr double kClosedFormNormal = 1e-5;

/// What the contract allows of lengths [m].
inline constexpr double kContract = 1e-4;

}  // namespace oclide::test
