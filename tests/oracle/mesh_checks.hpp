// What must hold for the contacts of convex bodies with triangle meshes: docs/mesh_contacts.md and the contract, by
// brute force over all triangles.
#pragma once

#include "checks.hpp"

namespace oracle {

using Corners = std::array<Vec, 3>;

/// How deep a triangle is in a body, at most: the least signed distance of its points, by search; a convex function.
double deepest_in(const Body& body, const Corners& triangle);

/// Distance of a triangle from a body, 0 where they have points in common.
double distance_of(const Body& body, const Corners& triangle);

/// The nearest point of a triangle.
Vec nearest_point(Vec p, const Corners& triangle);

/// How many times a surface goes around a point, by the solid angles of its triangles.
double winding(Vec p, const std::vector<Corners>& surface);

/// Checks all pairs of a convex body and a mesh of one frame at this margin, those without contacts too.
Findings check_meshes(const SceneFile& scene, const ContactFile& contacts, std::size_t frame, double margin,
                      unsigned threads);

}  // namespace oracle
