#include "reference/narrow_phase/seen_polygon.hpp"

#include <algorithm>
#include <cmath>

namespace oclide::reference {

double cross2(dvec2 p, dvec2 q) {
  return p.x * q.y - p.y * q.x;
}

Polygon cut(const Polygon& polygon, double offset, dvec2 slope, std::uint32_t side) {
  Polygon kept;
  const auto inside = [&](dvec2 p) { return offset + glm::dot(slope, p); };
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Corner &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
    const double ip = inside(p.at), iq = inside(q.at);
    if (ip >= 0.0) kept.push_back(p);
    if ((ip >= 0.0) == (iq >= 0.0)) continue;
    const dvec2 at = p.at + (ip / (ip - iq)) * (q.at - p.at);
    kept.push_back({at, ip >= 0.0 ? side : p.side});
  }
  return kept;
}

namespace {

double area_of(const Polygon& polygon) {
  double twice = 0.0;
  for (std::size_t k = 0; k < polygon.size(); ++k) twice += cross2(polygon[k].at, polygon[(k + 1) % polygon.size()].at);
  return 0.5 * twice;
}

}  // namespace

Polygon seen_along(const Turned& face, const Across& across) {
  Polygon polygon;
  for (std::size_t k = 0; k < face.corners.size(); ++k)
    polygon.push_back({across(face.corners[k]), static_cast<std::uint32_t>(k)});
  if (area_of(polygon) < 0.0) std::reverse(polygon.begin(), polygon.end());
  return polygon;
}

Polygon cut_with_face(Polygon polygon, const Turned& face, const Across& across, double inward,
                      std::uint32_t first_side) {
  if (face.endless) return polygon;
  const Polygon border = seen_along(face, across);
  for (std::size_t k = 0; k < border.size() && !polygon.empty(); ++k) {
    const dvec2 p = border[k].at, along = border[(k + 1) % border.size()].at - p;
    const double length = glm::length(along);
    if (!(length > 0.0)) return {};
    const dvec2 into = dvec2(-along.y, along.x) / length;
    polygon = cut(polygon, -glm::dot(into, p) - inward, into, first_side + static_cast<std::uint32_t>(k));
  }
  return polygon;
}

std::optional<std::array<double, 2>> part_in_face(dvec3 p, dvec3 d, const Turned& face, dvec3 n, const Across& across,
                                                  double inward) {
  double lo = 0.0, hi = 1.0;
  if (face.endless) return std::array{lo, hi};
  if (face.disc_radius > 0.0) {
    // Moved along n into the plane of the disc, relative to its middle.
    dvec3 middle(0.0);
    for (const dvec3& corner : face.corners) middle += corner / static_cast<double>(face.corners.size());
    const auto in_plane = [&](dvec3 x) { return x - n * (glm::dot(x, face.normal) / glm::dot(n, face.normal)); };
    const dvec3 q = in_plane(p - middle), e = in_plane(d);
    const double radius = face.disc_radius - inward;
    const double ee = glm::dot(e, e), qe = glm::dot(q, e), outside = glm::dot(q, q) - radius * radius;
    if (radius <= 0.0) return std::nullopt;
    if (ee <= kSameContact * kSameContact) return outside <= 0.0 ? std::optional(std::array{lo, hi}) : std::nullopt;
    const double discriminant = qe * qe - ee * outside;
    if (discriminant < 0.0) return std::nullopt;
    lo = std::max(lo, (-qe - std::sqrt(discriminant)) / ee);
    hi = std::min(hi, (-qe + std::sqrt(discriminant)) / ee);
  } else {
    const Polygon border = seen_along(face, across);
    const dvec2 q = across(p), e = across(d);
    for (std::size_t k = 0; k < border.size(); ++k) {
      const dvec2 corner = border[k].at, along = border[(k + 1) % border.size()].at - corner;
      const double length = glm::length(along);
      if (!(length > 0.0)) return std::nullopt;
      const double inside = cross2(along, q - corner) / length - inward, slope = cross2(along, e) / length;
      if (slope > 0.0) lo = std::max(lo, -inside / slope);
      if (slope < 0.0) hi = std::min(hi, -inside / slope);
      if (slope == 0.0 && inside < 0.0) return std::nullopt;
    }
  }
  if (!(lo <= hi)) return std::nullopt;
  return std::array{lo, hi};
}

}  // namespace oclide::reference
