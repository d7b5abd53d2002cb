// Shapes whose overlap is asked, one after another: of a compound each of its parts, where it is. docs/overlap.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide {

using Compounds = std::vector<std::vector<CompoundPart>>;

class QueryParts {
 public:
  /// Borrows both. The queries have been checked against the compounds.
  QueryParts(const QueryShapes& queries, const Compounds& compounds);

  /// Of all queries.
  [[nodiscard]] std::size_t count() const { return of_part_.empty() ? queries_.count() : of_part_.size(); }
  /// The query that it is of.
  [[nodiscard]] std::size_t query_of(std::size_t part) const { return of_part_.empty() ? part : of_part_[part].query; }

  struct Part {
    Shape shape;
    std::array<double, 3> size, position;
    std::array<double, 4> orientation;  // of any length
  };
  [[nodiscard]] Part at(std::size_t part) const;

  [[nodiscard]] const QueryShapes& queries() const { return queries_; }

 private:
  // Of a query the shape and size.
  [[nodiscard]] std::size_t kind_of(std::size_t query) const { return queries_.shape.size() == 1 ? 0 : query; }
  struct OfPart {
    std::uint32_t query, number;  // of the compound's parts
  };

  QueryShapes queries_;
  const Compounds& compounds_;
  std::vector<OfPart> of_part_;  // empty where there are no compounds
};

}  // namespace oclide
