#include "hulls/qhull_facets.hpp"

#include <libqhull_r/libqhull_r.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include "oclide/oclide.hpp"
#include "text/clean_text.hpp"

namespace oclide {
namespace {

static_assert(sizeof(glm::dvec3) == 3 * sizeof(coordT), "Qhull reads the points as an array of its numbers");

[[noreturn]] void qhull_failed(const std::string& what) {
  throw Error(ErrorKind::invalid_input, "Qhull cannot build the hull: " + what);
}

// A stream into memory, for what Qhull says of its failures.
class MemoryStream {
 public:
  MemoryStream() : file_(open_memstream(&text_, &size_)) {
    if (file_ == nullptr) qhull_failed("no memory for its messages");
  }
  ~MemoryStream() {
    std::fclose(file_);
    std::free(text_);  // NOLINT(cppcoreguidelines-no-malloc): of open_memstream
  }
  MemoryStream(const MemoryStream&) = delete;
  MemoryStream& operator=(const MemoryStream&) = delete;

  [[nodiscard]] std::FILE* file() { return file_; }
  [[nodiscard]] std::string first_line() {
    std::fflush(file_);
    const std::string all(text_, size_);
    return clean_text(all.substr(0, all.find('\n')));
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

// Qhull's memory for one hull.
class Session {
 public:
  Session() { qh_zero(&state_, nullptr); }
  ~Session() {
    qh_freeqhull(&state_, !qh_ALL);
    int kept = 0, total = 0;
    qh_memfreeshort(&state_, &kept, &total);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] qhT* state() { return &state_; }

 private:
  qhT state_;
};

// A set's elements, which go on behind the one that its type names; a null pointer ends them.
const setelemT* elements_of(const setT* set) {
  return &set->e[0];
}

// One facet's side.
struct FacetSide {
  std::array<std::uint32_t, 2> points;
  std::uint32_t facet;
};

std::vector<FacetSide> sides_of(qhT* qh) {
  std::vector<FacetSide> sides;
  std::uint32_t number = 0;
  const auto number_of = [&](const void* vertex) {
    return static_cast<std::uint32_t>(qh_pointid(qh, static_cast<const vertexT*>(vertex)->point));
  };
  const auto add = [&](const void* a, const void* b) {
    const std::uint32_t p = number_of(a), q = number_of(b);
    sides.push_back({{std::min(p, q), std::max(p, q)}, number});
  };
  for (facetT* facet = qh->facet_list; facet->next != nullptr; facet = facet->next, ++number) {
    if (facet->simplicial) {  // a triangle: Qhull makes no ridges for it
      const setelemT* corner = elements_of(facet->vertices);
      for (int k = 0; k < 3; ++k) add(corner[k].p, corner[(k + 1) % 3].p);
      continue;
    }
    for (const setelemT* e = elements_of(facet->ridges); e->p != nullptr; ++e) {
      const setelemT* ends = elements_of(static_cast<const ridgeT*>(e->p)->vertices);
      add(ends[0].p, ends[1].p);
    }
  }
  return sides;
}

std::vector<FacetEdge> paired(std::vector<FacetSide> sides) {
  std::sort(sides.begin(), sides.end(), [](const FacetSide& a, const FacetSide& b) {
    return a.points != b.points ? a.points < b.points : a.facet < b.facet;
  });
  std::vector<FacetEdge> edges;
  edges.reserve(sides.size() / 2);
  for (std::size_t k = 0; k < sides.size(); k += 2) {
    const bool alone = k + 1 == sides.size() || sides[k].points != sides[k + 1].points;
    if (alone || (k + 2 < sides.size() && sides[k].points == sides[k + 2].points))
      qhull_failed("its surface is not closed");
    edges.push_back({sides[k].points, {sides[k].facet, sides[k + 1].facet}});
  }
  return edges;
}

}  // namespace

HullFacets qhull_facets(std::span<const glm::dvec3> points) {
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    qhull_failed(std::to_string(points.size()) + " points are more than it counts");
  std::vector<glm::dvec3> own(points.begin(), points.end());  // Qhull's interface takes no constant ones
  MemoryStream messages;
  Session session;
  qhT* const qh = session.state();
  std::string command = "qhull Pp";  // no advice on narrow hulls
  if (qh_new_qhull(qh, 3, static_cast<int>(own.size()), &own[0].x, False, command.data(), nullptr, messages.file()) !=
      0)
    qhull_failed(messages.first_line());

  HullFacets facets;
  for (const facetT* facet = qh->facet_list; facet->next != nullptr; facet = facet->next)
    facets.normals.emplace_back(facet->normal[0], facet->normal[1], facet->normal[2]);
  facets.edges = paired(sides_of(qh));
  return facets;
}

}  // namespace oclide
