// Kind 3. First: in which directions m between the two normals of an edge does the body's lowest point pass the
// edge from one side to the other?
//
//          n1   m   n2            The lowest point along n1 lies past the edge on the side of element 2 (g > 0), the
//            \  |  /              lowest along n2 past it on the side of element 1 (g < 0): between them is a root.
//     _ 1 ___/\___ 2 _
#include "reference/narrow_phase/edge_contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shapes/shape_list.hpp"

namespace oclide::reference {
namespace {

constexpr double kBeside = 1e-9;     // directions to either side of a jump [rad]
constexpr double kNearAxis = 0.01;   // of a cylinder's axis, the rim point turns fast [rad]
constexpr int kNearAxisSteps = 24;   // by halves
constexpr double kFolded = 1e-6;     // sine of the angle between the normals
constexpr double kAlongEdge = 1e-4;  // sine up to which an edge of the body is parallel to that of the ground
constexpr double kOverEdge = 4e-5;   // a point of it is over that one within this [m]
constexpr double kRounding = 1e-9;   // of a corner [m]

// Turns at which the lowest point of a body jumps from one vertex to the next, or runs so fast along a rim that it all
// but does, as m = cos(theta) n1 + sin(theta) q turns by theta in (0, angle): g falls there however near it was to 0.
std::vector<double> jumps(const Body& body, dvec3 n1, dvec3 q, double angle) {
  std::vector<double> turns;
  auto add = [&](double theta) {
    if (theta > 0.0 && theta < angle) turns.push_back(theta);
  };
  if (body.shape == Shape::convex_hull) {
    // From each lowest vertex on to the one that is the next to be as low; one may be so at n1 itself.
    const std::vector<RoundedPoint> vertices = body.rounded_points();
    for (double from = -kDirectionSlack, next = 0.0; next < angle; from = next + kBeside) {
      const dvec3 lowest = body.support(-std::cos(from) * n1 - std::sin(from) * q);
      next = angle;
      for (const RoundedPoint& vertex : vertices) {
        const dvec3 d = vertex.centre - lowest;
        if (const double level = std::atan2(glm::dot(d, n1), -glm::dot(d, q)); level > from)
          next = std::min(next, level);
      }
      add(next - kBeside), add(next + kBeside);
    }
    return turns;
  }
  // Two directions a half turn apart, of which mostly at most one is in the arc.
  const double half_turn = std::acos(-1.0);
  auto in_arc = [&](double theta) { return theta < 0.0 ? theta + half_turn : theta; };
  for (int k = 0; k < 3; ++k) {
    if (body.shape == Shape::cylinder && k != 2) continue;
    const double level = in_arc(std::atan2(-glm::dot(n1, body.axes[k]), glm::dot(q, body.axes[k])));
    for (const double turn : {level, level + half_turn}) add(turn - kBeside), add(turn + kBeside);
  }
  if (body.shape == Shape::cylinder) {
    const double nearest = in_arc(std::atan2(glm::dot(q, body.axis()), glm::dot(n1, body.axis())));
    double step = kNearAxis;
    for (int k = 0; k < kNearAxisSteps; ++k, step *= 0.5) add(nearest - step), add(nearest + step);
  }
  return turns;
}

static_assert(SHARP_SHAPES == (1u << SHAPE_BOX | 1u << SHAPE_CYLINDER | 1u << SHAPE_CONVEX_HULL),
              "jumps() and reach_of_level_side() are written for boxes, cylinders and hulls");

bool is_along(const Edge& edge, const BodyEdge& line) {
  return glm::length(glm::cross(line.to - line.from, edge.direction)) < kAlongEdge * glm::distance(line.from, line.to);
}

// The lowest point of a body along m; of its edges that lie along the ground's the middle, since rounding decides which
// end is the lower one.
dvec3 lowest_over(const Body& body, const std::vector<BodyEdge>& along, dvec3 m) {
  const dvec3 lowest = body.support(-m);
  for (const auto& [from, to] : along)
    if (std::min(glm::distance(lowest, from), glm::distance(lowest, to)) < kRounding) return 0.5 * (from + to);
  return lowest;
}

// How far along c a body reaches with a side that is level with n as far as rounding can tell.
double reach_of_level_side(const Body& body, dvec3 n, dvec3 c) {
  if (body.shape == Shape::convex_hull) {
    const dvec3 lowest = body.support(-n);
    double reach = glm::dot(lowest, c);
    for (const RoundedPoint& vertex : body.rounded_points()) {
      const dvec3 d = vertex.centre - lowest;
      if (glm::dot(d, n) <= kDirectionSlack * glm::length(d)) reach = std::max(reach, glm::dot(vertex.centre, c));
    }
    return reach;
  }
  // Of the half side along an axis either end supports where that is across n.
  auto half_side = [&](dvec3 axis, double half) {
    const double rise = glm::dot(axis, n), reach = half * glm::dot(axis, c);
    return std::abs(rise) <= kDirectionSlack ? std::abs(reach) : (rise > 0.0 ? -reach : reach);
  };
  if (body.shape == Shape::box)
    return half_side(body.axes[0], body.size.x) + half_side(body.axes[1], body.size.y) +
           half_side(body.axes[2], body.size.z);
  const dvec3 v = body.axis(), across = n - glm::dot(n, v) * v;
  const double steepness = glm::length(across);
  const double rim =
      steepness <= kDirectionSlack ? glm::length(c - glm::dot(c, v) * v) : -glm::dot(across, c) / steepness;
  return half_side(v, body.half_length()) + body.radius() * rim;
}

}  // namespace

std::vector<BodyEdge> lines_of(const Body& body) {
  std::vector<BodyEdge> edges;
  const auto at = [&](std::uint32_t v) { return body.axes * dvec3(body.hull->vertices[v]); };
  if (body.shape == Shape::convex_hull)
    for (const HullEdge& edge : body.hull->edges) edges.push_back({at(edge.vertices[0]), at(edge.vertices[1])});
  if (body.shape == Shape::box) {
    const std::vector<RoundedPoint> corners = body.rounded_points();
    for (std::size_t from = 0; from < corners.size(); ++from)
      for (const std::size_t axis : {1U, 2U, 4U})
        if ((from & axis) == 0) edges.push_back({corners[from].centre, corners[from | axis].centre});
  }
  return edges;
}

std::vector<EdgeNormal> edge_normals(const Body& body, const Edge& edge) {
  // m turns from the first normal of the arc by the angle theta toward q; c(m) is m turned by 90 degrees, out of
  // element 1 at the first.
  const double cosine = glm::dot(edge.n1, edge.n2);
  const double angle = std::atan2(glm::length(glm::cross(edge.n1, edge.n2)), cosine) + 2.0 * edge.past;
  // Of an edge that is folded all the way the normals do not say to which side.
  const dvec3 turned = edge.n2 - cosine * edge.n1;
  const dvec3 from_n1 = glm::length(turned) > kFolded ? glm::normalize(turned) : -edge.into1;
  const dvec3 first = std::cos(edge.past) * edge.n1 - std::sin(edge.past) * from_n1;
  const dvec3 q = std::cos(edge.past) * from_n1 + std::sin(edge.past) * edge.n1;
  const double sign = edge.kind == EdgeKind::concave ? -1.0 : 1.0;
  auto m_at = [&](double theta) { return std::cos(theta) * first + std::sin(theta) * q; };
  std::vector<BodyEdge> along = lines_of(body);
  std::erase_if(along, [&](const BodyEdge& line) { return !is_along(edge, line); });
  auto g = [&](double theta) {
    const dvec3 c = sign * (std::cos(theta) * q - std::sin(theta) * first);
    return glm::dot(lowest_over(body, along, m_at(theta)) - edge.a, c);
  };

  // Many directions, from a little before n1 to a little past n2: where a side is level with an element, its point most
  // past the edge supports just outside of the arc. Between jumps g is smooth: it rises where the depth is above 0.
  const int steps = std::clamp(static_cast<int>(angle / 0.005), 8, 320);
  std::vector<double> theta{-kDirectionSlack, -kLevel};
  for (int i = 0; i <= steps; ++i) theta.push_back(angle * i / steps);
  theta.push_back(angle + kLevel), theta.push_back(angle + kDirectionSlack);
  const std::vector<double> also = jumps(body, first, q, angle);
  theta.insert(theta.end(), also.begin(), also.end());
  std::sort(theta.begin(), theta.end());
  std::vector<double> value(theta.size());
  std::transform(theta.begin(), theta.end(), value.begin(), g);

  std::vector<EdgeNormal> roots;
  auto add_root = [&](double lo, double hi, const Conditions& conditions) {
    for (int k = 0; k < 50; ++k) {
      const double middle = 0.5 * (lo + hi);
      (g(middle) > 0.0 ? lo : hi) = middle;
    }
    const double root = 0.5 * (lo + hi);
    EdgeNormal normal{m_at(std::clamp(root, 0.0, angle)), conditions, 1e-9};
    normal.conditions.direction(root + 2.0 * kLevel);
    normal.conditions.direction(angle + 2.0 * kLevel - root);
    // How far the root moves when lengths are off by the slack.
    while (normal.uncertainty < angle && root - normal.uncertainty > 0.0 && root + normal.uncertainty < angle &&
           (g(root - normal.uncertainty) < kLengthSlack || g(root + normal.uncertainty) > -kLengthSlack))
      normal.uncertainty *= 2.0;
    roots.push_back(normal);
  };
  const std::size_t last = theta.size() - 1;
  bool plain = true;  // one fall, from above 0 all the way to below 0 all the way: any search sees it
  for (std::size_t i = 0; i < last; ++i) {
    plain = plain && !(value[i] <= 0.0 && value[i + 1] > 0.0);
    if (!(value[i] > 0.0 && value[i + 1] <= 0.0)) continue;
    // Rounding may undo a rise and fall that are not by more than the slack.
    Conditions conditions;
    double before = value[i], after = value[i + 1];
    for (std::size_t k = i; k > 0 && value[k - 1] > 0.0; --k) before = std::max(before, value[k - 1]);
    for (std::size_t k = i + 1; k < last && value[k + 1] <= 0.0; ++k) after = std::min(after, value[k + 1]);
    conditions.length(before);
    conditions.length(-after);
    add_root(theta[i], theta[i + 1], conditions);
  }
  Conditions rounding;
  rounding.may_hold();
  // A fall that stops short of 0, or begins past it, by no more than the slack.
  for (std::size_t i = 0, end = 0; i < last; i = end) {
    for (end = i + 1; end < last && value[end] < value[end - 1] && value[end + 1] < value[end]; ++end) {
    }
    const double before = value[i], after = value[end];
    if (after >= before || (before > 0.0 && after <= 0.0)) continue;
    if (before > -kLengthSlack && after < kLengthSlack)
      roots.push_back({m_at(std::clamp(before > 0.0 ? theta[end] : theta[i], 0.0, angle)), rounding, kDirectionSlack});
  }
  // At either end itself, where g has the other sign by no more than the slack, for other points of a level side.
  const dvec3 second = m_at(angle), c1 = sign * q, c2 = sign * (std::cos(angle) * q - std::sin(angle) * first);
  if (value[2] < kLengthSlack && reach_of_level_side(body, first, c1) - glm::dot(edge.a, c1) > -kLengthSlack)
    roots.push_back({first, rounding, kDirectionSlack});
  if (value[last - 2] > -kLengthSlack && -reach_of_level_side(body, second, -c2) - glm::dot(edge.a, c2) < kLengthSlack)
    roots.push_back({second, rounding, kDirectionSlack});

  // Of several roots the one by which the body gets off the edge on the shortest way. Those of a box or hull have
  // closed forms; of a cylinder's, a coarser search may miss any.
  auto depth = [&](const EdgeNormal& r) {
    return leaning_depth(body, glm::dot(edge.a - body.support(-r.m), r.m), r.m);
  };
  for (EdgeNormal& r : roots) {
    if (body.shape == Shape::cylinder && (!plain || roots.size() > 1)) r.conditions.may_fail();
    for (const EdgeNormal& other : roots) {
      if (&other == &r) continue;
      if (other.conditions.held() && depth(other) < depth(r)) r.conditions.may_hold();
      if (depth(other) < depth(r) + kLengthSlack) r.conditions.may_fail();
    }
  }
  return roots;
}

std::uint32_t end_of_body(const Edge& edge, double from, double to, bool last) {
  const bool is_second = last || (to - from < kSamePoint && from <= 0.0);
  return is_second != edge.turned ? 1 : 0;
}

// A line in a face's plane that lies along a side of the face is on the face: the box's own edge over the ground's [m].
constexpr double kAlongSide = 1e-9;
// Depth that a face gains per length of an edge that it is all but parallel to.
constexpr double kParallel = 0.05;

FaceContacts face_contacts(const Edge& edge, dvec3 m, dvec3 f, double half, const Conditions& looks,
                           const std::function<Interval(dvec3, dvec3)>& part_in_face) {
  // The point Q = a + t direction has its image at Q - depth(Q) m on the plane f.x = half; both are linear in t.
  const double slant = -glm::dot(f, m);
  auto depth = [&](double t) { return (half - glm::dot(f, edge.a + t * edge.direction)) / slant; };
  auto image = [&](double t) { return edge.a + t * edge.direction - depth(t) * m; };
  const Interval image_part = part_in_face(image(0.0), image(1.0) - image(0.0));
  const Interval part{std::max(image_part.lo, 0.0), std::min(image_part.hi, edge.length)};
  FaceContacts face{looks, {}};
  face.has_part.length(part.hi - part.lo);
  face.has_part.length(image_part.room + kAlongSide);
  if (!face.has_part.possible()) return face;
  // A face that is not parallel to the edge presses on it with the deeper end of the part. Where the end of the edge
  // cuts that off, the vertex there has the contact.
  const double rise = depth(1.0) - depth(0.0);
  Conditions conditions = face.has_part, parallel, whole;
  parallel.direction(kParallel - std::abs(rise));
  whole.length((rise > 0.0 ? edge.length - image_part.hi : image_part.lo) - 1e-9);
  conditions.also_either(parallel, whole);
  for (const bool last : {false, true}) {
    const double t = last ? part.hi : part.lo;
    if (last && part.hi - part.lo < kSamePoint) continue;
    face.contacts.push_back(
        {edge.a + t * edge.direction, depth(t), conditions, end_of_body(edge, part.lo, part.hi, last)});
  }
  return face;
}

void require_no_part(Conditions& no_face, const FaceContacts& face) {
  for (const EdgeContact& contact : face.contacts) {
    if (face.has_part.held())
      no_face.may_hold();
    else
      no_face.may_fail();
    no_face.flag(!contact.conditions.certain());
  }
}

void add_line_on_edge(const Body& body, const Edge& edge, const EdgeNormal& root, Conditions& no_line,
                      const OnEdge& add) {
  const dvec3 lowest = body.support(-root.m), across = glm::normalize(glm::cross(edge.direction, root.m));
  for (const auto& [from, to] : lines_of(body)) {
    const double length = glm::distance(from, to);
    Conditions lies;
    lies.direction(kAlongEdge - glm::length(glm::cross(to - from, edge.direction)) / length);
    const auto [least, most] = std::minmax({glm::dot(from - edge.a, across), glm::dot(to - edge.a, across)});
    lies.length(kOverEdge - std::max(least, -most));
    // It supports along m where one end is the lowest point, or on a level with it.
    const dvec3 low = glm::dot(from, root.m) < glm::dot(to, root.m) ? from : to;
    const double rise = glm::dot(low - lowest, root.m), away = glm::distance(low, lowest);
    lies.flag(rise <= kLengthSlack + kDirectionSlack * away);
    if (rise > 1e-9 + kLevel * away) lies.may_hold();
    if (!lies.possible()) continue;
    if (lies.held())
      no_line.may_hold();
    else
      no_line.may_fail();
    no_line.flag(!lies.certain());
    const dvec3 along = (to - from) / glm::dot(to - from, edge.direction);  // one metre along the ground's edge
    const double start = glm::dot(from - edge.a, edge.direction), end = glm::dot(to - edge.a, edge.direction);
    const double lo = std::max(std::min(start, end), 0.0), hi = std::min(std::max(start, end), edge.length);
    lies.length(hi - lo);
    for (const bool last : {false, true}) {
      if (last && hi - lo < kSamePoint) continue;
      const double t = last ? hi : lo;
      const dvec3 q = edge.a + t * edge.direction;
      const std::uint32_t end_number = end_of_body(edge, lo, hi, last);
      add(root, {q, glm::dot(q - (from + (t - start) * along), root.m), lies, end_number}, end_number);
    }
  }
}

bool out_of_reach(const Body& body, const Edge& edge, double margin) {
  if (edge.sine <= kFlatSine - kDirectionSlack) return true;
  if (edge.kind == EdgeKind::concave) return false;
  const double along = std::clamp(-glm::dot(edge.a, edge.direction), 0.0, edge.length);
  return glm::length(edge.a + along * edge.direction) > body.bounding_radius() + margin + 2.0 * kLengthSlack;
}

std::optional<Crossing> crossing_along(const Edge& edge, dvec3 m, dvec3 point, dvec3 direction) {
  // a + t e - (point + u direction) is parallel to m: multiply by the normals of the planes (direction, m) and (e, m).
  const dvec3 across_line = glm::cross(direction, m), across_edge = glm::cross(edge.direction, m);
  const double t_slope = glm::dot(edge.direction, across_line), u_slope = glm::dot(direction, across_edge);
  if (std::abs(t_slope) < 1e-9 || std::abs(u_slope) < 1e-9) return std::nullopt;
  return Crossing{glm::dot(point - edge.a, across_line) / t_slope, glm::dot(edge.a - point, across_edge) / u_slope};
}

GroundContact contact_on_edge(const Edge& edge, dvec3 m, double uncertainty, const EdgeContact& at,
                              std::uint32_t index) {
  return {.point = at.on_edge - at.depth * m,
          .normal = m,
          .depth = at.depth,
          .kind = ContactKind::edge,
          .index = index,
          .ground = edge.id,
          .material = edge.material,
          .normal_uncertainty = uncertainty};
}

// A way out is no longer than another up to this part of it and this much.
constexpr double kLongerPart = 1e-3;
constexpr double kLongerLength = 1e-4;  // [m]

void require_short_way(Conditions& conditions, const Body& body, const Edge& edge, double depth, double other) {
  auto way = [&](dvec3 m) { return glm::dot(edge.a - body.support(-m), m); };
  const double off = std::min({way(edge.n1), way(edge.n2), other});
  conditions.length(off + kLongerPart * std::abs(off) + kLongerLength - depth);
}

// The least signed distance of a segment's points from a body; it is convex along the segment.
double least_distance(const Body& body, dvec3 a, dvec3 b) {
  auto at = [&](double t) { return body.signed_distance(glm::mix(a, b, t)); };
  double from = 0.0, to = 1.0;
  for (int k = 0; k < 50; ++k) {
    const double t1 = from + (to - from) / 3.0, t2 = to - (to - from) / 3.0;
    at(t1) < at(t2) ? to = t2 : from = t1;
  }
  return at(0.5 * (from + to));
}

void add_edge_contact(ContactSearch& search, const Edge& edge, const EdgeNormal& root, EdgeContact at,
                      std::uint32_t index) {
  const GroundContact contact = contact_on_edge(edge, root.m, root.uncertainty, at, index);
  Conditions conditions = root.conditions;
  conditions.also(at.conditions);
  conditions.direction(edge.sine - kFlatSine);
  if (edge.kind == EdgeKind::convex) {
    // Never deeper than the way off one of the elements, or straight up: that is longer if the edge, lowered by so
    // much, still meets the body.
    require_short_way(conditions, search.body, edge, at.depth, std::numeric_limits<double>::infinity());
    const dvec3 lowered(0.0, 0.0, (at.depth - kLongerLength) / (1.0 + kLongerPart));
    if (lowered.z > 0.0 && conditions.possible())
      conditions.length(-least_distance(search.body, edge.a - lowered, edge.b - lowered));
  }
  if (edge.kind == EdgeKind::concave) {
    conditions.length(at.depth);
    // The way out must lead past the edge into the open: P is under both planes.
    conditions.direction(glm::dot(root.m, edge.n1));
    conditions.direction(glm::dot(root.m, edge.n2));
    search.prefer_under_body(conditions, edge.a, edge.b);
    if (conditions.possible()) search.require_below(conditions, contact.point, at.depth);
  } else if (at.depth >= 0.0) {
    // Ends of a part stand exactly over the body's sides, so that "in the body" needs a slack of its own.
    conditions.length(2.0 * kLengthSlack - search.body.signed_distance(at.on_edge));
  }
  search.add(contact, conditions);
}

void require_on_edge(Conditions& conditions, const Edge& edge, double t) {
  conditions.length(t);
  conditions.length(edge.length - t);
}

void require_up_to_end(Conditions& conditions, double metres) {
  Conditions end;
  end.length(metres);
  if (end.held() || !end.possible())
    conditions.also(end);
  else
    conditions.may_fail();
}

EdgeContact support_on_edge(const Body& body, const Edge& edge, dvec3 m, const Conditions& conditions) {
  const dvec3 p = body.support(-m);
  EdgeContact contact{p, glm::dot(edge.a - p, m), conditions};
  contact.on_edge += contact.depth * m;
  require_on_edge(contact.conditions, edge, glm::dot(contact.on_edge - edge.a, edge.direction));
  return contact;
}

}  // namespace oclide::reference
