#include "reference/contact_reduction/mesh_reduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/contact_reduction/contact_reduction.hpp"

namespace oclide::reference {
namespace {

constexpr double kMovedPart = 1e-3;             // of a depth, that a body is moved farther,
constexpr double kMovedLength = 1e-5;           // and this much [m]
constexpr double kBehindMiddlePart = 1e-6;      // slack of a corner behind it, of its distance
constexpr double kLeftPart = 0.1;               // of a depth, that may be left of it
constexpr double kShallowerPart = 0.01;         // a depth is less by this part of it,
constexpr double kShallowerLength = 1e-5;       // and this much [m]
constexpr double kBesideTriangle = 4e-6;        // a point is in a triangle: slack [m],
constexpr double kBesideTrianglePart = 2.4e-7;  // and of the bounding radius
constexpr double kPartPlane = 1e-4;             // of one part points differ along the normal by no more than this [m],
constexpr double kPartPlaneOfDepth = 0.1;       // or by this part of the depth

using MeshManifold = std::vector<MeshContact>;

// Those that are held, in an order that neither the world nor the tree of the mesh decides.
std::vector<MeshContact> in_mesh_order(const std::vector<MeshContact>& contacts, const dmat3& mesh_axes) {
  std::vector<MeshContact> result;
  std::copy_if(contacts.begin(), contacts.end(), std::back_inserter(result), [](const auto& c) { return c.held; });
  const auto place = [&](const MeshContact& c) {
    const dvec3 p = c.point * mesh_axes;
    return std::array{p.x, p.y, p.z};
  };
  std::stable_sort(result.begin(), result.end(), [&](const MeshContact& a, const MeshContact& b) {
    if (a.depth != b.depth) return a.depth > b.depth;
    if (a.feature != b.feature) return a.feature < b.feature;
    return place(a) < place(b);
  });
  return result;
}

// The body, moved by a contact, is wholly before the triangle of another along the way.
bool leaves_behind(const Body& body, const GroundContact& by, const MeshContact& other) {
  if (!other.corners) return false;
  const double before = glm::dot(body.support(-by.normal), by.normal) + by.depth * (1.0 + kMovedPart) + kMovedLength;
  return std::all_of(other.corners->begin(), other.corners->end(),
                     [&](dvec3 v) { return glm::dot(v, by.normal) <= before + kBehindMiddlePart * glm::length(v); });
}

dvec3 point_of_mesh(const MeshContact& c) {
  return c.point + c.depth * c.normal;
}

// A contact is of the part that another one opens: of its face, normal and plane.
bool is_of_part(const MeshContact& c, const MeshContact& opener) {
  const dvec3 n = opener.normal, way = point_of_mesh(c) - point_of_mesh(opener);
  const double turn = angle_between(c.normal, n);
  return c.face == opener.face && turn <= kSameNormal &&
         std::abs(glm::dot(way, n)) <=
             kPartPlane + kPartPlaneOfDepth * std::max(opener.depth, 0.0) + turn * glm::length(way);
}

// Those of each part in order: the first one is the deepest.
std::vector<MeshManifold> parts_of(const std::vector<MeshContact>& ordered) {
  std::vector<MeshManifold> parts;
  for (const MeshContact& c : ordered) {
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const MeshManifold& own) { return is_of_part(c, own.front()); });
    part == parts.end() ? parts.push_back({c}) : part->push_back(c);
  }
  return parts;
}

// Contacts of a part that are deeper than 0 and their middle; the rests of its triangles, and the middles of what is in
// each of these.
struct DeepPart {
  MeshManifold contacts, rests, middles;
  MeshContact middle;
};

// The middle of points of the mesh, as a contact like the first.
MeshContact middle_of(const MeshManifold& points) {
  MeshContact middle = points.front();
  dvec3 sum(0.0);
  for (const MeshContact& c : points) sum += point_of_mesh(c);
  middle.point = sum / static_cast<double>(points.size()) - middle.depth * middle.normal;
  return middle;
}

// A point of its plane is in a triangle, or beside it by rounding.
bool is_in_triangle(dvec3 q, const std::array<dvec3, 3>& v, double slack) {
  const dvec3 n = glm::normalize(glm::cross(v[1] - v[0], v[2] - v[0]));
  for (std::size_t k = 0; k < 3; ++k)
    if (glm::dot(glm::cross(n, glm::normalize(v[(k + 1) % 3] - v[k])), q - v[k]) < -slack) return false;
  return true;
}
DeepPart deep_part(const MeshManifold& part, const std::vector<MeshContact>& rests, double slack) {
  DeepPart deep;
  std::copy_if(part.begin(), part.end(), std::back_inserter(deep.contacts),
               [](const auto& c) { return c.depth > 0.0; });
  std::copy_if(rests.begin(), rests.end(), std::back_inserter(deep.rests),
               [&](const auto& rest) { return !rest.to_eye && is_of_part(rest, part.front()); });
  if (deep.contacts.empty()) return deep;
  deep.middle = middle_of(deep.contacts);
  MeshManifold all = deep.contacts;
  all.insert(all.end(), deep.rests.begin(), deep.rests.end());
  for (const MeshContact& of : all) {
    if (!of.corners) continue;
    MeshManifold in_triangle{of};
    std::copy_if(all.begin(), all.end(), std::back_inserter(in_triangle), [&](const MeshContact& c) {
      return &c != &of && is_in_triangle(point_of_mesh(c), *of.corners, slack);
    });
    deep.middles.push_back(middle_of(in_triangle));
  }
  return deep;
}

// All that is deeper than 0, and the middle of the points of the mesh, unless all are left behind.
bool clears_all(const Body& body, const GroundContact& by, const DeepPart& part) {
  const auto all = [&](auto&& is_so) { return std::all_of(part.contacts.begin(), part.contacts.end(), is_so); };
  if (!all([&](const MeshContact& c) { return clears(body, by, c); })) return false;
  return all([&](const MeshContact& c) { return leaves_behind(body, by, c); }) ||
         left_over(body, by, part.middle) <= kLeftPart * part.middle.depth;
}

// One contact clears all of a part; or each of its contacts is cleared by one, and so is each rest of its triangles,
// and the middle of what is in each of them.
bool is_dropped(const Body& body, const std::vector<const MeshContact*>& others, const DeepPart& part) {
  const auto are_cleared = [&](const MeshManifold& all) {
    return std::all_of(all.begin(), all.end(), [&](const MeshContact& c) {
      return std::any_of(others.begin(), others.end(), [&](const auto* by) { return clears(body, *by, c); });
    });
  };
  if (!are_cleared(part.contacts)) return false;
  return std::any_of(others.begin(), others.end(), [&](const auto* by) { return clears_all(body, *by, part); }) ||
         (!part.rests.empty() && part.middles.size() == part.contacts.size() + part.rests.size() &&
          are_cleared(part.rests) && are_cleared(part.middles));
}

}  // namespace

double left_over(const Body& body, const GroundContact& by, const GroundContact& other) {
  const dvec3 move = (by.depth * (1.0 + kMovedPart) + kMovedLength) * by.normal;
  const dvec3 q = other.point + other.depth * other.normal;
  const auto line = body.interval_on_line(q - move, other.normal);
  return line ? std::max(-line->lo, 0.0) : 0.0;
}

bool clears(const Body& body, const GroundContact& by, const MeshContact& other, double forgiven) {
  if (leaves_behind(body, by, other)) return true;
  if (left_over(body, by, other) > kLeftPart * other.depth + forgiven) return false;
  // A middle that is in the solid is to be out.
  return !other.to_eye || by.depth * glm::dot(by.normal, other.normal) >= (1.0 - kLeftPart) * *other.to_eye - forgiven;
}

double as_deep_as(double depth) {
  return depth * (1.0 - kShallowerPart) - kShallowerLength;
}

bool is_shallower_aside(const GroundContact& first, const GroundContact& second) {
  return first.depth > 0.0 && first.depth < as_deep_as(second.depth) &&
         glm::dot(first.normal, second.normal) < std::sqrt(0.5);
}

std::vector<MeshManifold> mesh_manifolds(const Body& body, const dmat3& mesh_axes, const MeshContacts& all) {
  const std::vector<MeshManifold> parts = parts_of(in_mesh_order(all.contacts, mesh_axes));
  std::vector<MeshContact> rests = in_mesh_order(all.rests, mesh_axes);
  std::vector<const MeshContact*> staying;
  std::vector<MeshContact> contacts;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const MeshContact& deepest = part->front();
    std::vector<const MeshContact*> others;
    std::copy_if(staying.begin(), staying.end(), std::back_inserter(others),
                 [&](const MeshContact* other) { return is_shallower_aside(*other, deepest); });
    if (deepest.depth > 0.0 &&
        is_dropped(body, others,
                   deep_part(*part, rests, kBesideTriangle + kBesideTrianglePart * body.bounding_radius())))
      continue;
    staying.push_back(&deepest);
    contacts.insert(contacts.end(), part->begin(), part->end());
  }
  std::vector<MeshManifold> stay = reduce_contacts(in_mesh_order(contacts, mesh_axes), mesh_axes);

  const bool touches = !stay.empty() && stay.front().front().depth > 0.0;
  if (rests.empty() && !touches) rests = in_mesh_order(all.hidden_rests, mesh_axes);
  const auto is_cleared = [&](const MeshContact& rest) {
    for (const MeshManifold& manifold : stay)
      for (const MeshContact& c : manifold)
        if (c.depth > 0.0 && clears(body, c, rest)) return true;
    return false;
  };
  const auto of_eye = std::find_if(rests.begin(), rests.end(), [](const MeshContact& rest) { return rest.to_eye; });
  if (of_eye != rests.end() && !is_cleared(*of_eye)) {
    stay.push_back({*of_eye});
    return stay;
  }
  // One of the greatest that is left tells that one is needed; the least of those that are left is the one.
  const MeshContact* least = nullptr;
  bool is_needed = false;
  for (const MeshContact& rest : rests) {
    if (is_cleared(rest)) continue;
    is_needed = is_needed || rest.depth >= as_deep_as(rests.front().depth);
    if (!least || rest.depth < least->depth) least = &rest;
  }
  if (!is_needed) return stay;
  stay.push_back({*least});
  return stay;
}

}  // namespace oclide::reference
