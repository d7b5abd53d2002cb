// What must hold for the contacts of a scene with its terrain; every check is from exact geometry.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files.hpp"

namespace oracle {

/// As printf; up to 2,047 characters.
std::string format(const char* pattern, ...);

/// "unknown" for what these checks do not know.
const char* shape_name(int shape);

inline constexpr double kMetres = 1e-4;    ///< the contract's absolute tolerance [m]
inline constexpr double kFraction = 0.01;  ///< the contract's tolerance of depth

struct Violation {
  std::string category;
  std::size_t frame = 0, body = 0;
  std::size_t row = static_cast<std::size_t>(-1);  ///< contact, or none
  double excess = 0.0;                             ///< how far beyond what is allowed, for the order of the report
  std::string text;
};

struct Findings {
  std::vector<Violation> violations;
  std::map<std::string, std::size_t> counts;              ///< what was seen, not judged
  std::map<std::string, std::vector<double>> statistics;  ///< samples, not judged

  void add(const Findings& other);
};

/// The deepest overlap of a body with the ground.
struct Overlap {
  double gap = -kInfinity;    ///< greatest vertical gap over all elements [m]; > 0 is overlap
  double depth = -kInfinity;  ///< greatest gap times n_z: depth below the element's plane [m]
  Vec point;                  ///< relative to the centre: where `depth` is
  std::ptrdiff_t row = -1, col = -1;
  int which = 0;
};
Overlap overlap_of(const Body& body, const Ground& ground);

/// Upper bound, tight for one element, of the least translation that frees the body from the worst element among those
/// deeper than `above`: a lower bound for the whole ground. 0 where nothing is deeper.
/// With `before`, only elements that this earlier pose overlaps count.
double least_penetration_of(const Body& body, const Ground& ground, double above, const Body* before = nullptr);

/// Distance of the body to the ground where not greater than `reach`, else infinite.
double distance_of(const Body& body, const Ground& ground, double reach);

/// The shortest t with n_i . t >= d_i for all i; false where there is none.
bool least_translation(const std::vector<Vec>& normals, const std::vector<double>& depths, Vec& t);

/// Checks one frame; `rows` are the contacts of that frame, numbered from `first_row` in the file.
Findings check_frame(const SceneFile& scene, const ContactFile& contacts, std::size_t frame, unsigned threads);

/// Checks offsets and order of the whole file.
Findings check_order(const SceneFile& scene, const ContactFile& contacts);

}  // namespace oracle
