#include "validation/mesh_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "reference/contact_reduction/contact_reduction.hpp"
#include "reference/contact_reduction/mesh_reduction.hpp"
#include "reference/mesh_tree.hpp"
#include "reference/narrow_phase/mesh_contact.hpp"
#include "validation/contact_errors.hpp"
#include "validation/tolerances.hpp"

namespace oclide::validation {

using namespace reference;

namespace {

// Whether a triangle and a body have points in common. Where no side of the triangle is in the body, the body's section
// with its plane is in the triangle as a whole, or not at all.
bool meets_triangle(const Body& body, dvec3 a, dvec3 b, dvec3 c) {
  const dvec3 v[3] = {a, b, c};
  for (int k = 0; k < 3; ++k) {
    const dvec3 along = v[(k + 1) % 3] - v[k];
    const double length = glm::length(along);
    const auto part = body.interval_on_line(v[k], along / length);
    if (part && part->lo <= length && part->hi >= 0.0) return true;
  }
  const dvec3 n = glm::normalize(glm::cross(b - a, c - a));
  const dvec3 low = body.support(-n), high = body.support(n);
  const double below = glm::dot(a - low, n), above = glm::dot(high - a, n);
  if (below < 0.0 || above < 0.0 || !(below + above > 0.0)) return false;
  const dvec3 at = low + below / (below + above) * (high - low);
  for (int k = 0; k < 3; ++k)
    if (glm::dot(glm::cross(v[(k + 1) % 3] - v[k], at - v[k]), n) < 0.0) return false;
  return true;
}

// The body touches the surface, or its middle is in the solid.
bool meets_mesh(const Body& body, const MeshView& view) {
  const TriangleMesh& mesh = view.mesh;
  if (mesh.solid && winding_number(mesh, view.in_mesh(body.middle())) > 0) return true;
  const dvec3 middle = view.in_mesh(dvec3(0.0));
  const double reach = body.bounding_radius();
  bool meets = false;
  visit_triangles(
      mesh,
      [&](dvec3 lower, dvec3 upper) {
        return !meets && glm::distance(middle, glm::clamp(middle, lower, upper)) <= reach;
      },
      [&](std::size_t t) {
        const auto& v = mesh.triangles[t].vertices;
        meets = meets || meets_triangle(body, view.vertex(v[0]), view.vertex(v[1]), view.vertex(v[2]));
      });
  return meets;
}

class MeshCheck {
 public:
  MeshCheck(const Body& body, const Body& mesh, dvec3 centre, std::vector<DeviceContact> device, double margin,
            const std::string& where, ValidationReport& report)
      : body_(body),
        view_{*mesh.mesh, mesh.axes, centre},
        all_(mesh_contacts(body, mesh, centre, margin)),
        expected_(mesh_manifolds(body, mesh.axes, all_)),
        device_(std::move(device)),
        margin_(margin),
        where_(where),
        report_(report) {}

  void check() {
    report_.pairs_device += device_.empty() ? 0 : 1;
    report_.pairs_reference += expected_.empty() ? 0 : 1;
    for (const auto& manifold : expected_) report_.contacts_reference += manifold.size();
    if (device_.empty()) return check_missed();
    if (expected_.empty()) check_found();
    for (const DeviceContact& d : device_) check_device_contact(d);
    for (const auto& manifold : expected_)
      if (manifold.front().kind != ContactKind::lift) check_reference_manifold(manifold.front());
    check_rests();
  }

 private:
  void example(const std::string& what) { add_example(report_, where_ + ": " + what); }

  static std::string described(double depth, dvec3 normal, dvec3 point) {
    char text[160];
    std::snprintf(text, sizeof text,
                  " (depth %.6g, normal %.4f %.4f %.4f, point %.5f %.5f %.5f from the body's centre)", depth, normal.x,
                  normal.y, normal.z, point.x, point.y, point.z);
    return text;
  }

  static bool same_normal(const DeviceContact& device, const MeshContact& reference) {
    return angle(device.normal, reference.normal) <= kNormal + reference.normal_uncertainty;
  }
  // The depth of a contact whose normal may be turned is as uncertain.
  [[nodiscard]] static bool same(const DeviceContact& device, const MeshContact& reference) {
    return same_normal(device, reference) && std::abs(device.depth - reference.depth) <= depth_tolerance_of(reference);
  }
  [[nodiscard]] static double depth_tolerance_of(const MeshContact& reference) {
    return depth_tolerance(reference.depth) + reference.depth_uncertainty;
  }

  // What is wrong with one contact by itself; empty when nothing is.
  [[nodiscard]] std::string what_is_false(const DeviceContact& d) const {
    if (!(std::abs(glm::length(d.normal) - 1.0) <= kUnit)) return "normal is not unit";
    if (!std::isfinite(d.depth)) return "depth is not finite";
    if (d.depth <= -margin_ - kLength) return "beyond the margin";
    if (!(std::abs(body_.signed_distance(d.point)) <= kLength)) return "point is not on the body";
    const dvec3 q = view_.in_mesh(d.point + d.depth * d.normal);
    bool of_element = false, material = false;
    // A foot may be as far beyond a flat edge as the two normals differ.
    const double tolerance = depth_tolerance(d.depth), beyond = kFlatSine * body_.bounding_radius();
    for (const NearestOfMesh& n : nearest_triangles(view_.mesh, q, tolerance + beyond, tolerance)) {
      const MeshTriangle& triangle = view_.mesh.triangles[n.triangle];
      if (triangle.element != d.element) continue;
      of_element = true, material = material || triangle.material == d.material;
    }
    if (!of_element) return "point + depth * normal is not on its triangle " + std::to_string(d.element);
    if (!material) return "it has not its triangle's material";
    return {};
  }

  // The contact of the reference that is the same, at the nearest point.
  [[nodiscard]] const MeshContact* match(const DeviceContact& d) const {
    const MeshContact* best = nullptr;
    for (const auto* contacts : {&all_.contacts, &all_.rests, &all_.hidden_rests})
      for (const MeshContact& c : *contacts)
        if (same(d, c) && (!best || glm::distance(c.point, d.point) < glm::distance(best->point, d.point))) best = &c;
    return best;
  }

  void check_device_contact(const DeviceContact& d) {
    report_.deepest = std::max(report_.deepest, d.depth);
    if (const std::string what = what_is_false(d); !what.empty()) {
      ++report_.unmatched_device;
      return example("false contact, " + what + described(d.depth, d.normal, d.point));
    }
    const MeshContact* best = match(d);
    if (!best) {
      ++report_.unmatched_device;
      return example("the reference has no such contact" + described(d.depth, d.normal, d.point));
    }
    note_errors(d, *best, report_);
  }

  // A contact of the device clears one of the reference, or may be found to do so.
  [[nodiscard]] bool may_clear(const DeviceContact& by, const MeshContact& other) const {
    if (by.depth <= 0.0) return false;
    MeshContact move;
    move.depth = by.depth, move.normal = glm::normalize(by.normal);
    // The line through a corner of the body may just miss the body when it has moved, or just not.
    const dvec3 n = other.normal, any = std::abs(n.x) < 0.6 ? dvec3(1.0, 0.0, 0.0) : dvec3(0.0, 1.0, 0.0);
    const dvec3 u = glm::normalize(glm::cross(n, any)), v = glm::cross(n, u);
    for (const dvec3 aside : {dvec3(0.0), u, -u, v, -v}) {
      MeshContact moved = other;
      moved.point += kLength * aside;
      if (clears(body_, move, moved, 2.0 * depth_tolerance(other.depth))) return true;
    }
    return false;
  }

  // Each manifold that no rounding can undo: the device has its normal and depth, or a shallower contact that clears
  // it.
  void check_reference_manifold(const MeshContact& deepest) {
    if (deepest.optional || deepest.depth <= kLength) return;
    for (const DeviceContact& d : device_) {
      if (same_normal(d, deepest) && d.depth >= deepest.depth - depth_tolerance_of(deepest)) return;
      const bool aside = glm::dot(d.normal, deepest.normal) < std::sqrt(0.5) + kNormal &&
                         d.depth < deepest.depth + depth_tolerance_of(deepest);
      if (aside && may_clear(d, deepest)) return;
    }
    ++report_.unmatched_reference;
    example("the device lacks a manifold (" + std::string(to_string(deepest.kind)) + ")" +
            described(deepest.depth, deepest.normal, deepest.point));
  }

  // The rest of a middle in the solid, and the greatest ones: a contact of the device clears it, or one is it, or of
  // the greatest any rest.
  void check_rests() {
    const MeshContact* of_eye = nullptr;
    double greatest = 0.0;
    for (const MeshContact& rest : all_.rests) {
      if (!rest.held) continue;
      if (rest.to_eye) of_eye = &rest;
      greatest = std::max(greatest, rest.depth);
    }
    if (of_eye) check_rest(*of_eye, [&](const DeviceContact& d) { return same(d, *of_eye); });
    // What is less by half of what makes it less is as great on the device too.
    const double as_great = 0.5 * (greatest + as_deep_as(greatest));
    for (const MeshContact& great : all_.rests)
      if (great.held && great.depth >= as_great)
        check_rest(great, [&](const DeviceContact& d) {
          return std::any_of(all_.rests.begin(), all_.rests.end(), [&](const auto& rest) { return same(d, rest); });
        });
  }
  template <typename Stands>
  void check_rest(const MeshContact& rest, const Stands& stands_for_it) {
    if (rest.optional || rest.depth <= kLength) return;
    for (const DeviceContact& d : device_)
      if (may_clear(d, rest) || stands_for_it(d)) return;
    ++report_.unmatched_reference;
    example("no contact of the device clears a rest" + described(rest.depth, rest.normal, rest.point));
  }

  // Contacts of the device, and none of the reference.
  void check_found() {
    const auto is_known = [&](const DeviceContact& d) { return match(d) != nullptr; };
    const bool wrong = are_wrong_alone(device_, margin_, surely_overlaps(), is_known);
    ++(wrong ? report_.only_device : report_.undecided);
    if (wrong) example("touch on the device alone, depth " + std::to_string(deepest_of(device_)));
  }

  // Without a contact on the device neither the reference's contacts nor the solids themselves ask for one.
  void check_missed() {
    for (const auto& manifold : expected_)
      if (manifold.front().depth > kLength - margin_) {
        ++report_.only_reference;
        return example("touch in the reference alone" +
                       described(manifold.front().depth, manifold.front().normal, manifold.front().point));
      }
    if (surely_overlaps()) {
      ++report_.only_reference;
      return example("overlap by more than the tolerance without a contact");
    }
    if (!expected_.empty()) ++report_.undecided;
  }

  // When the body still overlaps after all its sides have moved in by the tolerance, no move of that length clears it.
  [[nodiscard]] bool surely_overlaps() const {
    const std::optional<Body> inner = body_.eroded(kLength);
    return inner && meets_mesh(*inner, view_);
  }

  const Body& body_;
  MeshView view_;
  MeshContacts all_;
  std::vector<std::vector<MeshContact>> expected_;
  std::vector<DeviceContact> device_;
  double margin_;
  const std::string& where_;
  ValidationReport& report_;
};

}  // namespace

void check_mesh_pair(const Body& a, const Body& b, dvec3 c, bool meet, std::span<const DeviceContact> device,
                     double margin, const std::string& where, ValidationReport& report) {
  if (!meet) {
    if (device.empty()) return;
    ++report.only_device, ++report.pairs_device;
    report.unmatched_device += device.size();
    return add_example(report, where + ": bodies that do not meet have contacts");
  }
  // As the body that is not the mesh sees them.
  const bool turned = a.shape == Shape::triangle_mesh;
  std::vector<DeviceContact> seen(device.begin(), device.end());
  for (DeviceContact& d : seen) {
    if (!turned) continue;
    d.point += d.depth * d.normal - c;
    d.normal = -d.normal;
  }
  MeshCheck(turned ? b : a, turned ? a : b, turned ? -c : c, std::move(seen), margin, where, report).check();
}

}  // namespace oclide::validation
