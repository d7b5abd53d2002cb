// What must hold for the contacts of pairs of bodies: docs/body_contacts.md, from exact geometry.
#pragma once

#include "checks.hpp"
#include "pair_depth.hpp"

namespace oracle {

/// Whether two bodies are asked to meet: environment, group, category and mask, half spaces.
bool meet(const SceneFile& scene, std::size_t a, std::size_t b);

/// Checks all pairs of one frame at this margin, those without contacts too.
Findings check_pairs(const SceneFile& scene, const ContactFile& contacts, std::size_t frame, double margin,
                     unsigned threads);

/// Pairs and features of later frames against the first.
Findings check_same_features(const SceneFile& scene, const ContactFile& contacts);

/// The same bodies in another order: `other` is a file of a scene whose `permutation` leads back to `contacts`' bodies.
Findings check_permuted(const ContactFile& contacts, const SceneFile& other_scene, const ContactFile& other);

/// Area of the largest quadrilateral (or triangle) with corners among those of a convex polygon in order.
double largest_quadrilateral(const std::vector<std::array<double, 2>>& polygon);

}  // namespace oracle
