// Does a cover of spheres as a test between broad and narrow phase pay? Stones of the scenario rubble, on one thread.
//
//   bench_sphere_covers [BODIES [REPETITIONS]]
//
// Pairs are those that the broad phase hands on: boxes meet, and so do bounding spheres. Of these, which have two
// spheres of their covers that meet? Each sphere of one body is held against all of the other, eight or so at once
// (plain C++ in float, compiled for the machine it runs on), and the first that meets ends it. One JSON object a line:
// `touch`, the share of the pairs that have contacts; `rejected`, that whose covers are apart, which would be spared
// the narrow phase; `error` of the covers, as a share of the hull's bounding radius (mean); nanoseconds of the test a
// pair, and of the spheres' places a body (least CPU time of the thread).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <functional>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "files/sphere_cover.hpp"
#include "scenarios/scenario.hpp"

namespace oclide::bench {
namespace {

using glm::dvec3, glm::vec3;

constexpr std::size_t kLanes = 8;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double least_seconds(int repetitions, const std::function<void()>& work) {
  double least = 1e300;
  for (int k = 0; k < repetitions; ++k) {
    const double begin = cpu_seconds();
    work();
    least = std::min(least, cpu_seconds() - begin);
  }
  return least;
}

// Spheres coordinate by coordinate; their number is a multiple of the lanes, the rest are far away.
struct Spheres {
  std::vector<float> x, y, z, radius;
  std::size_t count = 0;  // without the rest
};

void place(const SphereCover& cover, const dvec3& at, const glm::dmat3& axes, Spheres& spheres) {
  const glm::mat3 turn(axes);
  const vec3 by(at);
  for (std::size_t k = 0; k < spheres.count; ++k) {
    const vec3 p = turn * vec3(cover.spheres[k].centre) + by;
    spheres.x[k] = p.x, spheres.y[k] = p.y, spheres.z[k] = p.z;
  }
}

bool meet(const Spheres& a, const Spheres& b) {
  for (std::size_t i = 0; i < a.count; ++i)
    for (std::size_t k = 0; k < b.x.size(); k += kLanes) {
      int any = 0;
      for (std::size_t l = k; l < k + kLanes; ++l) {
        const float dx = a.x[i] - b.x[l], dy = a.y[i] - b.y[l], dz = a.z[i] - b.z[l], r = a.radius[i] + b.radius[l];
        any |= static_cast<int>(dx * dx + dy * dy + dz * dz <= r * r);
      }
      if (any != 0) return true;
    }
  return false;
}

void measure(std::size_t bodies, int repetitions) {
  ScenarioRequest request;
  request.name = "rubble";
  request.bodies = bodies;
  request.frames = 1;
  const auto scenario = make_scenario(request);
  const Scene& scene = scenario->scene();
  Frame frame;
  frame.position.resize(3 * bodies);
  frame.orientation.resize(4 * bodies);
  scenario->pose(0, frame);
  std::vector<ConvexHull> hulls;
  for (const auto& points : scene.hulls) hulls.push_back(build_convex_hull(points, "hull"));
  std::vector<std::size_t> hull_of(bodies);
  std::vector<dvec3> at(bodies), lower(bodies, dvec3(1e300)), upper(bodies, dvec3(-1e300));
  std::vector<glm::dmat3> axes(bodies);
  for (std::size_t i = 0; i < bodies; ++i) {
    hull_of[i] = static_cast<std::size_t>(scene.bodies.size[i][0]);
    const double *p = &frame.position[3 * i], *q = &frame.orientation[4 * i];
    at[i] = {p[0], p[1], p[2]};
    axes[i] = glm::mat3_cast(glm::normalize(glm::dquat(q[0], q[1], q[2], q[3])));
    for (const vec3& v : hulls[hull_of[i]].vertices) {
      const dvec3 w = axes[i] * dvec3(v) + at[i];
      lower[i] = glm::min(lower[i], w), upper[i] = glm::max(upper[i], w);
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < bodies; ++i)
    for (std::size_t j = i + 1; j < bodies; ++j)
      if (glm::all(glm::lessThanEqual(lower[i], upper[j])) && glm::all(glm::lessThanEqual(lower[j], upper[i])) &&
          glm::length(at[i] - at[j]) <= hulls[hull_of[i]].bounding_radius + hulls[hull_of[j]].bounding_radius)
        pairs.emplace_back(i, j);

  Collider collider;
  collider.set_scene(scene);
  std::set<std::pair<std::size_t, std::size_t>> touching;
  for (const Contact& c : collider.collide(frame.poses()).contacts)
    if (c.body_b != kTerrain) touching.emplace(c.body_a, c.body_b);
  const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(pairs.size()); };

  for (const std::size_t most : {1U, 4U, 8U, 16U, 32U}) {
    std::vector<SphereCover> covers;
    double error = 0.0;
    for (const ConvexHull& hull : hulls) {
      covers.push_back(cover_with_spheres(hull, most));
      error += covers.back().error / hull.bounding_radius / static_cast<double>(hulls.size());
    }
    std::vector<Spheres> spheres(bodies);
    for (std::size_t i = 0; i < bodies; ++i) {
      const SphereCover& cover = covers[hull_of[i]];
      const std::size_t room = (cover.spheres.size() + kLanes - 1) / kLanes * kLanes;
      spheres[i] = {std::vector<float>(room, 1e9F), std::vector<float>(room, 1e9F), std::vector<float>(room, 1e9F),
                    std::vector<float>(room, 0.0F), cover.spheres.size()};
      for (std::size_t k = 0; k < cover.spheres.size(); ++k)
        spheres[i].radius[k] = static_cast<float>(cover.spheres[k].radius);
    }
    const double placing = least_seconds(repetitions, [&] {
      for (std::size_t i = 0; i < bodies; ++i) place(covers[hull_of[i]], at[i], axes[i], spheres[i]);
    });
    std::vector<std::uint8_t> apart(pairs.size());
    const double testing = least_seconds(repetitions, [&] {
      for (std::size_t k = 0; k < pairs.size(); ++k)
        apart[k] = static_cast<std::uint8_t>(!meet(spheres[pairs[k].first], spheres[pairs[k].second]));
    });
    std::size_t rejected = 0, lost = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      rejected += apart[k];
      lost += apart[k] != 0 && touching.contains(pairs[k]) ? 1 : 0;
    }
    const nlohmann::ordered_json row{{"bodies", bodies},
                                     {"pairs", pairs.size()},
                                     {"touch", share(touching.size())},
                                     {"spheres", most},
                                     {"error", error},
                                     {"rejected", share(rejected)},
                                     {"lost", lost},
                                     {"ns_a_pair", 1e9 * testing / static_cast<double>(pairs.size())},
                                     {"ns_a_body", 1e9 * placing / static_cast<double>(bodies)}};
    std::cout << row.dump() << std::endl;
  }
}

}  // namespace
}  // namespace oclide::bench

int main(int argc, char** argv) {
  std::size_t bodies = 2000;
  int repetitions = 9;
  CLI::App app{"A cover of spheres as a test between broad and narrow phase", "bench_sphere_covers"};
  app.add_option("bodies", bodies, "Hulls in a heap")->check(CLI::Range(2, 10'000'000));
  app.add_option("repetitions", repetitions, "The least time of so many counts")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  oclide::bench::measure(bodies, repetitions);
  return 0;
}
