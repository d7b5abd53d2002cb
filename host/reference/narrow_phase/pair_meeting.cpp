// Where two bodies meet along a normal: docs/body_contacts.md, "Manifold".
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "reference/narrow_phase/hull_penetration.hpp"
#include "reference/narrow_phase/pair_manifold.hpp"
#include "reference/narrow_phase/seen_polygon.hpp"
#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

// Where the margin cuts a patch, its corners are this much deeper, so that they are contacts; half of what the deepest
// is where that is less [m].
constexpr double kWithinMargin = 1e-6;

// Both ends of nearly parallel lines stand for a chord between them that is deeper by kSameContact and this part of the
// depth; those of two capsules by twice that.
constexpr double kEndsShallower = 0.0025;

// A contact is as deep as another one that is deeper by no more than kSameContact and this part of the depth.
constexpr double kChoice = 5e-3;

// Nearer than this two bodies touch [m]; and so many steps find where.
constexpr double kTouching = 1e-9;
constexpr int kNearestSteps = 1000;

// Of boxes and hulls, about their positions; no other has straight edges.
std::optional<TurnedHull> polyhedron_of(const Body& body) {
  if (body.shape == Shape::box) return box_as_hull(body);
  if (body.shape == Shape::convex_hull) return turned_hull(*body.hull, body.axes);
  return std::nullopt;
}
static_assert(SHARP_SHAPES == (1u << SHAPE_BOX | 1u << SHAPE_CYLINDER | 1u << SHAPE_CONVEX_HULL),
              "polyhedron_of() has a case for each");

// A point of a, and the way from there to a point of b.
struct Way {
  dvec3 on_a, way;
};

// The shortest of the ways between those of up to three points of two bodies, by parts of each that are all positive;
// infinite where the shortest is between fewer of them.
Way shortest_between(std::span<const Way> some) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (some.size() == 1) return some[0];
  const auto part_of = [&](double s, double t) {
    if (!(s > 0.0 && t >= 0.0 && s + t < 1.0)) return Way{dvec3(0.0), dvec3(kNone)};
    const Way& last = some.back();
    return Way{some[0].on_a + s * (some[1].on_a - some[0].on_a) + t * (last.on_a - some[0].on_a),
               some[0].way + s * (some[1].way - some[0].way) + t * (last.way - some[0].way)};
  };
  const dvec3 u = some[1].way - some[0].way;
  if (some.size() == 2) return part_of(-glm::dot(some[0].way, u) / std::max(glm::dot(u, u), 1e-300), 0.0);
  const dvec3 v = some[2].way - some[0].way, normal = glm::cross(u, v);
  const double area2 = std::max(glm::dot(normal, normal), 1e-300);
  return part_of(-glm::dot(glm::cross(some[0].way, v), normal) / area2,
                 -glm::dot(glm::cross(u, some[0].way), normal) / area2);
}

// The point of a that is nearest to b, which stands at c and touches a, or all but touches it. The shortest way lies
// between those of three points of either; a point that is nearer along it joins those that it lies between.
dvec3 nearest_of_a(const Body& a, const Body& b, dvec3 c) {
  const auto farthest = [&](dvec3 along) {
    const dvec3 on_a = a.support(-along);
    return Way{on_a, c + b.support(along) - on_a};
  };
  std::vector<Way> between{farthest(-c)};
  Way shortest = between[0];
  for (int step = 0; step < kNearestSteps; ++step) {
    const double length = glm::length(shortest.way);
    if (length < kTouching) break;
    between.push_back(farthest(-shortest.way / length));
    if (glm::dot(shortest.way - between.back().way, shortest.way) < kTouching * length) break;
    std::vector<Way> best;
    for (unsigned subset = 1; subset < 1u << between.size(); ++subset) {
      std::vector<Way> some;
      for (std::size_t k = 0; k < between.size(); ++k)
        if (subset >> k & 1u) some.push_back(between[k]);
      if (some.size() > 3) continue;
      const Way way = shortest_between(some);
      if (glm::length(way.way) < glm::length(shortest.way)) shortest = way, best = some;
    }
    if (best.empty()) break;
    between = best;
  }
  return shortest.on_a;
}

// Two bodies and a normal.
class Pair {
 public:
  Pair(const Body& a, const Body& b, dvec3 c, dvec3 n, double margin, double inward, double part)
      : a_(a),
        b_(b),
        c_(c),
        n_(n),
        inward_(inward),
        least_depth_(inward - margin),
        parallel_angle_(part * kParallelAngle),
        flat_angle_(part * kFlatAngle),
        across_(across(n)) {}

  [[nodiscard]] Meeting meet() const {
    const bool flat_a = turns_flat_face(a_, -n_, flat_angle_), flat_b = turns_flat_face(b_, n_, flat_angle_);
    if (!flat_a && !flat_b)
      return meet_edges(turned_to_edge(a_, dvec3(0.0), -n_, flat_angle_), turned_to_edge(b_, c_, n_, flat_angle_));
    return meet_face(turned_to_face(a_, dvec3(0.0), -n_), turned_to_face(b_, c_, n_), flat_a);
  }

 private:
  [[nodiscard]] MeetingPoint meeting_point(dvec3 p, double depth, std::uint32_t feature) const {
    return {across_(p), p, depth, feature};
  }

  // The features that meet, each with a tag that tells the contacts of a manifold apart. Of hulls numbers and tags may
  // be large; such are mixed.
  [[nodiscard]] static std::uint32_t feature_of(const Turned& fa, const Turned& fb, std::uint32_t tag_a,
                                                std::uint32_t tag_b) {
    if (std::max({fa.number, fb.number, tag_a, tag_b}) < 256)
      return (fa.number << 8 | tag_a) << 16 | (fb.number << 8 | tag_b);
    std::uint32_t mixed = 0;
    for (const std::uint32_t part : {fa.number, tag_a, fb.number, tag_b}) {
      mixed = (mixed ^ part) * 0x9E3779B1u;
      mixed ^= mixed >> 15;
    }
    return mixed;
  }

  // How far along n a feature is at a place, given as any point on the line along n there.
  [[nodiscard]] double along(const Turned& f, bool of_a, dvec3 at) const {
    if (f.kind == TurnedKind::face)
      return glm::dot(at, n_) + glm::dot(f.corners[0] - at, f.normal) / glm::dot(n_, f.normal);
    if (f.kind == TurnedKind::line && !f.rounded) {
      const dvec2 d = across_(f.corners[1] - f.corners[0]);
      const double t = glm::dot(across_(at - f.corners[0]), d) / std::max(glm::dot(d, d), 1e-300);
      return glm::dot(f.corners[0] + std::clamp(t, 0.0, 1.0) * (f.corners[1] - f.corners[0]), n_);
    }
    if (f.kind == TurnedKind::line)
      if (const auto part = of_a ? a_.interval_on_line(at, n_) : b_.interval_on_line(at - c_, n_))
        return glm::dot(at, n_) + (of_a ? part->lo : part->hi);
    return glm::dot(f.corners[0], n_);
  }

  // The chord at a place between two features.
  [[nodiscard]] MeetingPoint chord(const Turned& fa, const Turned& fb, dvec3 at, std::uint32_t tag_a,
                                   std::uint32_t tag_b) const {
    const double begin = along(fa, true, at), end = along(fb, false, at);
    return meeting_point(at + (begin - glm::dot(at, n_)) * n_, end - begin, feature_of(fa, fb, tag_a, tag_b));
  }

  // One contact: P on A, the overlap along n as its depth.
  [[nodiscard]] Meeting one_point(const Turned& fa, const Turned& fb) const {
    const double depth = pair_overlap_along(a_, b_, c_, n_);
    // The point of the body that has fewer of them farthest along n: of two faces, the tilted one.
    bool own = fa.kind < fb.kind || (fa.kind == fb.kind && fa.kind != TurnedKind::face);
    if (fa.kind == TurnedKind::face && fb.kind == TurnedKind::face)
      own = !fa.endless && (fb.endless || std::abs(glm::dot(fa.normal, n_)) < std::abs(glm::dot(fb.normal, n_)));
    return contact_at(own ? a_.support(-n_) : c_ + b_.support(n_) - depth * n_, depth, fa, fb);
  }
  // At p, or where what lies farthest along n does not meet there, the longest chord, if that is as deep. Of bodies
  // that lie over each other at their borders alone rounding may leave none: moved along n by the depth they touch,
  // where they are nearest to each other.
  [[nodiscard]] Meeting contact_at(dvec3 p, double depth, const Turned& fa, const Turned& fb) const {
    if (!(depth > least_depth_)) return {};
    Meeting meeting{MeetingKind::point, false, {meeting_point(p, depth, feature_of(fa, fb, 0, 0))}};
    if (fa.endless || fb.endless || is_on_both(meeting.points[0])) return meeting;
    const std::optional<TurnedHull> hull_a = polyhedron_of(a_), hull_b = polyhedron_of(b_);
    std::optional<MeetingPoint> longest = longest_chord(hull_a, hull_b, meeting.points[0].feature);
    if (!longest || longest->depth < depth - kSameContact - kChoice * std::abs(depth)) {
      const dvec3 moved = c_ - depth * n_;
      const dvec3 nearest =
          hull_a && hull_b ? nearest_points(*hull_a, *hull_b, moved).of_a : nearest_of_a(a_, b_, moved);
      meeting.points = {meeting_point(nearest, depth, meeting.points[0].feature)};
      return meeting;
    }
    // Where they only just touch, rounding may leave no chord.
    if (longest->depth <= least_depth_) longest->depth = depth;
    meeting.points = {*longest};
    return meeting;
  }
  [[nodiscard]] bool is_on_both(const MeetingPoint& p) const {
    return std::abs(a_.signed_distance(p.point)) <= kSameContact &&
           std::abs(b_.signed_distance(p.point + p.depth * n_ - c_)) <= kSameContact;
  }

  [[nodiscard]] Meeting meet_edges(const Turned& fa, const Turned& fb) const {
    if (fa.kind != TurnedKind::line || fb.kind != TurnedKind::line) return one_point(fa, fb);
    const dvec3 da = fa.corners[1] - fa.corners[0], db = fb.corners[1] - fb.corners[0];
    const dvec3 ua = glm::normalize(da), ub = glm::normalize(db);
    if (glm::length(glm::cross(ua, ub)) > parallel_angle_) return crossing(fa, fb);
    return beside(fa, fb, ua, glm::dot(ua, ub) < 0.0 ? -ub : ub);
  }

  // Where one line crosses another, or else is nearest to it, seen along n: the part of its length, and their distance.
  struct NearestPart {
    double part, distance;
  };
  [[nodiscard]] NearestPart nearest_part(const Turned& one, const Turned& other) const {
    const dvec2 p = across_(one.corners[0]), q = across_(other.corners[0]);
    const dvec2 u = across_(one.corners[1]) - p, v = across_(other.corners[1]) - q;
    const auto nearest = [](dvec2 to, dvec2 from, dvec2 along) {
      return std::clamp(glm::dot(to - from, along) / std::max(glm::dot(along, along), 1e-300), 0.0, 1.0);
    };
    NearestPart best{0.0, std::numeric_limits<double>::infinity()};
    const auto look_at = [&](double s, double t) {
      if (const double distance = glm::distance(p + s * u, q + t * v); distance < best.distance) best = {s, distance};
    };
    for (const double end : {0.0, 1.0}) {
      look_at(end, nearest(p + end * u, q, v));
      look_at(nearest(q + end * v, p, u), end);
    }
    const double s = cross2(q - p, v) / cross2(u, v), t = cross2(q - p, u) / cross2(u, v);
    if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) look_at(s, t);
    return best;
  }

  [[nodiscard]] Meeting crossing(const Turned& fa, const Turned& fb) const {
    const dvec3 p = fa.corners[0] + nearest_part(fa, fb).part * (fa.corners[1] - fa.corners[0]);
    return contact_at(p, pair_overlap_along(a_, b_, c_, n_), fa, fb);
  }

  // Both ends of what two lines share, and where they cross, if that is deeper.
  [[nodiscard]] Meeting beside(const Turned& fa, const Turned& fb, dvec3 ua, dvec3 ub) const {
    const dvec2 mean = glm::normalize(across_(ua + ub));
    const auto extent = [&](const Turned& f) {
      const double s = glm::dot(across_(f.corners[0]), mean), t = glm::dot(across_(f.corners[1]), mean);
      return std::array{std::min(s, t), std::max(s, t)};
    };
    const auto ea = extent(fa), eb = extent(fb);
    const double lo = std::max(ea[0], eb[0]) + inward_, hi = std::min(ea[1], eb[1]) - inward_;
    if (!(lo <= hi)) return inward_ > 0.0 ? Meeting{} : crossing(fa, fb);
    Meeting meeting{MeetingKind::line, true, {}};
    bool as_deep = false;
    const double depth = pair_overlap_along(a_, b_, c_, n_);
    const double enough = depth - kSameContact - (are_capsules() ? 2.0 : 1.0) * kEndsShallower * std::abs(depth);
    for (std::uint32_t end = 0; end < 2; ++end) {
      const std::uint32_t feature = feature_of(fa, fb, end, end);
      const std::optional<MeetingPoint> point =
          end_beside(fa, fb, mean, end == 0 ? lo : hi, end == 0 ? hi : lo, feature);
      if (!point) continue;
      as_deep = as_deep || point->depth >= enough;
      meeting.points.push_back(*point);
    }
    meeting.parallel = has_deepest(meeting);
    if (inward_ > 0.0 || as_deep) return meeting;
    for (MeetingPoint& point : crossing(fa, fb).points) {
      const auto is_same = [&](const MeetingPoint& end) {
        return glm::distance(end.across, point.across) < kSameContact;
      };
      std::erase_if(meeting.points, is_same);
      point.feature = feature_of(fa, fb, 2, 2);
      meeting.points.push_back(point);
    }
    return meeting;
  }
  // The end of a shared stretch at the place s, if there is one that is deep enough. `other` is the stretch's other
  // end.
  [[nodiscard]] std::optional<MeetingPoint> end_beside(const Turned& fa, const Turned& fb, dvec2 mean, double s,
                                                       double other, std::uint32_t feature) const {
    const auto deep_enough = [&](const std::optional<MeetingPoint>& p) { return p && p->depth > least_depth_; };
    dvec3 pa = at_extent(fa, mean, s), pb = at_extent(fb, mean, s);
    const double offset = glm::distance(across_(pa), across_(pb));
    if (offset <= kSameContact) {
      const auto point = meeting_point(pa, glm::dot(pb - pa, n_), feature);
      return deep_enough(point) ? std::optional(point) : std::nullopt;
    }
    // Lines that are not quite parallel. The ends of the bodies are across their own lines, so that off these the
    // stretch ends a little earlier.
    s += std::clamp(0.5 * (other - s), -kParallelAngle * offset, kParallelAngle * offset);
    pa = at_extent(fa, mean, s), pb = at_extent(fb, mean, s);
    // Half way alone no rounding can undo it: on its line a body may begin or end.
    if (inward_ == 0.0) {
      std::optional<MeetingPoint> point;
      if (are_capsules()) {
        point = chord_of_bodies(glm::mix(pa, pb, a_.radius() / (a_.radius() + b_.radius())), feature);
      } else if (a_is_first()) {
        if (const auto part = b_.interval_on_line(pa - c_, n_)) point = meeting_point(pa, part->hi, feature);
      } else if (const auto part = a_.interval_on_line(pb, n_)) {
        point = meeting_point(pb + part->lo * n_, -part->lo, feature);
      }
      if (deep_enough(point)) return point;
    }
    const auto half_way = chord_of_bodies(0.5 * (pa + pb), feature);
    return deep_enough(half_way) ? half_way : std::nullopt;
  }
  [[nodiscard]] bool are_capsules() const { return a_.shape == Shape::capsule && b_.shape == Shape::capsule; }
  // Of the two bodies the first, as docs/body_contacts.md has it.
  [[nodiscard]] bool a_is_first() const {
    if (a_.shape != b_.shape) return a_.shape < b_.shape;
    for (int k = 0; k < 3; ++k)
      if (a_.size[k] != b_.size[k]) return a_.size[k] < b_.size[k];
    for (int k = 0; k < 3; ++k)
      if (c_[k] != 0.0) return c_[k] > 0.0;
    return true;
  }
  [[nodiscard]] dvec3 at_extent(const Turned& f, dvec2 mean, double s) const {
    const double first = glm::dot(across_(f.corners[0]), mean), last = glm::dot(across_(f.corners[1]), mean);
    const double t = first == last ? 0.0 : (s - first) / (last - first);
    return f.corners[0] + t * (f.corners[1] - f.corners[0]);
  }

  [[nodiscard]] Meeting meet_face(const Turned& fa, const Turned& fb, bool face_is_a) const {
    const Turned &face = face_is_a ? fa : fb, &other = face_is_a ? fb : fa;
    if (other.kind == TurnedKind::point) return one_point(fa, fb);
    Meeting meeting = other.kind == TurnedKind::line ? line_on_face(fa, fb, face, other) : patch(fa, fb, face, other);
    const bool of_hull = a_.hull != nullptr || b_.hull != nullptr;
    if (other.kind == TurnedKind::line && meeting.points.empty() && inward_ == 0.0 && !of_hull)
      return beside_face(fa, fb, face, other, face_is_a);
    return with_deepest(meeting, fa, fb);
  }

  // A line that passes a face on the outside. Where what lies farthest along n does not meet, the round body touches
  // the face with another line, next to the one farthest along n: on the border of the face where that is nearest.
  [[nodiscard]] Meeting beside_face(const Turned& fa, const Turned& fb, const Turned& face, const Turned& line,
                                    bool face_is_a) const {
    Meeting meeting = one_point(fa, fb);
    if (meeting.points.empty() || is_on_both(meeting.points[0])) return meeting;
    double best = std::numeric_limits<double>::infinity();
    dvec3 at(0.0);
    for (std::size_t k = 0; k < face.corners.size(); ++k) {
      Turned side{.kind = TurnedKind::line, .corners = {face.corners[k]}, .number = 0};
      side.corners.push_back(face.corners[(k + 1) % face.corners.size()]);
      const auto [s, distance] = nearest_part(side, line);
      if (distance < best) best = distance, at = side.corners[0] + s * (side.corners[1] - side.corners[0]);
    }
    const auto part = face_is_a ? b_.interval_on_line(at - c_, n_) : a_.interval_on_line(at, n_);
    if (!part) return meeting;
    const double depth = face_is_a ? part->hi : -part->lo;
    const dvec3 p = face_is_a ? at : at + part->lo * n_;
    if (depth > least_depth_) meeting.points = {meeting_point(p, depth, feature_of(fa, fb, 0, 0))};
    return meeting;
  }

  [[nodiscard]] Meeting line_on_face(const Turned& fa, const Turned& fb, const Turned& face, const Turned& line) const {
    const dvec3 p = line.corners[0], d = line.corners[1] - p;
    const double length = glm::length(across_(d));
    Meeting meeting{MeetingKind::line, std::abs(glm::dot(glm::normalize(d), n_)) <= flat_angle_, {}};
    auto part = part_in_face(p, d, face, n_, across_, inward_);
    if (part && inward_ > 0.0)
      *part = {std::max((*part)[0], inward_ / length), std::min((*part)[1], 1.0 - inward_ / length)};
    if (!part || !((*part)[0] <= (*part)[1])) return meeting;
    const auto depth_at = [&](double t) { return chord(fa, fb, p + t * d, 0, 0).depth; };
    // The chords' length is concave along the line: from the deeper end on, they end once.
    std::array<double, 2> t = *part;
    const std::size_t deep = depth_at(t[0]) >= depth_at(t[1]) ? 0 : 1;
    if (!(depth_at(t[deep]) > least_depth_)) return meeting;
    if (double shallow = t[1 - deep]; !(depth_at(shallow) > least_depth_)) {
      double inside = t[deep];
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (inside + shallow);
        (depth_at(middle) > least_depth_ ? inside : shallow) = middle;
      }
      t[1 - deep] = inside;
    }
    for (std::uint32_t end = 0; end < 2; ++end) meeting.points.push_back(chord(fa, fb, p + t[end] * d, end, end));
    return meeting;
  }

  [[nodiscard]] Meeting patch(const Turned& fa, const Turned& fb, const Turned& face, const Turned& other) const {
    Meeting meeting{MeetingKind::patch, glm::length(glm::cross(face.normal, other.normal)) <= flat_angle_, {}};
    const Turned &bounded = other.endless ? face : other, &second = other.endless ? other : face;
    const auto sides_of_face = static_cast<std::uint32_t>(std::max<std::size_t>(kDiscSides, bounded.corners.size()));
    const auto depth_cut =
        sides_of_face + static_cast<std::uint32_t>(std::max<std::size_t>(kDiscSides, second.corners.size()));
    Polygon polygon = seen_along(bounded, across_);
    if (inward_ > 0.0) polygon = cut_with_face(polygon, bounded, across_, inward_, 0);
    polygon = cut_with_face(polygon, second, across_, inward_, sides_of_face);
    // Between two planes the chord's length is linear.
    const auto at = [&](dvec2 x) { return x.x * across_.u + x.y * across_.w; };
    const auto depth_at = [&](dvec2 x) { return chord(fa, fb, at(x), 0, 0).depth; };
    const double middle = depth_at({0.0, 0.0});
    const dvec2 slope(depth_at({1.0, 0.0}) - middle, depth_at({0.0, 1.0}) - middle);
    const auto shallower = [&](const Corner& p, const Corner& q) {
      return glm::dot(slope, p.at) < glm::dot(slope, q.at);
    };
    const auto deepest = std::max_element(polygon.begin(), polygon.end(), shallower);
    const double beyond = deepest == polygon.end() ? 0.0 : middle + glm::dot(slope, deepest->at) - least_depth_;
    // Where the faces only just touch, rounding may leave no chord: the corner stands for them.
    if (const double overlap = pair_overlap_along(a_, b_, c_, n_);
        deepest != polygon.end() && beyond <= 0.0 && overlap > least_depth_ && beyond > -kSameContact) {
      const MeetingPoint p = chord(fa, fb, at(deepest->at), 0, deepest->side);
      meeting.points.push_back(meeting_point(p.point, overlap, p.feature));
      return meeting;
    }
    polygon = cut(polygon, middle - least_depth_ - std::min(kWithinMargin, 0.5 * beyond), slope, depth_cut);
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const Corner& before = polygon[(k + polygon.size() - 1) % polygon.size()];
      const MeetingPoint p = chord(fa, fb, at(polygon[k].at), before.side, polygon[k].side);
      if (!meeting.points.empty() && (glm::distance(meeting.points.back().across, p.across) < kSameContact ||
                                      glm::distance(meeting.points.front().across, p.across) < kSameContact))
        continue;
      meeting.points.push_back(p);
    }
    return meeting;
  }

  // One of the chords is as long as the overlap along n, but for rounding.
  [[nodiscard]] bool has_deepest(const Meeting& meeting) const {
    const double depth = pair_overlap_along(a_, b_, c_, n_);
    return std::any_of(meeting.points.begin(), meeting.points.end(), [&](const MeetingPoint& p) {
      return p.depth >= depth - kSameContact - kChoice * std::abs(depth);
    });
  }
  // Where the features' own chords miss the deepest one, that alone is the contact.
  [[nodiscard]] Meeting with_deepest(const Meeting& meeting, const Turned& fa, const Turned& fb) const {
    return inward_ > 0.0 || has_deepest(meeting) ? meeting : one_point(fa, fb);
  }

  // The chord along n at a place, between the bodies themselves; empty where the line misses one.
  [[nodiscard]] std::optional<MeetingPoint> chord_of_bodies(dvec3 at, std::uint32_t feature) const {
    const auto part_a = a_.interval_on_line(at, n_), part_b = b_.interval_on_line(at - c_, n_);
    if (!part_a || !part_b) return std::nullopt;
    return meeting_point(at + part_a->lo * n_, part_b->hi - part_a->lo, feature);
  }

  // Its length is concave in the place. Between two polyhedra it is linear but where it comes over an edge of one of
  // them: the longest is at a vertex, or where an edge of one crosses one of the other. Else it is at the farthest
  // point of a round side, or next to it, toward that of the other body, or along an edge: of many places on each the
  // best, and then between its neighbours.
  [[nodiscard]] std::optional<MeetingPoint> longest_chord(const std::optional<TurnedHull>& hull_a,
                                                          const std::optional<TurnedHull>& hull_b,
                                                          std::uint32_t feature) const {
    constexpr int kSamples = 64, kThirds = 60;
    std::optional<MeetingPoint> best;
    const auto look_at = [&](dvec3 at) {
      const auto found = chord_of_bodies(at, feature);
      if (found && (!best || found->depth > best->depth)) best = found;
      return found ? found->depth : -std::numeric_limits<double>::infinity();
    };
    const auto look_along = [&](dvec3 from, dvec3 to) {
      int middle = 0;
      double longest = -std::numeric_limits<double>::infinity();
      for (int k = 0; k <= kSamples; ++k)
        if (const double depth = look_at(from + (double(k) / kSamples) * (to - from)); depth > longest)
          longest = depth, middle = k;
      double lo = double(std::max(middle - 1, 0)) / kSamples, hi = double(std::min(middle + 1, kSamples)) / kSamples;
      for (int k = 0; k < kThirds; ++k) {
        const double first = lo + (hi - lo) / 3.0, second = hi - (hi - lo) / 3.0;
        if (look_at(from + first * (to - from)) < look_at(from + second * (to - from)))
          lo = first;
        else
          hi = second;
      }
    };
    if (hull_a && hull_b) {
      for (const dvec3& v : hull_a->vertices) look_at(v);
      for (const dvec3& v : hull_b->vertices) look_at(c_ + v);
      for (const auto& [from, to] : hull_a->edges)
        for (const auto& [other_from, other_to] : hull_b->edges) {
          const dvec2 u = across_(to - from), v = across_(other_to - other_from);
          const dvec2 between = across_(c_ + other_from - from);
          const double turn = cross2(u, v), s = cross2(between, v) / turn, t = cross2(between, u) / turn;
          if (turn != 0.0 && s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) look_at(from + s * (to - from));
        }
      return best;
    }
    look_along(a_.support(-n_), c_ + b_.support(n_));
    for (const auto& [hull, centre] : {std::pair(&hull_a, dvec3(0.0)), std::pair(&hull_b, c_)})
      if (*hull)
        for (const auto& [from, to] : (*hull)->edges) look_along(centre + from, centre + to);
    return best;
  }

  const Body &a_, &b_;
  dvec3 c_, n_;
  double inward_, least_depth_, parallel_angle_, flat_angle_;
  Across across_;
};

}  // namespace

Meeting meeting_along(const Body& a, const Body& b, dvec3 c, dvec3 n, double margin, double inward, double part) {
  return Pair(a, b, c, n, margin, inward, part).meet();
}

}  // namespace oclide::reference
