#include "validation/pair_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "reference/narrow_phase/pair_manifold.hpp"
#include "validation/tolerances.hpp"

namespace oclide::validation {

using namespace reference;

namespace {

constexpr std::size_t kMostExamples = 10;
constexpr std::size_t kMostPoints = 4;
constexpr double kSurePart = 0.95;  // of an angle's limit: on either side of it, by so much, rounding does not decide

// Is a part of the body's surface that faces against n within `tolerance` of p, itself that near to the surface? A flat
// one must do so by more than rounding; of a round one it is enough that it turns there.
constexpr double kFacing = 1e-6;

bool face_is_near(const ConvexHull& hull, std::size_t number, dvec3 p, double tolerance) {
  const HullFace& face = hull.faces[number];
  if (std::abs(glm::dot(face.normal, p) - face.offset) > tolerance) return false;
  const auto loop = hull.loop(number);
  bool inside = true;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const dvec3 from(hull.vertices[loop[k]]), along = dvec3(hull.vertices[loop[(k + 1) % loop.size()]]) - from;
    const double t = std::clamp(glm::dot(p - from, along) / glm::dot(along, along), 0.0, 1.0);
    if (glm::distance(p, from + t * along) <= tolerance) return true;
    inside = inside && glm::dot(glm::cross(face.normal, along), p - from) >= 0.0;
  }
  return inside;
}

bool faces_against(const Body& body, dvec3 point, dvec3 direction, double tolerance) {
  const dvec3 p = glm::transpose(body.axes) * point, n = glm::transpose(body.axes) * direction;
  switch (body.shape) {
    case Shape::sphere:
    case Shape::capsule: {
      const double half_length = body.shape == Shape::capsule ? body.half_length() : 0.0;
      return glm::dot(p - dvec3(0.0, 0.0, std::clamp(p.z, -half_length, half_length)), n) <= tolerance;
    }
    case Shape::cylinder: {
      const dvec2 out(p);
      const double side = glm::length(out) - body.radius(), base = std::abs(p.z) - body.half_length();
      if (std::abs(base) <= tolerance && side <= tolerance && (p.z < 0.0 ? -n.z : n.z) < -kFacing) return true;
      return std::abs(side) <= tolerance && base <= tolerance &&
             glm::dot(out, dvec2(n)) <= tolerance * glm::length(dvec2(n));
    }
    case Shape::box:
      for (int k = 0; k < 3; ++k) {
        const dvec3 beyond = glm::max(glm::abs(p) - body.size, 0.0);
        if (std::abs(std::abs(p[k]) - body.size[k]) <= tolerance && glm::length(beyond) <= tolerance &&
            (p[k] < 0.0 ? -n[k] : n[k]) < -kFacing)
          return true;
      }
      return false;
    case Shape::convex_hull:
      for (std::size_t face = 0; face < body.hull->faces.size(); ++face)
        if (glm::dot(body.hull->faces[face].normal, n) < -kFacing && face_is_near(*body.hull, face, p, tolerance))
          return true;
      return false;
    default:
      return false;
  }
}

// A body begins (sense 1) or ends (sense -1) along n at a point of its surface: on the line through it, or where that
// only grazes the body, on one of the lines around it. Beside a thin tip all of these miss: then the point is as near
// to the body as they are to each other.
bool is_end_of_chord(const Body& body, dvec3 p, dvec3 n, double sense, double tolerance) {
  const Across across_n = across(n);
  const double size = body.shape == Shape::half_space ? 1.0 : body.bounding_radius();
  bool meets = false;
  const auto is_end = [&](dvec3 aside, double away) {
    const auto part = body.interval_on_line(p + aside, n);
    meets = meets || part;
    return part && std::abs(sense > 0.0 ? part->lo : part->hi) <= tolerance + 2.0 * away;
  };
  // Or as far aside as the point is off the body.
  const double step = std::min(0.5 * kLength, 1e-3 * size);
  for (const double away : {step, step + std::abs(body.signed_distance(p))})
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        if (is_end(away * (static_cast<double>(i) * across_n.u + static_cast<double>(j) * across_n.w), away))
          return true;
  // Where the body is all but along n a line beside it enters it far from there.
  if (faces_against(body, p, sense * n, tolerance)) return true;
  // All of these may pass by a thin tip.
  if (!meets && std::abs(body.signed_distance(p)) <= step) return true;
  if (body.hull == nullptr) return false;
  // The tip of a needle, or a sharp corner of what is seen along n: toward the middle, by little.
  const dvec3 inward = body.middle() - p - glm::dot(body.middle() - p, n) * n;
  for (const double part : {1.0, 0.1, 0.01})
    if (is_end(part * step / std::max(glm::length(inward), step) * inward, part * step)) return true;
  return glm::dot(body.support(-sense * n) - p, -sense * n) <= tolerance;
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

class PairCheck {
 public:
  PairCheck(const Body& a, const Body& b, dvec3 c, std::span<const DeviceContact> device, double margin,
            const std::string& where, ValidationReport& report)
      : a_(a), b_(b), c_(c), device_(device), margin_(margin), where_(where), report_(report) {}

  void check(bool meet) {
    if (!device_.empty()) ++report_.pairs_device;
    for (const DeviceContact& d : device_) report_.deepest = std::max(report_.deepest, d.depth);
    if (!meet) {
      if (device_.empty()) return;
      ++report_.only_device;
      report_.unmatched_device += device_.size();
      return example("bodies that do not meet have contacts");
    }

    // A little beyond the margin, so that contacts just within the tolerance are known too.
    const auto least = pair_penetration(a_, b_, c_, margin_ + 2.0 * kLength);
    const bool touches = least && least->depth > -margin_;
    std::vector<PairContact> expected;
    if (touches) expected = pair_manifold(a_, b_, c_, least->normal, margin_);
    report_.pairs_reference += touches ? 1 : 0;
    report_.contacts_reference += expected.size();

    if (device_.empty()) {
      if (!touches) return;
      const bool wrong = least->depth > kLength - margin_;
      ++(wrong ? report_.only_reference : report_.undecided);
      if (wrong) example("touch in the reference alone, depth " + number(least->depth));
      return;
    }
    if (!least || least->depth < -margin_ - kLength) {
      ++report_.only_device;
      report_.unmatched_device += device_.size();
      return example("touch on the device alone, depth " + number(device_[0].depth));
    }
    if (!touches) ++report_.undecided;
    check_manifold(*least);
  }

 private:
  void example(const std::string& what) { add_example(report_, where_ + ": " + what); }
  void reject(const std::string& what) {
    ++report_.unmatched_device;
    example(what);
  }

  // What is wrong with one contact by itself; empty when nothing is.
  [[nodiscard]] std::string what_is_false(const DeviceContact& d, double least) const {
    if (!(std::abs(glm::length(d.normal) - 1.0) <= kUnit)) return "normal is not unit";
    if (!std::isfinite(d.depth)) return "depth is not finite";
    if (d.depth <= -margin_ - kLength) return "beyond the margin";
    if (d.depth > least + depth_tolerance(least)) return "deeper than the least penetration " + number(least);
    if (!(std::abs(a_.signed_distance(d.point)) <= kLength)) return "point is not on A";
    const dvec3 q = d.point + d.depth * d.normal - c_;
    const double tolerance = depth_tolerance(d.depth);
    if (!(std::abs(b_.signed_distance(q)) <= tolerance)) return "point + depth * normal is not on B";
    const dvec3 n = glm::normalize(d.normal);
    if (!is_end_of_chord(a_, d.point, n, 1.0, kLength)) return "point is not where A begins along the normal";
    if (!is_end_of_chord(b_, q, n, -1.0, tolerance)) return "point + depth * normal is not where B ends";
    return {};
  }

  // All contacts of the device: one normal, which is that of the least penetration, and the points that it asks for.
  void check_manifold(const LeastPenetration& least) {
    bool all_true = true;
    double deepest = -std::numeric_limits<double>::infinity();
    for (const DeviceContact& d : device_) {
      deepest = std::max(deepest, d.depth);
      const std::string what = what_is_false(d, least.depth);
      if (what.empty()) continue;
      all_true = false;
      char text[200];
      std::snprintf(text, sizeof text, " (depth %.6g, normal %.4f %.4f %.4f, point %.5f %.5f %.5f from A's centre)",
                    d.depth, d.normal.x, d.normal.y, d.normal.z, d.point.x, d.point.y, d.point.z);
      reject("false contact, " + what + text);
    }
    if (!all_true) return;

    if (device_.size() > kMostPoints) return reject("a manifold of " + std::to_string(device_.size()) + " points");
    const dvec3 n = glm::normalize(device_[0].normal);
    for (const DeviceContact& d : device_)
      if (d.normal != device_[0].normal) return reject("normals differ within a manifold");
    const Across across_n = across(n);
    for (std::size_t i = 0; i < device_.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (glm::distance(across_n(device_[i].point), across_n(device_[k].point)) < kTwice)
          return reject("the same contact twice");

    const double along = pair_overlap_along(a_, b_, c_, n);
    if (!(along <= least.depth + depth_tolerance(least.depth)))
      return reject("the overlap along the normal is " + number(along) + ", the least " + number(least.depth));
    const double error = std::abs(deepest - least.depth);
    if (error > depth_tolerance(least.depth))
      return reject("the deepest contact has " + number(deepest) + ", the pair " + number(least.depth));
    check_span(n);

    report_.largest_depth_error = std::max(report_.largest_depth_error, error);
    if (least.depth > kDeepEnoughForRelative)
      report_.largest_depth_error_relative = std::max(report_.largest_depth_error_relative, error / least.depth);
    // Another normal is another place where the overlap is as good as least.
    if (const double turned = angle(n, least.normal); turned <= kNormal)
      report_.largest_normal_error = std::max(report_.largest_normal_error, turned);
    const std::vector<PairContact> expected = pair_manifold(a_, b_, c_, n, margin_);
    for (const PairContact& e : expected) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const DeviceContact& d : device_) nearest = std::min(nearest, glm::distance(d.point, e.point));
      report_.largest_point_error = std::max(report_.largest_point_error, nearest);
    }
  }

  // Both ends of a stretch, four corners of a patch: as far as no rounding can undo them, on either side of the limits
  // of angles.
  void check_span(dvec3 n) {
    const Meeting narrow = meeting_along(a_, b_, c_, n, margin_, kLength, kSurePart),
                  wide = meeting_along(a_, b_, c_, n, margin_, kLength, 1.0 / kSurePart);
    if (!narrow.parallel || !wide.parallel || narrow.kind != wide.kind) return;
    const std::string what = lacks_span(narrow, n);
    if (what.empty() || lacks_span(wide, n).empty()) return;
    ++report_.unmatched_reference;
    example(what);
  }
  // What the contacts lack of the span of those that are sure; empty when nothing.
  [[nodiscard]] std::string lacks_span(const Meeting& sure, dvec3 n) const {
    const Across across_n = across(n);
    std::vector<MeetingPoint> points;
    for (const DeviceContact& d : device_) points.push_back({across_n(d.point), d.point, d.depth, 0});
    if (sure.kind == MeetingKind::line && sure.points.size() == 2) {
      const dvec2 stretch = sure.points[1].across - sure.points[0].across;
      const double length = glm::length(stretch);
      if (length < kLeastSpan) return {};
      double least = std::numeric_limits<double>::infinity(), greatest = -least;
      for (const MeetingPoint& p : points) {
        const double s = glm::dot(p.across, stretch) / length;
        least = std::min(least, s), greatest = std::max(greatest, s);
      }
      if (greatest - least >= kSpannedPart * length) return {};
      return "contacts span " + number(greatest - least) + " m of a stretch of " + number(length) + " m";
    }
    if (sure.kind == MeetingKind::patch && sure.points.size() >= 3) {
      const double spanned = largest_four(around(points)).area;
      double largest = largest_four(sure.points).area;
      if (spanned < kSpannedPart * largest) largest = largest_with(sure.points, across_n(device_[0].point));
      if (largest < kLeastSpan * kLeastSpan || spanned >= kSpannedPart * largest) return {};
      return "contacts span " + number(spanned) + " m^2 of a patch where four can span " + number(largest) + " m^2";
    }
    return {};
  }

  // The largest area that four corners span, one of them the deepest: the one that the device has for that.
  [[nodiscard]] static double largest_with(const std::vector<MeetingPoint>& corners, dvec2 deepest) {
    const auto nearer = [&](const MeetingPoint& p, const MeetingPoint& q) {
      return glm::distance(p.across, deepest) < glm::distance(q.across, deepest);
    };
    const auto nearest = std::min_element(corners.begin(), corners.end(), nearer);
    return largest_four(corners, static_cast<int>(nearest - corners.begin())).area;
  }

  // Points in order around their middle.
  [[nodiscard]] static std::vector<MeetingPoint> around(std::vector<MeetingPoint> points) {
    dvec2 middle(0.0);
    for (const MeetingPoint& p : points) middle += p.across / static_cast<double>(points.size());
    std::sort(points.begin(), points.end(), [&](const MeetingPoint& p, const MeetingPoint& q) {
      const dvec2 x = p.across - middle, y = q.across - middle;
      return std::atan2(x.y, x.x) < std::atan2(y.y, y.x);
    });
    return points;
  }

  const Body &a_, &b_;
  dvec3 c_;
  std::span<const DeviceContact> device_;
  double margin_;
  const std::string& where_;
  ValidationReport& report_;
};

}  // namespace

void check_pair(const Body& a, const Body& b, dvec3 c, bool meet, std::span<const DeviceContact> device, double margin,
                const std::string& where, ValidationReport& report) {
  PairCheck(a, b, c, device, margin, where, report).check(meet);
}

void add_example(std::vector<std::string>& examples, const std::string& line) {
  if (examples.size() < kMostExamples) examples.push_back(line);
}

double angle(dvec3 a, dvec3 b) {
  return std::atan2(glm::length(glm::cross(a, b)), glm::dot(a, b));
}

}  // namespace oclide::validation
