// Every tolerance of the validation, with where it comes from.
#pragma once

#include <cmath>

namespace oclide::validation {

/// Lengths [m]. The contract's: no reported contact is apart, and no unreported overlap is deeper, by more than this.
/// Single precision near a body of 50 m has steps of 50 * 2^-24 = 3e-6 m, and a contact adds up a few dozen of them.
inline constexpr double kLength = 1e-4;

/// Part of the depth: the contract's 1 %. A contact's depth is measured along its normal, so that an error of the
/// normal by the angle below turns up in it only as a second-order effect, 0.01^2 / 2.
inline constexpr double kRelativeDepth = 0.01;

/// Normals [rad]. A normal from two points 2 mm apart turns by 0.01 when they are off by 2e-5 m (kLengthSlack of the
/// reference); nearer points bring a tolerance of their own, GroundContact::normal_uncertainty.
inline constexpr double kNormal = 0.01;

/// Beyond this uncertainty [rad] a normal says nothing, and is left out of the largest normal error.
inline constexpr double kMeaninglessNormal = 0.01;

/// | |normal| - 1 |: three roundings of single precision are 3 * 2^-24 = 1.8e-7; this allows a dozen more.
inline constexpr double kUnit = 1e-6;

/// How far a normal may lean below the horizon: rounding of a horizontal one.
inline constexpr double kHorizon = 1e-6;

/// Relative depth errors are taken over contacts deeper than this [m]: below it kLength alone decides.
inline constexpr double kDeepEnoughForRelative = 0.01;

/// Part of the largest area of four points of a patch, or of the length of a stretch, that a manifold must span: the
/// contract's 90 %.
inline constexpr double kSpannedPart = 0.9;

/// Patches and stretches that are shorter than this after their borders have moved in by kLength [m] are not asked
/// for: ten times the tolerance of a point.
inline constexpr double kLeastSpan = 1e-3;

/// Two contacts of one manifold nearer to each other than this, seen along the normal, are given twice [m]: a tenth of
/// the distance below which the definition takes two as one.
inline constexpr double kTwice = 1e-6;

/// Part of a ray's distance: the contract's.
inline constexpr double kRelativeDistance = 1e-6;

/// What a ray may be aside, as a part of its own coordinates: sums of two floats have 48 bits, and a few roundings.
inline constexpr double kRelativeAside = 3e-14;

[[nodiscard]] inline double distance_tolerance(double distance) {
  return kLength + kRelativeDistance * distance;
}
[[nodiscard]] inline double depth_tolerance(double depth) {
  return kLength + kRelativeDepth * std::abs(depth);
}

}  // namespace oclide::validation
