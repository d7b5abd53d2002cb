#include "reference/contact_reduction/mesh_reduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/contact_reduction/contact_reduction.hpp"

namespace oclide::reference {
namespace {

constexpr double kMovedPart = 1e-3;         // of a depth, that a body is moved farther,
constexpr double kMovedLength = 1e-5;       // and this much [m]
constexpr double kBehindMiddlePart = 1e-6;  // slack of a corner behind it, of its distance
constexpr double kLeftPart = 0.1;           // of a depth, that may be left of it
constexpr double kShallowerPart = 0.01;     // a depth is less by this part of it,
constexpr double kShallowerLength = 1e-5;   // and this much [m]
constexpr double kPartPlane = 1e-4;         // of one part points differ along the normal by no more than this [m],
constexpr double kPartPlaneOfDepth = 0.1;   // or by this part of the depth

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

// Contacts of one face, normal and plane, those of each part in order: the first one is the deepest.
std::vector<MeshManifold> parts_of(const std::vector<MeshContact>& ordered) {
  std::vector<MeshManifold> parts;
  for (const MeshContact& c : ordered) {
    const auto has = [&](const MeshManifold& part) {
      const MeshContact& opener = part.front();
      const dvec3 n = opener.normal, way = point_of_mesh(c) - point_of_mesh(opener);
      const double turn = angle_between(c.normal, n);
      return c.face == opener.face && turn <= kSameNormal &&
             std::abs(glm::dot(way, n)) <=
                 kPartPlane + kPartPlaneOfDepth * std::max(opener.depth, 0.0) + turn * glm::length(way);
    };
    const auto part = std::find_if(parts.begin(), parts.end(), has);
    part == parts.end() ? parts.push_back({c}) : part->push_back(c);
  }
  return parts;
}

// All contacts that are deeper than 0, and the middle of their points of the mesh, unless all are left behind.
bool clears_all(const Body& body, const GroundContact& by, const MeshManifold& part) {
  MeshManifold deep;
  std::copy_if(part.begin(), part.end(), std::back_inserter(deep), [](const auto& c) { return c.depth > 0.0; });
  const auto all = [&](auto&& is_so) { return std::all_of(deep.begin(), deep.end(), is_so); };
  if (!all([&](const MeshContact& c) { return clears(body, by, c); })) return false;
  if (all([&](const MeshContact& c) { return leaves_behind(body, by, c); })) return true;
  MeshContact middle = deep.front();
  dvec3 sum(0.0);
  for (const MeshContact& c : deep) sum += point_of_mesh(c);
  middle.point = sum / static_cast<double>(deep.size()) - middle.depth * middle.normal;
  return left_over(body, by, middle) <= kLeftPart * middle.depth;
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
  std::vector<const MeshManifold*> staying;
  std::vector<MeshContact> contacts;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const MeshContact& deepest = part->front();
    const bool dropped = std::any_of(staying.begin(), staying.end(), [&](const MeshManifold* other) {
      return is_shallower_aside(other->front(), deepest) && clears_all(body, other->front(), *part);
    });
    if (dropped) continue;
    staying.push_back(&*part);
    contacts.insert(contacts.end(), part->begin(), part->end());
  }
  std::vector<MeshManifold> stay = reduce_contacts(in_mesh_order(contacts, mesh_axes), mesh_axes);

  std::vector<MeshContact> rests = in_mesh_order(all.rests, mesh_axes);
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
