// Kind 6: the greatest vertical gap that the other contacts leave.
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

#include "reference/narrow_phase/ground_contact.hpp"

namespace oclide::reference {
namespace {

constexpr double kSmallestLift = 2e-5;  // [m]

// A point P of the body below the surface, with the body's inner normal u there.
struct LowPoint {
  double y;  // height of the surface over P less P's own [m]
  dvec3 point;
  dvec3 u;
  std::uint32_t feature;
  std::uint8_t material;
  Conditions conditions;
};

void find_vertex_gaps(const ContactSearch& search, std::vector<LowPoint>& gaps) {
  for (const Vertex& v : search.ground.vertices) {
    const dvec2 at(v.position);
    // A vertex at the rim of the body's outline may be on either side of it after rounding.
    bool all = true;
    std::optional<LowestPoint> lowest = search.body.lowest_on_vertical(at);
    const bool inside = lowest.has_value();
    for (int k = 0; k < 4; ++k) {
      const double step = k % 2 == 0 ? kLengthSlack : -kLengthSlack;
      const auto beside = search.body.lowest_on_vertical(at + (k < 2 ? dvec2(step, 0.0) : dvec2(0.0, step)));
      all = all && beside.has_value();
      if (!lowest) lowest = beside;
    }
    if (!lowest) continue;
    Conditions conditions;
    if (!inside || !all) conditions.length(inside ? 0.0 : -0.5 * kLengthSlack);
    gaps.push_back(
        {v.position.z - lowest->z, dvec3(at, lowest->z), lowest->inner_normal, v.id, v.material, conditions});
  }
}

void find_element_gaps(const ContactSearch& search, std::vector<LowPoint>& gaps) {
  const Body& body = search.body;
  for (const Element& e : search.ground.elements) {
    auto add = [&](dvec3 p, Conditions conditions) {
      conditions.length(e.inside_outline(dvec2(p)));
      if (conditions.possible())
        gaps.push_back({e.height_over(dvec2(p)) - p.z, p, e.normal, e.id, e.material, conditions});
    };
    for (const RoundedPoint& x : body.rounded_points()) {
      Conditions conditions;
      require_on_capsule(conditions, body, x, e.normal);
      add(x.centre - x.radius * e.normal, conditions);
    }
    if (body.shape == Shape::cylinder)
      for (const RimPoint& p : rim_points(body, e.normal, glm::normalize(e.v[1] - e.v[0]))) add(p.point, p.conditions);
  }
}

// Over an edge the gap is concave; its greatest value between the ends is where the body's underside runs parallel to
// the edge: where the normal u across the edge has its support straight above or below the edge's line.
void find_edge_gaps(const ContactSearch& search, std::vector<LowPoint>& gaps) {
  const Body& body = search.body;
  for (const Edge& e : search.ground.edges) {
    if (e.kind == EdgeKind::flat && e.sine <= kFlatSine - kDirectionSlack) continue;
    if (std::max(e.a.z, e.b.z) < -body.half_extents().z) continue;
    const dvec3 sideways = glm::normalize(glm::cross(e.direction, dvec3(0.0, 0.0, 1.0)));
    const dvec3 upright = glm::cross(sideways, e.direction);
    auto u_at = [&](double angle) { return std::cos(angle) * upright + std::sin(angle) * sideways; };
    auto passed = [&](double angle) { return glm::dot(body.support(-u_at(angle)) - e.a, sideways); };
    double lo = -0.4999 * glm::pi<double>(), hi = -lo;
    if (passed(lo) < 0.0 || passed(hi) > 0.0) continue;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (lo + hi);
      (passed(middle) > 0.0 ? lo : hi) = middle;
    }
    const dvec3 u = u_at(0.5 * (lo + hi));
    const double greatest = glm::dot(e.a - body.support(-u), u) / u.z;  // anywhere on the edge's line
    if (!(greatest > kSmallestLift - kLengthSlack)) continue;

    const auto gap = body.greatest_gap(e.a, e.b);
    if (!gap || gap->height < greatest - 1e-7) continue;  // greatest at an end, which is a vertex
    Conditions conditions;
    conditions.direction(e.sine - kFlatSine);
    const dvec3 on_edge = e.a + gap->t * (e.b - e.a);
    gaps.push_back({gap->height, dvec3(dvec2(on_edge), on_edge.z - gap->height), u, e.id, e.material, conditions});
  }
}

}  // namespace

void add_lift(ContactSearch& search) {
  std::vector<LowPoint> gaps;
  find_vertex_gaps(search, gaps);
  find_element_gaps(search, gaps);
  find_edge_gaps(search, gaps);
  std::erase_if(gaps, [](const LowPoint& gap) { return gap.y <= kSmallestLift - kLengthSlack; });
  std::stable_sort(gaps.begin(), gaps.end(), [](const LowPoint& a, const LowPoint& b) { return a.y > b.y; });

  // Contacts that account for a gap leave none of it to lift.
  const std::vector<GroundContact> others = search.contacts;
  auto unexplained_along = [&](const LowPoint& gap, dvec3 u) {
    Conditions conditions;
    for (const GroundContact& c : others) {
      const double rest = gap.y * u.z / 2.0 - c.depth * glm::dot(c.normal, u);
      if (c.held && !c.optional) conditions.length(rest > 0.0 ? rest : rest - 1e-12);
      if (c.optional && rest < kLengthSlack) conditions.length(c.held && rest <= 0.0 ? -0.5 * kLengthSlack : 0.0);
    }
    return conditions;
  };
  // At an edge of the body rounding may choose the normal of either face.
  auto unexplained = [&](const LowPoint& gap) {
    const Conditions conditions = unexplained_along(gap, gap.u);
    for (const dvec3& u : search.body.inner_normals(gap.point, kLengthSlack)) {
      if (u.z <= 0.0 || unexplained_along(gap, u).held() == conditions.held()) continue;
      Conditions either;
      either.length(conditions.held() ? 0.0 : -0.5 * kLengthSlack);
      return either;
    }
    return conditions;
  };

  // The greatest gap decides; those that rounding may make the greatest are possible.
  bool chosen = false, certain = false;
  double greatest = 0.0;
  for (const LowPoint& gap : gaps) {
    if (certain && gap.y < greatest - kLengthSlack) break;
    Conditions conditions = gap.conditions;
    conditions.also(unexplained(gap));
    conditions.length(gap.y - kSmallestLift);
    if (chosen) conditions.length(-0.5 * kLengthSlack);
    search.add({.point = gap.point,
                .normal = dvec3(0.0, 0.0, 1.0),
                .depth = gap.y,
                .kind = ContactKind::lift,
                .index = 0,
                .feature = gap.feature,
                .material = gap.material},
               conditions);
    chosen = chosen || gap.conditions.held();
    if (gap.conditions.certain() && !certain) certain = true, greatest = gap.y;
  }
}

}  // namespace oclide::reference
