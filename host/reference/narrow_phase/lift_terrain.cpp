// Kind 6: the greatest vertical gap that the other contacts leave.
#include <algorithm>
#include <array>
#include <cmath>

#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {
namespace {

constexpr double kSmallestLift = 2e-5;  // [m]
constexpr double kClearedPart = 0.1;    // of a gap, that a contact which clears it may leave
// How far the part of a gap that a contact leaves may be from its limit for a contact of the neighbouring element to
// decide it the other way; rounding of lengths adds to it.
constexpr double kPartSlack = 0.05;
// Gaps this near to the greatest, as a part of it, may be the one that a device finds and judges.
constexpr double kGreatestSlack = 0.01;
// How near to kLiftSine the sine of an edge may be for single precision to decide the other way.
constexpr double kLiftSineSlack = 3e-6;
// A move that leads aside by no more than this part of its height, or by no more than that, is straight up; how near to
// either rounding decides.
constexpr double kFartherIn = 2e-5;  // [m]
constexpr double kStraightUp = 1e-4;
constexpr double kStraightUpSlack = 1e-5;
constexpr double kStraightUpLength = 2e-5;       // [m]
constexpr double kStraightUpLengthSlack = 1e-5;  // [m]
// Looked at of the part of an edge that is all but level with the body.
constexpr int kPartSamples = 16;
// Directions to places beside one, seen from above.
const std::array<dvec2, 4> kAround = {dvec2(1.0, 0.0), dvec2(-1.0, 0.0), dvec2(0.0, 1.0), dvec2(0.0, -1.0)};

// A point P of the body below the surface.
struct LowPoint {
  double y;  // height of the surface over P less P's own [m]
  dvec3 point;
  std::uint32_t feature;
  std::uint8_t material;
  Conditions conditions;
};

// A point of the surface over the lowest point of the body on its vertical, with the body's normal there.
void add_surface_point(const ContactSearch& search, std::vector<LowPoint>& gaps, dvec3 q, std::uint32_t feature,
                       std::uint8_t material, Conditions conditions) {
  // At the rim of the body's outline rounding decides on which side of it the point is.
  std::optional<LowestPoint> lowest = search.body.lowest_on_vertical(dvec2(q));
  const bool inside = lowest.has_value();
  bool all = true;
  for (const dvec2 step : kAround) {
    const auto beside = search.body.lowest_on_vertical(dvec2(q) + kLengthSlack * step);
    all = all && beside.has_value();
    if (!lowest) lowest = beside;
  }
  if (!lowest) return;
  if (!inside) conditions.may_hold();
  if (!all) conditions.may_fail();
  gaps.push_back({q.z - lowest->z, dvec3(dvec2(q), lowest->z), feature, material, conditions});
}

// (a)
void find_vertex_gaps(const ContactSearch& search, std::vector<LowPoint>& gaps) {
  for (const Vertex& v : search.ground.vertices) add_surface_point(search, gaps, v.position, v.id, v.material, {});
}

// (b) and (d)
void find_element_gaps(const ContactSearch& search, std::vector<LowPoint>& gaps) {
  const Body& body = search.body;
  const std::vector<RoundedPoint> rounded = body.rounded_points();
  const dvec2 centre(body.middle());
  const std::optional<LowestPoint> under_centre = body.lowest_on_vertical(centre);
  for (const Element& e : search.ground.elements) {
    auto add = [&](dvec3 p, Conditions conditions, double uncertainty = 0.0) {
      conditions.within(e.inside_outline(dvec2(p)), kLengthSlack + uncertainty);
      if (conditions.possible()) gaps.push_back({e.height_over(dvec2(p)) - p.z, p, e.id, e.material, conditions});
    };
    for (const RoundedPoint& x : rounded) {
      Conditions conditions;
      require_on_capsule(conditions, body, x, e.normal);
      add(x.centre - x.radius * e.normal, conditions);
    }
    for (const RimPoint& p : rim_points(body, e.normal, e.along)) add(p.point, p.conditions, p.uncertainty);
    add(dvec3(centre, under_centre->z), {});
  }
}

// (c)
void find_edge_gaps(const ContactSearch& search, std::vector<LowPoint>& gaps) {
  const Body& body = search.body;
  for (const Edge& e : search.ground.edges) {
    Conditions conditions;
    conditions.within((e.ridge ? e.sine : -e.sine) - kLiftSine, kLiftSineSlack);
    if (!conditions.possible()) continue;
    const auto gap = body.greatest_gap(e.a, e.b);
    if (!gap) continue;
    auto point_at = [&](double t) -> std::optional<LowPoint> {
      const dvec3 q = e.a + t * (e.b - e.a);
      const auto lowest = body.lowest_on_vertical(dvec2(q));
      if (!lowest) return std::nullopt;
      return LowPoint{q.z - lowest->z, dvec3(dvec2(q), lowest->z), e.id, e.material, conditions};
    };
    const std::optional<LowPoint> greatest = point_at(gap->t);
    if (!greatest) continue;
    gaps.push_back(*greatest);
    // Where the body is level with the edge any point of a part of it may be the one.
    auto end_of_part = [&](double less) {
      double as_great = gap->t;
      for (int k = 0; k < 40; ++k) {
        const double t = 0.5 * (as_great + less);
        const std::optional<LowPoint> point = point_at(t);
        (point && point->y > greatest->y - kLengthSlack ? as_great : less) = t;
      }
      return as_great;
    };
    const double from = end_of_part(0.0), to = end_of_part(1.0);
    if ((to - from) * e.length < kLengthSlack) continue;
    for (int k = 0; k <= kPartSamples; ++k)
      if (std::optional<LowPoint> point = point_at(from + (to - from) * k / kPartSamples)) {
        point->conditions.may_hold();
        gaps.push_back(*point);
      }
  }
}

// (e)
void find_lost_feet(const ContactSearch& search, std::vector<LowPoint>& gaps) {
  for (const LostFoot& foot : search.lost_feet)
    add_surface_point(search, gaps, foot.position, foot.element, foot.material, foot.conditions);
}

// The condition that a contact's move leaves more of a gap than it may.
Conditions leaves_gap(const Body& body, const LowPoint& gap, const GroundContact& contact) {
  const dvec3 move = contact.depth * contact.normal;
  Conditions straight, aside;
  aside.flag(contact.kind != ContactKind::wall);
  if (!aside.possible()) return aside;
  const double slack = kPartSlack + kLengthSlack / gap.y;
  // The surface point stays where it is over the body.
  straight.within((gap.y - move.z) / gap.y - kClearedPart, slack);
  // How clearly it leads aside, in parts of what rounding may decide: surely not below -1, surely above 1.
  const double beyond = std::min((glm::length(dvec2(contact.normal)) - kStraightUp * contact.normal.z) /
                                     (kStraightUpSlack + contact.normal_uncertainty),
                                 (glm::length(dvec2(move)) - kStraightUpLength) /
                                     (kStraightUpLengthSlack + std::abs(contact.depth) * contact.normal_uncertainty));
  if (beyond < -1.0) return straight;

  // As the body sees it after its move, asked farther in, as the point may be at the rim of the outline.
  const dvec2 in = dvec2(body.middle()) - dvec2(gap.point);
  const dvec2 farther = in * std::min(kFartherIn / std::max(glm::length(in), 1e-300), 1.0);
  const dvec3 q = gap.point + dvec3(farther, gap.y) - move;
  const auto leaves = [&](const std::optional<LowestPoint>& lowest) {
    return lowest && q.z - lowest->z > kClearedPart * gap.y;
  };
  // At the rim of the body's outline, and on an upright side of it, rounding decides.
  const std::optional<LowestPoint> lowest = body.lowest_on_vertical(dvec2(q));
  const bool left = leaves(lowest);
  const bool decided = std::all_of(kAround.begin(), kAround.end(), [&](dvec2 step) {
    return leaves(body.lowest_on_vertical(dvec2(q) + kLengthSlack * step)) == left;
  });
  if (lowest)
    aside.within((q.z - lowest->z) / gap.y - kClearedPart, slack);
  else if (decided)
    aside.flag(false);
  if (!decided) left ? aside.may_fail() : aside.may_hold();
  if (beyond > 1.0) return aside;
  if (aside.held() == straight.held()) return straight;
  straight.held() ? straight.may_fail() : straight.may_hold();
  return straight;
}

}  // namespace

void add_lift(ContactSearch& search) {
  std::vector<LowPoint> gaps;
  find_vertex_gaps(search, gaps);
  find_element_gaps(search, gaps);
  find_edge_gaps(search, gaps);
  find_lost_feet(search, gaps);
  std::erase_if(gaps, [](const LowPoint& gap) { return gap.y <= kSmallestLift - kLengthSlack; });
  std::stable_sort(gaps.begin(), gaps.end(), [](const LowPoint& a, const LowPoint& b) { return a.y > b.y; });

  // A contact whose move clears most of a gap leaves none of it to lift, and so does any contact with a wall.
  // What is apart, within the margin, asks for no move.
  std::vector<GroundContact> others = search.contacts;
  std::erase_if(others, [](const GroundContact& c) { return c.depth <= 0.0; });
  auto unexplained = [&](const LowPoint& gap) {
    Conditions conditions;
    for (const GroundContact& c : others) {
      if (!conditions.possible()) break;
      const Conditions left_over = leaves_gap(search.body, gap, c);
      if (!left_over.held() && c.held) c.optional ? conditions.may_hold() : conditions.also(left_over);
      if (!left_over.certain()) conditions.may_fail();
    }
    return conditions;
  };

  // The greatest gap decides; those all but as great are possible, and where one of them is accounted for, there may be
  // none.
  struct Judged {
    const LowPoint& gap;
    Conditions unexplained;
  };
  std::vector<Judged> judged;
  double least = 0.0;
  for (const LowPoint& gap : gaps) {
    if (gap.y < least) break;
    judged.push_back({gap, unexplained(gap)});
    if (gap.conditions.certain() && least == 0.0) least = gap.y * (1.0 - kGreatestSlack) - kLengthSlack;
  }
  const auto explained =
      std::count_if(judged.begin(), judged.end(), [](const Judged& j) { return !j.unexplained.certain(); });
  bool chosen = false;
  for (const Judged& j : judged) {
    Conditions conditions = j.gap.conditions;
    conditions.also(j.unexplained);
    conditions.length(j.gap.y - kSmallestLift);
    if (chosen) conditions.may_hold();
    if (explained > (j.unexplained.certain() ? 0 : 1)) conditions.may_fail();
    search.add({.point = j.gap.point,
                .normal = dvec3(0.0, 0.0, 1.0),
                .depth = j.gap.y,
                .kind = ContactKind::lift,
                .index = 0,
                .ground = j.gap.feature,
                .material = j.gap.material},
               conditions, WayOutRule::free);
    chosen = chosen || j.gap.conditions.held();
  }
}

}  // namespace oclide::reference
