#include "report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

// What is printed of a category: how many there are, on how many bodies, and the worst ones first.
struct Category {
  std::size_t count = 0, bodies = 0;
  std::vector<Violation> worst;
};

// What is printed of a statistic: how many values there are, and some of them by their rank.
struct Ranks {
  std::size_t count = 0;
  std::array<double, 6> value{};
};
constexpr std::array<double, 6> kRanks{0.0, 0.05, 0.5, 0.95, 0.99, 1.0};

std::map<std::string, Category> categories_of(const Findings& f, std::size_t worst) {
  std::map<std::string, Category> categories;
  std::map<std::string, std::set<std::pair<std::size_t, std::size_t>>> bodies;
  for (const Violation& v : f.violations) {
    categories[v.category].worst.push_back(v);
    bodies[v.category].emplace(v.frame, v.body);
  }
  for (auto& [name, c] : categories) {
    std::stable_sort(c.worst.begin(), c.worst.end(), [](const auto& a, const auto& b) { return a.excess > b.excess; });
    c.count = c.worst.size();
    c.bodies = bodies[name].size();
    c.worst.resize(std::min(worst, c.count));
  }
  return categories;
}

Ranks ranks_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Ranks ranks{values.size(), {}};
  for (std::size_t k = 0; k < kRanks.size(); ++k)
    ranks.value[k] = values[static_cast<std::size_t>(kRanks[k] * static_cast<double>(values.size() - 1))];
  return ranks;
}

long long row_of(const Violation& v) {
  return v.row == static_cast<std::size_t>(-1) ? -1 : static_cast<long long>(v.row);
}

void print_json(const Findings& f, const std::map<std::string, Category>& categories) {
  Json violations = Json::object(), statistics = Json::object();
  for (const auto& [name, c] : categories) {
    Json worst = Json::array();
    for (const Violation& v : c.worst)
      worst.push_back(
          {{"frame", v.frame}, {"body", v.body}, {"row", row_of(v)}, {"excess", v.excess}, {"text", v.text}});
    violations[name] = {{"count", c.count}, {"bodies", c.bodies}, {"worst", worst}};
  }
  for (const auto& [name, values] : f.statistics) {
    const Ranks ranks = ranks_of(values);
    statistics[name] = Json::array({ranks.count});
    for (const double value : ranks.value) statistics[name].push_back(value);
  }
  std::cout << Json{{"violations", violations}, {"counts", f.counts}, {"statistics", statistics}}.dump() << "\n";
}

void print_lines(const Findings& f, const std::map<std::string, Category>& categories) {
  for (const auto& [name, c] : categories) {
    std::printf("%s: %zu, on %zu bodies\n", name.c_str(), c.count, c.bodies);
    for (const Violation& v : c.worst)
      std::printf("  frame %zu body %zu row %lld: %s\n", v.frame, v.body, row_of(v), v.text.c_str());
  }
  for (const auto& [name, count] : f.counts) std::printf("%s: %zu\n", name.c_str(), count);
  for (const auto& [name, values] : f.statistics) {
    const Ranks r = ranks_of(values);
    std::printf("%s: n %zu, least %.4g, 5%% %.4g, median %.4g, 95%% %.4g, 99%% %.4g, most %.4g\n", name.c_str(),
                r.count, r.value[0], r.value[1], r.value[2], r.value[3], r.value[4], r.value[5]);
  }
}

}  // namespace

void report(const Findings& findings, bool json, std::size_t worst) {
  const auto categories = categories_of(findings, worst);
  if (json)
    print_json(findings, categories);
  else
    print_lines(findings, categories);
}

}  // namespace oracle
