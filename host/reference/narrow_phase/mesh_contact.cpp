#include "reference/narrow_phase/mesh_contact.hpp"

#include "shapes/shape_list.hpp"

namespace oclide::reference {

MeshContact MeshSearch::named(GroundContact contact, std::size_t triangle, const Conditions& conditions) const {
  const MeshTriangle& of = surface.view.mesh.triangles[triangle];
  contact.material = of.material;
  contact.held = conditions.held();
  contact.optional = !conditions.certain();
  contact.feature = joined_feature(contact.ground, body_part(contact, body.shape));
  MeshContact result{contact, of.element, of.face, {}, {}};
  if (!eye.in_solid)
    result.corners = {surface.view.vertex(of.vertices[0]), surface.view.vertex(of.vertices[1]),
                      surface.view.vertex(of.vertices[2])};
  return result;
}

void MeshSearch::add(const GroundContact& contact, std::size_t triangle, Conditions conditions) {
  conditions.length(contact.depth + margin);
  if (!conditions.possible()) return;
  contacts.push_back(named(contact, triangle, conditions));
  contacts.back().held = contacts.back().held && contact.depth > -margin;
}

void MeshSearch::add_rest(const GroundContact& contact, std::size_t triangle, const Conditions& conditions,
                          std::optional<double> to_eye) {
  if (!conditions.possible()) return;
  rests.push_back(named(contact, triangle, conditions));
  rests.back().to_eye = to_eye;
}

MeshContacts mesh_contacts(const Body& body, const Body& mesh, dvec3 centre, double margin) {
  const MeshView view{*mesh.mesh, mesh.axes, centre};
  const std::vector<Eye> eyes = eyes_of(body, view);
  MeshContacts all;
  for (const Eye& eye : eyes) {
    const MeshSurface surface(body, view, eye, margin);
    MeshSearch search{body, surface, eye, margin, {}, {}, {}};
#define OCLIDE_MESH_CASE(NAME, name) \
  if (body.shape == Shape::name) name##_triangle_mesh(search);
    OCLIDE_CONVEX_SHAPES(OCLIDE_MESH_CASE)
#undef OCLIDE_MESH_CASE
    add_rests(search);
    // Where rounding may take another eye, nothing is certain.
    const auto append = [&](std::vector<MeshContact>& into, std::vector<MeshContact>& from) {
      for (MeshContact& c : from) {
        c.optional = c.optional || eyes.size() > 1;
        c.held = c.held && &eye == &eyes.front();
        into.push_back(c);
      }
    };
    append(all.contacts, search.contacts);
    append(all.rests, search.rests);
    append(all.hidden_rests, search.hidden_rests);
  }
  return all;
}

}  // namespace oclide::reference
